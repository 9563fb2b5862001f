"""What all experiments share: rows beside the paper's numbers, what they need, and their page.

An experiment is a function that is registered by :func:`experiment`; it adds what it finds to a
`Sheet`: rows, and its figure. A row compares a number (within three standard errors of both
sides), or says whether a finding of the paper holds. Nothing agrees that was not measured.

Three standard errors are exceeded by chance in 0.27 % of normal numbers if the spread is known. If
it is estimated from n repetitions alone, the ratio has Student's distribution with n - 1 degrees of
freedom, and three errors are exceeded in 3 % at n = 6 and in 20 % at n = 2: the quantile of the
same 0.27 % takes their place, 5.5 at n = 6. In return a table of numbers may miss no more of them
than the binomial distribution at 0.27 % allows in 95 % of tables: none of 18, one of 19 to 131. It
takes them as independent; a table's are not quite, which makes the criterion stricter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import binom, norm, t
from threadpoolctl import threadpool_limits

# beside the project
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
AGREES, DIFFERS, NEEDS = "agrees", "differs", "needs data"
ERRORS = (
    3.0  # standard errors within which numbers agree, if their spread is known
)
LEVEL = 2.0 * norm.sf(ERRORS)  # by chance a number is farther
TABLES = 0.95  # of tables in which only chance lets numbers differ agree

PHONEME = "lcbench_phoneme.csv.gz"
PATHS, SHAPLEY = (
    "hyper_ellipsoid_paths.csv.gz",
    "hyper_ellipsoid_shapley.csv.gz",
)
HOW = "examples/papers/README.md says how to get"
FETCH = {
    PHONEME: f"LCBench's table of phoneme; {HOW} it",
    PATHS: f"the thesis's logged runs; {HOW} them",
    SHAPLEY: f"the R tool's answers for the thesis's runs; {HOW} them",
}


class Row(NamedTuple):
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

    def __str__(self) -> str:
        said = self.verdict + (f": {self.why}" if self.why else "")
        cells = (self.what, self.paper, self.ours, self.error, said)
        return (
            "| "
            + " | ".join(cell.replace("|", "\\|") for cell in cells)
            + " |"
        )


class Profile(NamedTuple):
    """How much is done, and where data lie."""

    thorough: bool = False
    data: Path = DATA
    seed: int = 0
    workers: int = 1

    def size(self, quick: int, thorough: int) -> int:
        """Return a number of repetitions."""
        return thorough if self.thorough else quick

    def has(self, *files: str) -> bool:
        """Return whether all of some data are there."""
        return all((self.data / file).exists() for file in files)

    def read(self, file: str) -> pd.DataFrame:
        """Return a table of the data."""
        return pd.read_csv(self.data / file)

    def repeated(
        self, function: Callable[..., Any], arguments: Sequence[tuple]
    ) -> list[Any]:
        """Return the results of a function that is called with each tuple of arguments."""
        if self.workers == 1:
            with threadpool_limits(1):
                return [function(*some) for some in arguments]
        one_thread = {"initializer": threadpool_limits, "initargs": (1,)}
        with ProcessPoolExecutor(self.workers, **one_thread) as pool:
            return list(pool.map(function, *zip(*arguments, strict=True)))

    def over_seeds(
        self,
        function: Callable[..., Any],
        settings: Sequence[tuple],
        quick: int,
        thorough: int,
    ) -> list[list[Any]]:
        """Return, by setting, the results of a function of a setting and one of several seeds."""
        n = self.size(quick, thorough)
        work = [
            (*setting, self.seed + k) for setting in settings for k in range(n)
        ]
        found = self.repeated(function, work)
        return [found[n * i : n * (i + 1)] for i in range(len(settings))]


# ------------------------------------------------------------------ what is found


@dataclass(eq=False)
class Sheet:
    """What an experiment finds: rows beside the paper's numbers, and its figure."""

    profile: Profile
    rows: list[Row] = field(default_factory=list)
    figure: Figure | None = None

    def finding(
        self,
        what: str,
        holds: Any,
        ours: str,
        paper: str = "yes",
        why: str = "",
    ) -> None:
        """Add whether a finding of a paper holds, and by which numbers."""
        judged = (AGREES, "") if holds else (DIFFERS, why)
        self.rows.append(Row(what, paper, ours, "", *judged))

    def needs(self, what: str, where: str) -> None:
        """Add what was not measured, and where its data come from: a file, or words."""
        self.rows.append(Row(what, "", "", "", NEEDS, FETCH.get(where, where)))

    def number(
        self,
        what: str,
        paper: float,
        ours: Any,
        *,
        spread: float = 0.0,
        of: int = 1,
        error: float = 0.0,
        one_draw: bool = False,
        digits: int = 2,
        why: str = "",
    ) -> None:
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
        factor = allowed(
            estimated / variance if estimated else 0.0, len(values)
        )
        agrees = abs(values.mean() - paper) <= factor * total + half
        shown = [
            f"{value:.{digits}f}" for value in (paper, values.mean(), total)
        ]
        shown[2] += f" × {factor:.1f}" if estimated else ""
        self.rows.append(
            Row(what, *shown, *((AGREES, "") if agrees else (DIFFERS, why)))
        )

    def numbers(
        self,
        what: str,
        names: Sequence[Iterable[Any]],
        paper: Any,
        ours: Any,
        **options: Any,
    ) -> None:
        """Compare the cells of a table, an array with an axis for each of the lists of names.

        `what` has a place for a name of each. `ours` has the repetitions as its first axis. Options
        are those of `number`, of all cells or one a cell.
        """
        labels = [what.format(*some) for some in product(*names)]
        each = {
            key: np.resize(value, len(labels))
            for key, value in options.items()
        }
        columns = np.reshape(ours, (-1, len(labels))).T
        for i, (label, theirs) in enumerate(
            zip(labels, np.ravel(paper), strict=True)
        ):
            options = {key: values[i] for key, values in each.items()}
            self.number(label, theirs, columns[i], **options)

    def panels(
        self,
        titles: Any,
        width: float = 2.6,
        height: float = 2.1,
        **shared: Any,
    ) -> Any:
        """Return the axes of a figure in the shape of their titles: one, a row, or rows."""
        size = np.atleast_2d(titles).shape
        figsize = (width * size[1], height * size[0])
        self.figure = Figure(figsize=figsize, layout="constrained")
        axes = self.figure.subplots(*size, squeeze=False, **shared)
        for ax, title in zip(axes.ravel(), np.ravel(titles), strict=True):
            ax.tick_params(labelsize=7)
            ax.set_title(title, fontsize=8)
        return axes.reshape(np.shape(titles))[()]


