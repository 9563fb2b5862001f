"""Reads a study of Optuna into a Run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import optuna
from optuna import Study
from optuna.samplers import GPSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters._reading import (
    ONLY_LEFT_OUT,
    OUTSIDE,
    against_conditions,
    best_outside,
    fits_conditions,
    nothing_left,
    repeated,
    state_of,
)
from hpo_explain.adapters._sentinels import Sentinels, of_sentinels
from hpo_explain.adapters.optuna._gp import GpRecord, memory_of, without_memory
from hpo_explain.adapters.optuna._record import SamplerRecord
from hpo_explain.adapters.optuna._sampler import (
    Choice,
    read_choice,
    read_reviewed,
)
from hpo_explain.adapters.optuna._space import (
    Columns,
    encode,
    read_columns,
    read_parameter,
    read_parts,
    with_range_of,
)
from hpo_explain.adapters.optuna._tpe import TpeRecord
from hpo_explain.adapters.optuna._trials import (
    INFEASIBLE,
    PRUNED,
    TargetLike,
    resolve_target,
    select_trials,
    settle_direction,
)
from hpo_explain.adapters.optuna.quiet import made
from hpo_explain.adapters.optuna.samplers import unwrapped
from hpo_explain.base.checks import check_direction, check_option
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import State
from hpo_explain.base.text import counted_trials, declared_fact
from hpo_explain.run import (
    Curves,
    Objectives,
    OptimizerRecord,
    Run,
    WithoutResult,
    by_objective,
    is_joined,
    is_measured,
    measured,
    within,
)
from hpo_explain.space import Array, Parameter, SearchSpace, asked_as

_UNTIMED = declared_fact(
    "untimed",
    "times: not recorded for {trials}; there, what was known before a trial is decided by trial "
    "numbers",
    trials=counted_trials,
)
_UNNAMED = "no-name-"  # what Optuna calls a study that was given no name
_STATES: dict[TrialState, State] = {
    TrialState.RUNNING: "running",
    TrialState.WAITING: "waiting",
    TrialState.FAIL: "failed",
    TrialState.PRUNED: "pruned",
}


def from_optuna(
    study: optuna.Study,
    *,
    target: TargetLike = None,
    sampler: optuna.samplers.BaseSampler | None = None,
    space: SearchSpace | None = None,
    direction: str | None = None,
    pruned: str = "drop",
    infeasible: str = "keep",
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read a study of Optuna: its finished trials, what was left out and why, what was assumed.

    Parameters
    ----------
    study : optuna.Study
        A live study, or one loaded from its storage. It is only read.
    target : int, str or callable, optional
        The objective to be explained, where the study has several: its index, its name (set by
        ``study.set_metric_names``), or a function of a trial that returns a number or None. By
        default the study's only objective. "duration" is how long trials took, "failed" which
        failed, "infeasible" which failed or broke a constraint, "pareto_rank" the Pareto rank of a
        trial, "hypervolume" what it adds to that of the front, unless an objective has that name; a
        dict of weights by the names of objectives is the sum of the normalized objectives.
    sampler : optuna.samplers.BaseSampler, optional
        The sampler that chose the trials, which a storage does not record. By default it is known
        by the marks that samplers leave on trials, else it is the sampler of the study object if
        that ran or was made with one; a study that is loaded without marks has an unknown sampler,
        and no proposals.
    space : SearchSpace, optional
        The search space, with its conditions. By default read from the trials: ranges that
        changed are widened to hold all of them, and conditions are inferred from which trials
        have which hyperparameter.
    direction : {"minimize", "maximize"}, optional
        Which way is better, where `target` is a function. By default that of the study's
        objective if the function returns just its values, else "minimize", with a note.
    pruned : {"drop", "last"}, default "drop"
        Whether pruned trials are left out, or count with the last value that they reported.
    infeasible : {"keep", "drop"}, default "keep"
        Whether trials that violate a constraint (a value above 0) count as any other except as
        the incumbent, and teach ``run.feasibility()``, or are left out.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default that of the metric by its name, if it has one.

    Returns
    -------
    Run
        The objective is in the study's units, never negated. `excluded` names every trial that
        was left out with the reason, and `notes` what was assumed.

    Raises
    ------
    NothingToExplain
        If the study has no trial with a finite value.
    InputError
        If it has several objectives and no target, or if an argument does not fit the study.

    Notes
    -----
    =========================  ==============================================================
    trial                      rule
    =========================  ==============================================================
    failed, running, waiting   left out; ``run.without_result`` holds their configurations
    pruned                     as `pruned` says
    infeasible                 as `infeasible` says
    infinite or no value       left out
    value outside its range    left out (an enqueued one may be); a wider `space` reads it
    the same configuration     every one counts
    enqueued, added, retried   counts, but is not a proposal: the sampler did not choose it
    =========================  ==============================================================

    In a parallel run, what was known when a trial was proposed is what was finished when it
    started, by time where times are known; ``run.running_at`` lists the trials that were not, in
    whatever state they ended.

    Proposals are the trials that the sampler's model chose: those started when at least
    ``n_startup_trials`` others were finished. For samplers without an acquisition function, the
    trials with at least two finished trials before them are listed instead, and a note says so.
    ``run.origin(trial)`` tells who chose a trial.

    Examples
    --------
    >>> import optuna
    >>> from hpo_explain.adapters.optuna import from_optuna
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> def objective(trial):
    ...     lr = trial.suggest_float("lr", 1e-4, 1.0, log=True)
    ...     return (lr - 0.1) ** 2
    >>> study.optimize(objective, n_trials=15)
    >>> run = from_optuna(study)
    >>> len(run), run.space.names, run.proposals
    (15, ('lr',), (10, 11, 12, 13, 14))
    """
    check_option("pruned", pruned, PRUNED)
    check_option("infeasible", infeasible, INFEASIBLE)
    _check_study(study, sampler, space)
    rules: Any = {
        "sampler": sampler,
        "space": space,
        "pruned": pruned,
        "infeasible": infeasible,
    }
    if is_joined(target) and target not in (study.metric_names or ()):
        _check_no_direction(direction, target)
        runs = by_objective(
            from_optuna(study, target=objective, **rules)
            for objective in range(len(study.directions))
        )
        return within(Objectives.of(runs).run(target), bounds)
    trials = study.get_trials(deepcopy=False)
    return read_trials(
        study,
        trials,
        target=target,
        direction=direction,
        bounds=bounds,
        **rules,
    )


