"""Where the best is, and whether there is more to get: `hx.optimum` against an exact table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import hpo_explain as hx
from examples.scoreboard.tables import load
from hpo_explain.space import CategoricalParameter
from tests.claims.problem import Problem
from tests.claims.runs import Setting, make_run

MORE = STALE = 20
GOALS = {
    "regions hold": (">=", 0.88, 0.88),
    "median size": ("<=", 0.65, 0.76),
    "Brier score, as a share of the best constant's": ("<=", 0.9, 0.9),
    "of these right": (">=", 0.95, 0.95),
    "done is certain": ("<=", 0, 0),
}


def rows(name: str, sampler: str, n: int, seed: int) -> dict[str, Any]:
    """Ask `optimum` once, and hold what it says against the whole table."""
    table = load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = make_run(Setting(table, sampler, n, seed))
        found = hx.optimum(run, more=MORE)
    least = float(table.table.min())

    def cost(config: Any) -> float:
        return float(table.cost(table.space.encode([config]))[0])

    incumbent, best = cost(found.incumbent), cost(found.config)
    truth = run.sign * best
    slack = 0.005 * table.spread
    better = next(c for c in found.claims if c.kind == "difference")
    first = found.claims[0]
    return {
        "held": [_holds(table, j, region.values) for j, region in enumerate(found.regions)],
        "size": [region.share for region in found.regions],
        "p_better": found.p_better,
        "better": incumbent - least > found.epsilon,
        "stale": n - 1 - int(run.objective.argmin()),
        "certain": better.certain,
        "improves": first.certain,
        "improved": incumbent - best > found.epsilon,
        "covered": found.interval[0] - slack <= truth <= found.interval[1] + slack,
        "width": float(np.ptp(found.interval)) / table.spread,
        "regret": found.regret / table.spread,
        "true_regret": (incumbent - least) / table.spread,
        "config_regret": (best - least) / table.spread,
        "gain": found.expected_gain / table.spread,
    }


def _holds(table: Problem, j: int, values: Sequence[Any]) -> bool:
    """Whether values hold a level at which the best of the table is."""
    parameter, reached = table.space.parameters[j], table.attainable(j)
    best = parameter.decode(table.levels[j][reached <= reached.min()])
    if isinstance(parameter, CategoricalParameter):
        return any(value in values for value in best)
    return any(values[0] <= value <= values[-1] for value in best)


def summarized(found: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return the numbers of a line of the scoreboard from those of many runs."""
    several = list(found)

    def every(name: str) -> np.ndarray:
        return np.array([one[name] for one in several], dtype=float)

    probability, true = every("p_better"), every("better")
    certain, improves = every("certain") > 0, every("improves") > 0
    constant = float(true.mean() * (1.0 - true.mean()))
    brier, goes_on = (float(((probability - true) ** 2).mean()), every("stale") < STALE)
    sizes = np.concatenate([one["size"] for one in several])
    return {
        "runs": len(several),
        "regions hold": float(np.concatenate([one["held"] for one in several]).mean()),
        "median size": float(np.median(sizes)),
        "mean size": float(sizes.mean()),
        "better exists": float(true.mean()),
        "Brier score": brier,
        "Brier score, as a share of the best constant's": brier / constant if constant else np.nan,
        "of always more": float(1.0 - true.mean()),
        "of never more": float(true.mean()),
        f"of done after {STALE} trials without improvement": float((goes_on != true).mean()),
        "certain": int(certain.sum()),
        "of these right": float(true[certain].mean()) if certain.any() else np.nan,
        "done is certain": int((certain & (probability < 0.5)).sum()),
        "estimate covered": float(every("covered").mean()),
        "width": float(np.median(every("width"))),
        "config certainly better": int(improves.sum()),
        "of these better": float(every("improved")[improves].mean()) if improves.any() else np.nan,
        "regret expected": float(every("regret").mean()),
        "regret true": float(every("true_regret").mean()),
        "regret of the configuration": float(every("config_regret").mean()),
    }
