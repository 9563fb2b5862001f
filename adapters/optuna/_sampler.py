"""Who chose the trials: the sampler, its random start-up phase, or the user.

A storage does not record the sampler. It is known where it is given, by the marks that samplers
leave on their trials, and where the study object is the one that ran or was made with a sampler.
Without any of these nobody is assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna import Study
from optuna.samplers import BaseSampler, NSGAIISampler, TPESampler
from optuna.storages import InMemoryStorage
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._reading import LEAST_KNOWN
from hpo_explain.adapters.optuna._record import NOT_RECORDED, clocks_agree
from hpo_explain.adapters.optuna._trials import Outcome
from hpo_explain.adapters.optuna.samplers import unwrapped
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.phrases import counted, counted_trials
from hpo_explain.run import Reviewed
from hpo_explain.space import Array, SearchSpace, asked_as

_GIVEN = fact("as given with ", Option("sampler"))
_OF_STUDY = fact(
    "the one of the study object; give ", Option("sampler"), " if another one chose the trials"
)
_NOT_CHOSEN = {
    Origin.ENQUEUED: "enqueued, so not chosen by the sampler",
    Origin.RETRIED: "retried after a failure, so not chosen anew",
    Origin.ADDED: "added as finished trials, so not chosen by the sampler",
    Origin.PERSON: "changed by a person, so not as the sampler proposed",
}
_STARTUP = 10  # the default n_startup_trials of Optuna's samplers with a model
# of studies with one objective, and with several
_DEFAULTS = (TPESampler, NSGAIISampler)
_ADDED = 0.9  # share of trials that took no time at all beyond which the clock is to blame

REVIEW = "hpo_explain:review"
"""The system attribute of a trial that holds what a person decided about it."""

# Samplers that maximize an acquisition function, and the states of the trials that they count
# when they decide whether their random start-up phase is over (`_sample_relative`).
_FINISHED = {TrialState.COMPLETE, TrialState.PRUNED}
_MODELS = {
    "TPESampler": _FINISHED,
    "GPSampler": {TrialState.COMPLETE},
    "BoTorchSampler": {TrialState.COMPLETE},
}
# What samplers leave in the system attributes of their trials, up to the first colon.
_MARKS = {
    "tpe": "TPESampler",
    "gp": "GPSampler",
    "grid_id": "GridSampler",
    "cma": "CmaEsSampler",
    "sepcma": "CmaEsSampler",
    "cmawm": "CmaEsSampler",
    "NSGAIISampler": "NSGAIISampler",
    "NSGAIIISampler": "NSGAIIISampler",
}


@dataclass(frozen=True, eq=False)
class Choice:
    """The sampler of a study, and who chose its trials.

    Attributes
    ----------
    sampler : str
        The sampler's name; empty where it is not known.
    how : Fact
        How it is known.
    model : str
        Which of the samplers with an acquisition function it is; empty for none of them.
    own : BaseSampler or None
        The sampler itself, if there is an object.
    proposals : set of int
        The numbers of the trials that it chose with its model, or that an assumed acquisition
        function can explain.
    origins : mapping of int to Origin
        Who chose each trial.
    notes : list of Fact
        What was assumed.
    """

    sampler: str
    how: Fact
    model: str
    own: BaseSampler | None
    proposals: set[int]
    origins: Mapping[int, Origin]
    notes: list[Fact]

    @property
    def label(self) -> str:
        """The sampler as the run's optimizer."""
        return f"Optuna's {self.sampler}" if self.sampler else "an unknown sampler of Optuna"


