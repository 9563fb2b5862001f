"""What all experiments share: rows beside the paper's numbers, and what they need.

An experiment is a function that is registered by :func:`experiment`; it adds what it finds to a
`Sheet`: rows, and its figure. A row compares a number, or says by which margin a finding of the
paper holds in each repetition; :mod:`examples.papers.verdicts` has the rule. A cell of a paper's
table that is not compared is left out with a reason. Nothing agrees that was not measured.
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
from threadpoolctl import threadpool_limits

from examples.papers.verdicts import (
    DIFFERS,
    NOT_CONTRADICTED,
    UNDECIDED,
    Finding,
    Number,
    repetitions_needed,
    weights_of,
)

# beside the project
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
NEEDS, LEFT_OUT = "needs data", "left out"
RESAMPLES = 50

LDA = "online_lda_grid288.csv"
PHONEME = "lcbench_phoneme.csv.gz"
PATHS, SHAPLEY = ("hyper_ellipsoid_paths.csv.gz", "hyper_ellipsoid_shapley.csv.gz")
NETWORK_DESIGN = "mlp_surrogate95_design.csv"
NETWORK_PARAMETERS = "mlp_surrogate95_km_parameters.json"
NETWORK_BACKGROUND = "mlp_surrogate95_background7000.csv.gz"
NETWORK_CONTRIBUTIONS = "mlp_phoneme_shapley_K20000.csv.gz"
HOW = "examples/papers/README.md says how to get"
FETCH = {
    LDA: f"the grid of Snoek et al. for online LDA; {HOW} it",
    PHONEME: f"LCBench's table of phoneme; {HOW} it",
    PATHS: f"the thesis's logged runs; {HOW} them",
    SHAPLEY: f"the R tool's answers for the thesis's runs; {HOW} them",
    NETWORK_DESIGN: f"the trials that the network's model learned; {HOW} them",
    NETWORK_PARAMETERS: f"the parameters of the network's model; {HOW} them",
    NETWORK_BACKGROUND: f"what the network's proposals are compared with; {HOW} it",
    NETWORK_CONTRIBUTIONS: f"the R tool's answers for the network; {HOW} them",
}


class Row(NamedTuple):
    """One comparison with a paper.

    Attributes
    ----------
    what : str
        The number, or the finding.
    paper, ours : str
        What the paper prints, and what was found here.
    judged : Number or Finding, optional
        What is judged; without it the row says what is missing.
    digits : int
        Digits that are shown.
    why : str
        Why it differs, where the data come from, or why it is left out.
    missing : str
        NEEDS or LEFT_OUT where nothing is judged.
    cells : int
        How many cells of a printed table it is.
    note : str
        A footnote to what the paper prints.
    """

    what: str
    paper: str = ""
    ours: str = ""
    judged: Number | Finding | None = None
    digits: int = 2
    why: str = ""
    missing: str = ""
    cells: int = 0
    note: str = ""

    def verdict(self, n_rows: int) -> str:
        """Return the verdict where so many rows are judged together."""
        if self.judged is None:
            return self.missing
        return self.judged.verdict(n_rows)

    def shown(self, n_rows: int, mark: str = "") -> str:
        """Return the row of a table where so many rows are judged together."""
        error = tells = narrow = ""
        said, why = self.verdict(n_rows), self.why
        if isinstance(self.judged, Number):
            error = f"{self.judged.error:.{self.digits}f}"
            if self.judged.effect:
                tells = f"{self.judged.tells(n_rows) / self.judged.effect:.0%}"
        elif self.judged is not None and any(self.judged.errors):
            error = f"{self.judged.in_errors:+.1f} errors"
        if self.judged is not None:
            is_narrow = said != UNDECIDED and self.judged.is_narrow(n_rows)
            narrow = ", narrowly" if is_narrow else ""
            if said != DIFFERS:
                is_open = said == NOT_CONTRADICTED
                why = repetitions_needed(self.judged, n_rows) if is_open else ""
        said += narrow + (f": {why}" if why else "")
        what = self.what
        if self.missing and self.cells > 1:
            what += f" ({self.cells} cells)"
        cells = (what, self.paper + mark, self.ours, error, tells, said)
        texts = [cell.replace("|", "\\|") for cell in cells]
        return "| " + " | ".join(texts) + " |"


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

    def repeated(self, function: Callable[..., Any], arguments: Sequence[tuple]) -> list[Any]:
        """Return the results of a function that is called with each tuple of arguments."""
        if self.workers == 1:
            return [function(*some) for some in arguments]
        one_thread = {"initializer": threadpool_limits, "initargs": (1,)}
        with ProcessPoolExecutor(self.workers, **one_thread) as pool:
            return list(pool.map(function, *zip(*arguments, strict=True)))

    def over_seeds(
        self, function: Callable[..., Any], settings: Sequence[tuple], quick: int, thorough: int
    ) -> list[list[Any]]:
        """Return, by setting, the results of a function of a setting and one of several seeds."""
        n = self.size(quick, thorough)
        work = [(*setting, self.seed + k) for setting in settings for k in range(n)]
        found = self.repeated(function, work)
        return [found[n * i : n * (i + 1)] for i in range(len(settings))]


# ------------------------------------------------------------------ what is found


@dataclass(eq=False)
class Sheet:
    """What an experiment finds: rows beside the paper's numbers, and figures."""

    profile: Profile
    rows: list[Row] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    def finding(
        self, what: str, margins: Any, ours: str, paper: str = "yes", why: str = "", note: str = ""
    ) -> None:
        """Add by which margin a finding of a paper holds, positive where it does.

        Repetitions are the last axis; a finding of several margins holds where all of them do.
        """
        judged = Finding.of(margins)
        self.rows.append(Row(what, paper, ours, judged, why=why, note=note))

    def of_halves(self, what: str, margins: Any, ours: str, paper: str = "yes") -> None:
        """Add by which margin a finding holds in random halves of the trials, the last axis.

        Halves overlap, so their mean is no surer the more there are: how one half scatters is the
        error of what all trials give (the jackknife that leaves out a half).
        """
        values = np.atleast_2d(margins)
        means, errors = values.mean(axis=1), values.std(axis=1, ddof=1)
        freedom = values.shape[1] - 1.0
        judged = Finding(tuple(means), tuple(errors), freedom)
        self.rows.append(Row(what, paper, ours, judged))

    def exact(self, what: str, holds: Any, ours: str, paper: str = "yes", why: str = "") -> None:
        """Add whether a finding holds into which no chance enters."""
        judged = Finding.exact(holds)
        self.rows.append(Row(what, paper, ours, judged, why=why))

    def in_most(self, what: str, flags: Any, ours: str, paper: str = "yes", why: str = "") -> None:
        """Add whether a finding holds in more than half of the repetitions."""
        held = np.asarray(flags, dtype=float)
        n = len(held)
        # the error of a share that is known from few repetitions, without which all are alike
        share = (held.sum() + 1.0) / (n + 2.0)
        error = float(np.sqrt(share * (1.0 - share) / (n + 2.0)))
        margin = float(held.mean()) - 0.5
        judged = Finding((margin,), (error,), repetitions=n)
        said = f"in {int(held.sum())} of {n} runs{ours}"
        self.rows.append(Row(what, paper, said, judged, why=why))

    def in_resamples(
        self, what: str, flags: Any, ours: str, paper: str = "yes", note: str = ""
    ) -> None:
        """Add whether a finding about all repetitions holds in resamples of them.

        It agrees if it holds in 99 % of them, differs if it holds in 1 %.
        """
        share = float(np.mean(flags))
        margin = float(share >= 0.99) - float(share <= 0.01)
        said = f"{ours}; in {share:.0%} of resamples"
        judged = Finding((margin,), (0.0,))
        self.rows.append(Row(what, paper, said, judged, note=note))

    def resamples(self, n: int) -> list[np.ndarray]:
        """Return which repetitions are in each of some bootstrap resamples."""
        rng = np.random.default_rng(self.profile.seed)
        return [rng.integers(0, n, n) for _ in range(RESAMPLES)]

    def needs(self, what: str, where: str, cells: int = 0) -> None:
        """Add what was not measured, and where its data come from: a file, or words."""
        why = FETCH.get(where, where)
        self.rows.append(Row(what, why=why, missing=NEEDS, cells=cells))

    def beside(self, what: str, ours: str) -> None:
        """Add what was found, and is not judged."""
        self.rows.append(Row(what, ours=ours, missing="not judged"))

    def left_out(self, what: str, why: str, cells: int = 1) -> None:
        """Add cells of a printed table that are not compared, and why."""
        self.rows.append(Row(what, why=why, missing=LEFT_OUT, cells=cells))

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
        null: float = 0.0,
        digits: int = 2,
        why: str = "",
        cell: bool = True,
        printed: str = "",
        note: str = "",
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
            The paper's standard deviation of a single repetition, if it is printed.
        of : int
            The paper's number of repetitions, if it has several. Without `spread` they scatter as
            those found here.
        error : float
            Another standard error, such as that of a Monte Carlo integral.
        one_draw : bool
            Whether the paper's number is one repetition of what is repeated here: it has one run,
            or its repetitions share what is drawn anew here.
        null : float
            What the number would be if nothing were there.
        digits : int
            Digits that the paper prints.
        why : str
            Why it differs, if it does.
        cell : bool
            Whether it is a cell of a printed table.
        printed : str
            What the paper prints, where another number than this is judged; `note` says why.
        note : str
            A footnote to what the paper prints.
        """
        values = np.atleast_1d(np.asarray(ours, dtype=float))
        total, freedom, shrinking = _error(values, spread, of, error, one_draw)
        judged = Number(
            paper=float(paper),
            ours=float(values.mean()),
            error=total,
            freedom=freedom,
            rounding=0.5 * 10.0**-digits,
            null=null,
            repetitions=len(values),
            shrinking=shrinking,
        )
        theirs, found = (f"{value:.{digits}f}" for value in (paper, values.mean()))
        row = Row(what, printed or theirs, found, judged, int(digits), why, "", int(cell), note)
        self.rows.append(row)

    def numbers(
        self,
        what: str,
        names: Sequence[Iterable[Any]],
        paper: Any,
        ours: Any,
        together: str = "",
        **options: Any,
    ) -> None:
        """Compare the cells of a table, an array with an axis for each of the lists of names.

        `what` has a place for a name of each. `ours` has the repetitions as its first axis. Options
        are those of `number`, of all cells or one a cell. With `together` a row of this name says
        which multiple of the paper's numbers fits best.
        """
        labels = [what.format(*some) for some in product(*names)]
        each = {key: np.resize(value, len(labels)) for key, value in options.items()}
        columns = np.reshape(ours, (-1, len(labels))).T
        theirs = np.ravel(np.asarray(paper, dtype=float))
        first = len(self.rows)
        for i, (label, one) in enumerate(zip(labels, theirs, strict=True)):
            options = {key: values[i] for key, values in each.items()}
            self.number(label, one, columns[i], **options)
        if together:
            added = [row.judged for row in self.rows[first:]]
            self.together(together, added, columns, each)

    def together(
        self, what: str, numbers: Sequence[Any], columns: np.ndarray, options: dict[str, Any]
    ) -> None:
        """Add which multiple of the paper's numbers those of the repetitions are, together."""
        paper = np.array([number.paper - number.null for number in numbers])
        ours = columns.T - [number.null for number in numbers]
        errors = np.array([number.error for number in numbers])
        # a rounded number is known to a unit's twelfth root only
        rounded = np.array([number.rounding for number in numbers]) / 3**0.5
        errors = np.hypot(errors, rounded)
        weights = weights_of(paper, errors)
        found = ours @ weights
        own = np.broadcast_to(options.get("error", 0.0), paper.shape)
        other = float(np.linalg.norm(weights * np.hypot(own, rounded)))
        one_draw = bool(np.any(options.get("one_draw", False)))
        of = int(np.max(options.get("of", 1)))
        total, freedom, shrinking = _error(found, 0.0, of, other, one_draw)
        below = int(((ours.mean(axis=0) < paper) & (paper != 0.0)).sum())
        judged = Number(
            paper=1.0,
            ours=float(found.mean()),
            error=total,
            freedom=freedom,
            together=True,
            repetitions=len(found),
            shrinking=shrinking,
        )
        said = f"{found.mean():.2f}, {below} of {len(paper)} below the paper's"
        why = str(np.ravel(options.get("why", ""))[0])
        name = f"{what}, together as a multiple of the paper's"
        self.rows.append(Row(name, "", said, judged, why=why))

    def panels(self, titles: Any, width: float = 2.6, height: float = 2.1, **shared: Any) -> Any:
        """Return the axes of a figure in the shape of their titles: one, a row, or rows."""
        size = np.atleast_2d(titles).shape
        figsize = (width * size[1], height * size[0])
        figure = Figure(figsize=figsize, layout="constrained")
        self.figures.append(figure)
        axes = figure.subplots(*size, squeeze=False, **shared)
        for ax, title in zip(axes.ravel(), np.ravel(titles), strict=True):
            ax.tick_params(labelsize=7)
            ax.set_title(title, fontsize=8)
        return axes.reshape(np.shape(titles))[()]


