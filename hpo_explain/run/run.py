"""The record of an optimization run: what was tried, what came of it, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_count, check_direction, check_option, check_seed
from hpo_explain.base.edge import words
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin, as_fact, as_facts, fact
from hpo_explain.base.html import text_html
from hpo_explain.base.options import CRITERIA, KINDS, Criterion, Direction, Kind, Measured
from hpo_explain.base.phrases import spans
from hpo_explain.models._repeats import rows_among
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.given import as_surrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run._checked import (
    checked_durations,
    checked_excluded_times,
    checked_feasible,
    checked_numbers,
    checked_origins,
    checked_proposals,
    checked_reviewed,
    checked_rows,
    checked_times,
    checked_without_result,
)
from hpo_explain.run._clock import is_before, ran_at_once
from hpo_explain.run._fitted import fit_surrogate, fitted
from hpo_explain.run._frozen import frozen, refreeze
from hpo_explain.run._kind import choose_kind
from hpo_explain.run._over_instances import OverInstances
from hpo_explain.run.best_predicted import BestPredicted
from hpo_explain.run.chosen import ChosenAcquisition, criterion_of
from hpo_explain.run.curves import Curves
from hpo_explain.run.diverged import diverged_above, same_cost, space_filling_part, winsorized
from hpo_explain.run.feasibility import Feasibility
from hpo_explain.run.given_model import doubts_of_model
from hpo_explain.run.instances import Instances
from hpo_explain.run.learned import learned_rows, most_learned, which_of
from hpo_explain.run.noise import NoiseModel
from hpo_explain.run.optimizer import KnowsWhyNot, OptimizerRecord, OwnAcquisition
from hpo_explain.run.pending import WithoutResult
from hpo_explain.run.repeats import Repeats
from hpo_explain.run.reviewed import Reviewed
from hpo_explain.space import Array, SearchSpace, lowest

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
    origins : mapping of int to Origin, optional
        Who chose trials, where more is known than `proposals` says; `origin` returns who chose
        any trial.
    excluded : mapping of int to Fact or str, optional
        Trials left out, and why; a text becomes a fact.
    notes : sequence of Fact or str, optional
        What was assumed while reading.
    started, finished : ndarray of shape (n,), optional
        Times in seconds since the epoch; NaN where they are not known.
    durations : ndarray of shape (n,), optional
        How long each trial took, in seconds; NaN where it is not known. By default the time from
        start to finish.
    excluded_times : mapping of int to (float, float), optional
        Start and finish of trials left out, where known; the finish of one that still runs is
        infinite.
    without_result : mapping of int to WithoutResult, optional
        The configurations of trials that run, wait, failed or were pruned, where they can be
        read. Only explanations of proposals ask for them.
    reviewed : mapping of int to Reviewed, optional
        The proposals that a person changed, or refused before, and what was proposed.
    feasible : ndarray of bool, shape (n,), optional
        Whether the constraints were met; by default everywhere.
    objective_name : str, default "objective"
        What the objective is called in plots.
    name : str, default ""
        What the run is called, such as the name of its study; empty if it has none.
    optimizer : str, default "the optimizer"
        What ran the optimization, as in "chosen by Optuna's TPESampler".
    framework : str, default ""
        The package that ran it, as it is imported: "optuna", "skopt"; empty for tables and others.
    record : OptimizerRecord, optional
        What only the framework knows.
    instances : Instances, optional
        The objective on each instance, where `objective` is the mean over several.
    curves : Curves, optional
        What trials reported step by step, those without a result included.
    ranges_from : mapping of str to sequence of int, optional
        The hyperparameters whose range or choices were read from the trials, each with the trials
        without which it would be narrower; those left out may be among them.
    averaged : OverInstances, optional
        The model whose average over instances is the objective, by :func:`average_instances`:
        surrogates are then judged on what was observed.
    measured : {"duration", "failed", "joined"}, optional
        What the objective is, where it is not what was optimized, by :func:`measured` or of
        :class:`Objectives`.
    model : Surrogate, optional
        A model of the user's that ``surrogate()`` returns in place of one fitted to the trials;
        see :meth:`explained_by`.

    Raises
    ------
    InputError
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
    direction: Direction
    trials: Sequence[int] | npt.NDArray[np.int64] = ()
    proposals: Sequence[int] | None = None
    origins: Mapping[int, Origin] = field(default_factory=dict)
    excluded: Mapping[int, Fact] = field(default_factory=dict)
    notes: Sequence[Fact] = ()
    started: Array | None = None
    finished: Array | None = None
    durations: Array | None = None
    excluded_times: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    without_result: Mapping[int, WithoutResult] = field(default_factory=dict)
    reviewed: Mapping[int, Reviewed] = field(default_factory=dict)
    feasible: npt.NDArray[np.bool_] | None = None
    objective_name: str = "objective"
    name: str = ""
    optimizer: str = "the optimizer"
    framework: str = ""
    record: OptimizerRecord | None = None
    instances: Instances | None = None
    curves: Curves | None = None
    ranges_from: Mapping[str, Sequence[int]] = field(default_factory=dict)
    averaged: OverInstances | None = None
    measured: Measured | Literal["joined"] | None = None
    model: Surrogate | None = None
    _fits: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_direction(self.direction)
        X, objective = checked_rows(self.space, self.X, self.objective)
        numbers = checked_numbers(self.trials, len(X))
        started = checked_times("started", self.started, len(X))
        finished = checked_times("finished", self.finished, len(X))
        fields: dict[str, Any] = {
            "space": self.space.in_order_of(X),
            "X": X,
            "objective": objective,
            "trials": numbers,
            "proposals": checked_proposals(self.proposals, numbers),
            "feasible": checked_feasible(self.feasible, len(X)),
            "started": started,
            "finished": finished,
            "durations": checked_durations(self.durations, started, finished, len(X)),
            "origins": checked_origins(self.origins),
            "excluded": {int(t): as_fact(why) for t, why in self.excluded.items()},
            "excluded_times": checked_excluded_times(self.excluded_times, self.excluded),
            "without_result": checked_without_result(
                self.space, self.without_result, numbers.tolist()
            ),
            "reviewed": checked_reviewed(self.space, self.reviewed),
        }
        for name, value in fields.items():
            kept = frozen(value) if isinstance(value, np.ndarray) else value
            object.__setattr__(self, name, kept)
        if self.instances is not None:
            self.space.check_rows("X of instances", self.instances.X)
        if self.curves is not None:
            self.space.check_rows("X of curves", self.curves.X)
        # a run made from another one brings its notes along
        object.__setattr__(self, "notes", as_facts([*self.notes, *self._own_notes()]))

    def __getstate__(self) -> dict[str, Any]:
        # fits are large, and made again where they are needed
        return {**self.__dict__, "_fits": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        refreeze(state)

    def _own_notes(self) -> list[Fact]:
        if not len(self.X):
            return []
        own = self.record is not None
        notes = [choose_kind(len(self), self.space, own=own, measured=self.measured)]
        numbers, bound = np.asarray(self.trials), self.diverged_above()
        learned = winsorized(self.cost, bound)
        if (self.cost > bound).any():
            notes.append(
                fact(
                    "diverged",
                    trials=numbers[self.cost > bound],
                    objective=self.objective_name,
                    bound=float(self._sign * bound),
                )
            )
        beyond = self.cost < learned
        if beyond.any():
            notes.append(
                fact(
                    "overflow_clipped",
                    trials=numbers[beyond],
                    objective=self.objective_name,
                    bound=float(self._sign * learned[beyond][0]),
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
        NothingToExplain
            If the run has no feasible trial.
        """
        feasible = np.flatnonzero(np.asarray(self.feasible))
        if not len(feasible):
            raise NothingToExplain(fact("no_feasible_trial"))
        return int(np.asarray(self.trials)[feasible[np.argmin(self.cost[feasible])]])

    @property
    def tied(self) -> tuple[int, ...]:
        """The numbers of the feasible trials that share the best objective, the incumbent first.

        Objectives that differ by rounding are the same.

        Raises
        ------
        NothingToExplain
            If the run has no feasible trial.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> Run(space, [[0.2], [0.7], [0.4]], [1.0, 3.0, 1.0], "minimize").tied
        (0, 2)
        """
        first = self.incumbent_trial
        same = same_cost(self.objective, float(self.objective[self.row(first)]), self.cost)
        numbers = np.asarray(self.trials)[same & np.asarray(self.feasible)]
        return (first, *(int(t) for t in numbers if t != first))

    def later_trials(self, trial: int) -> tuple[int, ...]:
        """Return the numbers of the trials that ended after a trial, those left out included.

        By number; those that still run or wait have not ended.
        """
        ended = [t for t, why in self.excluded.items() if why.kind not in ("running", "waiting")]
        return tuple(t for t in sorted([*np.asarray(self.trials).tolist(), *ended]) if t > trial)

    @property
    def pending(self) -> tuple[int, ...]:
        """The numbers of the trials that run or wait to be started.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, Run, SearchSpace
        >>> from hpo_explain.run import WithoutResult
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> run = Run(
        ...     space,
        ...     [[0.2], [0.7]],
        ...     [3.0, 1.0],
        ...     "minimize",
        ...     without_result={2: WithoutResult("running", [0.4])},
        ... )
        >>> run.pending, run.origin(2)
        ((2,), <Origin.MODEL: 'model'>)
        """
        return tuple(t for t, trial in self.without_result.items() if trial.under_way)

    def best(self, trials: Sequence[int]) -> int:
        """Return the best of some trials: the feasible ones first, then the first of several.

        Raises
        ------
        InputError
            If no trial is given, or one does not exist.
        """
        if not len(trials):
            raise InputError("trials", "is empty", trials, "Name at least one finished trial.")
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
        InputError
            If the trial does not exist, or was left out; the text says why.
        """
        if isinstance(trial, bool) or not isinstance(trial, (int, np.integer)):
            problem = f"must be the number of a trial, but was {trial!r}"
            raise InputError("trial", problem, trial, f"Finished trials: {spans(self.trials)}.")
        found = self._rows.get(int(trial))
        if found is not None:
            return found
        finished = spans(self.trials)
        if trial in self.excluded:
            left_out = (f"{trial} was left out: ", self.excluded[trial])
            raise InputError("trial", left_out, trial, f"Choose a finished one: {finished}.")
        problem = f"{trial} does not exist"
        raise InputError("trial", problem, trial, f"Finished trials: {finished}.")

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {number: row for row, number in enumerate(np.asarray(self.trials).tolist())}

    @property
    def proposes(self) -> bool:
        """Whether a model chose any trial, with a result or without one, or its optimizer has one.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, Run, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> Run(space, [[0.2], [0.7]], [3.0, 1.0], "minimize", proposals=[]).proposes
        False
        """
        pending = any(trial.explainable for trial in self.without_result.values())
        return bool(self.proposals) or pending or self.record is not None

    def origin(self, trial: int) -> Origin:
        """Return who chose a trial.

        Where `origins` does not say: the optimizer's model for proposals; its initial design for
        trials before the first proposal, or for all where there is no proposal; else it is unknown.

        Raises
        ------
        InputError
            If there is no such trial.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> run = Run(space, [[0.2], [0.7], [0.4]], [3.0, 1.0, 2.0], "minimize", proposals=[1, 2])
        >>> run.origin(0), run.origin(2)
        (<Origin.INITIAL: 'initial'>, <Origin.MODEL: 'model'>)
        """
        if trial not in self.excluded and trial not in self.without_result:
            self.row(trial)
        if trial in self.origins:
            return self.origins[trial]
        if trial in self.without_result:
            return self.without_result[trial].origin
        if trial in self._proposed:
            return Origin.MODEL
        first = self._first_proposal
        if trial in self.excluded or (first is not None and trial > first):
            return Origin.UNKNOWN
        return Origin.INITIAL

    @cached_property
    def _proposed(self) -> frozenset[int]:
        return frozenset(self.proposals or ())

    @cached_property
    def _first_proposal(self) -> int | None:
        return min(self._proposed, default=None)

    def config(self, trial: int) -> dict[str, Any]:
        """Return the configuration of a trial, in the user's units.

        Of a trial without a result it is what was chosen.
        """
        if trial in self.without_result:
            return self.space.decode(self.without_result[trial].x[None, :])[0]
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
        if trial in self.excluded:
            return self.excluded_times.get(trial, (np.nan, np.nan))[0]
        if trial in self.without_result:
            return np.nan
        if trial == self._next:
            return np.inf
        row = self.row(trial)
        return np.nan if self.started is None else float(self.started[row])

    @cached_property
    def _next(self) -> int:
        return max([*self.excluded, int(np.max(self.trials, initial=-1))]) + 1

    def known_before(self, before: int | None) -> npt.NDArray[np.int64]:
        """Return the rows of the trials that were finished when trial `before` was proposed.

        By time where both trials have times, else by number; all rows where `before` is None.

        Raises
        ------
        InputError
            If there is no such trial.
        """
        rows = np.arange(len(self))
        return rows if before is None else rows[self.knew(before, rows)]

    def knew(self, before: int, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return which of some rows are among those of `known_before`, of the rows' shape.

        Raises
        ------
        InputError
            If there is no such trial.
        """
        start, numbers = self._start(before), np.asarray(self.trials)[rows]
        known: npt.NDArray[np.bool_] = numbers < before
        if self.finished is not None:
            finished = self.finished[rows]
            timed = ~np.isnan(finished) & ~np.isnan(start)
            known = np.where(timed, is_before(finished, numbers, start, before), known)
        return known

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
        InputError
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

    def diverged_above(self, before: int | None = None) -> float:
        """Return the cost above which trials count as diverged; for fitting they count as that.

        It is judged against the space-filling part of the run: the trials that no model chose, or
        where they are few, those furthest apart.

        Parameters
        ----------
        before : int, optional
            Only what was known when this trial was proposed; by default every trial.

        Returns
        -------
        float
            The bound, in units of `cost`; infinity if no trial diverged.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> X = [[0.1], [0.3], [0.4], [0.6], [0.7], [0.9]]
        >>> run = Run(space, X, [0.1, 0.2, 1e6, 0.4, 0.3, 0.5], "minimize")
        >>> run.diverged_above(), run.diverged_above(before=2)
        (0.9, inf)
        """
        rows = self.known_before(before)
        rows = rows[np.argsort(np.asarray(self.trials)[rows], kind="stable")]
        part = space_filling_part(self.space, self.X[rows], self._by_model[rows])
        return diverged_above(self.cost[rows], part)

    @cached_property
    def _by_model(self) -> npt.NDArray[np.bool_]:
        numbers = np.asarray(self.trials)
        chosen: npt.NDArray[np.bool_] = np.isin(numbers, self.proposals or ())
        others = [t for t in self.origins if t in self._rows]
        known = [self.origins[t] is Origin.MODEL for t in others]
        chosen[[self._rows[t] for t in others]] = known
        return chosen

    def learned_cost(self, before: int | None = None) -> Array:
        """Return the known trials' cost as a surrogate learns it, `diverged_above` at most.

        Parameters
        ----------
        before : int, optional
            Only what was known when this trial was proposed; by default every trial.

        Returns
        -------
        ndarray of shape (n_known,)
            In the order of :meth:`known_before`.
        """
        return winsorized(self.cost[self.known_before(before)], self.diverged_above(before))

    def surrogate(
        self, before: int | None = None, kind: Kind = "auto", *, n_trees: int = 64, seed: int = 0
    ) -> Surrogate:
        """Return a surrogate of the objective.

        Parameters
        ----------
        before : int, optional
            Only what was known when this trial was proposed; by default every trial.
        kind : {"auto", "gp", "forest"}, default "auto"
            "auto" takes the model given by :meth:`explained_by` for all trials, else the
            optimizer's own where it is stored, else a Gaussian process, else (many trials known,
            many hyperparameters, mostly categories) a forest; the run's notes say which, for all
            trials, and why.
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
        NothingToExplain
            If fewer than two trials were finished by then.
        """
        check_option("kind", kind, KINDS)
        n_trees, seed = check_count("n_trees", n_trees), check_seed(seed)
        fit: Surrogate = self._remembered(self._surrogate, before, kind, n_trees, seed)
        return fit

    def _remembered(self, make: Callable[..., Any], *given: Any) -> Any:
        key = (make.__name__, *given)
        if key not in self._fits:
            fit = make(*given)
            while len(self._fits) >= _KEPT_FITS:
                self._fits.pop(next(iter(self._fits)))
            self._fits[key] = fit
        return self._fits[key]

    def _surrogate(self, before: int | None, kind: Kind, n_trees: int, seed: int) -> Surrogate:
        if self.model is not None and before is None and kind == "auto":
            return self.model
        rows = self.known_before(before)
        if len(rows) < 2:
            raise NothingToExplain(self._too_few(rows, before))
        if kind == "auto":
            own = None if self.record is None else self.record.surrogate(before)
            if own is not None:
                return own
            kind = choose_kind(len(rows), self.space, measured=self.measured)["surrogate"]
            return self.surrogate(before, kind, n_trees=n_trees, seed=seed)
        y = self._sign * self.learned_cost(before)
        if self.averaged is None:
            some, notes = self._learned(rows, before, kind, seed)
            fit = fitted(self.space, kind, n_trees, seed, self.X[rows[some]], y[some], notes=notes)
            classifies = self.measured == "failed"
            return fit.tuned() if classifies and isinstance(fit, ForestSurrogate) else fit
        again = partial(fit_surrogate, self.space, kind, n_trees, seed)
        model = again(self.X[rows], y)
        model.hold_out_by(partial(self.averaged.held_out, again))
        return model

    def _learned(
        self,
        rows: npt.NDArray[np.int64],
        before: int | None,
        kind: Literal["gp", "forest"],
        seed: int,
    ) -> tuple[npt.NDArray[np.int64], tuple[Fact, ...]]:
        """Return which of the known rows a model learns from, and that they are not all."""
        most = most_learned(kind, before)
        if len(rows) <= most:
            return np.arange(len(rows)), ()
        in_order = np.argsort(np.asarray(self.trials)[rows], kind="stable")
        known = rows[in_order]
        cost = np.where(np.asarray(self.feasible)[known], self.cost[known], np.inf)
        some = learned_rows(self.space, self.X[known], cost, most, seed=seed)
        return np.sort(in_order[some]), (
            fact("learned_from_some", **which_of(len(rows), most, seed=seed)),
        )

    def _too_few(self, rows: npt.NDArray[np.int64], before: int | None) -> Fact:
        """Return that too few trials count, and the fidelities at which there are more."""
        known = np.asarray(self.trials)[rows]
        others = [why for why in self.excluded.values() if why.kind == "another_fidelity"]
        levels = [why["value"] for why in others if why["value"] is not None]
        several = sorted({level for level in levels if levels.count(level) > 1}, reverse=True)
        if before is not None or not several:
            return fact("too_few_trials", trials=known, before=before)
        return fact(
            "too_few_at_level",
            trials=known,
            names=others[0].names,
            levels=tuple(several),
            counts=tuple(levels.count(level) for level in several),
        )

    def explained_by(self, model: Any) -> Run:
        """Return the run with a model of the user's as its surrogate of all trials.

        Every explanation of the run is then one of this model. What was known before a trial is
        still what a surrogate learns from the trials finished by then.

        Parameters
        ----------
        model : Surrogate or object
            A surrogate, a fitted regressor of scikit-learn, or any object with ``predict``, as in
            :func:`hpo_explain.models.as_surrogate`.

        Raises
        ------
        InputError
            If it is no model, was not fitted, is of another space, or cannot predict its rows.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> run = Run(space, [[0.2], [0.7], [0.4]], [3.0, 1.0, 2.0], "minimize")
        >>> own = LinearRegression().fit(run.X, run.objective)
        >>> run.explained_by(own).surrogate().label
        'your LinearRegression'
        """
        return replace(self, model=as_surrogate(model, self.space))

    @property
    def model_notes(self) -> tuple[Fact, ...]:
        """What has to be known of the model of :meth:`explained_by`; empty where there is none."""
        if self.model is None:
            return ()
        found: tuple[Fact, ...] = self._remembered(self._noted_model)
        return found

    def _noted_model(self) -> tuple[Fact, ...]:
        return () if self.model is None else doubts_of_model(self.model, self.X, self.objective)

    def best_predicted(self, *, seed: int = 0) -> BestPredicted:
        """Return the feasible trial whose objective ``surrogate()`` predicts to be the best.

        In a noisy run the incumbent is the luckiest trial; this one stands beside it.

        Parameters
        ----------
        seed : int, default 0
            Seed of the surrogate.

        Returns
        -------
        BestPredicted
            The trial with its predicted objective, and the incumbent's.

        Raises
        ------
        NothingToExplain
            If the run has no feasible trial, or fewer than two trials.

        Examples
        --------
        >>> import numpy as np
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> x = np.linspace(0.0, 1.0, 40)
        >>> noise = np.random.default_rng(2).normal(0.0, 0.1, 40)
        >>> run = Run(space, x[:, None], (x - 0.4) ** 2 + noise, "minimize")
        >>> found = run.best_predicted()
        >>> round(run.incumbent["x"], 1), round(found.configuration["x"], 1), found.notable
        (0.1, 0.4, True)
        """
        incumbent = self.incumbent_trial
        surrogate, at = self.surrogate(seed=seed), self.row(incumbent)
        mean, std = surrogate.predict(self.X)
        row = lowest(np.where(np.asarray(self.feasible), self._sign * mean, np.inf))
        spread = float(np.std(self.learned_cost()))
        noise = float(getattr(surrogate, "noise_std", np.nan))
        return BestPredicted(
            trial=int(np.asarray(self.trials)[row]),
            configuration=self.space.decode(self.X[[row]])[0],
            mean=float(mean[row]),
            std=float(std[row]),
            observed=float(self.objective[row]),
            incumbent_trial=incumbent,
            incumbent_mean=float(mean[at]),
            incumbent_std=float(std[at]),
            incumbent_observed=float(self.objective[at]),
            noise=noise / spread if spread > 0.0 else np.nan,
            differs=not np.array_equal(self.X[row], self.X[at], equal_nan=True),
        )

    def feasibility(self, before: int | None = None, *, seed: int = 0) -> Feasibility | None:
        """Return a classifier of the configurations that meet the constraints.

        Parameters
        ----------
        before : int, optional
            Only what was known when this trial was proposed; by default every trial.
        seed : int, default 0
            Seed of the fit.

        Returns
        -------
        Feasibility or None
            Its ``probability(X)`` is that of being feasible, (n,); None where all trials are
            feasible.

        Raises
        ------
        InputError
            If there is no such trial.

        Examples
        --------
        >>> import numpy as np
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("memory", 0.0, 10.0)])
        >>> X = np.linspace(0.0, 1.0, 21)[:, None]
        >>> run = Run(space, X, 1.0 - X[:, 0], "minimize", feasible=X[:, 0] < 0.5)
        >>> run.feasibility().probability(space.encode([{"memory": 8.0}])).round(1).tolist()
        [0.0]
        """
        fit: Feasibility | None = self._remembered(self._feasibility, before, check_seed(seed))
        return fit

    def _feasibility(self, before: int | None, seed: int) -> Feasibility | None:
        rows = self.known_before(before)
        feasible = np.asarray(self.feasible)[rows]
        if feasible.all():
            return None
        return Feasibility.fit(self.space, self.X[rows], feasible, seed=seed)

    def noise(self, before: int | None = None, kind: Kind = "auto", *, seed: int = 0) -> NoiseModel:
        """Return a model of the noise: how much results of one configuration scatter.

        It learns from configurations that were evaluated several times, as repeated trials or on
        several instances; what an instance adds for all configurations is no noise.

        Parameters
        ----------
        before : int, optional
            Only what was known when this trial was proposed; by default every trial.
        kind : {"auto", "gp", "forest"}, default "auto"
            As of :meth:`surrogate`.
        seed : int, default 0
            Seed of the fit.

        Returns
        -------
        NoiseModel
            A surrogate of the noise's standard deviation, in the objective's units.

        Raises
        ------
        NothingToExplain
            If fewer than two configurations were evaluated several times, or their results are
            the same each time.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> X = [[0.1], [0.1], [0.5], [0.5], [0.9], [0.9]]
        >>> run = Run(space, X, [1.0, 1.2, 3.0, 3.1, 2.0, 1.9], "minimize")
        >>> noise, _ = run.noise().predict([[0.3]])
        >>> noise.round(1).tolist()
        [0.1]
        """
        check_option("kind", kind, KINDS)
        fit: NoiseModel = self._remembered(self._noise, before, kind, check_seed(seed))
        return fit

    def _noise(self, before: int | None, kind: Kind, seed: int) -> NoiseModel:
        repeats = self._repeats(self.known_before(before))
        if len(repeats.df) < 2:
            raise NothingToExplain(
                fact("no_repeats", objective=self.objective_name, repeated=len(repeats.df))
            )
        if not repeats.std.any():
            raise NothingToExplain(fact("no_noise", objective=self.objective_name))
        return NoiseModel.fit(self.space, repeats, kind=kind, seed=seed)

    def _repeats(self, known: npt.NDArray[np.int64]) -> Repeats:
        """Return what repeats say: on instances, or where those say nothing, of trials."""
        instances = self.instances if self.averaged is None else self.averaged.instances
        if instances is not None:
            rows = rows_among(instances.X, self.X[known])
            found = Repeats.of(instances.X[rows], instances.index[rows], instances.objective[rows])
            if len(found.df):
                return found
        return Repeats.of(self.X[known], np.zeros(len(known), dtype=int), self.objective[known])

    def own_acquisition(self, before: int | None = None) -> OwnAcquisition | None:
        """Return the acquisition that the optimizer itself used, or None where it is unknown."""
        return None if self.record is None else self.record.acquisition(before)

    def chosen_acquisition(
        self,
        before: int | None = None,
        acquisition: Criterion | Acquisition = "auto",
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
        later = self._ranges_of_later_trials(before)
        if not isinstance(acquisition, str):
            return ChosenAcquisition(acquisition, notes=later)
        check_option("acquisition", acquisition, CRITERIA)
        own = self.own_acquisition(before) if acquisition == "auto" else None
        if own is not None:
            return ChosenAcquisition(own.acquisition, False, (*own.notes, *later))
        surrogate, known = self.surrogate(before, seed=seed), self.known_before(before)
        feasible = known[np.asarray(self.feasible)[known]]
        among = feasible if len(feasible) else known
        best = float(self.objective[among[np.argmin(self.cost[among])]])
        built = criterion_of(acquisition, surrogate, best, self.direction)
        why = None
        if acquisition == "auto" and isinstance(self.record, KnowsWhyNot):
            why = self.record.why_not(before)
        model = getattr(surrogate, "label", "a model of yours")
        names = [self.optimizer, built.label, model]
        assumed = fact("acquisition_assumed", names=names, why=why)
        return ChosenAcquisition(built, notes=(assumed, *later))

    def _ranges_of_later_trials(self, before: int | None) -> tuple[Fact, ...]:
        """Return the hyperparameters whose range was narrower before a trial, as a fact."""
        if before is None or not self.ranges_from:
            return ()
        known = {*np.asarray(self.trials)[self.known_before(before)].tolist()}
        known |= {t for t in self.excluded if t < before}
        names = [name for name, trials in self.ranges_from.items() if {*trials} - known]
        if not names:
            return ()
        return (fact("range_of_later_trials", trials=[before], names=names),)

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
