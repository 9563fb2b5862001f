"""Several objectives of the same trials: dominance, hypervolume, and runs about them together.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
c          costs, (n, m): objectives, negated where they are maximized; smaller is better
a ≺ b      a dominates b: nowhere larger, somewhere smaller
u          costs of which the front reaches from 0 to 1 in each objective
r          reference point of the hypervolume: 1.1 in each, in units of u
=========  ============================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_explain.base import (
    InputError,
    NothingToExplain,
    Option,
    check_name,
    check_number,
    fact,
    join_names,
    shorten,
)
from hpo_explain.run.record import NO_FEASIBLE_TRIAL
from hpo_explain.run.run import Run
from hpo_explain.run.subsets import some_rows
from hpo_explain.run.targets import about, measured
from hpo_explain.space import Array, Bools, Ints

REFERENCE = 1.1
"""Where hypervolumes end: beyond the worst of the front by a tenth of its range."""
_FARTHEST = 1e150  # of the front's extent


def by_objective(runs: Iterable[Run]) -> dict[str, Run]:
    """Return runs by the name of their objective; names are numbered where two are the same."""
    in_order = [*runs]
    names = [run.objective_name for run in in_order]
    if len(set(names)) < len(names):
        names = [f"{name} {i}" for i, name in enumerate(names)]
    return dict(zip(names, in_order, strict=True))


@dataclass(frozen=True, eq=False)
class Objectives:
    """Several objectives of the same trials.

    Attributes
    ----------
    runs : mapping of str to Run
        A run for each objective by its name, all with the same m trials.
    left_out : tuple of int
        Trials that not all objectives have.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = [[0.1], [0.5], [0.9], [0.7]]
    >>> loss = hx.Run(space, X, [4.0, 2.0, 1.0, 3.0], "minimize", objective_name="loss")
    >>> speed = hx.Run(space, X, [9.0, 8.0, 2.0, 7.0], "maximize", objective_name="speed")
    >>> both = Objectives.of({"loss": loss, "speed": speed})
    >>> both.trials[both.front].tolist(), both.ranks.tolist()
    ([2, 1, 0], [1, 1, 1, 2])
    """

    runs: Mapping[str, Run]
    left_out: tuple[int, ...] = ()

    @classmethod
    def of(cls, runs: Mapping[str, Run]) -> Objectives:
        """Return the objectives of runs; of a single one it and its duration.

        Raises
        ------
        NothingToExplain
            If there is one objective and no duration, or they have fewer than two trials together.
        InputError
            If the runs have other search spaces, or other configurations for the same trials.
        """
        runs = dict(runs)
        first = next(iter(runs.values()))
        if len(runs) == 1:
            durations = first.durations
            if not np.isfinite(durations).any():
                raise NothingToExplain(
                    fact(
                        f"there is one objective, {shorten(first.objective_name, 200)}, and it is "
                        "not recorded how long trials took, which would be another. Give a study "
                        "with several objectives, a dict of runs by objective, or for a table the "
                        "column of durations with ",
                        Option("duration"),
                        ".",
                    )
                )
            timed = measured(first, "duration")
            runs[timed.objective_name] = timed
        remedy = "Give objectives of the same trials."
        for name, run in runs.items():
            if run.space.parameters != first.space.parameters:
                problem = f"have different search spaces: that of {name!r} is another one"
                raise InputError("objectives", problem, name, remedy)
        trials = [{*run.trials.tolist()} for run in runs.values()]
        common = sorted(set.intersection(*trials))
        if len(common) < 2:
            together = f"{join_names([*runs])} have fewer than two finished trials together"
            raise NothingToExplain(fact(together))
        runs = {name: _in_order(run, common) for name, run in runs.items()}
        X = next(iter(runs.values())).X
        for name, run in runs.items():
            if not np.allclose(run.X, X, equal_nan=True):
                problem = f"are of other trials: {name!r} has other configurations"
                raise InputError("objectives", problem, name, remedy)
        return cls(runs, tuple(sorted(set.union(*trials) - {*common})))

    # ------------------------------------------------------------------ the trials

    @property
    def names(self) -> tuple[str, ...]:
        """What the m objectives are called."""
        return tuple(self.runs)

    @property
    def first(self) -> Run:
        """The run of the first objective."""
        return next(iter(self.runs.values()))

    @property
    def trials(self) -> Ints:
        """The numbers of the trials, (n,)."""
        return self.first.trials

    @cached_property
    def values(self) -> Array:
        """The objectives in the user's units, (n, m)."""
        return np.column_stack([run.objective for run in self.runs.values()])

    @cached_property
    def costs(self) -> Array:
        """The objectives, negated where they are maximized, (n, m)."""
        return np.column_stack([run.cost for run in self.runs.values()])

    @cached_property
    def feasible(self) -> Bools:
        """Which trials meet the constraints, (n,)."""
        every = [run.feasible for run in self.runs.values()]
        return np.all(every, axis=0)

    # ------------------------------------------------------------------ dominance

    @cached_property
    def ranks(self) -> Ints:
        """The Pareto rank of each trial, (n,): 1 for the front, 2 for the front without it, ...

        Infeasible trials come after all feasible ones.
        """
        ranks = np.zeros(len(self.costs), dtype=np.int64)
        for group in (self.feasible, ~self.feasible):
            ranks[group] = ranks.max(initial=0) + pareto_ranks(self.costs[group])
        return ranks

    @cached_property
    def front(self) -> Ints:
        """Rows of the Pareto front, the best of the first objective first.

        Of trials with the same objectives it has the first.

        Raises
        ------
        NothingToExplain
            If no trial is feasible.
        """
        if not self.feasible.any():
            raise NothingToExplain(NO_FEASIBLE_TRIAL)
        rows = np.flatnonzero(self.feasible & (self.ranks == 1))
        _, once = np.unique(self.costs[rows], axis=0, return_index=True)
        return rows[once]  # unique sorts by the first objective

    # ------------------------------------------------------------------ hypervolume

    @cached_property
    def scaled(self) -> Array:
        """Costs of which the front reaches from 0 to 1 in each objective, (n, m).

        What lies 1e150 times as far beyond the front counts as that: a quotient may be larger than
        any number.
        """
        low, spread = self.half_box
        farthest = np.where(spread < _FARTHEST, np.minimum(spread, _FARTHEST) * _FARTHEST, np.inf)
        return np.minimum(self.costs / 2.0 - low, farthest) / spread

    @cached_property
    def half_box(self) -> tuple[Array, Array]:
        """Half the least costs of the front and half its range in each objective, (m,) each.

        Differences of numbers of different signs may be larger than any number, those of halves
        are not.
        """
        halves = self.costs / 2.0
        front = halves[self.front]
        low = front.min(axis=0)
        high = front.max(axis=0)
        spread = np.where(high > low, high - low, np.ptp(halves, axis=0))
        return low, np.where(spread > 0.0, spread, 1.0)

    @cached_property
    def hypervolume_contribution(self) -> Array:
        """What each trial adds to the hypervolume of the front, (n,).

        In units of the box that the front spans. Of trials that are dominated it is negative: how
        much all objectives would have to improve at once to join the front.
        """
        front = self.scaled[self.front]
        behind = (self.scaled[:, None, :] - front).min(axis=2).max(axis=1)
        contributions = np.minimum(-behind, 0.0)
        contributions[self.front] = hypervolume_contributions(
            front, np.full(front.shape[1], REFERENCE)
        )
        return np.asarray(contributions)

    # ------------------------------------------------------------------ all objectives in one

    def normalized(self) -> Array:
        """Costs from 0 to 1 in each objective, diverged ones as they count for fitting, (n, m)."""
        learned = self._learned
        return (learned - learned.min(axis=0)) / self.spreads

    @property
    def spreads(self) -> Array:
        """The range of the costs of each objective, as they count for fitting; 1 of none, (m,)."""
        spread = np.ptp(self._learned, axis=0)
        return np.where(spread > 0.0, spread, 1.0)

    @property
    def _learned(self) -> Array:
        return np.column_stack([run.learned_cost() for run in self.runs.values()])

    def run(self, target: Mapping[str, float]) -> Run:
        """Return a run about the weighted sum of the normalized objectives.

        Parameters
        ----------
        target : mapping of str to float
            The weights, of which those left out are 0.

        Raises
        ------
        InputError
            If a weight is negative, all are 0, or there is no such objective.
        """
        weights = self.weights(target)
        shown = ", ".join(
            f"{weight:.2g} {name}" for name, weight in zip(self.names, weights, strict=True)
        )
        values = self.normalized() @ weights
        name = f"weighted sum ({shown})"
        rows = np.arange(len(values))
        return about(self.first, rows, values, name, "joined", feasible=self.feasible)

    def weights(self, by_name: Mapping[str, float], argument: str = "target") -> Array:
        """Return the weights of the objectives, which add up to 1, (m,); 0 of those left out."""
        given = {**by_name} if isinstance(by_name, Mapping) else {}
        for name in given:
            check_name(argument, name, self.names, "objective")
        weights = np.array([check_number(argument, given.get(name, 0.0)) for name in self.names])
        if (weights < 0.0).any() or not weights.any():
            problem = f"must hold weights of objectives, none negative, but was {by_name!r}"
            remedy = f"The objectives are: {', '.join(self.names)}."
            raise InputError(argument, problem, by_name, remedy)
        return weights / weights.sum()