def _error(
    values: np.ndarray, spread: float, of: int, error: float, one_draw: bool
) -> tuple[float, float, float]:
    """Return the standard error of a difference from a paper's number, and its freedom.

    Of the error a share is estimated from repetitions (Welch's and Satterthwaite's degrees of
    freedom), the rest is known. Last is what of its square falls with the number of repetitions.
    """
    n = len(values)
    own = float(values.std(ddof=1)) if n > 1 else 0.0
    several = (spread or own) / of**0.5 if of > 1 else 0.0
    theirs = own if one_draw else several
    # few repetitions know little of their own spread; the paper's is of many
    shrinking = max(own, spread) ** 2 / n
    variance = shrinking + theirs**2 + error**2
    estimated = 0.0 if spread else own**2 / n + theirs**2
    if not estimated:
        return float(variance**0.5), np.inf, shrinking
    freedom = (n - 1) / (estimated / variance) ** 2
    return float(variance**0.5), freedom, shrinking


def quoted(table: str) -> dict[str, np.ndarray]:
    """Return the numbers (columns,) of each row of a paper's table: "name: 1.2 (0.3), 4.5"."""
    rows = [line.strip().split(":") for line in table.strip().splitlines()]
    return {name: np.array(re.findall(r"-?[\d.]+", cells), float) for name, cells in rows}


