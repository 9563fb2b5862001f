"""What all experiments share: rows beside the paper's numbers, what they need, and their page.

An experiment is a function of a `Profile` that is registered by :func:`experiment`; it returns what
it `Found`: rows, and its figure. A row compares a number (within three standard errors of both
sides), or says whether a finding of the paper holds. Nothing agrees that was not measured.

Three standard errors are exceeded by chance in 0.27 % of normal numbers if the spread is known. If
it is estimated from n repetitions alone, the ratio has Student's distribution with n - 1 degrees of
freedom, and three errors are exceeded in 3 % at n = 6 and in 20 % at n = 2: the quantile of the
same 0.27 % takes their place, 5.5 at n = 6. In return a table of numbers may miss no more of them
than the binomial distribution at 0.27 % allows in 95 % of tables: none of 18, one of 19 to 131. It
takes them as independent; a table's are not quite, which makes the criterion stricter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import binom, norm, t
from threadpoolctl import threadpool_limits

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"  # beside the project
AGREES, DIFFERS, NEEDS = "agrees", "differs", "needs data"
ERRORS = 3.0  # standard errors within which numbers agree, if their spread is known
LEVEL = 2.0 * norm.sf(ERRORS)  # by chance a number is farther
TABLES = 0.95  # of tables in which only chance lets numbers differ agree

PHONEME = "lcbench_phoneme.csv.gz"
PATHS, SHAPLEY = "hyper_ellipsoid_paths.csv.gz", "hyper_ellipsoid_shapley.csv.gz"
FETCH = {
    PHONEME: "LCBench's table of phoneme; examples/papers/README.md says how to get it",
    PATHS: "the thesis's logged runs; examples/papers/README.md says how to get them",
    SHAPLEY: "the R tool's answers for the thesis's runs; examples/papers/README.md says how to "
    "get them",
}


@dataclass(frozen=True)
class Row:
    """One comparison with a paper.

    Attributes
    ----------
    what : str
        The number, or the finding.
    paper, ours, error : str
        The paper's number, the one found here, and the standard error of their difference, with the
        factor that is allowed where it is not ERRORS.
    verdict : str
        AGREES, DIFFERS or NEEDS.
    why : str
        Why it differs, or where the data come from.
    """

    what: str
    paper: str
    ours: str
    error: str
    verdict: str
    why: str = ""


@dataclass(frozen=True, eq=False)
class Found:
    """What an experiment found."""

    rows: tuple[Row, ...]
    figure: Figure | None = None


@dataclass(frozen=True)
class Profile:
    """How much is done, and where data lie."""

    thorough: bool = False
    data: Path = DATA
    seed: int = 0
    workers: int = 1

    def size(self, quick: int, thorough: int) -> int:
        """Return a number of repetitions."""
        return thorough if self.thorough else quick

    def repeated(
        self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """Return the results of a function that is called with each tuple of arguments."""
        if self.workers == 1:
            with threadpool_limits(1):
                return [function(*some) for some in arguments]
        with ProcessPoolExecutor(self.workers, initializer=_single_thread) as pool:
            return list(pool.map(function, *zip(*arguments, strict=True)))


def _single_thread() -> None:
    threadpool_limits(1)


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper, and the function that repeats it.

    Attributes
    ----------
    paper, name, title : str
        The paper's short name, "table6" or "figure3", and what it is about.
    run : callable
        From a `Profile` to what is `Found`.
    needs : tuple of str
        Files without which it cannot run.
    basis : str
        On what it was measured, where the paper's own data are not at hand.
    """

    paper: str
    name: str
    title: str
    run: Callable[[Profile], Found]
    needs: tuple[str, ...] = ()
    basis: str = ""

    def found(self, profile: Profile) -> Found:
        """Return what is found, or which file is missing."""
        missing = [file for file in self.needs if not (profile.data / file).exists()]
        if missing:
            return Found(tuple(needs(self.title, FETCH[file]) for file in missing))
        return self.run(profile)


