"""Who chose the trials: the sampler, its random start-up phase, or the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from optuna import Study
from optuna.samplers import BaseSampler, PartialFixedSampler
from optuna.storages import InMemoryStorage
from optuna.trial import FrozenTrial, TrialState

from hpo_explain._words import spans
from hpo_explain.adapters._reading import LEAST_KNOWN

_STARTUP = 10  # the default n_startup_trials of Optuna's samplers with a model
_ADDED = 0.9  # share of trials that took no time at all beyond which the clock is to blame

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
    """The sampler's name, the numbers of the trials it chose with a model, what was assumed.

    The name says so where it is assumed. `own` is the sampler itself if there is an object, `how`
    says how it is known, `model` which of those with an acquisition function it is, and `by_hand`
    why a trial was not chosen by it.
    """

    sampler: str
    proposals: list[int]
    notes: list[str]
    own: BaseSampler | None = None
    how: str = ""
    model: str = ""
    by_hand: Mapping[int, str] = field(default_factory=dict)


def read_choice(
    study: Study,
    sampler: BaseSampler | None,
    trials: Sequence[FrozenTrial],
    kept: Sequence[FrozenTrial],
) -> Choice:
    """Return who chose which of the `kept` trials, judged from all `trials` of the study."""
    assumed = study.sampler if sampler is None else sampler
    its: BaseSampler | None = assumed
    if isinstance(assumed, PartialFixedSampler):
        assumed = assumed._base_sampler
    names = [base.__name__ for base in type(assumed).__mro__]
    startup = getattr(assumed, "_n_startup_trials", None)
    marks = np.array([_mark(trial) for trial in kept])
    found = Counter(marks[marks != ""].tolist())
    if sampler is not None:
        how = "as given with sampler="
    elif found:
        how = f"as {found.total()} trial(s) are marked"
        if len(found) > 1:
            how += f" ({', '.join(f'{count} by {who}' for who, count in found.items())})"
        most = found.most_common(1)[0][0]
        if most not in names:
            names, startup, its = [most], None, None
    else:
        how = (
            "the one of the study object, as a storage does not record it; "
            "give sampler= if another one chose the trials"
        )
    model = next((name for name in names if name in _MODELS), "")
    states = _MODELS.get(model, _FINISHED)
    finished, before = _finished_before(trials, kept, states), _counted_before(trials, kept, states)
    reasons, notes = _by_hand(kept)
    by_hand = np.array([trial.number in reasons for trial in kept])
    if not model:
        notes.insert(
            0,
            f"no acquisition function chose this run's trials ({names[0]}); explanations say what "
            "a GP with LCB would think",
        )
        phase = f"those with {LEAST_KNOWN} finished trials before them can be explained"
        chosen = finished >= LEAST_KNOWN
    else:
        marked = marks == model
        own = [trial for trial in trials if _mark(trial) == model]  # those left out as well
        enqueued, _ = _by_hand(own)
        own = [trial for trial in own if trial.number not in enqueued]
        if sampler is None and own:
            startup = int(_finished_before(trials, own, states).min())
            phase = f"its marks begin after {startup} finished trials; those before were random"
            if (finished < before).any() and startup < _STARTUP:
                # in parallel others finish between a trial's start and the sampler's answer
                startup = _STARTUP
                phase = (
                    f"trials without its mark count as random until {startup} trials are finished "
                    "(assumed, Optuna's default)"
                )
        elif startup is not None:
            phase = f"random until {startup} trials are finished (n_startup_trials)"
        else:
            startup = _STARTUP
            phase = f"random until {startup} trials are finished (assumed, Optuna's default)"
        chosen = marked | ((finished >= startup) & (marks == ""))
    notes.insert(0, f"sampler: {names[0]}, {how}; {phase}")
    numbers = np.array([trial.number for trial in kept])
    # a study in memory is the object that ran
    known = sampler is not None or found or isinstance(study._storage, InMemoryStorage)
    name = names[0] if known else f"assumed {names[0]}"
    return Choice(name, numbers[chosen & ~by_hand].tolist(), notes, its, how, model, reasons)


def _mark(trial: FrozenTrial) -> str:
    for key in trial.system_attrs:
        mark = _MARKS.get(key.partition(":")[0])
        if mark:
            return mark
    return ""


def _by_hand(kept: Sequence[FrozenTrial]) -> tuple[dict[int, str], list[str]]:
    """Say which trials the sampler did not choose, and why, in words, for each and for all."""
    enqueued, retried, added = [], [], []
    for trial in kept:
        attrs = trial.system_attrs
        retried.append("failed_trial" in attrs)
        fixed = attrs.get("fixed_params") or {}
        enqueued.append(not retried[-1] and any(name in trial.params for name in fixed))
        added.append(_took_no_time(trial) and not retried[-1] and not enqueued[-1])
    if added and np.mean(added) > _ADDED:
        added = [False] * len(added)  # a table of trials, or a clock that ticks too slowly
    found = (
        ("enqueued, so not chosen by the sampler", enqueued),
        ("retried after a failure, so not chosen anew", retried),
        ("added as finished trials, so not chosen by the sampler", added),
    )
    notes = [f"{what}: {_listed(kept, mask)}" for what, mask in found if any(mask)]
    reasons = {
        trial.number: what.partition(",")[0]
        for what, mask in found
        for trial, is_one in zip(kept, mask, strict=True)
        if is_one
    }
    return reasons, notes


def _took_no_time(trial: FrozenTrial) -> bool:
    # optuna.create_trial starts and ends a trial at one instant; a database that records whole
    # seconds does so with every quick trial
    start = trial.datetime_start
    return start is not None and start == trial.datetime_complete and start.microsecond > 0


def _listed(kept: Sequence[FrozenTrial], mask: Sequence[bool]) -> str:
    numbers = [trial.number for trial, is_one in zip(kept, mask, strict=True) if is_one]
    return f"{len(numbers)} trial(s) ({spans(numbers)})"


def _finished_before(
    trials: Sequence[FrozenTrial], kept: Sequence[FrozenTrial], states: set[TrialState]
) -> npt.NDArray[np.int64]:
    """Return how many trials in these states were finished when each of `kept` started."""
    counted = [trial for trial in trials if trial.state in states]
    if all(trial.datetime_complete is not None for trial in counted) and all(
        trial.datetime_start is not None for trial in kept
    ):
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
