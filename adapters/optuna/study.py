"""Reads a study of Optuna into a Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import optuna
from optuna import Study
from optuna.samplers import GPSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters._evaluations import Encoded, Evaluation, Source, run_of, seconds
from hpo_explain.adapters.optuna._record import SamplerRecord
from hpo_explain.adapters.optuna._sampler import Choice, read_choice, read_reviewed
from hpo_explain.adapters.optuna._space import (
    Columns,
    encode,
    encode_columns,
    read_columns,
    read_parameter,
    read_parts,
)
from hpo_explain.adapters.optuna._trials import (
    INFEASIBLE,
    PRUNED,
    Outcome,
    TargetLike,
    about_outcomes,
    numbers_of,
    outcomes_of,
    resolve_target,
    settle_direction,
)
from hpo_explain.adapters.optuna.quiet import made
from hpo_explain.adapters.optuna.samplers import unwrapped
from hpo_explain.base.checks import check_direction, check_option
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.run import (
    Objectives,
    OptimizerRecord,
    Run,
    by_objective,
    is_measured,
    measured,
    within,
)
from hpo_explain.space import Bools, Parameter, SearchSpace, asked_as

_UNNAMED = "no-name-"  # what Optuna calls a study that was given no name


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
    """Read a study of Optuna.

    Parameters
    ----------
    study : optuna.Study
        A live study, or one loaded from its storage. It is only read.
    target : int, str or callable, optional
        What to explain; by default the study's only objective. If the study has several
        objectives: its index or its name (set by ``study.set_metric_names``), a dict of weights by
        name (the weighted sum of the normalized objectives). For every study: a function of a
        trial that returns a number or None, the name of a numeric user attribute, "duration",
        "failed", or "infeasible" (trials that failed or broke a constraint).
    sampler : optuna.samplers.BaseSampler, optional
        The sampler that chose the trials; a storage does not record it. By default it is
        recognized by what samplers record on trials, else it is the sampler of the study object if
        the study ran or was created with it. Otherwise the sampler is unknown and there are no
        proposals.
    space : SearchSpace, optional
        The search space, with its conditions. By default inferred from the trials: ranges that
        changed are merged, and conditions follow from which trials have which hyperparameter.
    direction : {"minimize", "maximize"}, optional
        Direction of the optimization, if `target` is a function. By default that of the study if
        the function returns its values, else "minimize", with a note.
    pruned : {"drop", "last"}, default "drop"
        Whether pruned trials are excluded, or count with the last value that they reported.
    infeasible : {"keep", "drop"}, default "keep"
        Whether trials that violate a constraint (a value above 0) are excluded, or kept: then they
        cannot be the incumbent, and ``run.feasibility()`` learns from them.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric.

    Returns
    -------
    Run
        The run, with the objective in the study's units. `excluded` has the reason for every
        excluded trial, and `notes` the assumptions.

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
    failed, running, waiting   excluded; ``run.without_result`` holds their configurations
    pruned                     depends on `pruned`
    infeasible                 depends on `infeasible`
    infinite or no value       excluded
    value outside its range    excluded (possible if enqueued); a wider `space` includes it
    the same configuration     every one counts
    enqueued, added, retried   counts, but is not a proposal: the sampler did not choose it
    =========================  ==============================================================

    In a parallel run, a proposal is explained with the trials that were finished when it started;
    ``run.running_at`` lists those that were not.

    Proposals are the trials that the sampler's model chose: those that started after
    ``n_startup_trials`` others were finished. For samplers without an acquisition function they
    are all trials after the first two, and a note says so. ``run.origin(trial)`` returns who
    chose a trial.

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
    asked = Reading(target, sampler, space, direction, pruned, infeasible, bounds)
    return asked.run(study, study.get_trials(deepcopy=False))


@dataclass(frozen=True, eq=False)
class Reading:
    """How trials of a study are read: the options of `from_optuna`."""

    target: TargetLike = None
    sampler: optuna.samplers.BaseSampler | None = None
    space: SearchSpace | None = None
    direction: str | None = None
    pruned: str = "drop"
    infeasible: str = "keep"
    bounds: tuple[float, float] | None = None

    def run(self, study: Study, trials: Sequence[FrozenTrial]) -> Run:
        """Return the run of trials, read as those of a study."""
        is_own = self.target in (study.metric_names or ())
        if not is_own and (isinstance(self.target, Mapping) or is_measured(self.target)):
            if self.direction is not None:
                problem = f"cannot be given with target={self.target!r}"
                remedy = "Leave it out: the target has its own."
                raise InputError("direction", problem, self.direction, remedy)
            return within(self._of_all(study, trials), self.bounds)
        asked = resolve_target(study, self.target, self.direction)
        outcomes = outcomes_of(trials, asked, self.pruned, self.infeasible)
        read = _read_space(trials, outcomes, self.space)
        asked = settle_direction(asked, study, trials, outcomes)
        choice = read_choice(study, self.sampler, trials, outcomes)
        run = run_of(
            {
                trial.number: _evaluation(trial, outcome, choice)
                for trial, outcome in zip(trials, outcomes, strict=True)
            },
            read,
            Source("study", choice.label, check_direction(asked.direction), asked.name),
            bounds=self.bounds,
            notes=[*asked.notes, *choice.notes, *about_outcomes(trials, outcomes, asked)],
            reviewed=read_reviewed(trials, read.space),
            name="" if study.study_name.startswith(_UNNAMED) else study.study_name,
            framework="optuna",
            record=read_record(study, choice, trials, read.space, own_objective=asked.is_own),
        )
        # what is reported is the study's own objective
        return run if asked.is_own else replace(run, curves=None)

    def _of_all(self, study: Study, trials: Sequence[FrozenTrial]) -> Run:
        """Return a run about what is measured beside the objectives, or made of all of them."""
        target: Any = self.target
        runs = by_objective(
            replace(self, target=objective, bounds=None).run(study, trials)
            for objective in range(len(study.directions) if isinstance(target, Mapping) else 1)
        )
        if isinstance(target, Mapping):
            return Objectives.of(runs).run(target)
        return measured(next(iter(runs.values())), target)


