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
from hpo_explain.space import Parameter
from hpo_explain.surrogates import SupportsJoint

_MOST = 8  # configurations
_WORTH_A_TRIAL = 0.001  # expected improvement, as a share of the spread of the good half
_NORMAL_90 = 1.6448536269514722


def attempt(
    analyses: Analyses, candidates: Candidates, within: Sequence[Parameter]
) -> Action | None:
    """Return the configurations to try next; None where too little is expected of the first.

    They come from a Gaussian process of the objective on the scale of `LogTail`, on which bad
    trials do not decide what is predicted near the best. Improvements lie where that scale is the
    objective's own.
    """
    if not analyses.trust.good_region.enough:
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
    mean, std = model.predict(rows[:1])
    exploitation, exploration = expected_improvement(sign * mean, std, sign * means[best])
    expected = float(exploitation[0] + exploration[0])
    if expected < _WORTH_A_TRIAL * candidates.spread:
        return None
    ends = sign * (means[best] - mean[0]) + _NORMAL_90 * std[0] * np.array([-1.0, 1.0])
    low, high = np.maximum(ends, 0.0).tolist()
    configs = run.space.decode(rows)
    return Action(
        "try",
        tuple(configs[0]),
        tuple(configs[0].values()),
        gain=expected,
        interval=(low, high),
        evidence=(
            fact(
                "expected_improvement",
                trials=[int(np.asarray(scaled.trials)[feasible[best]])],
                objective=run.objective_name,
                predicted=(float(mean[0]), float(std[0])),
                at_best=(float(means[best]), float(stds[best])),
                expected=expected,
            ),
        ),
        configurations=tuple(configs),
    )
