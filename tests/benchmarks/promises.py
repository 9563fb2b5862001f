"""What is promised about speed, and how work grows: the rows of `examples/benchmarks.md`."""

from dataclasses import dataclass
from itertools import pairwise
from math import inf, log, prod
from typing import NamedTuple

from tests.benchmarks.measure import MOST, alone, processor_time

OF_OPTUNA = (
    "of Optuna's"  # evaluator: seconds over its seconds, in the same process
)
STEEPEST = 1.5  # of slopes in the number of trials, from 1,000 on


def shown(seconds):
    if seconds == inf:
        return f"> {MOST} s"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def scaled(n, scale):
    return n if n <= 100 else max(30, int(n * scale))


@dataclass(frozen=True)
class Promise:
    """A figure of a question, and its goal: at least so many ×, or at most so much of all else."""

    name: str
    question: str
    n: int
    d: int
    goal: float
    unit: str = "s"
    categories: int = 3

    def cells(self, scale=1.0):
        compared = (
            (scaled(1_000, scale), 10)
            if self.unit in ("×", OF_OPTUNA)
            else None
        )
        found = alone(
            self.question,
            scaled(self.n, scale),
            self.d,
            self.categories,
            compared,
        )
        figure, today = self._figure(found["seconds"], found)
        sign = "≥" if self.unit == "×" else "≤"
        kept = figure >= self.goal if self.unit == "×" else figure <= self.goal
        unit = self.unit.removesuffix(" of memory").removesuffix(" of page")
        return [
            today,
            f"{sign} {self.goal:g} {unit}",
            "yes" if kept else "**no**",
        ]

    def _figure(self, seconds, found):
        """The number that the goal is about, and how it is shown."""
        if seconds == inf:
            return 0.0 if self.unit == "×" else inf, shown(seconds)
        if self.unit == "s":
            return seconds, shown(seconds)
        if self.unit.startswith("MB"):
            megabytes = found[self.unit.split()[-1]]
            return (
                megabytes,
                f"{megabytes:.2g} MB"
                if megabytes < 10
                else f"{megabytes:.0f} MB",
            )
        theirs = found["yardstick"]
        figure = theirs / seconds if self.unit == "×" else seconds / theirs
        number = f"{figure:.0f} ×" if self.unit == "×" else f"{figure:.2f}"
        return figure, f"{number}: {shown(seconds)}, Optuna's {shown(theirs)}"