def _evaluation(trial: FrozenTrial, outcome: Outcome, choice: Choice) -> Evaluation:
    """Return a trial with its outcome, and who chose it."""
    is_running = trial.state == TrialState.RUNNING
    return Evaluation(
        set_by_hand(trial) or trial.params,
        outcome.value,
        outcome.reason,
        choice.origins[trial.number],
        seconds(trial.datetime_start),
        np.inf if is_running else seconds(trial.datetime_complete),
        curve={float(k): v for k, v in trial.intermediate_values.items()},
        feasible=outcome.feasible is not False,
        proposed=trial.number in choice.proposals,
        attributes=numbers_of(trial.user_attrs),
    )


def set_by_hand(trial: FrozenTrial) -> dict[str, Any]:
    """Return the values that are set for a trial which waits; none of any other."""
    if trial.state != TrialState.WAITING:
        return {}
    return trial.system_attrs.get("fixed_params") or {}


def _check_study(study: object, sampler: object, space: object) -> None:
    if not isinstance(study, optuna.Study):
        kind = type(study).__name__
        problem = f"must be an optuna.Study, but was {kind} {str(study)[:80]!r}"
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
        raise InputError("space", f"must be a SearchSpace, but was {kind}", kind, remedy)


def _read_space(
    trials: Sequence[FrozenTrial], outcomes: Sequence[Outcome], space: SearchSpace | None
) -> Encoded:
    """Return trials as rows of a space, by default of the one that those which count span."""
    counts = np.array([outcome.counts for outcome in outcomes])
    counted = [t for t, o in zip(trials, outcomes, strict=True) if o.counts]
    others = [t for t, o in zip(trials, outcomes, strict=True) if not o.counts]
    columns, notes = read_columns(counted), list[Fact]()
    if space is None:
        parameters, notes = _parameters(columns, counted)
        known, outside = encode_columns(parameters, columns, counted)
        numbers = [trial.number for trial in counted]
        parameters, about = infer_conditions(parameters, known, numbers, columns.precedes)
        space = SearchSpace(parameters)
        notes += about
    else:
        _check_complete(space, columns)
        known, outside = encode_columns(list(space), columns, counted)
    rest, misfits = encode_columns(list(space), read_columns(others), others)
    for i, trial in enumerate(others):
        values = set_by_hand(trial)
        for j, parameter in enumerate(space):
            if parameter.name in values:
                rest[[i], j], why = encode(parameter, [values[parameter.name]])
                if why:
                    misfits[i] = why[0]
    X = np.empty((len(trials), len(space)))
    X[counts], X[~counts] = known, rest
    outside = _at(counts, outside) | _at(~counts, misfits)
    return Encoded(space, X, outside, notes)


def _at(chosen: Bools, by_row: Mapping[int, Fact]) -> dict[int, Fact]:
    """Return what is known of some chosen rows by their place among all."""
    rows = np.flatnonzero(chosen)
    return {int(rows[i]): why for i, why in by_row.items()}


def _parameters(
    columns: Columns, trials: Sequence[FrozenTrial]
) -> tuple[list[Parameter], list[Fact]]:
    """Return the hyperparameters of trials: one for each range that depends on a category."""
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


def _check_complete(space: SearchSpace, columns: Columns) -> None:
    """Raise InputError where a space lacks a hyperparameter of trials that count."""
    known = {*map(asked_as, space)}
    missing = [c.name for c in columns.columns if c.name not in known]
    if missing:
        problem = f"lacks {', '.join(missing)}, which trials of the study have"
        remedy = "Add them, or read a study without them."
        raise InputError("space", problem, missing, remedy)


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
        # marks name it where there is no object, but its settings are not recorded
        from hpo_explain.adapters.optuna._tpe import TpeRecord

        own = own or TPESampler()
        sampler = own if isinstance(own, TPESampler) else None
        return TpeRecord(*known, sampler, choice.how, tuple(fixed))
    if choice.model == "GPSampler" and isinstance(own, GPSampler | None):
        from hpo_explain.adapters.optuna._gp import GpRecord, memory_of, without_memory

        # without a sampler object, the kernels' priors and settings are those of the default
        gp = own or made(GPSampler)
        return GpRecord(*known, without_memory(gp), memory_of(gp), choice.how, own_objective)
    return SamplerRecord(*known)
