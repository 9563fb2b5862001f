"""The record of an optimization run: what was tried, what came of it, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_array, check_direction, check_option
from hpo_explain._edge import words
from hpo_explain._html import text_html
from hpo_explain._words import counted, spans
from hpo_explain.acquisition import Acquisition
from hpo_explain.facts import Fact, as_fact, as_facts, fact
from hpo_explain.run._clock import is_before, ran_at_once
from hpo_explain.run._frozen import frozen, refreeze
from hpo_explain.run._kind import KINDS, choose_kind
from hpo_explain.run.chosen import CRITERIA, ChosenAcquisition, criterion_of
from hpo_explain.run.diverged import diverged_above, winsorized
from hpo_explain.run.instances import Instances
from hpo_explain.run.optimizer import KnowsWhyNot, OptimizerRecord, OwnAcquisition
from hpo_explain.space import Array, SearchSpace
from hpo_explain.surrogates import ForestSurrogate, GaussianProcessSurrogate, Surrogate

_KEPT_FITS = 8  # one for every trial would fill the memory: n² numbers each


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The finished trials of an optimization run (frozen).

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        The trials' configurations, encoded.
    objective : ndarray of shape (n,)
        Their objective, in the user's units, finite.
    direction : {"minimize", "maximize"}
        Which way is better.
    trials : sequence of int, optional
        Their numbers, by default 0, 1, ..., in the order in which they were proposed.
    proposals : sequence of int, optional
        The numbers of the trials that the optimizer's model chose; by default all.
    excluded : mapping of int to Fact or str, optional
        Trials left out, and why; a text becomes a fact.
    notes : sequence of Fact or str, optional
        What was assumed while reading.
    started, finished : ndarray of shape (n,), optional
        Times in seconds since the epoch; NaN where they are not known.
    excluded_times : mapping of int to (float, float), optional
        Start and finish of trials left out, where known; the finish of one that still runs is
        infinite.
    feasible : ndarray of bool, shape (n,), optional
        Whether the constraints were met; by default everywhere.
    objective_name : str, default "objective"
        What the objective is called in plots.
    name : str, default ""
        What the run is called, such as the name of its study; empty if it has none.
    optimizer : str, default "the optimizer"
        What ran the optimization, as in "chosen by Optuna's TPESampler".
    record : OptimizerRecord, optional
        What only the framework knows.
    instances : Instances, optional
        The objective on each instance, where `objective` is the mean over several.

    Raises
    ------
    ValueError
        If shapes disagree, an objective is not finite, or a row is no configuration of the space.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> run = Run(space, np.array([[0.2], [0.7]]), np.array([3.0, 1.0]), "minimize")
    >>> run.incumbent, run.incumbent_trial
    ({'x': 0.7}, 1)
    """

    space: SearchSpace
    X: Array
    objective: Array
    direction: str
    trials: Sequence[int] | npt.NDArray[np.int64] = ()
    proposals: Sequence[int] | None = None
    excluded: Mapping[int, Fact] = field(default_factory=dict)
    notes: Sequence[Fact] = ()
    started: Array | None = None
    finished: Array | None = None
    excluded_times: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    feasible: npt.NDArray[np.bool_] | None = None
    objective_name: str = "objective"
    name: str = ""
    optimizer: str = "the optimizer"
    record: OptimizerRecord | None = None
    instances: Instances | None = None
    _fits: dict[tuple[Any, ...], Surrogate] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_direction(self.direction)
        X = np.array(self.space.check_rows("X", self.X))
        objective = np.array(check_array("objective", self.objective))
        if objective.shape != (len(X),):
            raise ValueError(
                f"objective must have shape ({len(X)},), one value per row of X, "
                f"but had shape {objective.shape}."
            )
        if not np.isfinite(objective).all():
            i = int(np.flatnonzero(~np.isfinite(objective))[0])
            raise ValueError(
                f"objective must be finite, but was {objective[i]} in row {i}. "
                "Leave such trials out and name them in excluded."
            )
        invalid = np.flatnonzero(~self.space.is_valid(X))
        if len(invalid):
            raise ValueError(
                f"X has a row that is no configuration of the space (row {invalid[0]}: "
                f"{X[invalid[0]].tolist()}). Encode configurations with space.encode."
            )
        numbers = check_array("trials", self.trials if len(self.trials) else np.arange(len(X)))
        values, counts = np.unique(numbers, return_counts=True)
        wrong = values[(counts > 1) | (values % 1 != 0)]
        if len(wrong):
            raise ValueError(
                f"trials must be different whole numbers, but {wrong[0]:g} is given "
                f"{counted(int(counts[values == wrong[0]][0]), 'time')}. Number every row once."
            )
        unknown = set() if self.proposals is None else {*self.proposals} - {*numbers.tolist()}
        if unknown:
            raise ValueError(
                f"proposals must be among the trials {spans(numbers.astype(np.int64))}, but "
                f"{spans(sorted(unknown))} is not. Leave it out there too."
            )
        proposals = numbers if self.proposals is None else self.proposals
        columns: dict[str, npt.NDArray[Any] | None] = {
            "trials": numbers.astype(np.int64),
            "feasible": np.ones(len(X), dtype=bool)
            if self.feasible is None
            else np.array(self.feasible, dtype=bool),
            "started": _times("started", self.started),
            "finished": _times("finished", self.finished),
        }
        for name, column in columns.items():
            if column is not None and column.shape != (len(X),):
                raise ValueError(
                    f"{name} must have shape ({len(X)},), one value per row of X, "
                    f"but had shape {column.shape}."
                )
        columns |= {"X": X, "objective": objective}
        for name, column in columns.items():
            object.__setattr__(self, name, None if column is None else frozen(column))
        object.__setattr__(self, "proposals", tuple(int(t) for t in proposals))
        object.__setattr__(
            self, "excluded", {int(t): as_fact(why) for t, why in self.excluded.items()}
        )
        object.__setattr__(self, "excluded_times", self._checked_times())
        if self.instances is not None:
            self.space.check_rows("X of instances", self.instances.X)
        # a run made from another one brings its notes along
        object.__setattr__(self, "notes", as_facts([*self.notes, *self._own_notes()]))

    def __getstate__(self) -> dict[str, Any]:
        # fits are large, and made again where they are needed
        return {**self.__dict__, "_fits": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        refreeze(state)

    def _checked_times(self) -> dict[int, tuple[float, float]]:
        times = {}
        for trial, given in self.excluded_times.items():
            pair = check_array(f"excluded_times of trial {trial}", given)
            if pair.shape != (2,) or trial not in self.excluded:
                raise ValueError(
                    "excluded_times must give start and finish of trials in excluded, but was "
                    f"{given!r} for trial {trial}. Name the trial in excluded as well."
                )
            times[int(trial)] = (float(pair[0]), float(pair[1]))
        return times

    def _own_notes(self) -> list[Fact]:
        if not len(self.X):
            return []
        own = "" if self.record is None else "the optimizer's own model where it is stored, else "
        notes = [fact("said", text=f"surrogate: {own}{choose_kind(len(self), self.space)[1]}")]
        numbers, largest = np.asarray(self.trials), self._sign * winsorized(self.cost)
        bound = diverged_above(self.cost)
        if (self.cost > bound).any():
            notes.append(
                fact(
                    "diverged",
                    trials=numbers[self.cost > bound],
                    objective=self.objective_name,
                    bound=float(self._sign * bound),
                )
            )
        beyond = self.cost < winsorized(self.cost)
        if beyond.any():
            notes.append(
                fact(
                    "overflow_clipped",
                    trials=numbers[beyond],
                    objective=self.objective_name,
                    bound=float(largest[beyond][0]),
                )
            )
        if ran_at_once(*self._clock()[1:]):
            notes.append(fact("parallel"))
        return notes

    # ------------------------------------------------------------------ reading

    @property
    def _sign(self) -> float:
        return 1.0 if self.direction == "minimize" else -1.0

    def __len__(self) -> int:
        return len(self.X)

    @property
    def cost(self) -> Array:
        """The objective, negated where it is maximized: smaller is better. Shape (n,)."""
        return self._sign * self.objective

    @property
    def incumbent_trial(self) -> int:
        """The number of the best feasible trial (the first of several).

        Raises
        ------
        ValueError
            If the run has no feasible trial.
        """
        feasible = np.flatnonzero(np.asarray(self.feasible))
        if not len(feasible):
            raise ValueError(
                "run has no finished feasible trial, so there is no incumbent. "
                "Run more trials, or read infeasible ones as well."
            )
        return int(np.asarray(self.trials)[feasible[np.argmin(self.cost[feasible])]])

    def best(self, trials: Sequence[int]) -> int:
        """Return the best of some trials: the feasible ones first, then the first of several.

        Raises
        ------
        ValueError
            If no trial is given, or one does not exist.
        """
        if not len(trials):
            raise ValueError("trials is empty. Name at least one finished trial.")
        rows = np.array([self.row(trial) for trial in sorted(trials)])
        infeasible = ~np.asarray(self.feasible)[rows]
        return int(np.asarray(self.trials)[rows[np.lexsort((self.cost[rows], infeasible))[0]]])

    @property
    def incumbent(self) -> dict[str, Any]:
        """The best feasible configuration, in the user's units."""
        return self.config(self.incumbent_trial)

    def row(self, trial: int) -> int:
        """Return the row of a trial in `X`.

        Raises
        ------
        ValueError
            If the trial does not exist, or was left out; the text says why.
        """
        if isinstance(trial, bool) or not isinstance(trial, (int, np.integer)):
            raise ValueError(
                f"trial must be the number of a trial, but was {trial!r}. Finished trials: "
                f"{spans(self.trials)}."
            )
        rows = np.flatnonzero(np.asarray(self.trials) == trial)
        if len(rows):
            return int(rows[0])
        if trial in self.excluded:
            raise ValueError(
                f"trial {trial!r} was left out: {self.excluded[trial]}. Choose a finished one: "
                f"{spans(self.trials)}."
            )
        raise ValueError(f"trial {trial!r} does not exist. Finished trials: {spans(self.trials)}.")

    def config(self, trial: int) -> dict[str, Any]:
        """Return the configuration of a trial, in the user's units."""
        return self.space.decode(self.X[[self.row(trial)]])[0]

    def __repr__(self) -> str:
        return f"<Run: {words().run.summary(self)}>"

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def __str__(self) -> str:
        return str(words().run.describe(self))

    # ------------------------------------------------------------------ what was known when

    def _clock(self) -> tuple[npt.NDArray[np.int64], Array, Array]:
        """Return numbers, starts and finishes of all trials, those left out included."""
        unknown = np.full(len(self), np.nan)
        times = np.array([*self.excluded_times.values()]).reshape(-1, 2)
        return (
            np.concatenate(
                [np.asarray(self.trials), np.array([*self.excluded_times], dtype=np.int64)]
            ),
            np.concatenate([unknown if self.started is None else self.started, times[:, 0]]),
            np.concatenate([unknown if self.finished is None else self.finished, times[:, 1]]),
        )

    def _start(self, trial: int) -> float:
        """Return when a trial started: NaN where it is not known, infinity for the next one."""
        numbers = np.asarray(self.trials)
        if trial in self.excluded:
            return self.excluded_times.get(trial, (np.nan, np.nan))[0]
        if trial == max([*self.excluded, int(numbers.max(initial=-1))]) + 1:
            return np.inf
        row = self.row(trial)
        return np.nan if self.started is None else float(self.started[row])

    def known_before(self, before: int | None) -> npt.NDArray[np.int64]:
        """Return the rows of the trials that were finished when trial `before` was proposed.

        By time where both trials have times, else by number; all rows where `before` is None.

        Raises
        ------
        ValueError
            If there is no such trial.
        """
        if before is None:
            return np.arange(len(self))
        start, numbers = self._start(before), np.asarray(self.trials)
        known = numbers < before
        if self.finished is not None:
            timed = ~np.isnan(self.finished) & ~np.isnan(start)
            known = np.where(timed, is_before(self.finished, numbers, start, before), known)
        return np.flatnonzero(known)

    def running_at(self, trial: int | None) -> tuple[int, ...]:
        """Return the numbers of the trials that were running when a trial was proposed.

        Their results were not known. Trials that were left out later are among them; those
        without times are not.

        Parameters
        ----------
        trial : int or None
            The trial; None for those that were running when the run was read.

        Returns
        -------
        tuple of int
            Numbers of trials, in increasing order.

        Raises
        ------
        ValueError
            If there is no such trial.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> run = Run(
        ...     space,
        ...     [[0.2], [0.7], [0.4]],
        ...     [3.0, 1.0, 2.0],
        ...     "minimize",
        ...     started=[0.0, 1.0, 4.0],
        ...     finished=[5.0, 3.0, 6.0],
        ... )
        >>> run.known_before(2).tolist(), run.running_at(2)
        ([1], (0,))
        """
        numbers, started, finished = self._clock()
        start, number = (np.inf, 0) if trial is None else (self._start(trial), trial)
        ended = is_before(finished, numbers, start, number) & np.isfinite(finished)
        running = is_before(started, numbers, start, number) & ~ended & ~np.isnan(finished)
        return tuple(sorted(numbers[running].tolist()))

    def surrogate(
        self, before: int | None = None, kind: str = "auto", *, n_trees: int = 64, seed: int = 0
    ) -> Surrogate:
        """Return a surrogate of the objective.

        Parameters
        ----------
        before : int, optional
            Only what was known when this trial was proposed; by default every trial.
        kind : {"auto", "gp", "forest"}, default "auto"
            "auto" takes the optimizer's own model where it is stored, else a Gaussian process,
            else (many trials, many hyperparameters, mostly categories) a forest; the run's notes
            say which and why.
        n_trees : int, default 64
            Number of trees of a forest.
        seed : int, default 0
            Seed of the fit.

        Returns
        -------
        Surrogate
            A pure function of the run and these arguments.

        Raises
        ------
        ValueError
            If fewer than two trials were finished by then.
        """
        check_option("kind", kind, KINDS)
        key = (before, kind, n_trees, seed)
        if key not in self._fits:
            fit = self._surrogate(before, kind, n_trees, seed)
            while len(self._fits) >= _KEPT_FITS:
                self._fits.pop(next(iter(self._fits)))
            self._fits[key] = fit
        return self._fits[key]

    def _surrogate(self, before: int | None, kind: str, n_trees: int, seed: int) -> Surrogate:
        rows = self.known_before(before)
        if len(rows) < 2:
            when = "" if before is None else f" before trial {before} was proposed"
            finished = counted(len(rows), "finished trial")
            raise ValueError(
                f"run has {finished}{when}; a surrogate needs at least 2. "
                "Run more trials" + (", or choose a later one." if when else ".")
            )
        if kind == "auto" and self.record is not None:
            own = self.record.surrogate(before)
            if own is not None:
                return own
        y = self._sign * winsorized(self.cost[rows])
        if kind == "auto":
            kind = choose_kind(len(self), self.space)[0]
        if kind == "gp":
            return GaussianProcessSurrogate.fit(self.space, self.X[rows], y, seed=seed)
        return ForestSurrogate.fit(self.space, self.X[rows], y, n_trees=n_trees, seed=seed)

    def own_acquisition(self, before: int | None = None) -> OwnAcquisition | None:
        """Return the acquisition that the optimizer itself used, or None where it is unknown."""
        return None if self.record is None else self.record.acquisition(before)

    def chosen_acquisition(
        self,
        before: int | None = None,
        acquisition: str | Acquisition = "auto",
        *,
        seed: int = 0,
    ) -> ChosenAcquisition:
        """Return the acquisition by which trial `before` is explained, and whose it is.

        Parameters
        ----------
        before : int, optional
            The trial; by default the next one.
        acquisition : {"auto", "lcb", "ei", "pi", "logei"} or Acquisition, default "auto"
            "auto" is the optimizer's own where it is known, else the confidence bound with
            κ = 1.96. The others look through ``surrogate(before)``; an acquisition function is
            taken as it is.
        seed : int, default 0
            Seed of the surrogate.

        Returns
        -------
        ChosenAcquisition
            The acquisition function, whether it is assumed, and what was assumed.

        Raises
        ------
        ValueError
            If the name is unknown, or fewer than two trials were finished by then.
        """
        if not isinstance(acquisition, str):
            return ChosenAcquisition(acquisition)
        check_option("acquisition", acquisition, CRITERIA)
        own = self.own_acquisition(before) if acquisition == "auto" else None
        if own is not None:
            return ChosenAcquisition(own.acquisition, False, own.notes)
        surrogate, known = self.surrogate(before, seed=seed), self.known_before(before)
        best = float(self.objective[known][np.argmin(self.cost[known])])
        built = criterion_of(acquisition, surrogate, best, self.direction)
        why = None
        if acquisition == "auto" and isinstance(self.record, KnowsWhyNot):
            why = self.record.why_not(before)
        model = getattr(surrogate, "label", "a model of yours")
        names = [self.optimizer, built.label, model]
        return ChosenAcquisition(built, notes=(fact("acquisition_assumed", names=names, why=why),))

    def acquisition(self, before: int | None = None) -> Acquisition:
        """Return the acquisition for trial `before`: the optimizer's own, else an assumed one.

        The assumed one is the confidence bound with κ = 1.96 of ``surrogate(before)``.
        `chosen_acquisition` tells the two apart.

        Raises
        ------
        ValueError
            If fewer than two trials were finished by then.
        """
        return self.chosen_acquisition(before).acquisition


def _times(name: str, times: Array | None) -> Array | None:
    return None if times is None else np.array(check_array(name, times))
