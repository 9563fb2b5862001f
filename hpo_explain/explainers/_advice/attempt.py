"""Try: the best predicted configuration, and those of which the model expects most beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.acquisition import expected_improvement
from hpo_explain.explainers._advice.analyses import Analyses, believed
from hpo_explain.explainers._advice.batch import batch_of
from hpo_explain.explainers._advice.beware import hit
from hpo_explain.explainers._advice.improvement import Candidates
from hpo_explain.explanations import Action
from hpo_explain.explanations.posterior import normal_draws
from hpo_explain.facts import fact
from hpo_explain.run import average_instances, on_log_tail
from hpo_explain.space import Array, FloatParameter, Parameter, SearchSpace
from hpo_explain.surrogates import SupportsJoint

_MOST = {"good": 12, "fair": 6}  # configurations, by how good the model is among good trials
_FEW = 3
_WORTH = 0.001  # expected improvement by all, as a share of the spread of the good half
_DRAWS = 4000


def attempt(
    analyses: Analyses,
    candidates: Candidates,
    within: Sequence[Parameter],
    warnings: Sequence[Action] = (),
) -> Action | None:
    """Return the configurations to try next; None where too little is expected of them.

    What others warn of is not among them.

    They come from a Gaussian process of the objective on the scale of `LogTail`, on which bad
    trials do not decide what is predicted near the best. Improvements lie where that scale is the
    objective's own. A model that was given takes its place. A trial gives nothing up: it is
    enough that the model is good anywhere.
    """
    if not believed(analyses.trust):
        return None
    run = average_instances(analyses.run)
    scaled = run if run.model is not None else on_log_tail(run)[0]
    model = scaled.surrogate(kind="gp") if run.model is None else run.model
    if not isinstance(model, SupportsJoint):
        return None
    failing = [action for action in warnings if action.evidence[0].kind == "fails_where"]

    def avoid(rows: Array) -> npt.NDArray[np.bool_]:
        found = np.zeros(len(rows), dtype=bool)
        for action in failing:
            found |= hit(run.space, rows, action)
        return found

    n = min(_MOST.get(analyses.trust.good_region.level, _FEW), max(len(run) // 3, 1))
    rows = batch_of(scaled, model, within, n, avoid)
    if not len(rows):
        return None
    sign = 1.0 if run.direction == "minimize" else -1.0
    feasible = np.flatnonzero(np.asarray(scaled.feasible))
    means, stds = model.predict(scaled.X[feasible])
    best = int(np.argmin(sign * means))
    together = np.vstack([scaled.X[[feasible[best]]], rows])
    mean, std = model.predict(together)
    drawn = normal_draws(sign * mean, model.posterior_covariance(together), _DRAWS, 0).T
    improved = np.maximum(drawn[:, 0] - drawn[:, 1:].min(axis=1), 0.0)
    gain = float(improved.mean())
    if gain < _WORTH * candidates.spread:
        return None
    low, high = np.percentile(improved, (5.0, 95.0)).tolist()
    exploitation, exploration = expected_improvement(sign * mean[1:2], std[1:2], sign * means[best])
    configs = [_shortened(run.space, config) for config in run.space.decode(rows)]
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


def _shortened(space: SearchSpace, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with six digits of its real values."""
    short = dict(config)
    for name, value in config.items():
        parameter = space[name]
        if isinstance(parameter, FloatParameter) and parameter.step is None:
            rounded = float(f"{value:.6g}")
            short[name] = rounded if parameter.low <= rounded <= parameter.high else value
    return short
