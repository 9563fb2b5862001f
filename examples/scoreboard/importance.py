"""Importance against the truth: what the objective depends on, and what decides the best 10 %.

``rows(table, sampler, n, seed)`` is one run; errors are mean absolute ones of normalized shares.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import optuna
from optuna.importance import (
    BaseImportanceEvaluator,
    FanovaImportanceEvaluator,
    MeanDecreaseImpurityImportanceEvaluator,
    PedAnovaImportanceEvaluator,
    get_param_importances,
)

import hpo_explain as hx
from examples.scoreboard.tables import load
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from tests.claims.runs import Setting, make_run

TOP = 0.1
PED = "Optuna's PED-ANOVA"
GOALS = {
    "top error": ("<=", 0.06, 0.085),
    "top error, as a share of PED-ANOVA's": ("<=", 0.75, 0.75),
    "top first": (">=", 0.9, 0.75),
    "top covered": (">=", 0.92, 0.92),
    "top orders right": (">=", 0.95, 0.95),
}


def rows(table: str, sampler: str, n: int, seed: int) -> dict[str, Any]:
    """Return the scores of one run.

    For "whole" and "top": the error, of Optuna's evaluators and of equal shares, too; whether the
    first rank is right; which part of the 95 % intervals holds the truth; how many orders are
    stated as certain, and how many of these are right.
    """
    problem = load(table)
    run = make_run(Setting(problem, sampler, n, seed))
    others = {
        "whole": {
            "Optuna's fANOVA": FanovaImportanceEvaluator(seed=seed),
            "Optuna's MDI": MeanDecreaseImpurityImportanceEvaluator(seed=seed),
        },
        "top": {PED: _ped_anova()},
    }
    found: dict[str, Any] = {"table": table, "sampler": sampler, "n": n, "seed": seed}
    for part, top in (("whole", None), ("top", TOP)):
        truth = true_shares(problem.table, top)
        found |= {f"{part} {k}": v for k, v in _scored(hx.importance(run, top=top), truth).items()}
        found[f"{part} error of equal shares"] = _error(np.ones(len(truth)), truth)
        for name, evaluator in others[part].items():
            shares = _optuna(run, evaluator)
            found[f"{part} error of {name}"] = _error(shares, truth)
            found[f"{part} first of {name}"] = bool(shares.argmax() == truth.argmax())
    return found


def true_shares(table: np.ndarray, top: float | None) -> np.ndarray:
    """Return the share that each axis explains alone, of the cost or of being among the best."""
    values = table if top is None else (table <= np.quantile(table, top)).astype(float)
    axes = range(table.ndim)
    alone = [values.mean(axis=tuple(k for k in axes if k != j)).var() for j in axes]
    return np.array(alone) / values.var()


def _scored(result: FanovaImportance, truth: np.ndarray) -> dict[str, Any]:
    shares = result.importance.loc[list(result.names)]
    inside = (shares["lower"] <= truth) & (truth <= shares["upper"])
    stated = [c.hyperparameters for c in result.claims if c.kind == "order" and c.certain]
    of = dict(zip(result.names, truth, strict=True))
    return {
        "error": _error(shares["importance"].to_numpy(), truth),
        "first": bool(result.estimate.argmax() == truth.argmax()),
        "covered": float(inside.mean()),
        "orders": len(stated),
        "orders right": sum(bool(of[a] > of[b]) for a, b in stated),
        "neighbours": len(truth) - 1,
    }


def _error(shares: np.ndarray, truth: np.ndarray) -> float:
    """Return the mean absolute error of shares that are divided by their sum."""
    whole = shares.sum()
    own = shares / whole if whole > 0.0 else np.full(len(shares), 1.0 / len(shares))
    return float(np.abs(own - truth / truth.sum()).mean())


def _ped_anova() -> BaseImportanceEvaluator:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is experimental in some versions
        return PedAnovaImportanceEvaluator()


def _optuna(run: hx.Run, evaluator: BaseImportanceEvaluator) -> np.ndarray:
    """Return what an evaluator of Optuna says of the same trials."""
    distributions = run.space.to_optuna()
    study = optuna.create_study(direction=run.direction)
    for config, value in zip(run.space.decode(run.X), run.objective, strict=True):
        study.add_trial(
            optuna.create_trial(params=config, distributions=distributions, value=float(value))
        )
    found = get_param_importances(study, evaluator=evaluator)
    return np.array([found.get(name, 0.0) for name in run.space.names])


def summarized(found: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return the numbers of a line of the scoreboard from those of many runs."""
    several = list(found)
    line: dict[str, float] = {"runs": len(several)}
    for part in ("top", "whole"):
        for name in [k for k in several[0] if k.startswith(part) and "orders" not in k]:
            line[name] = float(np.mean([one[name] for one in several]))
        stated, right, pairs = (
            sum(one[f"{part} {what}"] for one in several)
            for what in ("orders", "orders right", "neighbours")
        )
        del line[f"{part} neighbours"]
        line[f"{part} orders right"] = right / stated if stated else np.nan
        line[f"{part} orders told"] = right / pairs
    ratio = line["top error"] / line[f"top error of {PED}"]
    return line | {"top error, as a share of PED-ANOVA's": ratio}
