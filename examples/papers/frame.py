"""What all experiments share: rows beside the paper's numbers, what they need, and their page.

An experiment is a function that is registered by :func:`experiment`; it adds what it finds to a
`Sheet`: rows, and its figure. A row compares a number, or says by which margin a finding of the
paper holds in each repetition; :mod:`examples.papers.verdicts` has the rule. A cell of a paper's
table that is not compared is left out with a reason. Nothing agrees that was not measured.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Memory
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from examples.papers.verdicts import (
    AGREES,
    ALL_AT_ONCE,
    ALL_TRIALS,
    DIFFERS,
    NOT_CONTRADICTED,
    ONE_RUN,
    Finding,
    Number,
    are_decisive,
    missing,
    verdict,
    weights_of,
)

# beside the project
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
NEEDS, LEFT_OUT = "needs data", "left out"
RESAMPLES = 50
BUDGET = 1200  # seconds of one processor: ten minutes on two

PHONEME = "lcbench_phoneme.csv.gz"
PATHS, SHAPLEY = ("hyper_ellipsoid_paths.csv.gz", "hyper_ellipsoid_shapley.csv.gz")
NETWORK_DESIGN = "mlp_surrogate95_design.csv"
NETWORK_PARAMETERS = "mlp_surrogate95_km_parameters.json"
NETWORK_BACKGROUND = "mlp_surrogate95_background7000.csv.gz"
NETWORK_CONTRIBUTIONS = "mlp_phoneme_shapley_K20000.csv.gz"
HOW = "examples/papers/README.md says how to get"
FETCH = {
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
        The paper's number, and the one found here.
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
    """

    what: str
    paper: str = ""
    ours: str = ""
    judged: Number | Finding | None = None
    digits: int = 2
    why: str = ""
    missing: str = ""
    cells: int = 0

    def verdict(self, n_rows: int) -> str:
        """Return the verdict where so many rows are judged together."""
        if self.judged is None:
            return self.missing
        return self.judged.verdict(n_rows)

    def shown(self, n_rows: int) -> str:
        """Return the row of a table where so many rows are judged together."""
        error = tells = ""
        if isinstance(self.judged, Number):
            shown = f".{self.digits}f"
            error = f"{self.judged.error:{shown}}"
            tells = f"{self.judged.tells(n_rows):{shown}}"
            tells += f" of {2.0 * self.judged.least:{shown}}"
        elif self.judged is not None and any(self.judged.errors):
            pairs = zip(self.judged.margins, self.judged.errors, strict=True)
            margin = min(m / e if e else np.inf * np.sign(m) for m, e in pairs)
            error = f"{margin:+.1f} errors"
        said = self.verdict(n_rows)
        explained = self.missing or said == DIFFERS
        said += f": {self.why}" if self.why and explained else ""
        what = self.what
        if self.missing and self.cells > 1:
            what += f" ({self.cells} cells)"
        cells = (what, self.paper, self.ours, error, tells, said)
        texts = [cell.replace("|", "\\|") for cell in cells]
        return "| " + " | ".join(texts) + " |"


