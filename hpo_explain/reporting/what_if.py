"""What if: the belief itself in the page, which answers at every move of a control."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.numbers import format_value
from hpo_explain.base.text import declared_fact
from hpo_explain.belief import STRETCH
from hpo_explain.belief.mixture import Mixture
from hpo_explain.belief.portable import Numbers, portable
from hpo_explain.methods.space.footprint import even_radius
from hpo_explain.question import Question
from hpo_explain.question.decision import RunDecision
from hpo_explain.reporting._render import render
from hpo_explain.reporting.section import Content, Section
from hpo_explain.reporting.trials import as_json
from hpo_explain.run import Run
from hpo_explain.space import (
    CategoricalParameter,
    Parameter,
    SearchSpace,
    ranked,
)

_WIDTH = 60  # columns of a category
_ASKED = "Which value would the objective have at another configuration?"
_NOT_PORTABLE = declared_fact(
    "not_portable",
    "another configuration is predicted in the page by the belief only, not by a model of your own",
)


def what_if(question: Question) -> Content:
    """Return the panel with a control for each hyperparameter."""
    run = question.run
    run.check_differences()
    decision = question.decision
    draws = None if decision is None else decision.draws
    if decision is None or not isinstance(draws, Mixture):
        raise NothingToExplain(_NOT_PORTABLE())
    data = as_json(data_of(decision, draws))
    return Content(_ASKED, render("what_if.html.j2", data=data))


WHAT_IF = Section(
    "what-if",
    "What if?",
    "Start from a trial and move any value. The predicted objective is that of functions that the "
    "trials allow, with what holds it in 95 %, without observation noise. Each change counts by "
    "its Shapley value: what it adds on average over all orders of the changes.",
    what_if,
)


def data_of(decision: RunDecision, draws: Mixture) -> dict[str, Any]:
    """Return what the page's script computes with: the space, the trials and the draws."""
    run, space = decision.run, draws.space
    tried = run.tried
    carried = portable(draws, tried)
    places, packed = packed_arrays(carried.arrays)
    return {
        "objective": run.objective_name,
        "framework": run.framework,
        "stretch": STRETCH["average"],
        "radius": even_radius(space, len(tried), draws.seed),
        "keep": decision.keep,
        "trials": _trials(run),
        "start": _usual(run),
        "parameters": [_control(space, j) for j in range(len(space))],
        "parents_first": list(space.parents_first),
        **carried.numbers,
        "draws": len(carried.draws),
        "arrays": places,
        "packed": packed,
    }


def packed_arrays(
    arrays: dict[str, Numbers],
) -> tuple[dict[str, Any], str]:
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
    packed = gzip.compress(b"".join(blocks), mtime=0)
    return places, base64.b64encode(packed).decode("ascii")


def _trials(run: Run) -> list[list[Any]]:
    """Return the number, the place among tried rows and the objective of each trial, best first."""
    cost = np.where(np.asarray(run.feasible), run.cost, np.inf)
    finished = [
        [int(run.trials[i]), int(i), format_value(float(run.objective[i]))]
        for i in ranked(cost).tolist()
    ]
    others = [
        [number, len(run) + i, ""]
        for i, number in enumerate(run.without_result)
    ]
    return [*finished, *others]


def _usual(run: Run) -> list[float]:
    """Return a value of each hyperparameter: that of the best trial in which it is active."""
    space = run.space
    middle = space.from_latent(np.full((1, len(space)), 0.5))[0]
    rows = run.X[ranked(np.where(np.asarray(run.feasible), run.cost, np.inf))]
    found: list[float] = []
    for column, other in zip(rows.T, np.nan_to_num(middle), strict=True):
        active = column[~np.isnan(column)]
        found.append(float(active[0] if len(active) else other))
    return found


def _control(space: SearchSpace, j: int) -> dict[str, Any]:
    """Return what a hyperparameter's control has to know."""
    parameter = space.parameters[j]
    rules = [[parent, codes.tolist()] for parent, codes in space.conditions[j]]
    return {
        "name": parameter.name,
        "code": repr(parameter.name),
        "optional": parameter.optional is not None,
        "rules": rules,
        **_values(parameter),
    }


def _values(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, CategoricalParameter):
        choices = parameter.choices
        return {
            "kind": "category",
            "choices": [format_value(c, width=_WIDTH) for c in choices],
            "codes": [repr(c) for c in choices],
        }
    return {
        "kind": type(parameter).__name__.removesuffix("Parameter").lower(),
        "low": parameter.low,
        "high": parameter.high,
        "log": parameter.log,
        "step": parameter.step,
        "size": parameter.size,
    }