def allowed(share: float, repetitions: int) -> float:
    """Return how many standard errors chance exceeds as rarely as three of a known spread.

    A share of the variance is estimated from repetitions (Welch's and Satterthwaite's degrees of
    freedom, with which chance exceeds it rather more often), the rest is known.
    """
    return (
        float(t.isf(LEVEL / 2.0, (repetitions - 1) / share**2))
        if share
        else ERRORS
    )


def verdict(rows: Sequence[Row]) -> str:
    """Return the verdict on a table: findings have to agree, numbers but for what chance does."""
    measured = [row for row in rows if row.verdict != NEEDS]
    if not measured:
        return NEEDS
    misses = [row.verdict == DIFFERS for row in measured if row.error]
    findings = all(row.verdict == AGREES for row in measured if not row.error)
    return (
        AGREES if findings and sum(misses) <= chance(len(misses)) else DIFFERS
    )


def chance(numbers: int) -> int:
    """Return how many numbers of a table chance lets differ at most, in TABLES of the tables."""
    return int(binom.ppf(TABLES, numbers, LEVEL)) if numbers else 0


def quoted(table: str) -> dict[str, np.ndarray]:
    """Return the numbers (columns,) of each row of a paper's table: "name: 1.2 (0.3), 4.5"."""
    rows = [line.strip().split(":") for line in table.strip().splitlines()]
    return {
        name: np.array(re.findall(r"-?[\d.]+", cells), float)
        for name, cells in rows
    }


