"""The trials of a run as they are: what figures of slices, contours and parallel axes share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Claim,
    InputError,
    Result,
    Subject,
    Table,
    as_objects,
    check_name,
    check_sequence,
    counted,
    format_value,
    listed,
    mean_ranks,
    number,
    printable,
    shorten,
)
from hpo_explain.run import Run
from hpo_explain.space import Array, Bools, Ints, SearchSpace

BEST = 0.1  # of the trials with a result are called the best ones
_MANY = 20_000  # values of configurations, up to which they are told
_STAGES = ("early", "middle", "late")
_ENDED = ("failed", "pruned")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Trials(Result):
    """The trials that have a configuration, with a result or without one.

    Attributes
    ----------
    trials : ndarray of int, shape (n,)
        The trials, by number.
    X : ndarray of shape (n, d)
        Their configurations, encoded; NaN where a hyperparameter is inactive, or was not chosen.
    objective : ndarray of shape (n,)
        What each reached, in the user's units; NaN without a result.
    states : tuple of str
        What became of each: "finished", "infeasible", "failed", "pruned", "running" or "waiting".
    names : tuple of str
        The hyperparameters that are drawn, in their order.
    """

    table: ClassVar[Table] = Table(
        keys="configurations",
        columns={"objective": "objective", "rank": "ranks", "state": "states"},
        held={
            "trials": "trials",
            "configurations": lambda result: result.subject.space.decode(result.X),
            "objective": "objective",
            "ranks": "ranks",
            "states": "states",
            "names": "names",
        },
    )
    trials: Ints
    X: Array
    objective: Array
    states: tuple[str, ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.trials)

    @property
    def configurations(self) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        """The number and the values of each trial, by column of the table."""
        yield "trial", self.trials
        configs = self.subject.space.decode(self.X)
        for name in self.subject.names:
            yield name, as_objects([config.get(name) for config in configs])

    def of_state(self, *states: str) -> Bools:
        """Return which trials have one of some states, (n,)."""
        return np.array([state in states for state in self.states], dtype=bool)

    @property
    def ranks(self) -> Array:
        """The rank of each finished trial, 1 for the best, of equal ones their mean, (n,)."""
        ranks = np.full(len(self), np.nan)
        finished = self.of_state("finished")
        ranks[finished] = mean_ranks(self.subject.sign * self.objective[finished])
        return ranks

    @property
    def best_ones(self) -> Bools:
        """Which trials are among the best tenth of the finished ones, (n,)."""
        n = int(self.of_state("finished").sum())
        return self.ranks <= max(np.ceil(BEST * n), 1.0)

    @property
    def best(self) -> int | None:
        """The number of the best finished trial, the first of several."""
        ranks = self.ranks
        if np.isnan(ranks).all():
            return None
        return int(self.trials[np.nanargmin(ranks)])

    @property
    def stages(self) -> dict[str, Bools]:
        """Which trials with a result are the first, the second and the last third of them, (n,)."""
        finished = np.flatnonzero(self.of_state("finished"))
        thirds = np.array_split(finished, len(_STAGES))
        return {
            stage: np.isin(np.arange(len(self)), third)
            for stage, third in zip(_STAGES, thirds, strict=True)
        }

    @property
    def claims(self) -> tuple[Claim, ...]:
        """None: they are what was observed."""
        return ()

    @property
    def _best_one(self) -> str:
        return "" if self.best is None else f"; the best is trial {self.best}"

    @property
    def answer(self) -> str:
        """How many trials there are, and which is the best."""
        return f"{counted(len(self), 'trial')}{self._best_one}."

    @property
    def finding(self) -> str:
        """How many trials there are, along which hyperparameters."""
        names = shorten(listed(self.names, 6), 200)
        without = "".join(
            f"; {self.states.count(state)} {state}" for state in _ENDED if state in self.states
        )
        return printable(f"{counted(len(self), 'trial')} by {names}{self._best_one}{without}.")

    def told(self) -> list[str]:
        """Return what is told of each trial that is pointed at."""
        return trials_in_words(self.subject, self.trials, self.objective, self.X, self.states)


def named(space: SearchSpace, names: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of hyperparameters, at least one, all of which the space has."""
    several = [names] if isinstance(names, str) else check_sequence("names", names, "names")
    if not several:
        remedy = "Name at least one hyperparameter."
        raise InputError("names", "is empty", names, remedy)
    return tuple(check_name("names", name, space.names, "hyperparameter") for name in several)


def trials_of(run: Run) -> dict[str, Any]:
    """Return the trials of a run that have a configuration, as the fields of a result."""
    others = {
        number: trial for number, trial in run.without_result.items() if not np.isnan(trial.x).all()
    }
    numbers = np.array([*np.asarray(run.trials), *others], dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    X = np.vstack([run.X, *(trial.x[None, :] for trial in others.values())])
    objective = np.append(run.objective, np.full(len(others), np.nan))
    states = [
        "finished" if feasible else "infeasible" for feasible in np.asarray(run.feasible).tolist()
    ]
    states += [trial.state for trial in others.values()]
    return {
        "subject": Subject.of(run),
        "trials": numbers[order],
        "X": X[order],
        "objective": objective[order],
        "states": tuple(states[i] for i in order.tolist()),
    }


def trials_in_words(
    subject: Subject, trials: Ints, objective: Array, X: Array, states: Sequence[str] = ()
) -> list[str]:
    """Return what is told of each trial: its number, what it reached, its configuration."""
    configs = subject.space.decode(X) if X.size <= _MANY else [{}] * len(trials)
    texts = []
    for i, (trial, config) in enumerate(zip(trials.tolist(), configs, strict=True)):
        value = f"{subject.objective_name} {number(objective[i])}"
        reached = states[i] if np.isnan(objective[i]) else value
        lines = [f"trial {trial}: {reached}"]
        lines += [f"{name} = {format_value(held, width=60)}" for name, held in config.items()]
        texts.append("\n".join(lines))
    return texts