class Saved:
    """What stored repetitions took of a processor when they were repeated, in seconds."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.seconds = 0.0


def timed(function: Callable[..., Any], source: str, *arguments: Any) -> tuple[float, Any]:
    """Return the processor seconds that a call takes, and what it returns.

    With its source as an argument it is repeated when it was changed.
    """
    start = process_time()
    found = function(*arguments)
    return process_time() - start, found


class Profile(NamedTuple):
    """How much is done, and where data lie."""

    thorough: bool = False
    data: Path = DATA
    seed: int = 0
    workers: int = 1
    stored: Path | None = None
    saved: Saved = Saved()

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
        """Return the results of a function that is called with each tuple of arguments.

        Those that are stored are read, and others are stored, so that they can be judged again.
        """
        call, are_stored = timed, [False] * len(arguments)
        source = inspect.getsource(function)
        work = [(function, source, *some) for some in arguments]
        if self.stored is not None:
            call = Memory(self.stored, verbose=0).cache(timed)
            are_stored = [call.check_call_in_cache(*some) for some in work]
        if self.workers == 1:
            with threadpool_limits(1):
                found = [call(*some) for some in work]
        else:
            one_thread = {"initializer": threadpool_limits, "initargs": (1,)}
            with ProcessPoolExecutor(self.workers, **one_thread) as pool:
                found = list(pool.map(call, *zip(*work, strict=True)))
        seconds = [taken for taken, _ in found]
        self.saved.seconds += float(np.dot(seconds, are_stored))
        return [result for _, result in found]

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
    """What an experiment finds: rows beside the paper's numbers, and its figure."""

    profile: Profile
    rows: list[Row] = field(default_factory=list)
    figure: Figure | None = None

    def finding(
        self, what: str, margins: Any, ours: str, paper: str = "yes", why: str = ""
    ) -> None:
        """Add by which margin a finding of a paper holds, positive where it does.

        Repetitions are the last axis; a finding of several margins holds where all of them do.
        """
        judged = Finding.of(margins)
        self.rows.append(Row(what, paper, ours, judged, why=why))

    def of_halves(self, what: str, margins: Any, ours: str, paper: str = "yes") -> None:
        """Add by which margin a finding holds in random halves of the trials, the last axis.

        Halves overlap, so their mean is no surer the more there are: how one half scatters is the
        error of what all trials give (the jackknife that leaves out a half).
        """
        values = np.atleast_2d(margins)
        means, errors = values.mean(axis=1), values.std(axis=1, ddof=1)
        freedom = values.shape[1] - 1.0
        judged = Finding(tuple(means), tuple(errors), freedom, fixed=ALL_TRIALS)
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
        self, what: str, flags: Any, ours: str, paper: str = "yes", why: str = ""
    ) -> None:
        """Add whether a finding about all repetitions holds in resamples of them.

        It agrees if it holds in 99 % of them, differs if it holds in 1 %.
        """
        share = float(np.mean(flags))
        margin = float(share >= 0.99) - float(share <= 0.01)
        said = f"{ours}; in {share:.0%} of resamples"
        judged = Finding((margin,), (0.0,), fixed=ALL_AT_ONCE)
        self.rows.append(Row(what, paper, said, judged, why=why))

    def in_one(self, what: str, flags: Any, ours: str, paper: str = "yes", why: str = "") -> None:
        """Add what happened in the paper's one run, and in how many of those here.

        It differs if it happens in none of them, and agrees only if it does in nearly all: that one
        run showed what some do is not contradicted.
        """
        held = np.asarray(flags, dtype=float)
        share, std = float(held.mean()), float(held.std())
        rare = Finding((share - 1e-9,), (0.0,))
        usual = Finding((share - 0.9,), (std,), fixed=ONE_RUN)
        judged = usual if held.any() else rare
        said = f"in {int(held.sum())} of {len(held)} runs{ours}"
        self.rows.append(Row(what, paper, said, judged, why=why))

    def resamples(self, n: int) -> list[np.ndarray]:
        """Return which repetitions are in each of some bootstrap resamples."""
        rng = np.random.default_rng(self.profile.seed)
        return [rng.integers(0, n, n) for _ in range(RESAMPLES)]

    def needs(self, what: str, where: str, cells: int = 0) -> None:
        """Add what was not measured, and where its data come from: a file, or words."""
        why = FETCH.get(where, where)
        self.rows.append(Row(what, why=why, missing=NEEDS, cells=cells))

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
        shown = [f"{value:.{digits}f}" for value in (paper, values.mean())]
        row = Row(what, *shown, judged, digits=digits, why=why, cells=int(cell))
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
        spread = np.broadcast_to(options.get("spread", 0.0), paper.shape)
        one_draw = bool(np.any(options.get("one_draw", False)))
        of = int(np.max(options.get("of", 1)))
        # the paper's repetitions scatter as these do
        theirs = found.std(ddof=1) if spread.any() and len(found) > 1 else 0.0
        total, freedom, shrinking = _error(found, theirs, of, other, one_draw)
        below = int(((ours.mean(axis=0) < paper) & (paper != 0.0)).sum())
        judged = Number(
            paper=1.0,
            ours=float(found.mean()),
            error=total,
            freedom=len(found) - 1.0 if theirs else freedom,
            together=True,
            repetitions=len(found),
            shrinking=shrinking,
        )
        said = f"{found.mean():.2f}, {below} of {len(paper)} below the paper's"
        why = str(np.ravel(options.get("why", ""))[0])
        name = f"{what}, together as a multiple of the paper's"
        self.rows.append(Row(name, "1", said, judged, why=why))

    def panels(self, titles: Any, width: float = 2.6, height: float = 2.1, **shared: Any) -> Any:
        """Return the axes of a figure in the shape of their titles: one, a row, or rows."""
        size = np.atleast_2d(titles).shape
        figsize = (width * size[1], height * size[0])
        self.figure = Figure(figsize=figsize, layout="constrained")
        axes = self.figure.subplots(*size, squeeze=False, **shared)
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
    theirs = own if one_draw else spread / of**0.5
    # few repetitions know little of their own spread; the paper's is of many
    shrinking = max(own, spread) ** 2 / n
    variance = shrinking + theirs**2 + error**2
    estimated = 0.0 if spread else own**2 / n + one_draw * own**2
    if not estimated:
        return float(variance**0.5), np.inf, shrinking
    freedom = (n - 1) / (estimated / variance) ** 2
    return float(variance**0.5), freedom, shrinking


