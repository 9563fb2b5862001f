"""The tables of the scoreboard, as Markdown; what is lost is bold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from examples.scoreboard.measures import Score, distance, truth_of
from examples.scoreboard.methods import ALONE, METHODS, TOP, TOTAL, has_conditions
from examples.scoreboard.problems import at_hand
from examples.scoreboard.runs import SAMPLERS
from tests.claims.tables import table

BANDS = (0.0, 0.5, 0.8, 0.95, 1.0)
"""Ends of the groups of probabilities of "matters most"."""
Measure = Callable[[Score, str], float]
"""From a run and a method to a number of which less is better."""


class Interval(NamedTuple):
    """A mean difference and half of its 95 % interval; infinite of one."""

    mean: float
    half: float

    @classmethod
    def of(cls, differences: Sequence[float]) -> Interval:
        """Return Student's interval of differences."""
        n = len(differences)
        if n < 2:
            return cls(float(np.mean(differences)), np.inf)
        half = student.ppf(0.975, n - 1) * np.std(differences, ddof=1) / np.sqrt(n)
        return cls(float(np.mean(differences)), float(half))

    @property
    def outcome(self) -> str:
        """Win, tie or loss."""
        if self.mean + self.half < 0.0:
            return "win"
        return "loss" if self.mean - self.half > 0.0 else "tie"

    def __str__(self) -> str:
        """Return it in words, a loss bold and a tie in parentheses."""
        half = "" if np.isinf(self.half) else f" ± {self.half:.3f}"
        text = f"{self.mean:+.3f}{half}"
        return {"win": text, "tie": f"({text})", "loss": f"**{text}**"}[self.outcome]


def error(score: Score, method: str) -> float:
    """Return the error of a method."""
    return score.error[method]


def from_default(score: Score, method: str) -> float:
    """Return the regret of tuning the two named first from the default."""
    return score.from_default[method]


def from_incumbent(score: Score, method: str) -> float:
    """Return the regret of tuning the two named first from the incumbent."""
    return score.from_incumbent[method]


def rivals(scores: Iterable[Score]) -> dict[str, str]:
    """Return the methods that were asked, and which of ours each is compared with."""
    asked = {name for score in scores for name in score.error}
    return {name: m.rival for name, m in METHODS.items() if m.rival and name in asked}


def by_problem(scores: Iterable[Score], measure: Measure, other: str) -> dict[str, Interval]:
    """Return ours minus another method for each problem, paired by run."""
    ours, found = METHODS[other].rival, dict[str, list[float]]()
    for score in scores:
        if other in score.error:
            difference = measure(score, ours) - measure(score, other)
            found.setdefault(score.setting.problem, []).append(difference)
    return {problem: Interval.of(differences) for problem, differences in found.items()}


def compared(each: dict[str, Interval]) -> tuple[str, int, int, str]:
    """Return the mean over problems, wins, ties, and losses with where they are."""
    outcomes = [one.outcome for one in each.values()]
    lost = [problem for problem, one in each.items() if one.outcome == "loss"]
    losses = f"**{len(lost)}** ({', '.join(lost)})" if lost else "0"
    over_all = Interval.of([one.mean for one in each.values()])
    return str(over_all), outcomes.count("win"), outcomes.count("tie"), losses


def of_methods(scores: list[Score]) -> str:
    """Return what is measured of each method, by sampler and over all."""
    samplers = [s for s in SAMPLERS if any(one.setting.sampler == s for one in scores)]
    rows = []
    for name in METHODS:
        some = [score for score in scores if name in score.error]
        if not some:
            continue
        of_sampler = [
            mean(s.error[name] for s in some if s.setting.sampler == sampler)
            for sampler in samplers
        ]
        measured = (mean(getattr(s, key)[name] for s in some) for key in ("error", "first"))
        regrets = (
            mean(getattr(s, key)[name] for s in some) for key in ("from_default", "from_incumbent")
        )
        seconds = f"{np.median([s.seconds[name] for s in some]):.2f}"
        rows.append(
            (name, len(some), *of_sampler, *measured, between_seeds(some, name), *regrets, seconds)
        )
    head = ("", "runs", *(f"error, {s}" for s in samplers), "error", "first right", "two seeds")
    return table((*head, "regret, default", "regret, incumbent", "CPU s"), 1, rows)