EXPERIMENTS: dict[tuple[str, str], Experiment] = {}


def experiment(
    paper: str, name: str, title: str, *, needs: Sequence[str] = (), basis: str = ""
) -> Callable[[Callable[[Profile], Found]], Callable[[Profile], Found]]:
    """Register a function as the repetition of a table or figure."""

    def registered(function: Callable[[Profile], Found]) -> Callable[[Profile], Found]:
        EXPERIMENTS[paper, name] = Experiment(paper, name, title, function, tuple(needs), basis)
        return function

    return registered


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what a function of a profile returns, for several tables and figures rest on it."""
    return cache(function)


# ------------------------------------------------------------------ rows


def finding(what: str, holds: Any, ours: str, paper: str = "yes", why: str = "") -> Row:
    """Return whether a finding of a paper holds, and by which numbers."""
    holds = bool(holds)
    return Row(what, paper, ours, "", AGREES if holds else DIFFERS, "" if holds else why)


def number(
    what: str,
    paper: float,
    ours: float | Sequence[float] | np.ndarray,
    *,
    spread: float = 0.0,
    of: int = 1,
    error: float = 0.0,
    one_draw: bool = False,
    digits: int = 2,
    why: str = "",
) -> Row:
    """Compare a number, or the mean of repetitions, with a paper's.

    Parameters
    ----------
    what : str
        What it is.
    paper : float
        The paper's number.
    ours : float or array of float
        The number found here, or one of each repetition.
    spread : float
        The paper's standard deviation of a single repetition.
    of : int
        The paper's number of repetitions.
    error : float
        Another standard error, such as that of a Monte Carlo integral or of rounding.
    one_draw : bool
        Whether the paper's repetitions share what is drawn anew here, such as an initial design
        that is not published: their mean is one draw of ours then.
    digits : int
        Digits that are shown.
    why : str
        Why it differs, if it does.
    """
    values = np.atleast_1d(np.asarray(ours, dtype=float))
    # few repetitions know little of their own spread; the paper's is of many
    own = values.std(ddof=1) if len(values) > 1 else 0.0
    theirs = own if one_draw else spread / of**0.5
    variance = max(own, spread) ** 2 / len(values) + theirs**2 + error**2
    half = 0.5 * 10.0**-digits  # of rounding
    total = float(np.sqrt(variance))
    estimated = 0.0 if spread else own**2 / len(values) + one_draw * own**2
    factor = allowed(estimated / variance if estimated else 0.0, len(values))
    agrees = abs(values.mean() - paper) <= factor * total + half
    return Row(
        what, f"{paper:.{digits}f}", f"{values.mean():.{digits}f}",
        f"{total:.{digits}f}" + (f" × {factor:.1f}" if estimated else ""),
        AGREES if agrees else DIFFERS, "" if agrees else why,
    )  # fmt: skip


def allowed(share: float, repetitions: int) -> float:
    """Return how many standard errors chance exceeds as rarely as three of a known spread.

    A share of the variance is estimated from repetitions (Welch's and Satterthwaite's degrees of
    freedom, with which chance exceeds it rather more often), the rest is known.
    """
    return float(t.isf(LEVEL / 2.0, (repetitions - 1) / share**2)) if share else ERRORS


def needs(what: str, where: str) -> Row:
    """Return a row of what was not measured, and where its data come from."""
    return Row(what, "", "", "", NEEDS, where)


def verdict(rows: Sequence[Row]) -> str:
    """Return the verdict on a table: findings have to agree, numbers but for what chance does."""
    measured = [row for row in rows if row.verdict != NEEDS]
    if not measured:
        return NEEDS
    misses = [row.verdict == DIFFERS for row in measured if row.error]
    findings = all(row.verdict == AGREES for row in measured if not row.error)
    return AGREES if findings and sum(misses) <= chance(len(misses)) else DIFFERS


def chance(numbers: int) -> int:
    """Return how many numbers of a table chance lets differ at most, in TABLES of the tables."""
    return int(binom.ppf(TABLES, numbers, LEVEL)) if numbers else 0


def listed(values: Iterable[float], digits: int = 1) -> str:
    """Return numbers in a row."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


