"""What is measured of a run: errors, first ranks, intervals, regrets and seconds."""

from __future__ import annotations

import pickle
import time
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import optuna

import hpo_explain as hx
from examples.scoreboard.estimands import ESTIMANDS
from examples.scoreboard.methods import ALONE, METHODS, TOP, TOTAL, answer, normalized, shares_of
from examples.scoreboard.problems import at_hand
from examples.scoreboard.runs import MANY, SIZES, Setting, optimized, run_of
from hpo_explain.base.cache_folder import cache_folder
from tests.claims.boxes import Box
from tests.claims.problem import Problem, Rows

TUNED = 2  # hyperparameters, the others fixed
LEVELS = 48  # of a range of reals, while it is tuned
KNOWN_TO = 0.005  # the error of a true share of a function
DRAWS = 50  # random configurations of the search that goes on


class Truth(NamedTuple):
    """What is true of a problem.

    Attributes
    ----------
    estimands : dict
        The true numbers by estimand.
    ceiling : float
        The error of the fANOVA of a forest of 2,000 uniform evaluations.
    seconds : float
        CPU seconds that both took.
    """

    estimands: dict[str, np.ndarray]
    ceiling: float
    seconds: float


@dataclass
class Score:
    """What is measured of one run, by method unless it is about ours alone.

    Attributes
    ----------
    setting : Setting
        The run.
    shares, error, first, seconds : dict
        Normalized shares; half the L1 distance to those of the method's own estimand; whether the
        largest is that of the estimand, of several equal ones by chance; CPU seconds.
    from_default, from_incumbent : dict
        Regret of tuning the two largest only.
    covered, width : dict
        The share of our 95 % intervals that hold the truth, and their mean width.
    stated, right : float, bool
        The probability of our "matters most", and whether it is true.
    box, whole, volume : float
        Regret of searching on at random in our recommended space, in the whole, and its volume.
    """

    setting: Setting
    shares: dict[str, np.ndarray] = field(default_factory=dict)
    error: dict[str, float] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    from_default: dict[str, float] = field(default_factory=dict)
    from_incumbent: dict[str, float] = field(default_factory=dict)
    covered: dict[str, float] = field(default_factory=dict)
    width: dict[str, float] = field(default_factory=dict)
    stated: float = np.nan
    right: bool = False
    box: float = np.nan
    whole: float = np.nan
    volume: float = np.nan