def mean(numbers: Iterable[float], digits: int = 3) -> str:
    """Return a mean in words; empty of nothing."""
    some = [*numbers]
    return f"{np.mean(some):.{digits}f}" if some else ""


def between_seeds(scores: Iterable[Score], method: str) -> str:
    """Return the mean distance between the shares of runs that differ by their seed."""
    cells: dict[tuple[str, str], list[np.ndarray]] = {}
    for score in scores:
        cell = score.setting.problem, score.setting.sampler
        cells.setdefault(cell, []).append(score.shares[method])
    return mean(distance(*pair) for pair in cells.values() if len(pair) == 2)


def of_comparisons(scores: list[Score], measure: Measure) -> str:
    """Return wins, ties and losses against each method."""
    whole = [one for one in scores if not has_conditions(at_hand()[one.setting.problem])]
    rows = []
    for other, ours in rivals(scores).items():
        of_whole = by_problem(whole, measure, other).values()
        without = str(Interval.of([one.mean for one in of_whole])) if of_whole else ""
        difference, *outcomes = compared(by_problem(scores, measure, other))
        rows.append((other, ours, difference, without, *outcomes))
    head = ("against", "", "difference", "without conditions", "wins", "ties", "losses")
    return table(head, 2, rows)


def of_problems(scores: list[Score], measure: Measure) -> str:
    """Return the difference to each method on each problem."""
    others = rivals(scores)
    each = {other: by_problem(scores, measure, other) for other in others}
    names = dict.fromkeys(score.setting.problem for score in scores)
    rows = [
        (name, *(str(each[other][name]) if name in each[other] else "" for other in others))
        for name in names
    ]
    return table(("", *others), 1, rows)


def of_ceilings(scores: Iterable[Score]) -> str:
    """Return the mean error of the fANOVA of a forest of 2,000 uniform evaluations."""
    return mean(truth_of(name).ceiling for name in {s.setting.problem for s in scores})


def of_intervals(scores: list[Score]) -> str:
    """Return how often our intervals hold the truth, and their width, by sampler."""
    rows = []
    for sampler in (*SAMPLERS, ""):
        some = [s for s in scores if sampler in ("", s.setting.sampler)]
        if some:
            cells = (
                mean((getattr(s, key)[name] for s in some), digits=2)
                for name in (ALONE, TOTAL, TOP)
                for key in ("covered", "width")
            )
            rows.append((sampler or "all", len(some), *cells))
    names = [f"{what}{name}" for name in (ALONE, TOTAL, TOP) for what in ("", "width: ")]
    return table(("95 % intervals hold", "runs", *names), 1, rows)


def reliability(scores: Iterable[Score]) -> list[tuple[str, int, float, float]]:
    """Return groups of "matters most (p)": their range, runs, mean p, and how often it is true."""
    found, some = [], [(s.stated, s.right) for s in scores]
    for low, high in pairwise(BANDS):
        those = np.array([one for one in some if low <= one[0] < high or one[0] == high == 1.0])
        if len(those):
            stated, right = those.mean(axis=0)
            found.append((f"{low:.0%} to {high:.0%}", len(those), float(stated), float(right)))
    return found


def of_reliability(scores: Iterable[Score]) -> str:
    """Return the reliability of "matters most (p)"."""
    rows = [
        (group, n, f"{stated:.0%}", f"{right:.0%}")
        for group, n, stated, right in reliability(scores)
    ]
    return table(('p of "matters most"', "runs", "mean p", "true"), 1, rows)


def of_boxes(scores: list[Score]) -> str:
    """Return what 50 random draws reach in the recommended space and in the whole."""
    rows = []
    for sampler in (*SAMPLERS, ""):
        some = [s for s in scores if sampler in ("", s.setting.sampler)]
        if some:
            means: dict[str, list[float]] = {}
            for one in some:
                means.setdefault(one.setting.problem, []).append(one.box - one.whole)
            each = {problem: Interval.of(values) for problem, values in means.items()}
            cells = (mean(getattr(s, key) for s in some) for key in ("box", "whole", "volume"))
            rows.append((sampler or "all", len(some), *cells, *compared(each)))
    head = ("50 draws after", "runs", "regret in the box", "in the whole", "volume of the box")
    return table((*head, "difference", "wins", "ties", "losses"), 1, rows)
