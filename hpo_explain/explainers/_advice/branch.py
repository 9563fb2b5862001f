"""Branch: which category of a conditional space deserves more trials, and which none.

Compared is the attainable objective: the best over all other hyperparameters that can be expected
with each category, from the joint posterior (`attainable`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.posterior import normal_draws
from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.changes import change
from hpo_explain.explainers._advice.improvement import Candidates
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explainers.attainable import attainable
from hpo_explain.explanations.advice import Action
from hpo_explain.explanations.attainable import Attainable
from hpo_explain.models.protocols import SupportsJoint
from hpo_explain.run import Run
from hpo_explain.space import Array, CategoricalParameter, lowest

_ROWS = 200
_FEWEST = 10  # trials of a category that is given up
_SURE = 2.5758293035489004  # standard deviations: 99 %
_FEW = 0.5  # of an equal share of the trials
_PROBABLE = 0.1  # of being the best
_DRAWS = 4000


def branch(
    analyses: Analyses, prospects: Prospects, candidates: Candidates, others: Collection[str]
) -> list[Action]:
    """Return which categories to give up, and which to try more often.

    Hyperparameters named otherwise stay as they are.
    """
    run = analyses.run
    if not isinstance(run.surrogate(), SupportsJoint) or not analyses.trust.good_region.enough:
        return []
    parents = {parent for rules in run.space.conditions for parent, _ in rules}
    found = []
    for j in sorted(parents):
        parameter = run.space.parameters[j]
        if isinstance(parameter, CategoricalParameter) and parameter.name not in others:
            found += _of(run, parameter, j, prospects, candidates)
    return found


def _of(
    run: Run, parameter: CategoricalParameter, j: int, prospects: Prospects, candidates: Candidates
) -> list[Action]:
    codes = np.arange(len(parameter.choices), dtype=float)
    feasibility = run.feasibility()
    reached = attainable(
        run.surrogate(),
        j,
        codes,
        run.space.sample(_ROWS, seed=0, latent=True),
        sign=candidates.sign,
        feasible=None if feasibility is None else feasibility.probability,
    )
    trials = np.array([(run.X[:, j] == code).sum() for code in codes])
    if not np.isfinite(reached.mean).all() or reached.covariance is None:
        return []
    evidence = _evidence(run, parameter, reached, trials)
    best = lowest(candidates.sign * reached.mean)
    worse, error = _worse(candidates.sign * reached.mean, reached.covariance, best)
    gone = (worse > _SURE * error) & (trials >= _FEWEST)
    found = []
    if gone.any():
        stay = [choice for choice, out in zip(parameter.choices, gone, strict=True) if not out]
        narrower = replace(parameter, choices=stay)
        found.append(change("branch", [narrower], prospects, [evidence], certain=True))
    few = trials < _FEW * trials.sum() / len(codes)
    probable = _probability_of_best(candidates.sign * reached.mean, reached.covariance)
    for i in np.flatnonzero(few & ~gone & (probable >= _PROBABLE)).tolist():
        found.append(_more(parameter, i, reached, evidence, candidates))
    return found


def _more(
    parameter: CategoricalParameter,
    i: int,
    reached: Attainable,
    evidence: Fact,
    candidates: Candidates,
) -> Action:
    """Return that a category deserves more trials."""
    mean, std = candidates.sign * float(reached.mean[i]), float(reached.std[i])
    best = candidates.sign * candidates.found.mean
    drawn = mean + std * np.random.default_rng(0).standard_normal(_DRAWS)
    gains = np.maximum(best - drawn, 0.0)
    low, high = np.percentile(gains, (5.0, 95.0)).tolist()
    config = {**reached.configurations[i]}
    return Action(
        "branch",
        (parameter.name,),
        (parameter.choices[i],),
        gain=float(gains.mean()),
        interval=(low, high),
        evidence=(evidence,),
        configurations=(config,),
    )


def _evidence(
    run: Run,
    parameter: CategoricalParameter,
    reached: Attainable,
    trials: npt.NDArray[np.int64],
) -> Fact:
    return fact(
        "attainable_by_category",
        names=[parameter.name],
        objective=run.objective_name,
        choices=parameter.choices,
        mean=reached.mean.tolist(),
        std=reached.std.tolist(),
        counts=trials.tolist(),
    )


def _worse(cost: Array, covariance: Array, best: int) -> tuple[Array, Array]:
    """Return how much worse each category is than the best, and the standard deviation of that."""
    own = np.diag(covariance)
    variance = own + own[best] - 2.0 * covariance[:, best]
    return cost - cost[best], np.sqrt(np.maximum(variance, 0.0))


def _probability_of_best(cost: Array, covariance: Array) -> Array:
    least = np.argmin(normal_draws(cost, covariance, _DRAWS, 0), axis=0)
    return np.bincount(least, minlength=len(cost)) / _DRAWS