def read_choice(
    study: Study,
    sampler: BaseSampler | None,
    trials: Sequence[FrozenTrial],
    outcomes: Sequence[Outcome],
) -> Choice:
    """Return who chose which trials of a study; nothing is noted about those that do not count."""
    counts = [outcome.counts for outcome in outcomes]
    kept = [t for t, is_one in zip(trials, counts, strict=True) if is_one]
    others = [t for t, is_one in zip(trials, counts, strict=True) if not is_one]
    own: BaseSampler | None = sampler or study.sampler
    base, _ = unwrapped(own)
    names = [base.__name__ for base in type(base).__mro__]
    startup = getattr(base, "_n_startup_trials", None)
    marked = Counter(filter(None, map(_mark, kept)))
    if sampler:
        how = _GIVEN
    elif marked:
        how = _known_by(marked)
        most = marked.most_common(1)[0][0]
        if most not in names:
            names, startup, own = [most], None, None
    elif _ran_or_was_chosen(study):
        how = _OF_STUDY
    else:
        how, names, own = NOT_RECORDED, [""], None
    name = names[0]
    model = next((one for one in names if one in _MODELS), "")
    least = LEAST_KNOWN
    phase = fact(f"trials with at least {least} finished trials before them can be explained")
    if not name:
        phase = fact("so no trial counts as its proposal; ", Option("sampler"), " names it")
    if model:
        # marks tell more than the settings of an assumed sampler
        least, phase = _startup(model, startup, trials, kept, believed=not sampler)
    who = f"sampler: {name}, " if name else "sampler: "
    notes = [fact(who, how, "; ", phase, kind="sampler")]
    if name and not model:
        without = f"no acquisition function chose this run's trials ({name}); they are explained "
        kind = "run_without_acquisition"
        notes.append(fact(f"{without}with an assumed GP and LCB", kind=kind))
    rule = _Rule(names, model, least)
    proposals, origins = rule.who(trials, kept)
    for origin, text in _NOT_CHOSEN.items():
        numbers = [number for number, by in origins.items() if by is origin]
        if numbers:
            notes.append(fact(f"{text}: {counted_trials(numbers)}", trials=numbers))
    started = [t for t in others if t.state != TrialState.WAITING]
    without_result, more = rule.who(trials, started)
    more |= {
        trial.number: Origin.RETRIED if "failed_trial" in trial.system_attrs else Origin.ENQUEUED
        for trial in others
        if trial.state == TrialState.WAITING
    }
    return Choice(name, how, model, own, {*proposals, *without_result}, origins | more, notes)


@dataclass(frozen=True)
class _Rule:
    """Which trials a sampler chose by its model, or an assumed one can explain.

    Attributes
    ----------
    names : list of str
        The sampler's name and those of its bases; a first one that is empty chose none.
    model : str
        Which of the samplers with an acquisition function it is; empty for none of them.
    least : int
        After how many finished trials it uses its model, where a trial has no mark.
    """

    names: list[str]
    model: str
    least: int

    def who(
        self, trials: Sequence[FrozenTrial], some: Sequence[FrozenTrial]
    ) -> tuple[list[int], dict[int, Origin]]:
        """Return the proposals among some of the trials, and who chose each of them."""
        finished = _finished_before(trials, some, _MODELS.get(self.model, _FINISHED))
        by_hand = _by_hand(some)
        proposals, origins = [], {}
        for trial, n in zip(some, finished.tolist(), strict=True):
            if trial.number in by_hand:
                origins[trial.number] = by_hand[trial.number]
                continue
            mark = _mark(trial)
            is_chosen = bool(self.names[0]) and n >= self.least
            if self.model:
                is_chosen = mark == self.model or (is_chosen and not mark)
            if is_chosen:
                proposals.append(trial.number)
            known = self.names[0] and mark in ("", *self.names)
            without_model = Origin.INITIAL if known else Origin.UNKNOWN
            origins[trial.number] = Origin.MODEL if is_chosen and self.model else without_model
        return proposals, origins


def _known_by(marked: Counter[str]) -> Fact:
    by = ", ".join(f"{n} by {name}" for name, n in marked.items())
    several = f" ({by})" if len(marked) > 1 else ""
    return fact(f"recorded on {counted(marked.total(), 'trial')}{several}")


def _ran_or_was_chosen(study: Study) -> bool:
    """Say whether the sampler of a study object chose trials, or was chosen by the user."""
    return type(study.sampler) not in _DEFAULTS or _ran(study)


def _ran(study: Study) -> bool:
    """Say whether a study object itself ran.

    A study in memory is the object that ran. One that is loaded without a sampler gets a default
    one, which has not drawn any random number.
    """
    if isinstance(study._storage, InMemoryStorage):
        return True
    return bool(getattr(getattr(study.sampler, "_rng", None), "_rng", None))


def _startup(
    model: str,
    startup: int | None,
    trials: Sequence[FrozenTrial],
    kept: Sequence[FrozenTrial],
    *,
    believed: bool,
) -> tuple[int, Fact]:
    """Return after how many finished trials a sampler uses its model, and how that is known."""
    states = _MODELS[model]
    # those left out as well
    marked = [trial for trial in trials if _mark(trial) == model]
    enqueued = _by_hand(marked)
    marked = [trial for trial in marked if trial.number not in enqueued]
    if believed and marked:
        first = int(_finished_before(trials, marked, states).min())
        if first >= _STARTUP or not _in_parallel(trials, kept, states):
            begin = f"its records begin after {counted(first, 'finished trial')}"
            return first, fact(f"{begin}; earlier trials were random")
        # in parallel others finish between a trial's start and the sampler's answer
        until = f"trials without its mark count as random until {_STARTUP} trials are finished"
        return _STARTUP, fact(f"{until} (assumed, Optuna's default)")
    least, source = startup, "n_startup_trials"
    if least is None:
        least, source = _STARTUP, "assumed, Optuna's default"
    return least, fact(f"random until there are {counted(least, 'finished trial')} ({source})")


