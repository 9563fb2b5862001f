"""Try: the best predicted configuration, and those of which the model expects most beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.acquisition import expected_improvement
from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.batch import batch_of
from hpo_explain.explainers._advice.improvement import Candidates
from hpo_explain.explanations import Action
from hpo_explain.facts import fact
from hpo_explain.run import average_instances, on_log_tail
from hpo_explain.space import Array, Parameter
from hpo_explain.surrogates import SupportsJoint, std_from_variance

_MOST = 8  # configurations
_WORTH = 0.001  # expected improvement by all, as a share of the spread of the good half
_DRAWS = 4000


def attempt(
    analyses: Analyses, candidates: Candidates, within: Sequence[Parameter]
) -> Action | None:
    """Return the configurations to try next; None where too little is expected of them.

    They come from a Gaussian process of the objective on the scale of `LogTail`, on which bad
    trials do not decide what is predicted near the best. Improvements lie where that scale is the
    objective's own. A trial gives nothing up: it is enough that the model is good anywhere.
    """
    if not (analyses.trust.good_region.enough or analyses.trust.everywhere.enough):
        return None
    run = average_instances(analyses.run)
    scaled, _ = on_log_tail(run)
    model = scaled.surrogate(kind="gp")
    if not isinstance(model, SupportsJoint):
        return None
    rows = batch_of(scaled, model, within, _MOST)
    if not len(rows):
        return None
    sign = 1.0 if run.direction == "minimize" else -1.0
    feasible = np.flatnonzero(np.asarray(scaled.feasible))
    means, stds = model.predict(scaled.X[feasible])
    best = int(np.argmin(sign * means))
    together = np.vstack([scaled.X[[feasible[best]]], rows])
    mean, std = model.predict(together)
    drawn = _drawn(sign * mean, model.posterior_covariance(together))
    improved = np.maximum(drawn[:, 0] - drawn[:, 1:].min(axis=1), 0.0)
    gain = float(improved.mean())
    if gain < _WORTH * candidates.spread:
        return None
    low, high = np.percentile(improved, (5.0, 95.0)).tolist()
    exploitation, exploration = expected_improvement(sign * mean[1:2], std[1:2], sign * means[best])
    configs = run.space.decode(rows)
    return Action(
        "try",
        tuple(configs[0]),
        tuple(configs[0].values()),
        gain=gain,
        interval=(low, high),
        evidence=(
            fact(
                "expected_improvement",
                trials=[int(np.asarray(scaled.trials)[feasible[best]])],
                objective=run.objective_name,
                predicted=(float(mean[1]), float(std[1])),
                at_best=(float(means[best]), float(stds[best])),
                expected=float(exploitation[0] + exploration[0]),
            ),
            fact("batch_brings", n=len(configs), expected=gain),
        ),
        configurations=tuple(configs),
    )


def _drawn(mean: Array, covariance: Array) -> Array:
    """Return draws of a joint normal distribution, (draws, n)."""
    values, vectors = np.linalg.eigh(covariance)
    z = np.random.default_rng(0).standard_normal((_DRAWS, len(mean)))
    return np.asarray(mean + z @ (vectors * std_from_variance(values)).T)
