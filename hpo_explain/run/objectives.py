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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeGuard

import numpy as np

from hpo_explain.base.checks import check_number
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.options import JOINED
from hpo_explain.base.text import declared_fact
from hpo_explain.run.record import NO_FEASIBLE_TRIAL
from hpo_explain.run.run import Run
from hpo_explain.run.subsets import some_rows
from hpo_explain.run.targets import about, measured
from hpo_explain.space import Array, Bools, Ints

REFERENCE = 1.1
"""Where hypervolumes end: beyond the worst of the front by a tenth of its range."""
_FARTHEST = 1e150  # of the front's extent


_one_objective = declared_fact(
    "one_objective",
    "there is one objective, {names}, and it is not recorded how long trials took, which would be "
    "another. Give a study with several objectives, a dict of runs by objective, or for a table "
    "the column of durations with {duration=}.",
)
_no_common_trials = declared_fact(
    "no_common_trials", "{names} have fewer than two finished trials together"
)


def is_joined(
    target: object,
) -> TypeGuard[Literal["pareto_rank", "hypervolume"] | Mapping[str, float]]:
    """Say whether a target is one of several objectives together: a name, or their weights."""
    return isinstance(target, Mapping) or (
        isinstance(target, str) and target in JOINED
    )


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
        given = dict(runs)
        first = next(iter(given.values()))
        if len(given) == 1:
            if (
                first.durations is None
                or not np.isfinite(first.durations).any()
            ):
                raise NothingToExplain(
                    _one_objective(names=[first.objective_name])
                )
            timed = measured(first, "duration")
            given[timed.objective_name] = timed
        for name, run in given.items():
            if run.space.parameters != first.space.parameters:
                problem = f"have different search spaces: that of {name!r} is another one"
                raise InputError(
                    "objectives",
                    problem,
                    name,
                    "Give objectives of the same trials.",
                )
        trials = [{*np.asarray(run.trials).tolist()} for run in given.values()]
        common = sorted(set.intersection(*trials))
        if len(common) < 2:
            raise NothingToExplain(_no_common_trials(names=[*given]))
        kept = {name: _some(run, common) for name, run in given.items()}
        for name, run in kept.items():
            if not np.allclose(
                run.X, kept[next(iter(kept))].X, equal_nan=True
            ):
                problem = (
                    f"are of other trials: {name!r} has other configurations"
                )
                raise InputError(
                    "objectives",
                    problem,
                    name,
                    "Give objectives of the same trials.",
                )
        return cls(kept, tuple(sorted(set.union(*trials) - {*common})))

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
        return np.asarray(self.first.trials)

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
        every = [np.asarray(run.feasible) for run in self.runs.values()]
        return np.asarray(np.all(every, axis=0))

    # ------------------------------------------------------------------ dominance

    @cached_property
    def ranks(self) -> Ints:
        """The Pareto rank of each trial, (n,): 1 for the front, 2 for the front without it, ...

        Infeasible trials come after all feasible ones.
        """
        found = np.zeros(len(self.costs), dtype=np.int64)
        for group in (self.feasible, ~self.feasible):
            found[group] = found.max(initial=0) + pareto_ranks(
                self.costs[group]
            )
        return found

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
            raise NothingToExplain(NO_FEASIBLE_TRIAL())
        rows = np.flatnonzero(self.feasible & (self.ranks == 1))
        _, once = np.unique(self.costs[rows], axis=0, return_index=True)
        return np.asarray(rows[once])  # unique sorts by the first objective

    # ------------------------------------------------------------------ hypervolume

    @cached_property
    def scaled(self) -> Array:
        """Costs of which the front reaches from 0 to 1 in each objective, (n, m).

        What lies 1e150 times as far beyond the front counts as that: a quotient may be larger than
        any number.
        """
        halves = (
            self.costs / 2.0
        )  # differences of numbers of different signs may be, too
        front = halves[self.front]
        low, high = front.min(axis=0), front.max(axis=0)
        spread = np.where(high > low, high - low, np.ptp(halves, axis=0))
        spread = np.where(spread > 0.0, spread, 1.0)
        farthest = np.where(
            spread < _FARTHEST,
            np.minimum(spread, _FARTHEST) * _FARTHEST,
            np.inf,
        )
        return np.asarray(np.minimum(halves - low, farthest) / spread)

    @cached_property
    def hypervolume_contribution(self) -> Array:
        """What each trial adds to the hypervolume of the front, (n,).

        In units of the box that the front spans. Of trials that are dominated it is negative: how
        much all objectives would have to improve at once to join the front.
        """
        front = self.scaled[self.front]
        found = -np.max(
            np.min(self.scaled[:, None, :] - front[None, :, :], axis=2), axis=1
        )
        found = np.minimum(found, 0.0)
        found[self.front] = hypervolume_contributions(
            front, np.full(front.shape[1], REFERENCE)
        )
        return np.asarray(found)

    # ------------------------------------------------------------------ all objectives in one

    def normalized(self) -> Array:
        """Costs from 0 to 1 in each objective, diverged ones as they count for fitting, (n, m)."""
        learned = np.column_stack(
            [run.learned_cost() for run in self.runs.values()]
        )
        low, spread = learned.min(axis=0), np.ptp(learned, axis=0)
        return np.asarray(
            (learned - low) / np.where(spread > 0.0, spread, 1.0)
        )

    def run(self, target: str | Mapping[str, float]) -> Run:
        """Return a run about all objectives together.

        Parameters
        ----------
        target : {"pareto_rank", "hypervolume"} or mapping of str to float
            The Pareto rank of a trial, its contribution to the hypervolume, or the sum of the
            normalized objectives with these weights, of which those left out are 0.

        Raises
        ------
        InputError
            If a weight is negative, all are 0, or there is no such objective.
        """
        if isinstance(target, Mapping):
            weights = self._weights(target)
            shown = ", ".join(
                f"{weight:.2g} {name}"
                for name, weight in zip(self.names, weights, strict=True)
            )
            values, name = (
                self.normalized() @ weights,
                f"weighted sum ({shown})",
            )
        elif target == "pareto_rank":
            values, name = self.ranks.astype(float), "Pareto rank"
        else:
            # a surrogate minimizes costs: what is added counts as a gain
            values, name = (
                self.hypervolume_contribution,
                "hypervolume contribution",
            )
        joined = about(
            self.first,
            np.arange(len(values)),
            values,
            name,
            "joined",
            feasible=self.feasible,
        )
        return (
            joined
            if target != "hypervolume"
            else replace(joined, direction="maximize")
        )

    def _weights(self, given: Mapping[str, float]) -> Array:
        unknown = [name for name in given if name not in self.names]
        weights = np.array(
            [
                check_number("target", given.get(name, 0.0))
                for name in self.names
            ]
        )
        if unknown or (weights < 0.0).any() or not weights.any():
            raise InputError(
                "target",
                f"must hold weights of objectives, none negative, but was {dict(given)!r}",
                dict(given),
                f"The objectives are: {', '.join(self.names)}.",
            )
        return np.asarray(weights / weights.sum())


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
    each = np.moveaxis(costs, -1, 0)
    order = np.lexsort(each[::-1])
    rows = np.take_along_axis(each, order[None], axis=-1)
    equal = (rows[..., 1:] == rows[..., :-1]).all(axis=0)
    ranks = np.ones(order.shape, dtype=np.int64)
    for i in range(1, order.shape[-1]):
        dominates = (rows[1:, ..., :i] <= rows[1:, ..., i : i + 1]).all(axis=0)
        rank = 1 + (ranks[..., :i] * dominates).max(axis=-1)
        ranks[..., i] = np.where(equal[..., i - 1], ranks[..., i - 1], rank)
    found = np.empty_like(ranks)
    np.put_along_axis(found, order, ranks, axis=-1)
    return found


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
    order = np.argsort(inside[:, -1], kind="stable")
    ends = np.append(inside[order[1:], -1], reference[-1])
    depth = ends - inside[order, -1]
    return float(
        sum(
            d * hypervolume(inside[order[: i + 1], :-1], reference[:-1])
            for i, d in enumerate(depth.tolist())
            if d > 0.0
        )
    )


def hypervolume_contributions(front: Array, reference: Array) -> Array:
    """Return what each row of a front (f, m) adds to its hypervolume, (f,)."""
    whole = hypervolume(front, reference)
    return np.array(
        [
            whole - hypervolume(np.delete(front, i, axis=0), reference)
            for i in range(len(front))
        ]
    )


def _some(run: Run, trials: list[int]) -> Run:
    """Return a run with some of its trials, in this order."""
    rows = np.array([run.row(trial) for trial in trials])
    return (
        run
        if np.array_equal(rows, np.arange(len(run)))
        else some_rows(run, rows)
    )


def joined(runs: Mapping[str, Run]) -> Objectives | None:
    """Return several objectives, if the runs are of the same trials."""
    if len(runs) < 2:
        return None
    try:
        return Objectives.of(runs)
    except (InputError, NothingToExplain):
        return None
