"""The profiler: the belief itself in the page, which answers at every move of a setting."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from hpo_explain.base import NothingToExplain, fact, format_value
from hpo_explain.belief import STRETCH
from hpo_explain.belief.carried import Carried
from hpo_explain.belief.portable import Carriable, Numbers, portable
from hpo_explain.question import Question
from hpo_explain.reporting._render import packed, render
from hpo_explain.reporting.profile import Profile
from hpo_explain.reporting.section import Content, Section
from hpo_explain.reporting.trials import as_json
from hpo_explain.run import Run
from hpo_explain.space import (
    Array,
    FloatParameter,
    IntParameter,
    Ints,
    Parameter,
    Range,
    SearchSpace,
    asked_as,
    ends_of,
    nearest,
    ranked,
)
from hpo_explain.space._values import plain

_WIDTH = 60  # columns of a category
_STARTS = 500  # trials to start from: the best
# hyperparameters and categories, and numbers of all trials, that a page can hold
_PLACES, _TRIED = (300, 200_000)
_SAMPLE, _EVEN, _DESIGNS = (1000, 0.95, 5)  # of the radius within which something was tried
_FIRST = 8  # panels that are open
_OFF = 0.1  # of the objective's spread, that a copy of a model may differ from it


def what_if(question: Question) -> Content:
    """Return the panels of all hyperparameters, and what a script moves them by."""
    run = question.run
    run.check_differences()
    decision = question.decision
    if decision is None:
        raise NothingToExplain(
            fact(
                "the profiler needs a model with a joint posterior, such as a Gaussian process, to "
                "show the uncertainty of curves and differences"
            )
        )
    places = len(run.space) + int(run.space.categories_in_own_order.sum())
    if places > _PLACES or run.tried.size > _TRIED:
        raise NothingToExplain(
            fact(
                f"a page cannot hold the model of {len(run)} trials with {places} hyperparameters "
                "and categories"
            )
        )
    carried: Carriable = question.belief.whole
    if run.model is not None:
        carried = Carried.of(decision.draws, run.tried, run.bounds)
    draws = carried.draws if isinstance(carried, Carried) else carried
    profile = Profile(question, decision, draws)
    moves, about = _moves(carried)
    panels = [*profile.panels]
    body = render(
        "what_if.html.j2",
        data=as_json(data_of(profile, carried)) if moves else "",
        first=panels[:_FIRST],
        more=panels[_FIRST:],
        objective=run.objective_name,
        keep=decision.keep,
        predicted=profile.predicted_text,
        legend=profile.legend,
        about=about,
    )
    said = f"Keep trial {decision.keep}: {run.objective_name} {profile.predicted_text} expected."
    return Content(said, body)


def _moves(carried: Carriable) -> tuple[bool, str]:
    """Say whether a page may evaluate what it would carry, and what is to be known of that."""
    if not isinstance(carried, Carried):
        return True, ""
    off = carried.off
    if off > _OFF:
        return False, (
            "The curves cannot be moved: the copy of your model that fits on a page differs from "
            f"the model by {off:.0%} of the objective's spread (at most {_OFF:.0%} is allowed)."
        )
    return True, (
        "When you change a value, the page evaluates a copy of your model, which differs from the "
        f"model by {off:.1%} of the objective's spread."
    )


WHAT_IF = Section(
    "what-if",
    "What if?",
    "A curve is the predicted objective along a hyperparameter, given the current values of the "
    "others, with its 95 % interval without observation noise. The dashed line is the average over "
    "all others. Drag the line or type a value, and all other curves follow. The percentage is the "
    "share of the variance that a hyperparameter explains, with its interactions.",
    what_if,
    script="what_if",
)


def radius_of_even_spread(space: SearchSpace, n: int, seed: int) -> float:
    """Return how near a trial is that counts as near.

    As near as 95 % of the space would be to n trials spread at random by a Latin hypercube, on
    average over five of them.
    """
    sample = space.sample(_SAMPLE, seed=seed + 2)
    designs = [space.sample(n, seed=seed + 3 + i)[:n] for i in range(_DESIGNS)]
    distances = [nearest(space, sample, design) for design in designs]
    return float(np.mean([np.quantile(one, _EVEN) for one in distances]))


def data_of(profile: Profile, carried: Carriable) -> dict[str, Any]:
    """Return what the page's script computes with: the space, the trials and the draws."""
    decision, draws = profile.decision, profile.draws
    run, space = decision.run, draws.space
    tried = run.tried
    sent = portable(carried, tried)
    observed = np.full(len(tried), np.nan, np.float32)
    feasible = np.flatnonzero(np.asarray(run.feasible))
    observed[feasible] = run.objective[feasible]
    numbers = np.array([*run.trials, *run.without_result], np.int32)
    arrays = {**sent.arrays, "observed": observed, "numbers": numbers}
    places, letters = packed_arrays(arrays)
    left_out = draws.at_one(np.zeros(len(sent.draws)))
    return {
        "objective": run.objective_name,
        "copies": _copies(run),
        "stretch": STRETCH["average"],
        "left_out": left_out[sent.draws].tolist(),
        "radius": radius_of_even_spread(space, len(tried), draws.seed),
        "keep": decision.keep,
        "between": decision.counts.between,
        "counts": f"{decision.epsilon:.2g}",
        "trials": _trials(run, decision.keep),
        "starts": {kind: [text, _or_none(row)] for kind, (text, row) in profile.starts.items()},
        "usual": profile.usual.tolist(),
        "positions": [at.tolist() for at in profile.positions],
        "untried": [np.flatnonzero(~at).tolist() for at in profile.supported],
        "frame": asdict(profile.frame),
        "parameters": [_control(space, j) for j in range(len(space))],
        "parents_first": list(space.parents_first),
        **sent.numbers,
        "draws": len(sent.draws),
        "arrays": places,
        "packed": letters,
    }


