"""What is known of a sampler, and the study as it stood when it was asked for a trial."""

from __future__ import annotations

import copy
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._evaluations import seconds
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.latest import Latest
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import OwnAcquisition, clock_difference
from hpo_explain.space import SearchSpace

_NOBODY = "no acquisition function chose this: "
TOO_FEW = fact(f"{_NOBODY}too few trials were finished for a model")
NOT_RECORDED = fact(
    "it is not recorded which sampler chose the trials (give ",
    Option("sampler"),
    " to explain them with its own acquisition function)",
)
_CHECKED = "4.5 and 5.0"
BY_HAND = (Origin.ENQUEUED, Origin.RETRIED, Origin.ADDED)
"""Origins of trials that the sampler did not choose."""


class UnexpectedSamplerError(Exception):
    """The sampler does not answer as the versions that were checked do: how it differs."""


def unknown_distribution(name: str) -> UnexpectedSamplerError:
    """Return the error that a hyperparameter has a distribution that is not known here."""
    return UnexpectedSamplerError(f"{name} has a distribution of an unknown kind")


def not_categorical(name: str) -> UnexpectedSamplerError:
    """Return the error that a hyperparameter is categorical on one side only."""
    return UnexpectedSamplerError(f"{name} is not categorical")


class RandomPhaseError(Exception):
    """The sampler had too few finished trials to use its model."""


@contextmanager
def asking_sampler() -> Iterator[None]:
    """Turn whatever private code of a sampler raises into `UnexpectedSamplerError`."""
    try:
        yield
    except (AttributeError, TypeError, ValueError, LookupError, RuntimeError) as error:
        raise UnexpectedSamplerError(f"{type(error).__name__}: {error}") from error


class PastStudy:
    """A stand-in for a study as it was: it has only what samplers read, and keeps no change.

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


def clocks_agree(trials: Sequence[FrozenTrial]) -> bool:
    """Return whether the times of trials can be compared."""
    numbers = np.array([trial.number for trial in trials])
    times = [[seconds(t.datetime_start), seconds(t.datetime_complete)] for t in trials]
    started, finished = np.array(times, dtype=float).reshape(-1, 2).T
    return not clock_difference(numbers, started, finished)


def known_when(trials: Sequence[FrozenTrial], before: int | None) -> list[FrozenTrial]:
    """Return the trials as they stood when trial `before` was asked for, in order of number.

    Those that were under way then are running, whatever became of them; later ones are missing.
    None stands for the next trial. Where times are unknown or equal, or clocks differ, numbers
    tell.
    """
    if before is None:
        return [t for t in trials if t.state != TrialState.WAITING]
    asked = next((t.datetime_start for t in trials if t.number == before), None)
    asked = asked if clocks_agree(trials) else None
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


@dataclass(frozen=True, eq=False)
class SamplerRecord:
    """A sampler and the trials of its study, for a Run.

    Attributes
    ----------
    name : str
        The sampler's name; empty where it is not known.
    directions : tuple of StudyDirection
        Those of the study's objectives.
    trials : tuple of FrozenTrial
        All trials of the study; they are only read.
    space : SearchSpace
        The run's search space.
    origins : mapping of int to Origin
        Who chose the trials that count.
    """

    name: str
    directions: tuple[Any, ...]
    trials: tuple[FrozenTrial, ...]
    space: SearchSpace
    origins: Mapping[int, Origin]
    _found: Latest = field(default_factory=Latest, init=False, repr=False)

    what: ClassVar[str] = ""  # of the sampler's is rebuilt

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return None: the sampler has no surrogate of the objective."""
        return None

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return what trial `before` was chosen under, if that is known."""
        found = self._own(before)
        return None if isinstance(found, Fact) else found

    def why_not(self, before: int | None) -> Fact | None:
        """Return why there is no acquisition function of trial `before`; None if there is one."""
        found = self._own(before)
        return found if isinstance(found, Fact) else None

    def _own(self, before: int | None) -> OwnAcquisition | Fact:
        """Return the acquisition function of trial `before`, or why there is none."""
        return self._by_hand(before) or self._acquisition_of(self._rebuilt(before))

    def _acquisition_of(self, rebuilt: Any) -> OwnAcquisition | Fact:
        found: OwnAcquisition | Fact = rebuilt
        return found

    def _rebuilt(self, before: int | None) -> Any:
        """Return what the sampler's own code makes of the trials then known, or why nothing."""
        return self._found.of(before, lambda: self._made(before))

    def _made(self, before: int | None) -> Any:
        try:
            return self._rebuild(before)
        except RandomPhaseError:
            return TOO_FEW
        except UnexpectedSamplerError as error:
            return fact(
                f"the {self.what} of {self.name} could not be rebuilt with Optuna "
                f"{optuna.__version__} (checked with {_CHECKED}): {error}"
            )

    def _rebuild(self, before: int | None) -> Any:
        return fact(f"{_NOBODY}{self.name} has none") if self.name else NOT_RECORDED

    def _by_hand(self, before: int | None) -> Fact | None:
        """Return that trial `before` was not chosen by the sampler; None if it was."""
        origin = Origin.UNKNOWN if before is None else self.origins.get(before, Origin.UNKNOWN)
        if before is None or origin not in BY_HAND:
            return None
        return fact(f"{_NOBODY}trial {before} was {origin.value}")
