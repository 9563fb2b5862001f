"""What is promised about speed, and how work grows: the rows of `examples/benchmarks.md`."""

from dataclasses import dataclass
from itertools import pairwise
from math import inf, log, prod
from typing import NamedTuple

from tests.benchmarks import many
from tests.benchmarks.measure import (
    MOST,
    alone,
    command_time,
    processor_time,
    yardstick_alone,
)

OF_OPTUNA = "of Optuna's"  # evaluator: seconds over its seconds, in the same process
OPTUNA = 30.0  # seconds that it took where the goals of seconds were set
BEFORE, GOAL = "when the goal was set", "goal"
STEEPEST = 1.5  # of slopes in the number of trials, from 1,000 on


def shown(seconds):
    if seconds == inf:
        return f"> {MOST} s"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def scaled(n, scale):
    return n if n <= 100 else max(30, int(n * scale))


def limit_beside_optuna(goal):
    """Return how a goal of seconds is told as a share of Optuna's."""
    return f"≤ {goal / OPTUNA:.2g} of Optuna's ({goal:g} s)"


def beside_optuna(seconds, goal, theirs):
    """Return the cells of seconds that are promised as a share of Optuna's.

    The goal is of seconds where Optuna's evaluator takes `OPTUNA`.
    """
    limit = limit_beside_optuna(goal)
    if seconds == inf:
        return [shown(seconds), limit, "**no**"]
    beside = f"{shown(seconds)}, Optuna's {shown(theirs)}"
    holds = "yes" if seconds / theirs <= goal / OPTUNA else "**no**"
    return [f"{seconds / theirs:.2f}: {beside}", limit, holds]


@dataclass(frozen=True)
class Promise:
    """A figure of a question, and its goal: at least so many ×, or at most so much of all else.

    `before` is the figure when the goal was set, where it was.
    """

    name: str
    question: str
    n: int
    d: int
    goal: float
    unit: str = "s"
    categories: int = 3
    before: str = ""

    def cells(self, scale=1.0):
        compared = (scaled(1_000, scale), 10) if self.unit in ("×", OF_OPTUNA) else None
        found = alone(self.question, scaled(self.n, scale), self.d, self.categories, compared)
        seconds = found["seconds"]
        if self.unit == OF_OPTUNA:
            theirs = found.get("yardstick", inf)
            return beside_optuna(seconds, self.goal, theirs)
        figure, today = self._figure(seconds, found)
        at_least = self.unit == "×"
        holds = figure >= self.goal if at_least else figure <= self.goal
        return [today, self.limit, "yes" if holds else "**no**"]

    @property
    def limit(self):
        """The goal, as it is told."""
        if self.unit == OF_OPTUNA:
            return limit_beside_optuna(self.goal)
        sign = "≥" if self.unit == "×" else "≤"
        unit = self.unit.removesuffix(" of memory").removesuffix(" of page")
        return f"{sign} {self.goal:g} {unit}"

    def _figure(self, seconds, found):
        """The number that the goal is about, and how it is shown."""
        if seconds == inf:
            return 0.0 if self.unit == "×" else inf, shown(seconds)
        if self.unit == "s":
            return seconds, shown(seconds)
        if self.unit == "×":
            theirs = found["yardstick"]
            figure = theirs / seconds
            beside = f"{shown(seconds)}, Optuna's {shown(theirs)}"
            return figure, f"{figure:.0f} ×: {beside}"
        megabytes = found[self.unit.split()[-1]]
        number = f"{megabytes:.2g}" if megabytes < 10 else f"{megabytes:.0f}"
        return megabytes, f"{number} MB"


@dataclass(frozen=True)
class Command:
    """The seconds of a whole command in this checkout, beside Optuna's evaluator."""

    name: str
    words: tuple[str, ...]
    goal: float
    before: str = ""

    def cells(self, scale=1.0):
        seconds, theirs = command_time(self.words, (scaled(1_000, scale), 10))
        return beside_optuna(seconds, self.goal, theirs)

    @property
    def limit(self):
        """The goal, as it is told."""
        return limit_beside_optuna(self.goal)