def listed(values: Iterable[float], digits: int = 1) -> str:
    """Return numbers in a row."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


# ------------------------------------------------------------------ experiments


class Experiment(NamedTuple):
    """Tables and figures of a paper, and the function that repeats them.

    Attributes
    ----------
    paper : str
        The paper's short name.
    names : tuple of str
        "table6", "figure3".
    title : str
        What they are about.
    run : callable
        Of a `Sheet`, to which it adds what it finds, and of `data`, if there are any.
    data : callable, optional
        From a `Profile` to what several experiments rest on.
    needs : tuple of str
        Files without which it cannot run.
    basis : str
        On what it was measured, where the paper's own data are not at hand.
    cells : int
        Cells with results of the printed tables; each has a row, or is left out with a reason.
    """

    paper: str
    names: tuple[str, ...]
    title: str
    run: Callable[..., None]
    data: Callable[[Profile], Any] | None = None
    needs: tuple[str, ...] = ()
    basis: str = ""
    cells: int = 0

    @property
    def label(self) -> str:
        """Return "moosbauer, Table 1, Figure 10"."""
        named = [re.sub(r"([a-z]+)(\d+)", r"\1 \2", name).capitalize() for name in self.names]
        return ", ".join([self.paper, *named])

    def found(self, profile: Profile) -> Sheet:
        """Return what is found, or which file is missing."""
        sheet = Sheet(profile)
        if missing := [file for file in self.needs if not profile.has(file)]:
            for file in missing:
                sheet.needs(self.title, file)
        else:
            self.run(sheet, *([self.data(profile)] if self.data else []))
            there = sum(row.cells for row in sheet.rows)
            if self.cells not in (0, there):
                said = f"{there} of {self.cells}"
                sheet.exact("every printed cell is accounted for", False, said)
        return sheet


EXPERIMENTS: list[Experiment] = []


def experiment(paper: str, names: str, title: str, **options: Any) -> Callable:
    """Register a function as the repetition of tables and figures, "table1 figure4"."""

    def registered(function: Callable[..., None]) -> Callable[..., None]:
        EXPERIMENTS.append(Experiment(paper, tuple(names.split()), title, function, **options))
        return function

    return registered


def in_turn(*parts: Callable[..., None]) -> Callable[..., None]:
    """Return a function that hands what it is given to several, which share a section."""

    def every(*arguments: Any) -> None:
        for part in parts:
            part(*arguments)

    return every