@dataclass(frozen=True)
class Start:
    """The processor time of a process that asks one thing of 200 × 10, imports included.

    As a multiple of that of one that imports NumPy and SciPy's linear algebra; `cold`, where
    nothing is compiled yet, of that of the same one where all is.
    """

    name: str
    code: str
    goal: float
    cold: bool = False

    def cells(self, scale=1.0):
        code = f"{ASKING}{self.code}"
        seconds = processor_time(code, cold=self.cold)
        against = processor_time(code if self.cold else YARDSTICK)
        ratio = seconds / against
        today = f"{ratio:.1f} ×: {shown(seconds)}, beside {shown(against)}"
        kept = "yes" if ratio <= self.goal else "**no**"
        return [today, f"≤ {self.goal:g} ×", kept]


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
GROWING = ("importance", "trust", "summary", "report", "explain_proposal")
OF_CATEGORIES = ("importance", "trust", "summary", "report")
PROMISES = [
    Promise(
        "our evaluator for Optuna, 1,000 × 10",
        "evaluator of study",
        1_000,
        10,
        100,
        "×",
    ),
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
    Promise(
        "`importance(study, order=2)`, 1,000 × 10",
        "pairs of study",
        1_000,
        10,
        10,
        "×",
    ),
    Promise("`summary`, 200 × 10", "summary", 200, 10, 0.03, OF_OPTUNA),
    Promise("`advise`, 200 × 10", "advise", 200, 10, 0.03, OF_OPTUNA),
    Promise("`summary`, 400 × 20", "summary", 400, 20, 0.06, OF_OPTUNA),
    Promise("`summary`, 100 × 200", "summary", 100, 200, 0.12, OF_OPTUNA),
    Promise("`summary`, 100 × 500", "summary", 100, 500, 0.3, OF_OPTUNA),
    Promise("`summary`, 20,000 × 10", "summary", 20_000, 10, 0.09, OF_OPTUNA),
    *(
        Promise(
            f"`summary`, 400 trials of 4 hyperparameters of {categories:,} categories",
            "summary of categories",
            400,
            4,
            goal,
            OF_OPTUNA,
            categories,
        )
        for categories, goal in ((300, 0.09), (1_000, 0.15))
    ),
    Promise(
        "memory of the latter",
        "summary of categories",
        400,
        4,
        1_000,
        "MB of memory",
        1_000,
    ),
    Promise("a report, 30 × 3", "report", 30, 3, 3),
    Promise("a report, 200 × 10", "report", 200, 10, 0.15, OF_OPTUNA),
    Promise("a report, 400 × 20", "report", 400, 20, 0.35, OF_OPTUNA),
    Promise("its page", "report", 400, 20, 1.5, "MB of page"),
    Promise(
        "a page that answers what if, 400 × 20",
        "interactive report",
        400,
        20,
        3,
        "MB of page",
    ),
    Promise("a report, 20,000 × 10", "report", 20_000, 10, 20),
    Promise(
        "memory of that report, its workers included",
        "report",
        20_000,
        10,
        1_000,
        "MB of memory",
    ),
    Promise("a report, 100 × 500", "report", 100, 500, 20),
    Promise(
        "a report, 100,000 × 30 in SQLite",
        "report of sqlite",
        100_000,
        30,
        180,
    ),
    Promise("importance, 100,000 × 30", "importance", 100_000, 30, 20),
    Promise(
        "importance, 100,000 × 30 in SQLite",
        "importance of sqlite",
        100_000,
        30,
        20,
    ),
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
        20,
    ),
]
YARDSTICK = "import numpy, scipy.linalg"
ASKING = (
    "import hpo_explain as hx; from hpo_explain.cli import main; "
    "from tests.benchmarks.measure import run_of; run = run_of(200, 10); "
)
SUMMARY = "main(['summary', '{folder}/s.db', '--no-cache'])"
REPORT = "main(['report', '{folder}/s.db', '--out', '{folder}/r.html'])"
STARTS = [
    Start("`hx.importance`", "hx.importance(run)", 5),
    Start("`hx.summary`", "hx.summary(run)", 7),
    Start("`hx.advise`", "hx.advise(run)", 7),
    Start("`hx.explain_proposal`", "hx.explain_proposal(run)", 7),
    Start("`hpo-explain study.db`", SUMMARY, 11),
    Start("`hpo-explain report study.db`", REPORT, 35),
    Start("`hpo-explain study.db`, nothing compiled", SUMMARY, 1.5, cold=True),
    Start("its report, nothing compiled", REPORT, 1.5, cold=True),
]
SECTIONS = {
    "Promises": (("", "today", "goal", "holds"), PROMISES),
    "First answers": (("", "today", "goal", "holds"), STARTS),
    "As trials grow": (
        (
            "",
            *(f"{size.n:,} × {size.d}" for size in TRIALS),
            f"from 1,000 on at most {STEEPEST}",
        ),
        [Growth(name, name, TRIALS) for name in GROWING],
    ),
    "As hyperparameters grow": (
        ("", *(f"{size.n} × {size.d}" for size in HYPERPARAMETERS)),
        [Growth(name, name, HYPERPARAMETERS) for name in GROWING],
    ),
    "As categories grow": (
        ("", *(f"400 × 4 of {size.categories:,}" for size in CATEGORIES)),
        [
            Growth(name, f"{name} of categories", CATEGORIES)
            for name in OF_CATEGORIES
        ],
    ),
}