def packed_arrays(arrays: dict[str, Numbers]) -> tuple[dict[str, Any], str]:
    """Return where arrays stand in bytes, and these, compressed, as letters."""
    in_order = sorted(arrays, key=lambda name: -arrays[name].itemsize)
    places: dict[str, Any] = {}
    blocks = []
    start = 0
    for name in in_order:
        array = np.ascontiguousarray(arrays[name])
        kind = array.dtype.newbyteorder("<")
        places[name] = [kind.str[1:], start, list(array.shape)]
        blocks.append(array.astype(kind).tobytes())
        start += array.nbytes
    return places, packed(b"".join(blocks))


def _trials(run: Run, keep: int) -> list[list[Any]]:
    """Return the number and the objective of trials to start from.

    The one to keep is first, the best of the others follow.
    """
    cost = np.where(np.asarray(run.feasible), run.cost, np.inf)
    cost[run.row(keep)] = -np.inf
    return [
        [int(run.trials[i]), format_value(float(run.objective[i]))]
        for i in ranked(cost)[:_STARTS].tolist()
    ]


def _copies(run: Run) -> list[str]:
    """Return as what a setting may be copied: as the run's framework takes it first."""
    copies = ["dict"]
    if not any(map(run.space.is_conditional, run.space.names)):
        copies.insert(run.framework != "skopt", "x")
    return ["enqueue_trial", *copies] if run.framework == "optuna" else copies


def _or_none(row: Array) -> list[float | None]:
    """Return an encoded row as JSON has it: None for what is inactive."""
    return [None if np.isnan(x) else float(x) for x in row]


def _control(space: SearchSpace, j: int) -> dict[str, Any]:
    """Return what a hyperparameter's control has to know."""
    parameter = space.parameters[j]
    rules = [
        [parent, _of_parent(space.parameters[parent], values)]
        for parent, values in space.conditions[j]
    ]
    return {
        "name": parameter.name,
        "code": repr(asked_as(parameter)),
        "optional": parameter.optional < 1.0,
        "rules": rules,
        **_values(parameter),
    }


def _of_parent(parent: Parameter, values: Ints | Range) -> Any:
    """Return the codes for which another is active, or the positions between which it is."""
    if isinstance(values, Range):
        low, high = np.clip(ends_of(parent, values), -1.0, 2.0).tolist()
        return {"low": low, "high": high}
    return values.tolist()


def _values(parameter: Parameter) -> dict[str, Any]:
    if parameter.is_category:
        choices = parameter.choices
        return {
            "kind": "category",
            "choices": [format_value(c, width=_WIDTH) for c in choices],
            "codes": [repr(plain(c)) for c in choices],
        }
    return {
        "kind": "int" if isinstance(parameter, IntParameter) else "float",
        "low": parameter.low,
        "high": parameter.high,
        "log": parameter.log,
        "step": parameter.step,
        "size": parameter.size,
        **_listed(parameter),
    }


def _listed(parameter: FloatParameter | IntParameter) -> dict[str, Any]:
    """Return the values of a list, and their positions."""
    grid = parameter.grid(len(parameter.values or ()))
    if not parameter.values or grid is None:
        return {}
    return {"levels": grid[0].tolist(), "values": parameter.decode(grid[0])}
