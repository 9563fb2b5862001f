"""A result of scikit-optimize, turned into a Run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from skopt import BayesSearchCV, Optimizer

from hpo_explain.adapters._evaluations import Encoded, Evaluation, Source, run_of
from hpo_explain.adapters._reading import LEAST_KNOWN
from hpo_explain.adapters.skopt._dimensions import (
    encode_points,
    model_columns,
    read_dimensions,
    read_space,
)
from hpo_explain.adapters.skopt._record import (
    SkoptRecord,
    StoredModels,
    asked_points,
    objective_model,
    read_models,
)
from hpo_explain.adapters.skopt._specs import HEDGE, Specs, read_specs
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.options import Direction, sign_of
from hpo_explain.base.phrases import spans
from hpo_explain.run import Run, WithoutResult

_EMPTY = fact("result has no trial. Tell the optimizer some first.")
_CONSTRAINT = fact(
    "constraint: skopt kept to a space_constraint, which is not part of the search space here: "
    "averages also take in configurations that it rules out; explanations of proposals and "
    "predictions do not where ",
    Option("background"),
    " is an array without them, nor do effects where ",
    Option("sample"),
    " is",
)
_PROPOSALS_NOT_RECORDED = fact(
    "proposals: neither models nor the number of initial points are recorded, so every trial "
    "counts as a proposal"
)
_HEDGE = fact(
    "acquisition: gp_hedge draws LCB, EI or PI for every trial and does not record which; it is "
    "inferred from the proposal",
    role="check",
)


def from_skopt(
    result: Any, *, names: Sequence[str] | None = None, bounds: tuple[float, float] | None = None
) -> Run:
    """Read a result of scikit-optimize, with the models that chose its trials.

    Trial numbers are indices into ``result.x_iters``. The acquisition function is the recorded one.
    The default ``gp_hedge`` draws one for every trial and does not record it; it is inferred from
    the proposal, and a note says so.

    Parameters
    ----------
    result : scipy.optimize.OptimizeResult, skopt.Optimizer or skopt.BayesSearchCV
        The result of ``gp_minimize``, ``forest_minimize``, ``gbrt_minimize``, ``dummy_minimize`` or
        ``Optimizer.tell``, an optimizer, or a fitted search over a single space. The next point or
        batch of an optimizer is in ``run.without_result``, with the numbers it will get if it is
        told in order.
    names : sequence of str, optional
        Names of the dimensions; by default their own, or x0, x1, ... by position.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric. A number far
        beyond all others, such as 1e6, counts as a failure unless it is within this range. Failed
        trials are in ``run.without_result``, and surrogates are fitted to the others.

    Returns
    -------
    Run
        The run: minimized, or maximized for the score of a search. Its surrogates and acquisition
        functions are skopt's own if they are stored. Their standard deviation excludes observation
        noise, as in skopt.

    Raises
    ------
    InputError
        If `result` is something else, or its space is unknown.
    NothingToExplain
        If no trial can be read.

    Examples
    --------
    >>> from skopt import gp_minimize
    >>> import hpo_explain as hx
    >>> result = gp_minimize(
    ...     lambda point: (point[0] - 0.3) ** 2,
    ...     [(0.0, 1.0)],
    ...     n_calls=8,
    ...     n_initial_points=5,
    ...     acq_func="LCB",
    ...     random_state=0,
    ... )
    >>> run = hx.from_skopt(result, names=["lr"])
    >>> run.optimizer, run.proposals, run.own_acquisition(6).acquisition.label
    ("skopt's gp_minimize", (5, 6, 7), 'LCB (κ = 1.96)')
    """
    source = _source(result)
    asked = asked_points(result) if isinstance(result, Optimizer) else []
    result, sign = source.result, sign_of(source.direction)
    specs = read_specs(result)
    dimensions = read_dimensions(result)
    space, notes = read_space(dimensions, names)
    X, outside = encode_points(space, result.x_iters)
    objective = sign * np.asarray(result.func_vals, dtype=float)
    n = len(X)
    stored, about_models = read_models(getattr(result, "models", None) or [], specs, n)
    start, about_proposals = _first_proposal(stored, specs)
    origins = _origins(range(n), specs, start, recorded=not about_proposals)
    rows, unreadable = encode_points(space, [entry.point for entry in asked])
    numbered = {} if unreadable else dict(enumerate(asked, n))
    record = SkoptRecord(
        space,
        X,
        objective,
        source.direction,
        stored,
        model_columns(dimensions),
        specs.criterion,
        numbered,
        dict(zip(numbered, rows, strict=False)),
    )
    own = record.is_readable()
    if getattr(getattr(result, "space", None), "constraint", None):
        notes.append(_CONSTRAINT)
    notes += [*about_models, *about_proposals]
    if not specs.random:
        about = _about_models if own else _about_no_model
        notes += about(stored, specs, start, n)
    run = run_of(
        {
            t: Evaluation(
                dict(zip(space.names, result.x_iters[t], strict=False)),
                float(objective[t]),
                origin=origins[t],
                proposed=t >= start,
            )
            for t in range(n)
        },
        Encoded(space, X, outside),
        Source(
            "result", source.optimizer or specs.optimizer, source.direction, source.objective_name
        ),
        bounds=bounds,
        notes=notes,
        framework="skopt",
        record=record if own or any(e.model is not None for e in asked) else None,
    )
    # what it asked for is not left out: nobody has told it yet
    running = {
        trial: WithoutResult(
            "running",
            record.asked_rows[trial],
            Origin.INITIAL if entry.model is None else Origin.MODEL,
            entry.model is not None or specs.random,
        )
        for trial, entry in numbered.items()
    }
    return replace(run, without_result={**run.without_result, **running})


@dataclass(frozen=True)
class _Source:
    """A result, and what the object it came from adds to it."""

    result: Any
    optimizer: str = ""
    direction: Direction = "minimize"
    objective_name: str = "objective"


def _source(result: Any) -> _Source:
    if isinstance(result, BayesSearchCV):
        found = getattr(result, "optimizer_results_", None)
        if found is None:
            problem = "is a BayesSearchCV that is not fitted"
            raise InputError("result", problem, remedy="Call its fit first.")
        if len(found) != 1:
            problem = f"is a BayesSearchCV over {len(found)} search spaces"
            remedy = (
                f"Read one of them: result.optimizer_results_[i] for i in 0 to {len(found) - 1} "
                "(their objective is the negated score)."
            )
            raise InputError("result", problem, len(found), remedy)
        name = f"mean_test_{result.refit if result.multimetric_ else 'score'}"
        return _Source(found[0], "skopt's BayesSearchCV", "maximize", name)
    if isinstance(result, Optimizer):
        if not result.Xi:
            raise NothingToExplain(_EMPTY)
        return _Source(result.get_result())
    points, values = (getattr(result, "x_iters", None), getattr(result, "func_vals", None))
    if points is None or values is None:
        problem = (
            "must be what a minimizer of skopt returned, a skopt.Optimizer or a BayesSearchCV, but "
            f"was a {type(result).__name__} without x_iters and func_vals"
        )
        raise InputError("result", problem, type(result).__name__)
    if len(points) != len(values):
        problem = f"must have one value per point, but has {len(points)} x_iters and {len(values)}"
        raise InputError("result", f"{problem} func_vals")
    if len(points) == 0:
        raise NothingToExplain(_EMPTY)
    return _Source(result)


def _origins(
    trials: Sequence[int], specs: Specs, start: int, *, recorded: bool
) -> dict[int, Origin]:
    """Return who chose the trials."""
    origins = dict.fromkeys(trials, Origin.MODEL)
    if specs.random:
        origins = dict.fromkeys(trials, Origin.INITIAL)
    elif recorded:
        origins |= {t: Origin.INITIAL for t in trials if t < start}
    else:
        origins |= {t: Origin.UNKNOWN for t in trials if t < start or start == 0}
    given = Origin.ADDED if specs.told else Origin.ENQUEUED
    return origins | {t: given for t in trials if t < specs.given}


def _first_proposal(stored: StoredModels, specs: Specs) -> tuple[int, list[Fact]]:
    """Return the number of the first proposal, and notes."""
    if specs.random:
        text = (
            "proposals: the search was random, no acquisition function chose any of its trials; "
            f"those from {LEAST_KNOWN} on are explained with an assumed one"
        )
        return LEAST_KNOWN, [fact(text)]
    if 0 < len(stored.models) < specs.queue_size:
        return stored.seen[0], []
    if specs.initial is not None:
        return specs.initial, []
    if stored.models:
        text = (
            "proposals: the number of initial points is not recorded; trials before "
            f"{stored.seen[0]}, whose models are not stored, do not count as proposals"
        )
        return stored.seen[0], [fact(text)]
    return 0, [_PROPOSALS_NOT_RECORDED]


def _about_models(stored: StoredModels, specs: Specs, start: int, n: int) -> list[Fact]:
    notes = []
    chosen = range(stored.seen[0], n)
    lost = range(start, stored.seen[0])
    if lost:
        text = f"models: those that chose the trials {spans(lost)} are not stored "
        assumed = f"(model_queue_size); there, {_assumed(specs)}"
        notes.append(fact(f"{text}{assumed}", trials=lost))
    if chosen:
        text = f"models: for the trials {spans(chosen)} the surrogate is the one that skopt fitted"
        notes.append(fact(f"{text} and stored", trials=chosen))
    if specs.criterion.unknown:
        notes.append(fact("acquisition: one is assumed, since ", specs.criterion.unknown))
    elif specs.criterion.name == HEDGE:
        notes.append(_HEDGE)
    return notes


def _about_no_model(stored: StoredModels, specs: Specs, start: int, n: int) -> list[Fact]:
    if not stored.models:
        return [fact(f"models: no model is stored, so {_assumed(specs)}")]
    kind = type(objective_model(stored.models[-1])).__name__
    return [fact(f"models: the stored ones ({kind}) cannot be read, so {_assumed(specs)}")]


def _assumed(specs: Specs) -> str:
    used = f" ({specs.criterion.name})" if specs.criterion.name else ""
    return (
        "surrogates are fitted anew and an acquisition function is assumed for the one skopt used"
        + used
    )
