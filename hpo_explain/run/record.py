"""The record of an optimization run: what was tried, what came of it, and what was known when."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hpo_explain.base import (
    Direction,
    Fact,
    Frozen,
    InputError,
    Measured,
    NothingToExplain,
    Option,
    Origin,
    as_facts,
    check_direction,
    counted_trials,
    fact,
    format_value,
    set_fields,
    shorten,
    sign_of,
    spans,
)
from hpo_explain.base.facts import as_fact
from hpo_explain.base.latest import Latest
from hpo_explain.models import Surrogate
from hpo_explain.run._validation import (
    check_epsilon,
    checked_bounds,
    checked_column,
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
    is_before,
    ran_at_once,
)
from hpo_explain.run.acquisitions import OptimizerRecord
from hpo_explain.run.clocks import clock_difference
from hpo_explain.run.curves import Curves
from hpo_explain.run.diverged import (
    LARGEST,
    converged,
    diverged_above,
    same_cost,
    space_filling_part,
    winsorized,
)
from hpo_explain.run.instances import Instances
from hpo_explain.run.metrics import bounds_of, range_in_words
from hpo_explain.run.without_result import UNDER_WAY, Reviewed, WithoutResult
from hpo_explain.space import Array, Bools, Config, Ints, SearchSpace

_OWN = ("bounds_by_name", "instances_missing")
"""Kinds of notes that a run makes anew of what it holds."""
_BEST_LEFT_OUT = "best_outside_range"  # the kind of an adapter's note
NO_FEASIBLE_TRIAL = fact(
    "run has no finished feasible trial, so there is no incumbent. Run more trials, or read "
    "infeasible ones as well."
)


def _times() -> Array:
    return np.empty(0)


@dataclass(frozen=True, eq=False, repr=False)
class Record(Frozen):
    """The finished trials of an optimization run, as :class:`Run` describes them."""

    space: SearchSpace
    X: Array
    objective: Array
    direction: Direction
    trials: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    proposals: Sequence[int] | None = None
    origins: Mapping[int, Origin] = field(default_factory=dict)
    excluded: Mapping[int, Fact] = field(default_factory=dict)
    notes: Sequence[Fact] = ()
    started: Array = field(default_factory=_times)
    finished: Array = field(default_factory=_times)
    durations: Array = field(default_factory=_times)
    excluded_times: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    without_result: Mapping[int, WithoutResult] = field(default_factory=dict)
    reviewed: Mapping[int, Reviewed] = field(default_factory=dict)
    feasible: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))
    objective_name: str = "objective"
    name: str = ""
    optimizer: str = "the optimizer"
    framework: str = ""
    record: OptimizerRecord | None = None
    instances: Instances | None = None
    curves: Curves | None = None
    ranges_from: Mapping[str, Sequence[int]] = field(default_factory=dict)
    measured: Measured | Literal["joined"] | None = None
    model: Surrogate | None = None
    bounds: tuple[float, float] | None = None
    epsilon: float | None = None
    default: Config | None = None
    attributes: Mapping[str, Array] = field(default_factory=dict)
    # one for every trial would fill the memory: n² numbers each
    _fits: Latest = field(default_factory=lambda: Latest(8), init=False, repr=False)

    def __post_init__(self) -> None:
        check_direction(self.direction)
        check_epsilon(self.epsilon)
        X, objective = checked_rows(self.space, self.X, self.objective)
        n = len(X)
        bounds = checked_bounds(self.bounds, objective, self.objective_name)
        if self.instances is not None:
            self.space.check_rows("X of instances", self.instances.X)
            objective = self.instances.averaged(X, objective, bounds)
        numbers = checked_numbers(self.trials, n)
        started = checked_times("started", self.started, n)
        finished = checked_times("finished", self.finished, n)
        excluded = {int(t): as_fact(why) for t, why in self.excluded.items()}
        set_fields(
            self,
            space=self.space.in_order_of(X, sign_of(self.direction) * objective),
            X=X,
            objective=objective,
            trials=numbers,
            proposals=checked_proposals(self.proposals, numbers),
            feasible=checked_feasible(self.feasible, n),
            started=started,
            finished=finished,
            durations=checked_durations(self.durations, started, finished),
            origins=checked_origins(self.origins),
            excluded=excluded,
            excluded_times=checked_excluded_times(self.excluded_times, excluded),
            without_result=checked_without_result(
                self.space, self.without_result, numbers.tolist(), self.curves
            ),
            reviewed=checked_reviewed(self.space, self.reviewed),
            bounds=bounds,
            attributes={
                name: checked_column(f"attributes[{name!r}]", np.array(values, dtype=float), n)
                for name, values in self.attributes.items()
            },
        )
        if self.curves is not None:
            self.space.check_rows("X of curves", self.curves.X)
        # a run made from another one brings its notes along
        others = [note for note in as_facts(self.notes) if note.kind not in _OWN]
        set_fields(self, notes=as_facts([*others, *self._own_notes()]))

    def _own_notes(self) -> list[Fact]:
        if not len(self.X):
            return []
        notes = []
        numbers = self.trials
        bound = self.diverged_above()
        learned = winsorized(self.cost, bound)
        if (self.cost > bound).any():
            clause = self._counts_as(numbers[self.cost > bound], bound)
            does = "it does" if (self.cost > bound).sum() == 1 else "they do"
            notes.append(
                fact(
                    f"diverged: {clause}, so that {does} not decide what a surrogate learns",
                    kind="diverged",
                    trials=numbers[self.cost > bound],
                )
            )
        beyond = self.cost < learned
        if beyond.any():
            clause = self._counts_as(numbers[beyond], float(learned[beyond][0]))
            text = f"clipped: {clause}, to avoid overflow"
            notes.append(fact(text, kind="overflow_clipped", trials=numbers[beyond]))
        if self._clock_difference:
            hours = format_value(self._clock_difference / 3600.0)
            notes.append(
                fact(
                    f"clocks: recorded times jump back by {hours} h against the order of the "
                    "trials, as clocks of several zones or a clock that was changed do; what was "
                    "known before a trial is decided by trial numbers",
                    kind="clocks_differ",
                )
            )
        elif ran_at_once(*self.clock()[1:]):
            notes.append(
                fact(
                    "parallel: trials ran at the same time; a proposal is explained with the "
                    "trials that had finished when it started"
                )
            )
        missing = self._missing_instances()
        if len(missing):
            notes.append(
                fact(
                    f"instances: not evaluated on all of them: {counted_trials(missing)}; their "
                    "mean is adjusted for the levels of the missing ones",
                    kind="instances_missing",
                    trials=missing,
                    role="check",
                )
            )
        bounds = bounds_of(self.objective_name, self.objective)
        if bounds is not None and self.bounds == bounds:
            notes.append(
                fact(
                    f"bounds: {shorten(self.objective_name, 200)} {range_in_words(*bounds)}, as "
                    "its name says, and predictions stay within; ",
                    Option("bounds"),
                    " changes it",
                    kind="bounds_by_name",
                )
            )
        return notes

    def _counts_as(self, trials: Ints, cost: float) -> str:
        """Return what is said of trials that count as something else for fitting."""
        which = f"the {shorten(self.objective_name, 200)} of {counted_trials(trials)}"
        return f"for fitting, {which} counts as {self.sign * cost:.6g}"

    def _missing_instances(self) -> Ints:
        """Return the trials that were evaluated on some instances, where these can be compared."""
        if self.instances is None or not self.instances.levels.any():
            return np.zeros(0, dtype=np.int64)
        averages, complete = self.instances.averages(self.X)
        return self.trials[~complete & ~np.isnan(averages)]

    # ------------------------------------------------------------------ reading

    @property
    def sign(self) -> float:
        """1 where the objective is minimized, else -1."""
        return sign_of(self.direction)

    def __len__(self) -> int:
        return len(self.X)

    @property
    def cost(self) -> Array:
        """The objective, negated where it is maximized: smaller is better. Shape (n,)."""
        return self.sign * self.objective

    @property
    def incumbent_trial(self) -> int:
        """The number of the best feasible trial (the first of several).

        Raises
        ------
        NothingToExplain
            If the run has no feasible trial.
        """
        feasible = np.flatnonzero(self.feasible)
        if not len(feasible):
            raise NothingToExplain(NO_FEASIBLE_TRIAL)
        return int(self.trials[feasible[np.argmin(self.cost[feasible])]])

    @property
    def best_left_out(self) -> tuple[Fact, ...]:
        """The note that a better trial was left out, as it is outside the space; or none."""
        return tuple(n for n in self.notes if n.kind == _BEST_LEFT_OUT)

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
        >>> from hpo_explain import FloatParameter, Run, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> Run(space, [[0.2], [0.7], [0.4]], [1.0, 3.0, 1.0], "minimize").tied
        (0, 2)
        """
        first = self.incumbent_trial
        same = same_cost(self.objective, float(self.objective[self.row(first)]), self.cost)
        numbers = self.trials[same & self.feasible]
        return (first, *(int(t) for t in numbers if t != first))

    @property
    def has_sentinels(self) -> bool:
        """Whether trials are left out whose result was a number that stands for a failure."""
        return any(why.kind == "sentinel" for why in self.excluded.values())

    def later_trials(self, trial: int) -> tuple[int, ...]:
        """Return the numbers of the trials that ended after a trial, those left out included.

        By number; those that still run or wait have not ended.
        """
        ended = [t for t, why in self.excluded.items() if why.kind not in UNDER_WAY]
        numbers = sorted([*self.trials.tolist(), *ended])
        return tuple(t for t in numbers if t > trial)

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
            remedy = "Name at least one finished trial."
            raise InputError("trials", "is empty", trials, remedy)
        rows = np.array([self.row(trial) for trial in sorted(trials)])
        infeasible = ~self.feasible[rows]
        best = np.lexsort((self.cost[rows], infeasible))[0]
        return int(self.trials[rows[best]])

    @property
    def incumbent(self) -> dict[str, Any]:
        """The best feasible configuration, in the user's units."""
        return self.config(self.incumbent_trial)

    def check_differences(self) -> None:
        """Raise NothingToExplain where the objective of all trials is the same."""
        if len(self) >= 2 and np.ptp(self.objective) == 0.0:
            value = float(self.objective[0])
            raise NothingToExplain(
                fact(
                    f"the {shorten(self.objective_name, 200)} is constant ({value:.6g} in all "
                    f"{len(self)} trials): no hyperparameter made a difference"
                )
            )

    def row(self, trial: int) -> int:
        """Return the row of a trial in `X`.

        Raises
        ------
        InputError
            If the trial does not exist, or was left out; the text says why.
        """
        if isinstance(trial, bool) or not isinstance(trial, (int, np.integer)):
            problem = f"must be the number of a trial, but was {trial!r}"
            remedy = f"Finished trials: {spans(self.trials)}."
            raise InputError("trial", problem, trial, remedy)
        row = self._rows.get(int(trial))
        if row is not None:
            return row
        finished = spans(self.trials)
        if trial in self.excluded:
            left_out = (f"{trial} was left out: ", self.excluded[trial])
            remedy = f"Choose a finished one: {finished}."
            raise InputError("trial", left_out, trial, remedy)
        problem = f"{trial} does not exist"
        remedy = f"Finished trials: {finished}."
        raise InputError("trial", problem, trial, remedy)

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {number: row for row, number in enumerate(self.trials.tolist())}

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
        >>> from hpo_explain import FloatParameter, Run, SearchSpace
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
        is_number = isinstance(trial, (int, np.integer))
        if is_number and trial in self.without_result:
            return self.space.decode(self.without_result[trial].x[None, :])[0]
        return self.space.decode(self.X[[self.row(trial)]])[0]

    # ------------------------------------------------------------------ what was known when

    def clock(self) -> tuple[Ints, Array, Array]:
        """Return numbers, starts and finishes of all trials, those left out included.

        In seconds; NaN where a time is not known, and of running trials not finite.
        """
        others = np.array([*self.excluded_times.values()]).reshape(-1, 2)
        numbers = [*self.trials, *self.excluded_times]
        return (
            np.array(numbers, dtype=np.int64),
            np.append(self.started, others[:, 0]),
            np.append(self.finished, others[:, 1]),
        )

    @property
    def is_timed(self) -> bool:
        """Whether it is known of any trial when it started and finished."""
        _, started, finished = self.clock()
        return bool((np.isfinite(started) & np.isfinite(finished)).any())

    def _start(self, trial: int) -> float:
        """Return when a trial started: infinity for the next one.

        NaN where it is not known, or where clocks differ: such times are not compared.
        """
        if self._clock_difference and trial != self._next:
            if trial not in self.excluded and trial not in self.without_result:
                self.row(trial)
            return np.nan
        if trial in self.excluded:
            return self.excluded_times.get(trial, (np.nan, np.nan))[0]
        if trial in self.without_result:
            return np.nan
        if trial == self._next:
            return np.inf
        return float(self.started[self.row(trial)])

    @cached_property
    def _next(self) -> int:
        return max([*self.excluded, int(np.max(self.trials, initial=-1))]) + 1

    @cached_property
    def _clock_difference(self) -> float:
        return clock_difference(*self.clock())

    def known_before(self, before: int | None) -> Ints:
        """Return the rows of the trials that were finished when trial `before` was proposed.

        By time where both trials have times by the same clock, else by number; all rows where
        `before` is None.

        Raises
        ------
        InputError
            If there is no such trial.
        """
        rows = np.arange(len(self))
        return rows if before is None else rows[self.knew(before, rows)]

    def knew(self, before: int, rows: Ints) -> Bools:
        """Return which of some rows are among those of `known_before`, of the rows' shape.

        Raises
        ------
        InputError
            If there is no such trial.
        """
        return self._ended_before(before, self.trials[rows], self.finished[rows])

    def ended_before(self, before: int | None) -> tuple[int, ...]:
        """Return the trials left out that had ended when a trial was proposed.

        By the rule of `known_before`; without `before`, all but those that run or wait.

        Raises
        ------
        InputError
            If there is no such trial.
        """
        under_way = {*self.pending}
        under_way |= {t for t, why in self.excluded.items() if why.kind in UNDER_WAY}
        ended = sorted({*self.excluded, *self.without_result} - under_way)
        if before is None:
            return tuple(ended)
        numbers = np.array(ended, dtype=np.int64)
        finished = np.array([self.excluded_times.get(t, (np.nan, np.nan))[1] for t in ended])
        return tuple(numbers[self._ended_before(before, numbers, finished)].tolist())

    def _ended_before(self, before: int, numbers: Ints, finished: Array) -> Bools:
        """Return which trials had finished when another one started, by time where it is known."""
        start = self._start(before)
        timed = ~np.isnan(finished) & ~np.isnan(start)
        by_time = is_before(finished, numbers, start, before)
        return np.where(timed, by_time, numbers < before)

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
        >>> from hpo_explain import FloatParameter, Run, SearchSpace
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
        numbers, started, finished = self.clock()
        start = np.inf if trial is None else self._start(trial)
        number = 0 if trial is None else trial
        had_started = is_before(started, numbers, start, number)
        had_ended = is_before(finished, numbers, start, number)
        had_ended &= np.isfinite(finished)
        running = had_started & ~had_ended & ~np.isnan(finished)
        return tuple(sorted(numbers[running].tolist()))

    def diverged_above(self, before: int | None = None) -> float:
        """Return the cost above which trials count as diverged; for fitting they count as that.

        It is judged against the space-filling part of the run: the trials that no model chose, or
        where they are few, those furthest apart. Where it is not known who chose trials, a model
        may have, and what looks as a run that converged is taken for one.

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
        >>> from hpo_explain import FloatParameter, Run, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> X = [[0.1], [0.3], [0.4], [0.6], [0.7], [0.9]]
        >>> run = Run(space, X, [0.1, 0.2, 1e6, 0.4, 0.3, 0.5], "minimize")
        >>> run.diverged_above(), run.diverged_above(before=2)
        (0.9, inf)
        """
        rows = self.known_before(before)
        order = np.argsort(self.trials[rows], kind="stable")
        rows = rows[order]
        cost = self.known_cost(before)[order]
        unknown = self._is_by(Origin.UNKNOWN)[rows]
        by_model = self._is_by(Origin.MODEL)[rows] | unknown
        part = space_filling_part(self.space, self.X[rows], by_model)
        bound = diverged_above(cost, part)
        if unknown[cost > bound].any() and converged(cost, bound):
            return LARGEST if (cost > LARGEST).any() else math.inf
        return bound

    def _is_by(self, origin: Origin) -> Bools:
        """Return which finished trials have an origin, by what `origins` and `proposals` say."""
        origins = dict.fromkeys(self._proposed, Origin.MODEL)
        origins.update(self.origins)
        trials = [t for t, one in origins.items() if one is origin]
        return np.isin(self.trials, trials)

    def known_cost(self, before: int | None = None) -> Array:
        """Return the cost of the known trials, in the order of :meth:`known_before`.

        Averages over instances allow for those levels only that were known by then.
        """
        rows = self.known_before(before)
        if before is None or self.instances is None:
            return self.cost[rows]
        X = self.X[rows]
        by_then = self.instances.of(X)
        return self.sign * by_then.averaged(X, self.objective[rows], self.bounds)

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
        return winsorized(self.known_cost(before), self.diverged_above(before))