@dataclass(frozen=True)
class ManyStudies:
    """The seconds of importance in each of many studies by dask's workers.

    As a multiple of what they take one after the other, divided by the workers.
    """

    name: str
    studies: int
    workers: int
    goal: float
    before: str = ""

    def cells(self, scale=1.0):
        # a study of the sample for every 20
        count = scaled(self.studies, scale)
        found = many.measured(count, self.workers, max(count // 20, 5))
        holds = found.overhead <= self.goal and found.growth <= many.GROWTH
        ratio = f"{found.overhead:.2f} ×: {shown(found.took)}"
        memory = f"memory of a worker grew {found.growth:.2f} ×"
        return [f"{ratio}; {memory}", self.limit, "yes" if holds else "**no**"]

    @property
    def limit(self):
        """The goal, as it is told."""
        return f"≤ {self.goal:g} ×, memory ≤ {many.GROWTH:g} ×"


@dataclass(frozen=True)
class Start:
    """The processor time of a process that asks one thing of 200 × 10, imports included.

    As a share of that of Optuna's evaluator; `cold` is where nothing is compiled yet.
    """

    name: str
    code: str
    goal: float
    cold: bool = False
    before: str = ""

    def cells(self, scale=1.0):
        seconds = processor_time(self.code, cold=self.cold)
        return beside_optuna(seconds, self.goal, yardstick_alone(scaled(1_000, scale), 10))

    @property
    def limit(self):
        """The goal, as it is told."""
        return limit_beside_optuna(self.goal)


class Size(NamedTuple):
    """Of a run: trials, hyperparameters, and categories of those that are categorical."""

    n: int
    d: int
    categories: int = 3


@dataclass(frozen=True)
class Growth:
    """The seconds of a question at sizes of runs, each with the slope from the one before."""

    name: str
    question: str
    sizes: tuple[Size, ...]

    def seconds(self, scale=1.0):
        """Return the seconds at each size."""
        sizes = [(scaled(size.n, scale), *size[1:]) for size in self.sizes]
        return [alone(self.question, *size)["seconds"] for size in sizes]

    def cells(self, scale=1.0):
        took = self.seconds(scale)
        cells = [shown(took[0])]
        steep = []
        pairs = zip(pairwise(self.sizes), pairwise(took), strict=True)
        for (size, larger), (before, after) in pairs:
            known = inf not in (before, after)
            growth = log(prod(larger) / prod(size))  # one of the three grows
            slope = log(after / before) / growth if known else inf
            cells.append(shown(after) + (f" ({slope:.2f})" if known else ""))
            steep += [slope > STEEPEST] * (size.n >= 1_000)
        return [*cells, *["**no**" if any(steep) else "yes"] * bool(steep)]


TRIALS = tuple(Size(n, 10) for n in (100, 1_000, 10_000, 100_000))
HYPERPARAMETERS = tuple(Size(100, d) for d in (5, 50, 500))
CATEGORIES = tuple(Size(400, 4, count) for count in (10, 100, 1_000))
GROWING = ("importance", "trust", "summary", "report", "explain_proposal", "advise")
PROMISES = [
    Promise("our evaluator for Optuna, 1,000 × 10", "evaluator of study", 1_000, 10, 100, "×"),
    Promise(
        "a forest's fit, its main effects and its 45 pairs, 1,000 × 10",
        "forest, mains and pairs",
        1_000,
        10,
        100,
        "×",
    ),
    Promise(
        '`importance(study, kind="forest", order=2)` and its table, 1,000 × 10',
        "forest's pairs of study",
        1_000,
        10,
        40,
        "×",
    ),
    Promise("`importance(study, order=2)`, 1,000 × 10", "pairs of study", 1_000, 10, 10, "×"),
    Promise("`summary`, 100 × 200", "summary", 100, 200, 10.5, OF_OPTUNA, before="1.13: 33 s"),
    Promise("`summary`, 100 × 500", "summary", 100, 500, 21, OF_OPTUNA, before="1.75"),
    Promise("`summary`, 20,000 × 10", "summary", 20_000, 10, 4.5, OF_OPTUNA, before="0.25"),
    *(
        Promise(
            f"`summary`, 400 trials of 4 hyperparameters of {categories:,} categories",
            "summary of categories",
            400,
            4,
            goal,
            OF_OPTUNA,
            categories,
            before,
        )
        for categories, goal, before in ((300, 3.6, "0.23"), (1_000, 5, "> 70 s"))
    ),
    Promise("memory of the latter", "summary of categories", 400, 4, 1_000, "MB of memory", 1_000),
    *(
        Promise(f"a report, {n:,} × {d}", "report", n, d, goal, OF_OPTUNA, before=before)
        for n, d, goal, before in (
            (30, 3, 1.5, "4.1 s"),
            (50, 5, 2, "5.9 s"),
            (200, 10, 4.5, "0.24 to 0.28"),
            (400, 20, 10.5, "0.46: 14 to 30 s"),
            (2_000, 10, 5, "16 s"),
            (100, 500, 20, "> 200 s"),
        )
    ),
    *(
        Promise(
            f"memory of a report, {n:,} × 10, its workers included",
            "report",
            n,
            10,
            goal,
            "MB of memory",
            before=before,
        )
        for n, goal, before in ((200, 350, "590 MB"), (2_000, 500, "1,100 MB"), (20_000, 1_000, ""))
    ),
    Promise(
        "the page of a report, 200 × 10", "report", 200, 10, 1.2, "MB of page", before="0.93 MB"
    ),
    Promise("the page of a report, 400 × 20", "report", 400, 20, 2, "MB of page"),
    Promise("a report, 20,000 × 10", "report", 20_000, 10, 20),
    Promise("a report, 100,000 × 30 in SQLite", "report of sqlite", 100_000, 30, 180),
    Promise("importance, 100,000 × 30", "importance", 100_000, 30, 20),
    Promise("importance, 100,000 × 30 in SQLite", "importance of sqlite", 100_000, 30, 20),
    Promise("the path of the 280 proposals of 300 × 10", "path", 300, 10, 10),
    Promise(
        "the first `explain_proposal` where nothing is compiled, imports included, 100 × 10",
        "first",
        100,
        10,
        4,
    ),
    Promise(
        "`hpo-explain demo`, the whole command, where nothing is compiled",
        "demo",
        0,
        0,
        15,
        OF_OPTUNA,
        before="27 to 35 s",
    ),
    ManyStudies(
        "importance in each of 1,000 studies of 100 × 8, by 2 workers of dask",
        1_000,
        2,
        many.OVERHEAD,
    ),
    Command("`python -m tests`", ("-m", "tests"), 240, before="7 to 8 min"),
    Command("`python -m docs`", ("-m", "docs"), 60, before="138 to 198 s"),
]
ASKING = (
    "import hpo_explain as hx; from tests.benchmarks.measure import run_of; run = run_of(200, 10); "
)
COMMAND = "from hpo_explain.cli import main; "
SUMMARY = COMMAND + "main(['summary', '{folder}/s.db', '--no-cache'])"
REPORT = COMMAND + "main(['report', '{folder}/s.db', '--out', '{folder}/r.html'])"
STARTS = [
    Start("`hx.importance`", f"{ASKING}hx.importance(run)", 1.2, before="0.096"),
    Start("`hx.summary`", f"{ASKING}hx.summary(run)", 1.8, before="0.137"),
    Start("`hx.advise`", f"{ASKING}hx.advise(run)", 1.8, before="0.123"),
    Start("`hpo-explain study.db`", SUMMARY, 1.8),
    Start("`hpo-explain report study.db`", REPORT, 4.5, before="0.24 to 0.28"),
    Start("its report, nothing compiled", REPORT, 7.5, cold=True, before="0.39 to 0.78"),
]
PROMISED = ("", BEFORE, "today", GOAL, "holds")
SECTIONS = {
    "Promises": (PROMISED, PROMISES),
    "First answers": (PROMISED, STARTS),
    "As trials grow": (
        ("", *(f"{size.n:,} × {size.d}" for size in TRIALS), f"from 1,000 on at most {STEEPEST}"),
        [Growth(name, name, TRIALS) for name in GROWING],
    ),
    "As hyperparameters grow": (
        ("", *(f"{size.n} × {size.d}" for size in HYPERPARAMETERS)),
        [Growth(name, name, HYPERPARAMETERS) for name in GROWING],
    ),
    "As categories grow": (
        ("", *(f"400 × 4 of {size.categories:,}" for size in CATEGORIES)),
        [Growth(name, f"{name} of categories", CATEGORIES) for name in GROWING],
    ),
}
