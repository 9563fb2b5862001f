"""A part of a search space: some values of some hyperparameters, all others free.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
u_j        latent value of hyperparameter j, uniform on [0, 1)
intervals  latent intervals of the part; what they hold is stretched to fill [0, 1) again
=========  ============================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hpo_explain.base import ROUNDING_OF_SUMS, InputError, Quote, Subject, Text, check_name
from hpo_explain.models._tree_boxes import activity_intervals, latent_interval
from hpo_explain.models.box_sums import Intervals
from hpo_explain.space import Array, Bools, FloatParameter, Parameter, SearchSpace, uniform_draws

Given = Mapping[str, Sequence[Any]]
_BESIDE = 1e-7  # of a position, on both sides of it: closer than two values


@dataclass(frozen=True, eq=False)
class SubSpace:
    """A part of a search space.

    Attributes
    ----------
    space : SearchSpace
        The whole space.
    given : mapping of str to list
        The values that are left, in the user's units; empty for the whole space.
    intervals : dict of int to list of tuple
        Of restricted columns the latent intervals of the whole space that are kept: those given,
        and of their parents what activates them.
    ranks : dict of int to ndarray
        Of categorical columns the place of each category on the latent axis.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> part = SubSpace.of(SearchSpace([FloatParameter("x", 0.0, 2.0)]), {"x": (0.0, 1.0)})
    >>> part.holds([[0.4], [0.6]]).tolist(), bool(part.sample(10).max() < 0.5)
    ([True, False], True)
    """

    space: SearchSpace
    given: Mapping[str, list[Any]] = field(default_factory=dict)
    intervals: dict[int, Intervals] = field(default_factory=dict)
    ranks: dict[int, Array] = field(default_factory=dict)

    @classmethod
    def of(
        cls, space: SearchSpace, given: Given | None, ranks: dict[int, Array] | None = None
    ) -> SubSpace:
        """Return the part of a space that is given.

        Raises
        ------
        InputError
            If `given` names something that is not in the space, or leaves nothing of it.
        """
        if given is not None and not isinstance(given, Mapping):
            raise InputError(
                "given",
                f"must map hyperparameters to lists of values, but was {given!r}",
                given,
                "Write {name: [value, ...]}.",
            )
        if ranks is None:  # samples count categories in the space's own order
            ranks = {
                j: space.places(j, np.arange(float(parameter.size)))
                for j, parameter in enumerate(space.parameters)
                if parameter.is_category
            }
        part = cls(space, ranks=ranks)
        for name, values in (given or {}).items():
            j = space.index(check_name("given", name, space.names, "hyperparameter"))
            allowed = list(values) if isinstance(values, Iterable) else []
            if isinstance(values, (str, bytes)) or not allowed:
                raise InputError(
                    "given",
                    f"must hold a list of values of {name!r}, or (low, high) where it is "
                    f"real-valued, but holds {values!r}",
                    given,
                    _how_to_give(space.parameters[j]),
                )
            inside = [(j, part._latent_values(j, allowed))]
            part = replace(part.where_active([j], inside), given={**part.given, name: allowed})
        return part

    def where_active(
        self, columns: Sequence[int], inside: Sequence[tuple[int, Intervals]] = ()
    ) -> SubSpace:
        """Return the part in which hyperparameters are active, and others lie in intervals."""
        intervals = dict(self.intervals)
        active = activity_intervals(self.space, self.ranks)
        for j in columns:  # only a hyperparameter that is active has a value
            for k, values in [*inside, *active[j].items()]:
                intervals[k] = _meet(intervals.get(k, [(0.0, 1.0)]), values)
                if not intervals[k]:
                    name = self.space.names[j]
                    raise InputError(
                        "given",
                        (
                            f"leaves nothing of the space: {name!r} is ",
                            Quote(self.space.condition_text(name), "active for some values"),
                            f", and {self.space.names[k]!r} has no value left",
                        ),
                        self.given,
                        "Allow one of them, or leave one of the two out.",
                    )
        return replace(self, intervals=intervals)

    def _latent_values(self, j: int, values: list[Any]) -> Intervals:
        parameter = self.space.parameters[j]
        share = parameter.optional
        try:
            positions = parameter.encode(values)
        except InputError as error:
            what = f"holds an impossible value: {error.argument} "
            raise error.inside("given", what, values) from None
        if isinstance(parameter, FloatParameter):
            if len(values) != 2 or not positions[0] < positions[1]:
                raise InputError(
                    "given",
                    f"must hold (low, high) of {parameter.name!r} with low below high, but holds "
                    f"{values!r}",
                    values,
                    _how_to_give(parameter),
                )
            if parameter.size is None:
                return [(share * float(positions[0]), share * float(positions[1]))]
            low = parameter.share_below(positions[:1] - _BESIDE)[0]
            return [(share * float(low), share * float(parameter.share_below(positions[1:])[0]))]
        ranks = self.ranks.get(j)
        places = positions if ranks is None else ranks[positions.astype(int)]
        intervals = [latent_interval(self.space, j, float(p)) for p in np.unique(places)]
        return [(share * low, share * high) for low, high in intervals]

    # ------------------------------------------------------------------ its configurations

    def ends(self, j: int) -> tuple[float, float]:
        """Return the lowest and the highest latent value that is left of a hyperparameter."""
        share = self.space.parameters[j].optional
        intervals = self.intervals.get(j, [(0.0, share)])
        return intervals[0][0] / share, intervals[-1][1] / share

    def has(self, j: int, positions: Array) -> Bools:
        """Return which positions of a hyperparameter, in the order of the space, are left."""
        inside: Bools = np.ones(len(positions), dtype=bool)
        if j not in self.intervals:
            return inside
        parameter, places = self.space.parameters[j], np.nan_to_num(positions)
        if j in self.ranks:
            places = self.ranks[j][places.astype(int)].astype(float)
        below, above = (parameter.share_below(places + by) for by in (-_BESIDE, _BESIDE))
        latent = parameter.optional * (below + above) / 2.0
        inside[:] = False
        for low, high in self.intervals[j]:
            inside |= (low - ROUNDING_OF_SUMS <= latent) & (latent <= high + ROUNDING_OF_SUMS)
        return inside & ~np.isnan(positions)

    def holds(self, rows: Any, free: Sequence[int] = ()) -> Bools:
        """Return which rows, encoded or latent, lie in the part, whatever `free` columns are."""
        rows = np.asarray(rows, dtype=float)
        inside: Bools = np.ones(len(rows), dtype=bool)
        for j in self.intervals.keys() - {*free}:
            inside &= self.has(j, rows[:, j])
        return inside

    def sample(self, n: int, seed: int = 0) -> Array:
        """Return latent rows of the part's measure, (n, d): a Latin hypercube."""
        U = uniform_draws(n, len(self.space), seed, "lhs")
        for place, j in enumerate(self.space.order.tolist()):
            if j in self.intervals:
                U[:, place] = np.minimum(stretch(U[:, place], self.intervals[j]), 1.0 - 1e-12)
        return self.space.from_latent(U)

    def of_subject(self, subject: Subject) -> Subject:
        """Return what is explained, with the best configuration and the trials of the part."""
        if not self.intervals:
            return subject
        inside = self.holds(subject.tried)
        costs = subject.costs[inside] if len(subject.costs) else subject.costs
        part = replace(subject, incumbent=self.best_of(subject), tried=subject.tried[inside])
        return replace(part, costs=costs)

    def best_of(self, subject: Subject) -> Mapping[str, Any]:
        """Return the best feasible configuration of the part; empty if none is known."""
        space, X, costs = self.space, subject.tried, subject.costs
        if not len(costs):  # the incumbent is all that is known
            if not subject.incumbent:
                return {}
            X, costs = space.encode(subject.incumbent), np.zeros(1)
        inside = np.isfinite(costs) & self.holds(X)
        if not inside.any():
            return {}
        best = int(np.argmin(np.where(inside, costs, np.inf)))
        return space.decode(X[[best]])[0]