def pareto_ranks(costs: Array) -> Ints:
    """Return the Pareto rank of each row: 1 for the front, 2 for the front without it, ...

    Parameters
    ----------
    costs : ndarray of shape (..., n, m)
        The costs of n rows, or several times the costs of n rows.

    Examples
    --------
    >>> pareto_ranks(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [3.0, 3.0]])).tolist()
    [1, 1, 2, 3]
    """
    # in this order whatever dominates a row stands before it, as do its equals: next to it
    by_objective = np.moveaxis(costs, -1, 0)
    order = np.lexsort(by_objective[::-1])
    ordered = np.take_along_axis(by_objective, order[None], axis=-1)
    first, *others = ordered
    equal = (ordered[..., 1:] == ordered[..., :-1]).all(axis=0)
    ranks = np.ones(order.shape, dtype=np.int64)
    for i in range(1, len(first.T)):
        dominates = np.ones_like(first[..., :i], dtype=bool)
        for column in others:
            dominates &= column[..., :i] <= column[..., i, None]
        rank = 1 + (ranks[..., :i] * dominates).max(axis=-1)
        ranks[..., i] = np.where(equal[..., i - 1], ranks[..., i - 1], rank)
    listed = np.empty_like(ranks)
    np.put_along_axis(listed, order, ranks, axis=-1)
    return listed