def listed(values: Iterable[float], digits: int = 1) -> str:
    """Return numbers in a row."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


# ------------------------------------------------------------------ experiments


class Experiment(NamedTuple):
    """A table or figure of a paper, and the function that repeats it.

    Attributes
    ----------
    paper, name, title : str
        The paper's short name, "table6" or "figure3", and what it is about.
    run : callable
        Of a `Sheet`, to which it adds what it finds, and of `data`, if there are any.
    data : callable, optional
        From a `Profile` to what several experiments rest on.
    needs : tuple of str
        Files without which it cannot run.
    basis : str
        On what it was measured, where the paper's own data are not at hand.
    """

    paper: str
    name: str
    title: str
    run: Callable[..., None]
    data: Callable[[Profile], Any] | None = None
    needs: tuple[str, ...] = ()
    basis: str = ""

    @property
    def label(self) -> str:
        """Return "moosbauer, Table 1"."""
        kind, number = re.fullmatch(r"([a-z]+)(\d*)", self.name).groups()
        return f"{self.paper}, {kind.capitalize()} {number}".strip()

    def found(self, profile: Profile) -> Sheet:
        """Return what is found, or which file is missing."""
        sheet = Sheet(profile)
        if missing := [file for file in self.needs if not profile.has(file)]:
            for file in missing:
                sheet.needs(self.title, file)
        else:
            self.run(sheet, *([self.data(profile)] if self.data else []))
        return sheet


EXPERIMENTS: dict[tuple[str, str], Experiment] = {}


def experiment(paper: str, name: str, title: str, **options: Any) -> Callable:
    """Register a function as the repetition of a table or figure."""

    def registered(function: Callable[..., None]) -> Callable[..., None]:
        EXPERIMENTS[paper, name] = Experiment(
            paper, name, title, function, **options
        )
        return function

    return registered


# ------------------------------------------------------------------ the page


class Page:
    """The results as Markdown: an overview, then a section for each experiment.

    What is added takes the place of a section of the same experiment that stands in `before`.
    """

    def __init__(self, head: str, before: str = "") -> None:
        parts = before.split("\n### ")[1:]
        self.head, self.sections = (
            head,
            {part.split(":")[0]: part.strip() for part in parts},
        )

    def add(
        self,
        one: Experiment,
        found: Sheet,
        picture: str | None,
        seconds: float,
    ) -> str:
        """Add an experiment, and return its section."""
        judged = verdict(found.rows)
        basis = (
            f" Measured on {one.basis}."
            if one.basis and judged != NEEDS
            else ""
        )
        by = [row.verdict for row in found.rows]
        of = (
            f" ({by.count(AGREES)} of {len(by) - by.count(NEEDS)})"
            if judged != NEEDS
            else ""
        )
        head = [
            "| what | paper | ours | standard error | verdict |",
            "|---|---|---|---|---|",
        ]
        lines = [
            f"{one.label}: {one.title}",
            f"**{judged}**{of}.{basis} {seconds:.0f} s.",
            "\n".join([*head, *map(str, found.rows)]),
            *([f"![{one.label}]({picture})"] if picture else []),
        ]
        self.sections[one.label] = "\n\n".join(lines)
        return self.sections[one.label]

    def text(self, labels: Iterable[str]) -> str:
        """Return the page with the sections of some experiments, in their order."""
        shown = [label for label in labels if label in self.sections]
        named: dict[str, dict[str, list[str]]] = {}
        for label in shown:
            paper, name = label.split(", ")
            judged = re.search(r"\n\*\*(.+?)\*\*", self.sections[label])[1]
            verdicts = named.setdefault(
                paper, {AGREES: [], DIFFERS: [], NEEDS: []}
            )
            verdicts[judged].append(name)
        overview = [
            "| paper | agrees | differs | needs data |",
            "|---|---|---|---|",
        ]
        for paper, verdicts in named.items():
            cells = [
                f"{len(n)}: {', '.join(n)}" if n else "0"
                for n in verdicts.values()
            ]
            overview.append(f"| {paper} | " + " | ".join(cells) + " |")
        agreeing = sum(len(verdicts[AGREES]) for verdicts in named.values())
        total = f"{agreeing} of {len(shown)} tables and figures agree."
        sections = [f"### {self.sections[label]}" for label in shown]
        return (
            "\n\n".join([self.head, total, "\n".join(overview), *sections])
            + "\n"
        )
