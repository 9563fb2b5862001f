"""What is asked of a run, and what was computed to answer it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar, cast

from hpo_explain.base.errors import unless_nothing
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Criterion, Kind
from hpo_explain.base.subject import Subject
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.question.answers import (
    Answers,
    answers_about,
    answers_about_trials,
    key_of,
)
from hpo_explain.question.given import config_of, model_of, trial_of
from hpo_explain.run import Run
from hpo_explain.space import Array, Config

_R = TypeVar("_R")
_HOW = ("n_jobs", "progress")  # options that no answer depends on


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of a run, and what was computed to answer it.

    Attributes
    ----------
    run : Run
        The run; of several the first.
    kind : {"auto", "gp", "forest"}
        The model that answers, by default the belief.
    seed : int
        Seed of all that is random.
    acquisition : str, Acquisition or None
        What is explained in place of the objective.
    before : int or None
        Only what was known when this trial was proposed.
    runs : mapping of str to Run
        Several runs, or one by objective, by their names; empty where there is one.
    reading : mapping
        How it was read, for other sources that are read in the same way.
    """

    run: Run
    kind: Kind = "auto"
    seed: int = 0
    acquisition: Criterion | Acquisition | None = None
    before: int | None = None
    runs: Mapping[str, Run] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)

    def ask(
        self,
        function: Callable[..., _R],
        elsewhere: Callable[[], _R] | None = None,
        /,
        **options: Any,
    ) -> _R:
        """Return what a function that users call answers; asked twice, it is computed once.

        Parameters
        ----------
        function : callable
            One made by :func:`explains`.
        elsewhere : callable, optional
            What fetches the answer, where a worker computes it.
        **options
            Its own arguments.
        """
        method = function.method  # type: ignore[attr-defined]
        taken = inspect.signature(method).bind(self, **options)
        taken.apply_defaults()
        _, *own = taken.arguments.items()
        answer = elsewhere or partial(method, *taken.args, **taken.kwargs)
        about = self.kind, self.seed, self.acquisition, self.before
        try:
            key = (
                method.__qualname__,
                *(key_of(one) for one in about),
                *(key_of(one) for one in own if one[0] not in _HOW),
            )
        except TypeError:  # an object of the user's, which may change
            return cast("_R", answer())
        return cast("_R", self._answers(function).once(key, answer))

    def ask_if(self, function: Callable[..., _R], **options: Any) -> _R | None:
        """Return what a function answers; None where there is nothing to explain."""
        return unless_nothing(lambda: self.ask(function, **options))

    def _answers(self, function: Callable[..., Any]) -> Answers:
        """Return the answers among which that of a function is, or will be."""
        if self.runs:
            return Answers()
        if self.acquisition is not None or function.of == "optimizer":  # type: ignore[attr-defined]
            return answers_about(self.run)
        return answers_about_trials(self.run)

    @cached_property
    def _explained(self) -> tuple[Any, tuple[Fact, ...]]:
        return model_of(
            self.run, self.acquisition, self.before, self.kind, self.seed
        )

    @property
    def model(self) -> Any:
        """What is explained: a surrogate, or an acquisition where one may be asked for."""
        return self._explained[0]

    @property
    def feasible(self) -> Callable[[Array], Array] | None:
        """The probability of being feasible, of encoded rows, if some trials are not."""
        found = self.run.feasibility(seed=self.seed)
        return None if found is None else found.probability

    def config(self, name: str, given: Any) -> Config:
        """Return the configuration given as an argument of this name; by default the incumbent."""
        return config_of(self.run, name, given)

    def trial(self, given: Any) -> int | None:
        """Return the trial that was given, if one was."""
        return trial_of(self.run, given)

    def subject(
        self, trial: int | None = None, *, notes: Iterable[Fact] = ()
    ) -> Subject:
        """Return what an explanation of the model is about, with what was assumed for it."""
        assumed = [*notes, *self._explained[1]]
        return Subject.of(self.run, trial=trial, notes=assumed)
