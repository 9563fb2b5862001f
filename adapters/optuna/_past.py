"""A study as it stood when a trial was proposed: what a sampler may ask of it, and no more."""

from __future__ import annotations

import copy
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState


class PastStudy:
    """What samplers read of a study; a sampler that is given one changes nothing.

    Samplers ask private members of `optuna.Study`. Only those that they ask are here, so that a
    version that asks others fails at once.
    """

    def __init__(self, directions: Sequence[StudyDirection], trials: Sequence[FrozenTrial]) -> None:
        self.directions = list(directions)
        self.trials = list(trials)
        self._study_id = 0
        self._storage = _Nowhere(self.trials)

    @property
    def direction(self) -> StudyDirection:
        """The direction of the only objective."""
        return self.directions[0]

    def _is_multi_objective(self) -> bool:
        return len(self.directions) > 1

    def get_trials(
        self, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """Return the trials in these states."""
        return self._get_trials(deepcopy, states)

    def _get_trials(
        self,
        deepcopy: bool = True,
        states: Container[TrialState] | None = None,
        use_cache: bool = False,
    ) -> list[FrozenTrial]:
        chosen = [t for t in self.trials if states is None or t.state in states]
        return copy.deepcopy(chosen) if deepcopy else chosen


class _Nowhere:
    """A storage that keeps nothing."""

    def __init__(self, trials: Sequence[FrozenTrial]) -> None:
        self._attributes = {trial._trial_id: trial.system_attrs for trial in trials}

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Keep nothing."""

    def get_trial_system_attrs(self, trial_id: int) -> dict[str, Any]:
        return self._attributes.get(trial_id, {})


@dataclass(frozen=True)
class Asking:
    """The trial for which a sampler is asked, where only its number matters."""

    number: int
    _trial_id: int = -1


def known_when(trials: Sequence[FrozenTrial], before: int | None) -> list[FrozenTrial]:
    """Return the trials as they stood when trial `before` was asked for, in order of number.

    Those that were under way then are running, whatever became of them; later ones are missing.
    None stands for the next trial. Where times are unknown or equal, numbers tell.
    """
    if before is None:
        return [t for t in trials if t.state != TrialState.WAITING]
    asked = next((t.datetime_start for t in trials if t.number == before), None)
    known = []
    for trial in trials:
        start, end = trial.datetime_start, trial.datetime_complete
        if trial.number == before or trial.state == TrialState.WAITING:
            continue
        earlier = trial.number < before
        if asked is None or start is None:
            started = ended = earlier
        else:
            started = start < asked or (start == asked and earlier)
            ended = end is not None and (end < asked or (end == asked and earlier))
        if trial.state.is_finished() and ended:
            known.append(trial)
        elif started:
            known.append(_running(trial))
    return known


def _running(trial: FrozenTrial) -> FrozenTrial:
    if trial.state == TrialState.RUNNING:
        return trial
    running = copy.copy(trial)
    running.state = TrialState.RUNNING
    return running