def judged(rows: Sequence[Row]) -> str:
    """Return the verdict on a table."""
    some = [row.judged for row in rows if row.judged is not None]
    return verdict(some) if some else NEEDS


def hindered(rows: Sequence[Row]) -> str:
    """Return what the rows that keep a table from agreeing would need, the same said once."""
    some = [row for row in rows if row.judged is not None]
    judgements = [row.judged for row in some]
    reasons: dict[str, list[str]] = {}
    for row, decides in zip(some, are_decisive(judgements), strict=True):
        if decides and row.verdict(len(some)) == NOT_CONTRADICTED:
            why = missing(row.judged, len(some))
            reasons.setdefault(why, []).append(row.what)
    return "; ".join(
        f"{why} ({names[0]}{f' and {len(names) - 1} more' if names[1:] else ''})"
        for why, names in reasons.items()
    )


def quoted(table: str) -> dict[str, np.ndarray]:
    """Return the numbers (columns,) of each row of a paper's table: "name: 1.2 (0.3), 4.5"."""
    rows = [line.strip().split(":") for line in table.strip().splitlines()]
    return {name: np.array(re.findall(r"-?[\d.]+", cells), float) for name, cells in rows}


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
    cells : int
        Cells with results of the printed table; each has a row, or is left out with a reason.
    """

    paper: str
    name: str
    title: str
    run: Callable[..., None]
    data: Callable[[Profile], Any] | None = None
    needs: tuple[str, ...] = ()
    basis: str = ""
    cells: int = 0

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
            there = sum(row.cells for row in sheet.rows)
            if self.cells not in (0, there):
                said = f"{there} of {self.cells}"
                sheet.exact("every printed cell is accounted for", False, said)
        return sheet


EXPERIMENTS: dict[tuple[str, str], Experiment] = {}


def experiment(paper: str, name: str, title: str, **options: Any) -> Callable:
    """Register a function as the repetition of a table or figure."""

    def registered(function: Callable[..., None]) -> Callable[..., None]:
        EXPERIMENTS[paper, name] = Experiment(paper, name, title, function, **options)
        return function

    return registered


# ------------------------------------------------------------------ the page


class Page:
    """The results as Markdown: an overview, then a section for each experiment.

    What is added takes the place of a section of the same experiment that stands in `before`, and
    of what it would need to agree.
    """

    def __init__(self, head: str, before: str = "") -> None:
        overview, *parts = before.split("\n### ")
        self.head = head
        self.sections = {part.split(":")[0]: part.strip() for part in parts}
        rows = re.findall(r"^\| (\w+, \w.*?) \| (.+) \|$", overview, re.M)
        self.hindered: dict[str, str] = dict(rows)

    def add(self, one: Experiment, found: Sheet, picture: str | None, seconds: float) -> str:
        """Add an experiment, and return its section."""
        said = judged(found.rows)
        basis = f" Measured on {one.basis}." if one.basis and said != NEEDS else ""
        n_rows = sum(row.judged is not None for row in found.rows)
        by = [row.verdict(n_rows) for row in found.rows]
        counts = [
            f"{by.count(kind)} {kind}" for kind in (AGREES, NOT_CONTRADICTED, DIFFERS) if kind in by
        ]
        of = f" ({', '.join(counts)})" if counts else ""
        head = [
            "| what | paper | ours | standard error | tells | verdict |",
            "|---|---|---|---|---|---|",
        ]
        rows = [row.shown(n_rows) for row in found.rows]
        lines = [
            f"{one.label}: {one.title}",
            f"**{said}**{of}.{basis} {seconds:.1f} s.",
            "\n".join([*head, *rows]),
            *([f"![{one.label}]({picture})"] if picture else []),
        ]
        self.sections[one.label] = "\n\n".join(lines)
        self.hindered.pop(one.label, None)
        if said == NOT_CONTRADICTED:
            self.hindered[one.label] = hindered(found.rows)
        return self.sections[one.label]

    def text(self, labels: Iterable[str]) -> str:
        """Return the page with the sections of some experiments, in their order."""
        every = [*labels]
        shown = [label for label in every if label in self.sections]
        named: dict[str, dict[str, list[str]]] = {}
        for label in shown:
            paper, name = label.split(", ")
            said = re.search(r"\n\*\*(.+?)\*\*", self.sections[label])[1]
            kinds = (AGREES, NOT_CONTRADICTED, DIFFERS, NEEDS)
            verdicts = named.setdefault(paper, {kind: [] for kind in kinds})
            verdicts[said].append(name)
        overview = [
            "| paper | agrees | not contradicted | differs | needs data |",
            "|---|---|---|---|---|",
        ]
        for paper, verdicts in named.items():
            cells = [f"{len(n)}: {', '.join(n)}" if n else "0" for n in verdicts.values()]
            overview.append(f"| {paper} | " + " | ".join(cells) + " |")
        counts = [
            f"{sum(len(verdicts[kind]) for verdicts in named.values())} {word}"
            for kind, word in (
                (AGREES, "agree"),
                (NOT_CONTRADICTED, "are not contradicted"),
                (DIFFERS, "differ"),
                (NEEDS, "need data"),
            )
        ]
        total = f"Of {len(shown)} tables and figures {', '.join(counts)}."
        taken = [float(re.search(r" ([\d.]+) s\.\n", self.sections[label])[1]) for label in shown]
        holds = "within" if sum(taken) <= BUDGET else "more than"
        total += (
            f" That takes {sum(taken):,.0f} seconds of one processor, {holds} the {BUDGET:,} that "
            "two have in ten minutes."
        )
        others = [label for label in every if label not in shown]
        if others:
            total += f" Not repeated yet: {'; '.join(others)}."
        needed = [
            f"| {label} | {self.hindered[label]} |" for label in shown if label in self.hindered
        ]
        if needed:
            overview += [
                "",
                "What is not contradicted would need, to agree:",
                "",
                "| table or figure | what it needs, or why nothing would do (of which rows) |",
                "|---|---|",
                *needed,
            ]
        sections = [f"### {self.sections[label]}" for label in shown]
        return "\n\n".join([self.head, total, "\n".join(overview), *sections]) + "\n"