def _in_parallel(
    trials: Sequence[FrozenTrial], kept: Sequence[FrozenTrial], states: set[TrialState]
) -> bool:
    """Say whether some trials started before all of those with smaller numbers were finished."""
    before = _counted_before(trials, kept, states)
    return bool((_finished_before(trials, kept, states) < before).any())


def _mark(trial: FrozenTrial) -> str:
    for key in trial.system_attrs:
        mark = _MARKS.get(key.partition(":")[0])
        if mark:
            return mark
    return ""


def _by_hand(trials: Sequence[FrozenTrial]) -> dict[int, Origin]:
    """Return who chose the trials that the sampler did not choose, or not all of."""
    origins: dict[int, Origin] = {}
    for trial in trials:
        attrs = trial.system_attrs
        if "failed_trial" in attrs:
            origins[trial.number] = Origin.RETRIED
        elif any(name in trial.params for name in attrs.get("fixed_params") or {}):
            origins[trial.number] = Origin.ENQUEUED
        elif set_by_person(trial):
            origins[trial.number] = Origin.PERSON
        elif _took_no_time(trial):
            origins[trial.number] = Origin.ADDED
    if list(origins.values()).count(Origin.ADDED) > _ADDED * len(trials):
        # a table of trials, or a clock that ticks too slowly
        return {n: origin for n, origin in origins.items() if origin is not Origin.ADDED}
    return origins


def _took_no_time(trial: FrozenTrial) -> bool:
    # optuna.create_trial starts and ends a trial at one instant; a database that records whole
    # seconds does so with every quick trial
    start = trial.datetime_start
    return start == trial.datetime_complete and bool(start and start.microsecond)


def _finished_before(
    trials: Sequence[FrozenTrial], kept: Sequence[FrozenTrial], states: set[TrialState]
) -> npt.NDArray[np.int64]:
    """Return how many trials in these states were finished when each of `kept` started."""
    counted = [trial for trial in trials if trial.state in states]
    timed = all(trial.datetime_complete for trial in counted)
    if timed and all(trial.datetime_start for trial in kept) and clocks_agree(trials):
        ends = np.array([trial.datetime_complete for trial in counted], dtype="datetime64[us]")
        order = np.argsort(ends, kind="stable")
        starts = np.array([trial.datetime_start for trial in kept], dtype="datetime64[us]")
        before = np.searchsorted(ends, starts, sorter=order)
        until = np.searchsorted(ends, starts, side="right", sorter=order)
        for i in np.flatnonzero(
            until > before
        ).tolist():  # at one instant of a coarse clock, numbers tell
            same = order[before[i] : until[i]]
            before[i] += sum(counted[j].number < kept[i].number for j in same.tolist())
        return before
    return _counted_before(trials, kept, states)


def _counted_before(
    trials: Sequence[FrozenTrial], kept: Sequence[FrozenTrial], states: set[TrialState]
) -> npt.NDArray[np.int64]:
    """Return how many trials in these states have a smaller number than each of `kept`."""
    numbers = np.sort([trial.number for trial in trials if trial.state in states])
    return np.searchsorted(numbers, [trial.number for trial in kept])


# ---------------------------------------------------------------------- reviews


def set_by_person(trial: FrozenTrial) -> tuple[str, ...]:
    """Return the hyperparameters that a person set in place of the sampler."""
    values = (trial.system_attrs.get(REVIEW) or {}).get("set", {})
    return tuple(name for name, value in values.items() if trial.params.get(name) == value)


def read_reviewed(trials: Sequence[FrozenTrial], space: SearchSpace) -> dict[int, Reviewed]:
    """Return what was decided about those of some trials that were changed or refused."""
    found = {}
    for trial in trials:
        record = trial.system_attrs.get(REVIEW)
        if not record or "failed_trial" in trial.system_attrs:
            continue  # a retried trial has the attributes of the one that failed
        changed = set_by_person(trial)
        proposed = _encoded(record["proposed"], space)
        refused = [_encoded(config, space) for config in record["refused"]]
        if proposed is None or not (changed or refused):
            continue
        rows = [row for row in refused if row is not None]
        found[trial.number] = Reviewed(
            proposed, tuple(name for name in changed if name in space.names), rows
        )
    return found


def _encoded(config: Mapping[str, Any], space: SearchSpace) -> Array | None:
    """Return a configuration as an encoded row; None if the space has no such one."""
    known = {*space.names, *map(asked_as, space)}
    given = {name: value for name, value in config.items() if name in known}
    try:
        return space.encode(given)[0]
    except ValueError:
        return None