def hypervolume(costs: Array, reference: Array) -> float:
    """Return the volume that rows of costs (f, m) dominate up to a reference point (m,).

    Sliced along the last objective, one dimension after the other.

    References
    ----------
    .. [1] While, L., Hingston, P., Barone, L. and Huband, S. (2006). A faster algorithm for
       calculating hypervolume. IEEE Trans. Evol. Comput. 10 (1), 29-38 (slicing objectives).

    Examples
    --------
    >>> import numpy as np
    >>> hypervolume(np.array([[0.0, 0.5], [0.5, 0.0]]), np.ones(2))
    0.75
    """
    inside = costs[(costs < reference).all(axis=1)]
    if not len(inside):
        return 0.0
    if inside.shape[1] == 1:
        return float(reference[0] - inside.min())
    ordered = inside[np.argsort(inside[:, -1], kind="stable")]
    depths = np.diff(ordered[:, -1], append=reference[-1])
    volume = 0.0
    for i in np.flatnonzero(depths > 0.0):
        area = hypervolume(ordered[: i + 1, :-1], reference[:-1])
        volume += float(depths[i]) * area
    return volume


def hypervolume_contributions(front: Array, reference: Array) -> Array:
    """Return what each row of a front (f, m) adds to its hypervolume, (f,)."""
    whole = hypervolume(front, reference)
    return np.array(
        [whole - hypervolume(np.delete(front, i, axis=0), reference) for i in range(len(front))]
    )


def _in_order(run: Run, trials: list[int]) -> Run:
    """Return a run with some of its trials, in this order."""
    if run.trials.tolist() == trials:
        return run
    return some_rows(run, np.array([run.row(trial) for trial in trials]))


def joined(runs: Mapping[str, Run]) -> Objectives | None:
    """Return several objectives, if the runs are of the same trials."""
    if len(runs) < 2:
        return None
    try:
        return Objectives.of(runs)
    except (InputError, NothingToExplain):
        return None