# ------------------------------------------------------------------ figures


BLUE, ORANGE, GREEN, GREY, BLACK = "#0072b2", "#e69f00", "#009e73", "#999999", "#222222"


def panels(rows: int, columns: int, width: float = 2.6, height: float = 2.1, **shared: Any):
    """Return a figure and its axes, (rows, columns)."""
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **shared)
    for ax in axes.ravel():
        ax.tick_params(labelsize=7)
    return figure, axes


def band(ax: Any, x: Any, middle: Any, half: Any, color: str = BLUE, **line: Any) -> None:
    """Draw a curve with a band."""
    middle, half = np.asarray(middle), np.asarray(half)
    ax.fill_between(x, middle - half, middle + half, color=color, alpha=0.25, lw=0)
    ax.plot(x, middle, color=color, **line)


def read(profile: Profile, file: str) -> pd.DataFrame:
    """Return a table of the data."""
    return pd.read_csv(profile.data / file)


# ------------------------------------------------------------------ the page


@dataclass
class Page:
    """Results as Markdown."""

    head: str
    parts: list[str] = field(default_factory=list)
    counts: list[tuple[Experiment, str]] = field(default_factory=list)

    def add(self, one: Experiment, found: Found, picture: str | None, seconds: float) -> None:
        """Add an experiment."""
        judged = verdict(found.rows)
        self.counts.append((one, judged))
        basis = f" Measured on {one.basis}." if one.basis and judged != NEEDS else ""
        missing = sum(row.verdict == NEEDS for row in found.rows)
        agreeing = sum(row.verdict == AGREES for row in found.rows)
        of = f" ({agreeing} of {len(found.rows) - missing})" if judged != NEEDS else ""
        lines = [
            f"### {label(one)}: {one.title}",
            f"**{judged}**{of}.{basis} {seconds:.0f} s.",
            "\n".join(
                [
                    "| what | paper | ours | standard error | verdict |",
                    "|---|---|---|---|---|",
                    *(_line(row) for row in found.rows),
                ]
            ),
        ]
        if picture:
            lines.append(f"![{label(one)}]({picture})")
        self.parts.append("\n\n".join(lines))

    def text(self) -> str:
        """Return the page: the overview, then each experiment."""
        overview = ["| paper | agrees | differs | needs data |", "|---|---|---|---|"]
        for paper in dict.fromkeys(one.paper for one, _ in self.counts):
            of = [(one, v) for one, v in self.counts if one.paper == paper]
            cells = [
                f"{len(names)}: " + ", ".join(names) if names else "0"
                for names in (
                    [label(one, short=True) for one, v in of if v == which]
                    for which in (AGREES, DIFFERS, NEEDS)
                )
            ]
            overview.append(f"| {paper} | " + " | ".join(cells) + " |")
        agreeing = sum(v == AGREES for _, v in self.counts)
        total = f"{agreeing} of {len(self.counts)} tables and figures agree."
        return "\n\n".join([self.head, total, "\n".join(overview), *self.parts]) + "\n"


def label(one: Experiment, *, short: bool = False) -> str:
    """Return "Moosbauer, Table 1", or "Table 1"."""
    kind, digits = one.name.rstrip("0123456789"), one.name.lstrip("abcdefghijklmnopqrstuvwxyz")
    named = f"{kind.capitalize()} {digits}".strip()
    return named if short else f"{one.paper}, {named}"


def _line(row: Row) -> str:
    cells = (row.what, row.paper, row.ours, row.error)
    said = row.verdict + (f": {row.why}" if row.why else "")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (*cells, said)) + " |"