def _check_no_direction(direction: str | None, target: object) -> None:
    """Raise InputError where a direction is given with a target that has one."""
    if direction is not None:
        problem = f"cannot be given with target={target!r}"
        raise InputError(
            "direction",
            problem,
            direction,
            "Leave it out: the target has its own.",
        )


def read_trials(
    study: optuna.Study,
    trials: Sequence[FrozenTrial],
    *,
    target: TargetLike = None,
    sampler: optuna.samplers.BaseSampler | None = None,
    space: SearchSpace | None = None,
    direction: str | None = None,
    pruned: str = "drop",
    infeasible: str = "keep",
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read trials as those of a study, as `from_optuna` does with all that it has."""
    if is_measured(target) and target not in (study.metric_names or ()):
        _check_no_direction(direction, target)
        rules: Any = {"sampler": sampler, "space": space, "pruned": pruned}
        of_first = read_trials(
            study, trials, target=0, infeasible=infeasible, **rules
        )
        return within(measured(of_first, target), bounds)
    asked = resolve_target(study, target, direction)
    selection = select_trials(trials, asked, pruned, infeasible)
    columns = read_columns(selection.trials)
    parameters, notes = _parameters(columns, selection.trials, space)
    X, outside = _encoded(parameters, columns, selection.trials)
    if space is not None:
        outside = {**against_conditions(space, X), **outside}
    excluded = selection.excluded | {
        selection.trials[i].number: outside[i] for i in outside
    }
    rows = np.array(
        [i for i in range(len(X)) if i not in outside], dtype=np.int64
    )
    kept = [selection.trials[i] for i in rows]
    if not kept:
        if space is None:
            raise nothing_left("study", excluded)
        problem = (
            "fits no trial of the study: ",
            next(iter(outside.values())),
        )
        raise InputError(
            "space", problem, str(space), "Correct it, or leave it out."
        )
    values = selection.objective.tolist()
    X, objective = X[rows], selection.objective[rows]
    numbers = [trial.number for trial in kept]
    if space is None:
        present = [
            j for j in range(len(parameters)) if not np.isnan(X[:, j]).all()
        ]
        parameters, X = [parameters[j] for j in present], X[:, present]
        parameters, inferred = infer_conditions(
            parameters, X, numbers, columns.precedes
        )
        space = SearchSpace(parameters)
        notes += inferred
    found = settle_direction(asked, study, kept, objective)
    others = those_without_result(trials, excluded)
    choice = read_choice(study, sampler, trials, kept, others)
    rows_of_others = _encoded(list(space), read_columns(others), others)
    times = _times(kept)
    without_result = read_without_result(
        others, *rows_of_others, space, choice
    )
    curves = None
    if asked.function is None and len(study.directions) == 1:
        known = dict(zip(numbers, X, strict=True))
        known |= {number: trial.x for number, trial in without_result.items()}
        curves = read_curves(trials, known)
    way = check_direction(found.direction)
    asked_of_results = Sentinels(
        way, found.name, bounds, lambda i: X[i].tobytes()
    )
    failed = asked_of_results.excluded(objective, numbers)
    excluded |= failed
    left_out = [
        t
        for t in trials
        if t.number in excluded and t.datetime_start is not None
    ]
    proposed = {*choice.proposals}
    without_result |= {
        trial: WithoutResult(
            "failed", X[i], choice.origins[trial], trial in proposed
        )
        for i, trial in enumerate(numbers)
        if trial in failed
    }
    ok = np.array(
        [i for i, trial in enumerate(numbers) if trial not in failed],
        dtype=np.int64,
    )
    numbers = [numbers[i] for i in ok]
    return Run(
        space,
        X[ok],
        objective[ok],
        way,
        trials=numbers,
        proposals=[trial for trial in choice.proposals if trial not in failed],
        origins={number: choice.origins[number] for number in numbers},
        excluded=dict(sorted(excluded.items())),
        notes=[
            *found.notes,
            *of_sentinels(excluded),
            *choice.notes,
            *notes,
            *selection.notes,
            *best_outside(
                {
                    selection.trials[i].number: (values[i], why)
                    for i, why in outside.items()
                },
                objective[ok],
                way,
            ),
            *repeated(X[ok]),
            *_only_left_out(trials, excluded, space),
            *_untimed(numbers, times[ok]),
        ],
        started=times[ok, 0],
        finished=times[ok, 1],
        excluded_times={
            trial.number: (start, end)
            for trial, (start, end) in zip(
                left_out, _times(left_out).tolist(), strict=True
            )
        },
        without_result=without_result,
        curves=curves,
        reviewed=read_reviewed([*kept, *others], space),
        name="" if study.study_name.startswith(_UNNAMED) else study.study_name,
        feasible=selection.feasible[rows[ok]],
        objective_name=found.name,
        bounds=bounds,
        optimizer=choice.label,
        framework="optuna",
        record=read_record(
            study, choice, trials, space, own_objective=asked.function is None
        ),
    )


def _check_study(study: object, sampler: object, space: object) -> None:
    if not isinstance(study, optuna.Study):
        kind = type(study).__name__
        problem = (
            f"must be an optuna.Study, but was {kind} {str(study)[:80]!r}"
        )
        remedy = "Load a stored one with optuna.load_study(study_name=..., storage=...)."
        raise InputError("study", problem, kind, remedy)
    if sampler is not None:
        check_sampler(sampler)
    check_space(space)


def check_sampler(sampler: object) -> None:
    """Raise unless it is a sampler of Optuna."""
    if not isinstance(sampler, optuna.samplers.BaseSampler):
        problem = f"must be a sampler of Optuna, but was {sampler!r}"
        remedy = "Give an object, for example optuna.samplers.TPESampler()."
        raise InputError("sampler", problem, sampler, remedy)


def check_space(space: object) -> None:
    """Raise unless it is a search space, or None."""
    if space is not None and not isinstance(space, SearchSpace):
        kind = type(space).__name__
        remedy = "Build one with SearchSpace([FloatParameter(...), ...])."
        raise InputError(
            "space", f"must be a SearchSpace, but was {kind}", kind, remedy
        )


def _parameters(
    columns: Columns,
    trials: Sequence[FrozenTrial],
    space: SearchSpace | None,
) -> tuple[list[Parameter], list[Fact]]:
    if space is None:
        parameters: list[Parameter] = []
        found: list[Fact] = []
        for column in columns.columns:
            parts, notes = read_parts(column, columns, trials)
            if not parts:
                parameter, notes = read_parameter(column)
                parts = [parameter]
            parameters += parts
            found += notes
        return parameters, found
    known = {*map(asked_as, space)}
    missing = [
        column.name for column in columns.columns if column.name not in known
    ]
    if missing:
        problem = f"lacks {', '.join(missing)}, which trials of the study have"
        remedy = "Add them, or read a study without them."
        raise InputError("space", problem, missing, remedy)
    return list(space), []


def _encoded(
    parameters: Sequence[Parameter],
    columns: Columns,
    trials: Sequence[FrozenTrial],
) -> tuple[Array, dict[int, Fact]]:
    """Return the encoded rows, and for each row with a value outside its range the reason."""
    X = np.full((len(trials), len(parameters)), np.nan)
    outside: dict[int, Fact] = {}
    of_name = {column.name: column for column in columns.columns}
    for j, parameter in enumerate(parameters):
        column = of_name.get(asked_as(parameter))
        if column is not None:
            if column.name != parameter.name:
                column = with_range_of(parameter, column, trials)
            X[column.rows, j], reasons = encode(parameter, column.values)
            for i, reason in reasons.items():
                outside.setdefault(int(column.rows[i]), OUTSIDE(why=reason))
    return X, outside


def _times(trials: Sequence[FrozenTrial]) -> Array:
    """Return start and finish in seconds since the epoch, (n, 2): NaN where they are unknown."""
    times = np.full((len(trials), 2), np.nan)
    for i, trial in enumerate(trials):
        if trial.datetime_start is not None:
            times[i, 0] = trial.datetime_start.timestamp()
        if trial.datetime_complete is not None:
            times[i, 1] = trial.datetime_complete.timestamp()
        elif trial.state == TrialState.RUNNING:
            times[i, 1] = np.inf
    return times


def _untimed(trials: Sequence[int], times: Array) -> list[Fact]:
    untimed = np.flatnonzero(np.isnan(times).any(axis=1))
    return (
        [_UNTIMED(trials=np.asarray(trials)[untimed])] if len(untimed) else []
    )


def _only_left_out(
    trials: Sequence[FrozenTrial],
    excluded: Mapping[int, Fact],
    space: SearchSpace,
) -> list[Fact]:
    names = dict.fromkeys(
        name
        for trial in trials
        if trial.number in excluded
        for name in trial.params
        if name not in {*map(asked_as, space)}
    )
    return [ONLY_LEFT_OUT(names=names)] if names else []


def those_without_result(
    trials: Sequence[FrozenTrial], excluded: Mapping[int, Fact]
) -> list[FrozenTrial]:
    """Return the trials left out that run, wait, failed, were pruned, or have no finite value."""
    return [
        t
        for t in trials
        if t.number in excluded and _state(t, excluded[t.number]) is not None
    ]


def _state(trial: FrozenTrial, reason: Fact) -> State | None:
    """Return what has become of a trial that was left out: failed, if it finished without value."""
    return _STATES.get(trial.state) or state_of(reason)


def read_without_result(
    trials: Sequence[FrozenTrial],
    X: Array,
    outside: Collection[int],
    space: SearchSpace,
    choice: Choice,
) -> dict[int, WithoutResult]:
    """Return those of some trials whose values the space has.

    Hyperparameters that no finished trial has are passed over, as the run does not know them.

    Parameters
    ----------
    trials : sequence of FrozenTrial
        The trials.
    X : ndarray of shape (n, d)
        What they chose, encoded.
    outside : collection of int
        Rows with a value outside the space.
    space : SearchSpace
        The run's search space.
    choice : Choice
        Who chose them.
    """
    outside, X = {*outside}, np.array(X)
    for i, trial in enumerate(trials):
        if trial.state == TrialState.WAITING:
            X[i], fits = _set_by_hand(trial, space)
            outside |= set() if fits else {i}
    fits_space = fits_conditions(space, X)
    return {
        trial.number: WithoutResult(
            _STATES.get(trial.state, "failed"),
            X[i],
            choice.origins[trial.number],
            trial.number in choice.proposed_without_result,
            _reported(trial),
        )
        for i, trial in enumerate(trials)
        if i not in outside and fits_space[i]
    }


def _reported(trial: FrozenTrial) -> bool:
    return not bool(np.isnan([*trial.intermediate_values.values()]).all())


def _set_by_hand(trial: FrozenTrial, space: SearchSpace) -> tuple[Array, bool]:
    """Return the values set for a trial that waits, encoded, and whether the space has them."""
    values: dict[str, Any] = trial.system_attrs.get("fixed_params") or {}
    x, misfits = np.full(len(space), np.nan), dict[int, Fact]()
    for j, parameter in enumerate(space):
        if parameter.name in values:
            x[[j]], why = encode(parameter, [values[parameter.name]])
            misfits |= why
    return x, not misfits


def read_curves(
    trials: Iterable[FrozenTrial], rows: Mapping[int, Array]
) -> Curves | None:
    """Return what trials reported, if any did, by their encoded configurations."""
    reported = {
        trial.number: {
            float(step): value
            for step, value in trial.intermediate_values.items()
        }
        for trial in trials
    }
    return Curves.of(reported, rows)


def read_record(
    study: Study,
    choice: Choice,
    trials: Sequence[FrozenTrial],
    space: SearchSpace,
    *,
    own_objective: bool,
) -> OptimizerRecord:
    """Return what is known about the acquisition functions under which trials were chosen.

    `own_objective` says whether the run's objective is one of the study's.
    """
    directions = tuple(study.directions)
    known = (choice.sampler, directions, tuple(trials), space, choice.origins)
    own, fixed = unwrapped(choice.own)
    if choice.model == "TPESampler":
        if own is None:
            # marks name it, but its settings are not recorded
            own = TPESampler()
        return TpeRecord(
            *known,
            own if isinstance(own, TPESampler) else None,
            choice.how,
            tuple(fixed),
        )
    if choice.model == "GPSampler" and isinstance(own, GPSampler | None):
        # without a sampler object, the kernels' priors and settings are those of the default
        gp = made(GPSampler) if own is None else own
        return GpRecord(
            *known,
            without_memory(gp),
            memory_of(gp),
            choice.how,
            own_objective,
        )
    return SamplerRecord(*known)
