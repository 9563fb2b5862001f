"""Try: the best predicted configuration, and those of which the model expects most beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import fact
from hpo_explain.base.posterior import normal_draws
from hpo_explain.explainers._advice.analyses import Analyses, believed
from hpo_explain.explainers._advice.batch import batch_of
from hpo_explain.explainers._advice.improvement import Candidates
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explanations.advice import Action
from hpo_explain.models.acquisition.criteria import expected_improvement
from hpo_explain.models.protocols import SupportsJoint
from hpo_explain.space import Array, FloatParameter, SearchSpace

_MOST = {"good": 12, "fair": 6}  # configurations, by how good the model is among good trials
_FEW = 3
_WORTH = 0.001  # expected improvement by all, as a share of the spread of the good half
_DRAWS = 4000


def attempt(
    analyses: Analyses,
    candidates: Candidates,
    prospects: Prospects,
    changes: Sequence[Action],
    avoid: Callable[[Array], npt.NDArray[np.bool_]],
    most: int | None = None,
) -> Action | None:
    """Return the configurations to try next; None where too little is expected of them.

    They keep to what is searched after `changes`, none is among the encoded rows (n, d) to `avoid`,
    and there are `most` of them at most. A trial gives nothing up: it is enough that the model is
    good anywhere.
    """
    if not believed(analyses.trust):
        return None
    model = prospects.model
    if not isinstance(model, SupportsJoint):
        return None
    run, scaled = analyses.run, prospects.scaled
    n = min(
        _MOST.get(analyses.trust.good_region.level, _FEW),
        max(len(run) // 3, 1),
        most or _MOST["good"],
    )
    within = [p for action in changes for p in action.parameters]
    rows = batch_of(scaled, model, within, n, avoid)
    if not len(rows):
        return None
    sign = 1.0 if run.direction == "minimize" else -1.0
    together = np.vstack([scaled.X[[prospects.best]], rows])
    mean, std = model.predict(together)
    drawn = normal_draws(sign * mean, model.posterior_covariance(together), _DRAWS, 0).T
    improved = np.maximum(drawn[:, 0] - drawn[:, 1:].min(axis=1), 0.0)
    gain = float(improved.mean())
    if gain < _WORTH * candidates.spread:
        return None
    low, high = np.percentile(improved, (5.0, 95.0)).tolist()
    exploitation, exploration = expected_improvement(sign * mean[1:2], std[1:2], sign * mean[0])
    configs = [shortened(run.space, config) for config in run.space.decode(rows)]
    return Action(
        "try",
        tuple(configs[0]),
        tuple(configs[0].values()),
        gain=gain,
        interval=(low, high),
        evidence=(
            fact(
                "expected_improvement",
                trials=[int(np.asarray(scaled.trials)[prospects.best])],
                objective=run.objective_name,
                predicted=(float(mean[1]), float(std[1])),
                at_best=(float(mean[0]), float(std[0])),
                expected=float(exploitation[0] + exploration[0]),
            ),
            fact("batch_brings", n=len(configs), expected=gain),
        ),
        configurations=tuple(configs),
    )


def shortened(space: SearchSpace, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with six digits of its real values."""
    short = dict(config)
    for name, value in config.items():
        parameter = space[name]
        if isinstance(parameter, FloatParameter) and parameter.step is None:
            rounded = float(f"{value:.6g}")
            short[name] = rounded if parameter.low <= rounded <= parameter.high else value
    return short