@cache
def truth_of(name: str) -> Truth:
    """Return what is true of a problem, from the user's cache if it is there."""
    folder = cache_folder("scoreboard")
    path = folder and folder / f"truth of {name}.pickle"
    if path is not None and path.exists():
        return Truth(*pickle.loads(path.read_bytes()))
    begun, problem = time.process_time(), at_hand()[name]
    wanted = {m.estimand for m in METHODS.values() if m.asks(problem)}
    estimands = {key: ESTIMANDS[key](problem) for key in ESTIMANDS if key in wanted}
    study = optimized(problem, Setting(name, "Random", MANY, 0))
    found = hx.importance(study, n_trees=64).importance.loc[list(problem.space.names), "importance"]
    ceiling = distance(normalized(found.to_numpy()), normalized(estimands[METHODS[ALONE].estimand]))
    made = Truth(estimands, ceiling, time.process_time() - begun)
    if path is not None:
        path.write_bytes(pickle.dumps(tuple(made)))
    return made


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return half the L1 distance: the share that would have to move."""
    return float(np.abs(one - other).sum() / 2.0)


def scored(setting: Setting) -> Score:
    """Return what is measured of a run."""
    problem, study = at_hand()[setting.problem], run_of(setting).study
    names, score = problem.space.names, Score(setting)
    incumbent = problem.row_of(study.best_params)
    truth = truth_of(setting.problem).estimands
    for name, method in METHODS.items():
        is_left_out = method.is_slow and (setting.repeat > 0 or setting.n > min(SIZES))
        if is_left_out or not method.is_installed or not method.asks(problem):
            continue
        begun = time.process_time()
        shares = shares_of(method, study, names)
        score.seconds[name] = time.process_time() - begun
        own = normalized(truth[method.estimand])
        score.shares[name], score.error[name] = shares, distance(shares, own)
        largest = shares >= shares.max() - 1e-12
        score.first[name] = float(largest[own.argmax()] / largest.sum())
        score.from_default[name] = _regret_of_pair(problem, shares, _default(problem))
        score.from_incumbent[name] = _regret_of_pair(problem, shares, incumbent)
    _of_ours(score, study, truth, names)
    _of_box(score, problem, study, incumbent)
    return score


def _of_ours(
    score: Score, study: optuna.Study, truth: dict[str, np.ndarray], names: tuple[str, ...]
) -> None:
    """Add what only ours has: intervals, and how sure the first is."""
    columns = dict.fromkeys((ALONE, TOP), ("lower", "upper"))
    columns[TOTAL] = ("with_lower", "with_upper")
    for name, ends in columns.items():
        known = truth[METHODS[name].estimand]
        found = answer(study, 0.1 if name == TOP else None).importance
        low, high = found.loc[list(names), list(ends)].to_numpy().T
        is_held = (low - KNOWN_TO <= known) & (known <= high + KNOWN_TO)
        score.covered[name] = float(is_held.mean())
        score.width[name] = float((high - low).mean())
    most = answer(study).claims[0]
    score.stated = most.probability
    totals = truth[METHODS[TOTAL].estimand]
    score.right = most.hyperparameters[0] == names[int(totals.argmax())]


def _of_box(score: Score, problem: Problem, study: optuna.Study, incumbent: Rows) -> None:
    """Add what searching on brings in the recommended space, and in the whole."""
    box = Box.of(problem.space, hx.recommended_space(study).space)
    whole = Box.of(problem.space, problem.space)
    best = float(problem.cost(incumbent)[0])
    score.box, score.whole = (
        regret(problem, expected_best(np.minimum(problem.cost(part.sample()), best), DRAWS))
        for part in (box, whole)
    )
    score.volume = float(box.holds(whole.sample()).mean())


def expected_best(costs: np.ndarray, n: int) -> float:
    """Return the expected least of n costs drawn from these, with replacement."""
    ordered, size = np.sort(costs), len(costs)
    worse = np.arange(size, -1, -1) / size
    return float((ordered * -np.diff(worse**n)).sum())


def regret(problem: Problem, cost: float) -> float:
    """Return what is lost, as a share of the median cost minus the least."""
    return max(cost - problem.best, 0.0) / problem.spread


def _default(problem: Problem) -> Rows:
    """Return the middle of the space, (1, d)."""
    return problem.space.from_latent(np.full((1, len(problem.space)), 0.5))


def _regret_of_pair(problem: Problem, shares: np.ndarray, start: Rows) -> float:
    """Return the regret of tuning the two largest; the mean over all pairs of equal shares."""
    pairs = [tuple(np.sort(np.argsort(-shares, kind="stable")[:TUNED]).tolist())]
    if np.ptp(shares) < 1e-12:
        pairs = [*combinations(range(len(shares)), TUNED)]
    return float(np.mean([regret(problem, tuned(problem, pair, start)) for pair in pairs]))


def tuned(problem: Problem, members: tuple[int, ...], start: Rows) -> float:
    """Return the least cost while some hyperparameters are tuned and the others fixed.

    What is inactive at the start has the middle of its range where it becomes active.
    """
    rows = np.where(np.isnan(start), _default(problem), start)
    parameters = problem.space.parameters
    levels = [
        parameters[j].from_latent((np.arange(n) + 0.5) / n)
        for j in members
        for n in [problem.sizes[j] or LEVELS]
    ]
    grid = np.stack(np.meshgrid(*levels, indexing="ij"), axis=-1).reshape(-1, len(members))
    moved = np.tile(rows, (len(grid) + 1, 1))
    moved[1:, members] = grid  # the first is the start
    return float(problem.cost(problem.space.project(moved)).min())
