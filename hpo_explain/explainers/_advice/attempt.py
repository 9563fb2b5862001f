"""Try: the configuration of which the model expects the largest improvement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.improvement import Candidates
from hpo_explain.explanations import Action
from hpo_explain.space import Parameter

_WORTH_A_TRIAL = 0.01  # expected improvement, as a share of the spread of the good half
_NORMAL_90 = 1.6448536269514722


def attempt(
    analyses: Analyses, candidates: Candidates, within: Sequence[Parameter]
) -> Action | None:
    """Return the configuration to try next; None where too little is expected of any."""
    place = candidates.most_promising(within)
    if place is None or not analyses.trust.good_region.enough:
        return None
    if candidates.relative(place) < _WORTH_A_TRIAL:
        return None
    config = candidates.config(place)
    sign = 1.0 if candidates.run.direction == "minimize" else -1.0
    better = sign * (candidates.found.mean - float(candidates.mean[place]))
    ends = better + _NORMAL_90 * float(candidates.std[place]) * np.array([-1.0, 1.0])
    low, high = np.maximum(ends, 0.0).tolist()
    return Action(
        "try",
        tuple(config),
        tuple(config.values()),
        gain=float(candidates.expected[place]),
        interval=(low, high),
        evidence=(candidates.reason(place),),
        configurations=(config,),
    )
