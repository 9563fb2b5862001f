"""Do the fewest changes keep the gain? Held against all mixtures in exact tables.

Kept is 95 % of the gain, or all but the noise of one evaluation; *exactly* without this noise. Half
reached asks for what lies halfway to the best, never for what nothing in the table reaches.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

import hpo_explain as hx
from examples.scoreboard.tables import load
from hpo_explain.methods._engines.coalitions import all_coalitions
from hpo_explain.methods.around.mixtures import Mixtures
from tests.claims.problem import Problem
from tests.claims.runs import Setting, make_run

KEEP, DRAWS = 0.95, 60
DEFAULTS = ("middle", "random")
KINDS = ("", " exactly")
GOALS = {
    f"{default}: {what}": goal
    for default in DEFAULTS
    for what, goal in {
        "kept": (">=", 0.95, 0.95),
        "kept, of those cut": (">=", 0.9, 0.9),
        "of an oracle's cut": (">=", 0.2, 0.35),
    }.items()
}


def rows(name: str, sampler: str, n: int, seed: int) -> dict[str, Any]:
    """Return what was right of the changes from either default, by "<default> <what>"."""
    table = load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = make_run(Setting(table, sampler, n, seed))
    found: dict[str, Any] = {"table": table.name, "sampler": sampler, "n": n, "seed": seed}
    drawn = run.space.decode(run.space.sample(1, seed=seed + 50))[0]
    for which, default in zip(DEFAULTS, (None, drawn), strict=True):
        try:
            result = hx.changes(run, default, keep=KEEP)
        except hx.base.NothingToExplain:
            continue
        scored = _kept(table, result, seed) | _reached(table, run, result)
        found |= {f"{which} {what}": value for what, value in scored.items()}
    return found


def _cost(table: Problem, config: Any) -> float:
    return float(table.cost(table.space.encode(config))[0])


def _kept(table: Problem, result: Any, seed: int) -> dict[str, Any]:
    """Compare with the truth: at most 5 % is lost, or the noise of one evaluation."""
    space, rng = table.space, np.random.default_rng(seed)
    ends = [space.encode(end.config)[0] for end in (result.start, result.best)]
    mixed = Mixtures(space, *ends)
    sets = all_coalitions(len(mixed.columns))
    gains = _cost(table, result.start.config) - table.cost(mixed.rows(sets))
    whole, size = float(gains[-1]), sets.sum(axis=1)
    here = _cost(table, result.start.config) - _cost(table, result.config)
    cut, within = (len(result.put_back), result.interval[0] <= here <= result.interval[1])
    sure = bool(cut) and result.probability_kept >= 0.95
    scored = {"cut": cut, "covered": within, "certain": sure}
    draw, best = table.draw or (lambda _x, _rng: 0.0), ends[1]
    noise = np.std([draw(best, rng) for _ in range(DRAWS)])
    for name, sd in zip(KINDS, (noise, 0.0), strict=True):
        least = min(KEEP * whole, whole - min(sd, abs(whole) / 2.0)) - 1e-12
        scored[f"kept{name}"] = not cut or here >= least
        fewest = size[1:][gains[1:] >= least].min() if whole > 0.0 else len(mixed.columns)
        scored[f"oracle{name}"] = len(mixed.columns) - int(fewest)
    return scored


def _reached(table: Problem, run: hx.Run, result: Any) -> dict[str, Any]:
    """Ask for what lies halfway from the default to the best, and one that nothing reaches."""
    start, best = (_cost(table, end.config) for end in (result.start, result.best))
    scored = {}
    for name, goal in (("half", (start + best) / 2.0), ("never", table.table.min() - table.spread)):
        try:
            found = hx.changes(run, result.start.config, reach=goal)
        except hx.base.NothingToExplain:
            continue
        if found.claims[0].certain:
            scored[f"{name} right"] = _cost(table, found.config) <= goal
            scored[f"{name} changes"] = found.few
    return scored


def summarized(found: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return the numbers of a line of the scoreboard from those of many runs."""
    several = list(found)
    return {k: v for default in DEFAULTS for k, v in _of_default(several, default).items()}


def _of_default(scored: list[dict[str, Any]], default: str) -> dict[str, float]:
    """Shares over runs: kept, cut, kept where cut, and the share of an oracle's cut."""
    some = [s for s in scored if f"{default} cut" in s]
    cut = [s for s in some if s[f"{default} cut"]]

    def of(what: str, among: list[dict[str, Any]] = some) -> list[Any]:
        return [s[f"{default} {what}"] for s in among if f"{default} {what}" in s]

    def mean(what: str, among: list[dict[str, Any]] = some) -> float:
        return float(np.mean(of(what, among) or np.nan))

    line = {"runs": len(some), "cut": len(cut) / max(len(some), 1), "covered": mean("covered")}
    for kind in KINDS:
        line[f"kept{kind}"] = mean(f"kept{kind}")
        line[f"kept{kind}, of those cut"] = mean(f"kept{kind}", cut)
        line[f"of an oracle's cut{kind}"] = sum(of("cut")) / max(sum(of(f"oracle{kind}")), 1)
    line["kept, of certain ones"] = mean("kept", [s for s in some if s[f"{default} certain"]])
    for name in ("half", "never"):
        line |= {
            f"{name} reached": len(of(f"{name} right")),
            f"{name} right": mean(f"{name} right"),
        }
    return {f"{default}: {what}": value for what, value in line.items()}
