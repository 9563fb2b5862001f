"""Wait: how many more trials are needed to tell.

The share of the variance that a model of n trials leaves open on held-out trials falls as
``c n**-a``. Models of half of the trials, drawn at random, and of all give a.
"""

from __future__ import annotations

import math

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.explainers._advice.analyses import Analyses, believed
from hpo_explain.explanations.advice import Action
from hpo_explain.models.protocols import SupportsHeldOut
from hpo_explain.run import Run, thinned

_LEAST = 16  # trials: fewer say nothing about how a model gets better
_FIRST = 10  # trials, and two per hyperparameter, before anything can be told
_OPEN = 0.5  # share of the variance left open by a model that can be relied on
_DRAWS = 3
_SLOWEST = 0.15  # a: slower, more trials do not help
_LONGEST = 10.0  # times the trials: beyond, nothing is foretold


def wait(analyses: Analyses) -> tuple[Action | None, Fact | None]:
    """Return how many more trials are needed, or else why that cannot be told.

    Neither where enough is known.
    """
    run, trust = analyses.run, analyses.trust
    if believed(trust):
        return None, None
    found = _needed(run, trust.r2)
    if found is None or found.kind == "not_learning":
        return None, found
    return Action("wait", evidence=(found,)), None


def _needed(run: Run, r2: float) -> Fact | None:
    n = len(run)
    if n < _LEAST or math.isnan(r2):
        more = _FIRST + 2 * len(run.space) - n
        return None if more <= 0 else fact("too_few_to_tell", n=n, more=more)
    left = float(np.clip(1.0 - r2, 0.02, 1.0))
    halves = [_left_open(thinned(run, n // 2, seed=seed)) for seed in range(_DRAWS)]
    rate = math.log2(float(np.mean(halves)) / left)
    if left <= _OPEN:
        return None
    if rate < _SLOWEST or (left / _OPEN) ** (1.0 / rate) > _LONGEST:
        return fact("not_learning", n=n, r2=r2)
    total = n * (left / _OPEN) ** (1.0 / rate)
    return fact("more_trials_needed", more=_round(total - n), r2=r2, wanted=1.0 - _OPEN)


def _left_open(run: Run) -> float:
    model = run.surrogate()
    if not isinstance(model, SupportsHeldOut):
        return 1.0
    held_out = model.held_out()
    error = float(np.mean((held_out.observed - held_out.mean) ** 2))
    return min(error / max(float(np.var(held_out.observed)), 1e-300), 1.0)


def _round(count: float) -> int:
    """Return a count with one digit, rounded up."""
    size = int(10.0 ** math.floor(math.log10(max(count, 1.0))))
    return math.ceil(count / size) * size
