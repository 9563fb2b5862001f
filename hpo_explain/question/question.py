"""What is asked of a run, and what was computed to answer it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar, cast

import numpy as np

from hpo_explain.base import Criterion, Fact, InputError, Kind, Subject, spans, unless_nothing
from hpo_explain.belief import Belief, Draws, as_draws
from hpo_explain.models import Acquisition
from hpo_explain.question.answers import Answers, answers_about, answers_about_trials, key_of
from hpo_explain.question.decision import RunDecision
from hpo_explain.question.model import model_of
from hpo_explain.run import Run
from hpo_explain.run.fits import explained_some, learned_rows
from hpo_explain.space import Array, Bools, Config

_R = TypeVar("_R")
_HOW = ("n_jobs", "progress")  # options that no answer depends on
_ALL, _SOME = 2000, 500  # trials that are explained one by one


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
    target : str
        What is asked of objectives together; empty for a single one.
    """

    run: Run
    kind: Kind = "auto"
    seed: int = 0
    acquisition: Criterion | Acquisition | None = None
    before: int | None = None
    runs: Mapping[str, Run] = field(default_factory=dict)
    target: str = ""

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
        return model_of(self.run, self.acquisition, self.before, self.kind, self.seed)

    @property
    def model(self) -> Any:
        """What is explained: a surrogate, or an acquisition where one may be asked for."""
        return self._explained[0]

    @property
    def feasible(self) -> Callable[[Array], Array] | None:
        """The probability of being feasible, of encoded rows, if some trials are not."""
        feasibility = self.run.feasibility(seed=self.seed)
        return None if feasibility is None else feasibility.probability

    @property
    def belief(self) -> Belief:
        """What the trials allow the objective to be, whatever model was given."""
        return self.run.belief(self.before, seed=self.seed)

    @property
    def draws(self) -> Draws:
        """The functions that the model of the objective allows.

        Their costs are smaller where the objective is better.
        """
        return as_draws(
            self.model,
            self.run.direction,
            feasibility=self.run.feasibility(seed=self.seed),
            seed=self.seed,
        )

    @property
    def decision(self) -> RunDecision | None:
        """What is decided of the run, once; None without draws."""
        return RunDecision.of(self.run, seed=self.seed)

    @property
    def keep(self) -> int:
        """The trial to keep; the best observed one where the model cannot tell."""
        decision = self.decision
        return self.run.incumbent_trial if decision is None else decision.keep

    def config(self, argument: str, named: Any) -> Config:
        """Return a configuration: one named, that of a trial, or by default of the one to keep.

        Raises
        ------
        ValueError
            If it is neither a configuration nor the number of a finished trial.
        """
        run = self.run
        if named is None:
            return run.config(self.keep)
        if isinstance(named, Mapping):
            return named
        if isinstance(named, bool) or not isinstance(named, (int, np.integer)):
            wrong = f"was {named!r}"
        elif named in run.excluded:
            wrong = f"trial {named} was left out: {run.excluded[int(named)]}"
        elif named not in run.trials:
            wrong = f"trial {named} does not exist"
        else:
            return run.config(int(named))
        raise InputError(
            argument,
            f"must be a configuration (a dict) or the number of a trial, but {wrong}",
            named,
            f"Finished trials: {spans(run.trials)}.",
        )

    def trial(self, named: Any) -> int | None:
        """Return the number of the trial that was asked for, None for a configuration."""
        if isinstance(named, Mapping):
            return None
        return self.keep if named is None else int(named)

    def some_trials(self) -> tuple[list[int], tuple[Fact, ...]]:
        """Return the trials explained one by one, of many some, and that they are not all."""
        run, numbers = self.run, self.run.trials
        if len(numbers) <= _ALL:
            return numbers.tolist(), ()
        in_order = np.argsort(numbers, kind="stable")
        cost = np.where(run.feasible, run.cost, np.inf)
        rows = learned_rows(run.space, run.X[in_order], cost[in_order], _SOME, seed=self.seed)
        some = explained_some(len(run), _SOME, seed=self.seed)
        return numbers[in_order[rows]].tolist(), (some,)

    def default_source(self, target: Config) -> int:
        """Return the first trial that is another, if any not as good; else one in the middle.

        The middle is that of the ranking, which is where a run that began at its target begins.
        """
        run = self.run
        row = run.space.row(target, "target")
        same = np.isclose(run.X, row, rtol=0.0, atol=1e-9, equal_nan=True)
        is_target: Bools = np.all(same, axis=1)
        tied: Bools = np.isin(run.cost, run.cost[is_target])
        ranking = np.argsort(run.cost, kind="stable")
        candidates = [0, *ranking[len(ranking) // 2 :].tolist()]
        apart = [i for i in candidates if not is_target[i] and not tied[i]]
        others = [i for i in candidates if not is_target[i]]
        first = [*apart, *others, *candidates][0]
        return int(run.trials[first])

    def subject(self, trial: int | None = None, *, notes: Iterable[Fact] = ()) -> Subject:
        """Return what an explanation of the model is about, with what was assumed for it."""
        assumed = [*notes, *self._explained[1]]
        return Subject.of(self.run, trial=trial, notes=assumed)
