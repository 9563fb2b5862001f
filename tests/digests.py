"""Digests of what the explanations of one small run hold; run as a script.

``python -m tests.digests`` prints them as JSON, of all explanations or of those that are named.
"""

import datetime as dt
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial, TrialState

import hpo_explain as hx

DISTRIBUTIONS: dict[str, BaseDistribution] = {
    "lr": FloatDistribution(1e-4, 1.0, log=True),
    "booster": CategoricalDistribution(["gbtree", "dart", "gblinear"]),
    "rate": FloatDistribution(0.0, 1.0),
}
EXPLAINED: dict[str, Callable[[hx.Run], Any]] = {
    "trust": hx.trust,
    "importance": lambda run: hx.importance(run, 2, kind="forest", n_trees=16),
    "importance by a Gaussian process": lambda run: hx.importance(run, kind="gp"),
    "proposal": hx.explain_proposal,
    "densities": hx.proposal_densities,
    "path": lambda run: hx.desirability_path(run, run.proposals[-3:], acquisition="lcb"),
    "effect": lambda run: hx.partial_dependence(run, "lr"),
    "regional effect": lambda run: hx.regional_partial_dependence(run, "lr"),
    "accumulated effect": lambda run: hx.accumulated_local_effects(run, "lr"),
    "h statistic": hx.h_statistic,
    "ablation": hx.ablation,
    "local importance": hx.local_importance,
    "lime": hx.lime,
    "prediction": hx.explain_prediction,
    "interactions": hx.shapley_interactions,
    "recommended space": hx.recommended_space,
    "subspace": hx.subspace,
    "footprint": hx.footprint,
    "configurations": hx.configurations,
    "history": hx.history,
    "noise": hx.noise,
    "tunability": hx.tunability,
    "symbolic": lambda run: hx.symbolic(run, "lr"),
    "next experiments": lambda run: hx.next_experiments(run, ["lr", "booster"]),
    "advice": hx.advise,
    "brief report": lambda run: page(run, ["overview", "importance", "latest"]),
    "report": lambda run: page(run, None),
}


def small_run() -> hx.Run:
    """25 trials of a number, a category and a number that is there for one category.

    The last five are repeated, and two of them are left out.
    """
    rng = np.random.default_rng(0)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    params: list[dict[str, Any]] = []
    for number in range(27):
        boosters = DISTRIBUTIONS["booster"].choices
        drawn = {"lr": float(10.0 ** rng.uniform(-4, 0)), "booster": str(rng.choice(boosters))}
        if drawn["booster"] == "dart":
            drawn["rate"] = float(rng.uniform())
        params.append(params[number - 5] if number > 21 else drawn)
        study.add_trial(trial(number, params[-1], rng.normal()))
    return hx.from_optuna(study)


def trial(number: int, params: dict[str, Any], noise: float) -> FrozenTrial:
    """A trial of which all is known, its times too."""
    loss = (np.log10(params["lr"]) + 2.0) ** 2 + params.get("rate", 0.2) + 0.05 * noise
    pruned = number in (3, 8)
    start = dt.datetime(2026, 1, 1) + dt.timedelta(minutes=number)
    return FrozenTrial(
        number=number, trial_id=number, value=None if pruned else float(loss), params=params,
        state=TrialState.PRUNED if pruned else TrialState.COMPLETE,
        distributions={name: DISTRIBUTIONS[name] for name in params},
        datetime_start=start, datetime_complete=start + dt.timedelta(seconds=30),
        user_attrs={}, system_attrs={}, intermediate_values={},
    )  # fmt: skip


def page(run: hx.Run, sections: list[str] | None) -> str:
    """A report: nothing in it says when it was written."""
    with tempfile.TemporaryDirectory() as folder:
        path = hx.report(run, Path(folder) / "r.html", sections=sections, progress=False)
        return path.read_text(encoding="utf-8")


def digests(names: Sequence[str]) -> dict[str, str]:
    """A digest of all that each result holds, as it is in JSON."""
    run = small_run()
    return {name: digest(EXPLAINED[name](run)) for name in names}


def digest(result: Any) -> str:
    held = result.to_dict() if hasattr(result, "to_dict") else result
    return hashlib.sha256(json.dumps(held, allow_nan=False).encode()).hexdigest()


if __name__ == "__main__":
    print(json.dumps(digests(sys.argv[1:] or list(EXPLAINED))))