def stretch(u: Array, intervals: Intervals) -> Array:
    """Return numbers in [0, 1] spread evenly over intervals: the inverse of `squeeze`."""
    starts, ends = np.array(intervals).T
    edges = np.concatenate([[0.0], np.cumsum(ends - starts)])
    scaled = u * edges[-1]
    which = np.clip(np.searchsorted(edges, scaled, side="right") - 1, 0, len(intervals) - 1)
    return np.minimum(starts[which] + scaled - edges[which], ends[which])


def _meet(first: Intervals, second: Intervals) -> Intervals:
    """Return the intervals that lie in one of the first and one of the second."""
    both = [(max(a, c), min(b, d)) for a, b in first for c, d in second]
    return sorted((low, high) for low, high in both if low < high)


def _how_to_give(parameter: Parameter) -> Text:
    """Say how a part of a hyperparameter is given, with the values that there are."""
    name = parameter.name
    if parameter.is_category:
        choices = Quote(f"{list(parameter.choices)!r}", f"its {parameter.size} choices")
        return f"Write {{{name!r}: [...]}} with some of ", choices, "."
    if isinstance(parameter, FloatParameter):
        return f"Write {{{name!r}: (low, high)}} within ({parameter.low!r}, {parameter.high!r})."
    return f"Write {{{name!r}: [...]}} with integers from {parameter.low} to {parameter.high}."
