"""What one or two hyperparameters do to the objective, and what can be said of it.

What every kind of effect has in common; the kinds stand in `effect_kinds`.

The effect of each function that the trials allow is a curve (or surface) of its own; where it is
best, by how much two values differ, and whether there is a difference at all are decided by these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    ROUNDING,
    ROUNDING_OF_SUMS,
    Claim,
    Fact,
    InputError,
    PosteriorDraws,
    Result,
    Table,
    as_objects,
    check_fraction,
    fact,
    format_value,
    half_of_level,
    join_names,
    listed,
    printable,
    shorten,
)
from hpo_explain.belief import NEGLIGIBLE, PROBABLE, STRETCH, Decision, decide, interval, varying
from hpo_explain.methods._engines.effect_ranges import (
    kept_values,
    never_tried,
    range_of,
    where_best,
)
from hpo_explain.space import Array, Bools, Parameter, category_index

Mask = Bools
_OPEN = fact("no value can be told from the best", kind="no_value_ruled_out", role="said")


def _of_kind(name: str, otherwise: Any) -> Callable[[Any], Any]:
    """Return what gives an attribute that only one kind has."""
    return lambda result: getattr(result, name, otherwise)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Effect(Result):
    """The effect of one or two hyperparameters on a grid of their values.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, one or two.
    grid : tuple
        Values in the user's units; of two hyperparameters a pair of axes.
    positions : tuple of ndarray
        The encoded positions of each axis.
    mean, std : ndarray of shape (G,) or (G1, G2)
        The effect and its standard deviation, in the objective's units; NaN where there is none.
    supported : ndarray of bool, of the shape of `mean`
        Where at least three trials are near (of a pair, one near both); everywhere True where the
        trials are not known.
    draws : ndarray of shape (G, draws) or (G1, G2, draws)
        The effect in each function that the trials allow; the mean alone where the model does not
        know how its predictions vary together.
    noise_std : float
        Standard deviation of one evaluation; 0 where it is not known.
    feasible : ndarray of the shape of `mean`, or None
        Highest probability of being feasible over the sample; None without constraints.
    tried : tuple of tuple
        The observed trials' values, one tuple per hyperparameter.
    given : mapping of str to list
        The sub-space that it is restricted to; empty for the whole space.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> effect = hx.partial_dependence(table, "x", objective="loss", sample=10)
    >>> effect.mean.shape, effect.ice_mean.shape
    ((20,), (10, 20))
    """

    table: ClassVar[Table] = Table(
        keys="keys",
        columns={
            "mean": "mean",
            "std": "std",
            "lower": lambda result: result.band()[0],
            "upper": lambda result: result.band()[1],
            "tried": "supported",
            "best": lambda result: result.best if result.compared else None,
            "feasible": "feasible",
        },
        held={
            "kind": "kind",
            "names": "names",
            "mean": "mean",
            "std": "std",
            "variance": _of_kind("variance", ""),
            "supported": "supported",
            "grid": "axes",
            "best": lambda result: result.best if result.compared else None,
            "partial_dependence": _of_kind("partial", None),
            "feasible": "feasible",
            "attainable": lambda result: (
                (best := getattr(result, "attainable", None)) and best.to_dict()
            ),
            "mean_confidence": "mean_confidence",
            "sample_size": _of_kind("sample_size", 0),
            "incumbent": "incumbent",
            "activity": _of_kind("activity", ()),
            "given": "given",
        },
    )
    kind: ClassVar[Literal["average", "attainable", "accumulated", "marginal"]]
    opening: ClassVar[str] = "On average the"
    """How a sentence about it begins."""
    mass: ClassVar[float] = 0.95
    """At one of the values that may be the best so many functions are best."""
    stretch: ClassVar[float] = STRETCH["average"]
    """How far intervals are stretched, as of `decide`."""
    term: ClassVar[str] = ""
    """The term of its claims."""

    names: tuple[str, ...]
    grid: tuple[Any, ...]
    positions: tuple[Array, ...]
    mean: Array
    std: Array
    supported: Mask
    draws: Array
    noise_std: float = 0.0
    feasible: Array | None = None
    tried: tuple[tuple[Any, ...], ...] = ()
    given: Mapping[str, list[Any]] = field(default_factory=dict)

    # ------------------------------------------------------------------ on its axes

    @property
    def axes(self) -> tuple[tuple[Any, ...], ...]:
        """The values of each hyperparameter, one tuple per axis."""
        return (self.grid,) if len(self.names) == 1 else self.grid

    @property
    def log(self) -> tuple[bool, ...]:
        """Whether each hyperparameter's own scale is logarithmic."""
        return tuple(getattr(self.subject.space[name], "log", False) for name in self.names)

    @property
    def _parameters(self) -> tuple[Parameter, ...]:
        return tuple(self.subject.space[name] for name in self.names)

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Whether each hyperparameter is categorical."""
        return tuple(p.is_category for p in self._parameters)

    @property
    def keys(self) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        """The hyperparameters' values by row of the table; None, which may be a category, stays."""
        columns = zip(*itertools.product(*self.axes), strict=True)
        for name, values, named in zip(self.names, columns, self.categorical, strict=True):
            yield name, as_objects(values) if named else np.array(values)

    @property
    def compared(self) -> bool:
        """Whether best values are named."""
        return True

    @property
    def first(self) -> Effect:
        """What is drawn and told first."""
        return self

    @property
    def incumbent(self) -> tuple[Any, ...] | None:
        """The incumbent's values, if it has all of them."""
        incumbent = self.subject.incumbent
        return (
            tuple(incumbent[n] for n in self.names) if set(self.names) <= set(incumbent) else None
        )

    @property
    def spread(self) -> float:
        """How large the effect is: the range of the mean, in the objective's units."""
        return float(np.nanmax(self.mean) - np.nanmin(self.mean))

    def band(self, level: float = 0.95) -> tuple[Array, Array]:
        """Return lower and upper end of the band in which the function's effect is expected.

        It describes the function, observation noise excluded: that of the effect over the draws
        where there are any, stretched so that it covers as much; with variance="average" that of
        single configurations.

        Raises
        ------
        ValueError
            If `level` does not lie between 0 and 1.
        """
        half = self._half(check_fraction("level", level))
        low, high = np.clip([self.mean - half, self.mean + half], *self._bounds)
        return low, high

    def _half(self, level: float) -> Array:
        """Return half of the band."""
        if self.draws.shape[-1] < 2:
            return half_of_level(level) * self.std
        tail = (1.0 - level) / 2.0
        low, high = np.quantile(self.draws, [tail, 1.0 - tail], axis=-1)
        return self.stretch * (high - low) / 2.0

    @property
    def _bounds(self) -> tuple[float, float]:
        """What the objective cannot leave, where the effect is one in its own units."""
        relative = bool(self.subject.acquisition)
        return (-np.inf, np.inf) if relative else self.subject.bounds

    @property
    def posterior(self) -> PosteriorDraws:
        """The whole effect in each function that the trials allow; better values come first.

        Of a pair by pairs of values.
        """
        names = [*itertools.product(*self.axes)] if len(self.names) > 1 else [*self.axes[0]]
        defined = ~np.isnan(self.mean.ravel())
        return self.drawn(
            tuple(itertools.compress(names, defined)),
            self._flat[defined].T,
            self.subject.best_first,
        )

    @property
    def _flat(self) -> Array:
        """The effect in each function by place of the grid, (places, k)."""
        return self.draws.reshape(self.mean.size, -1)

    # ------------------------------------------------------------------ how well it is known

    @property
    def mean_confidence(self) -> float:
        """MC: the mean of the std over the grid; smaller is more certain. NaN where it is none."""
        stds = self.std[~np.isnan(self.std)]
        return float(stds.mean()) if len(stds) else np.nan

    def confidence_at(self, config: Mapping[str, Any]) -> float:
        """OC: the std at the grid point closest to a configuration, in the objective's units.

        Raises
        ------
        ValueError
            If the configuration lacks one of the hyperparameters.
        """
        return float(self.std[self._place(config)])

    def _place(self, config: Mapping[str, Any]) -> tuple[int, ...]:
        for name in self.names:
            if name not in config:
                there = ", ".join(map(str, config)) or "none"
                problem = f"must have a value of {name}, but has only {there}"
                remedy = f"Choose a configuration in which {name} is active."
                raise InputError("config", problem, config, remedy)
        return tuple(self._nearest(i, config[name]) for i, name in enumerate(self.names))

    def _nearest(self, i: int, value: Any) -> int:
        values = self.axes[i]
        if not self.categorical[i]:
            scale = np.log if self.log[i] else np.asarray
            distances = np.abs(scale(np.array(values, dtype=float)) - scale(float(value)))
            return int(np.argmin(distances))
        nearest = category_index(values, value)
        if nearest is None:
            problem = f"has {self.names[i]} = {value!r}, which is not one of {list(values)!r}"
            raise InputError("config", problem, value)
        return nearest

    def negative_log_likelihood(self, true: npt.ArrayLike | Callable[..., float]) -> float:
        """NLL of a known truth: the mean over the grid of ``-log N(true; mean, std²)``.

        In nats; infinite where the band has no width but misses the truth. The truth is an array
        of the shape of `mean`, or a function of the hyperparameters' values.
        """
        if callable(true):
            true = np.reshape([true(*v) for v in itertools.product(*self.axes)], self.mean.shape)
        gap = np.asarray(true, dtype=float) - self.mean
        if gap.shape != self.mean.shape:
            problem = f"must have the shape of the grid, {self.mean.shape}, but had "
            raise InputError("true", f"{problem}{np.shape(true)}", true)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(gap == 0.0, 0.0, gap / self.std)
            terms = 0.5 * np.log(2.0 * np.pi) + np.log(self.std) + 0.5 * z**2
        return float(np.nanmean(np.where((self.std == 0.0) & (gap != 0.0), np.inf, terms)))

    # ------------------------------------------------------------------ which values are best

    @property
    def may_be_best(self) -> Mask:
        """Which values are rather feasible than not, of the shape of `mean`."""
        if self.feasible is None:
            return np.ones(self.mean.shape, dtype=bool)
        return self.feasible >= PROBABLE

    @property
    def _candidates(self) -> Mask:
        """Which places are compared, (K,): not those tried that probably are infeasible."""
        defined = ~np.isnan(self.mean.ravel())
        allowed = defined & ~(self.supported & ~self.may_be_best).ravel()
        return allowed if self.may_be_best.any() and allowed.any() else defined

    @cached_property
    def _costs(self) -> Array:
        """Cost of each candidate in each function, (k, candidates)."""
        return self.subject.value_sign * self._flat[self._candidates].T

    @property
    def _order(self) -> npt.NDArray[np.intp]:
        """The candidates, the best on average over the draws first."""
        cost = self.subject.value_sign * self.mean.ravel()
        cost = np.where(self._candidates, cost, np.inf)
        return np.argsort(cost, kind="stable")[: int(self._candidates.sum())]

    @cached_property
    def best(self) -> Mask:
        """Which values hold the best one with 95 %, (G,) or (G1, G2).

        The fewest values at one of which 95 % of the functions are best (98.5 % of what is
        attainable), and all others that are not worse than the best average in as many.
        """
        mask, costs = np.zeros(self.mean.size, dtype=bool), self._costs
        low, high = (costs.min(axis=1, keepdims=True), costs.max(axis=1, keepdims=True))
        hits = costs <= low + ROUNDING_OF_SUMS * (high - low)
        share = (hits / hits.sum(axis=1, keepdims=True)).mean(axis=0)
        order = np.lexsort((costs.mean(axis=0), -share))
        count = int(np.searchsorted(np.cumsum(share[order]), self.mass - ROUNDING_OF_SUMS)) + 1
        lowest = costs[:, [costs.mean(axis=0).argmin()]]
        probable = (costs > lowest).mean(axis=0) < self.mass
        probable[order[:count]] = True
        mask[self._candidates] = probable
        return mask.reshape(self.mean.shape)

    @property
    def shown(self) -> Mask:
        """Where the effect may be relied on: it was tried, and is rather feasible than not."""
        return self.supported & self.may_be_best

    # ------------------------------------------------------------------ what is said

    @property
    def lead(self) -> str:
        """How a sentence about it begins."""
        lead = f"{self.opening} {self.objective_name}"
        if self.given:
            lead = f"Given {self.subject.sub_space(self.given)}, {lead[0].lower()}{lead[1:]}"
        return shorten(lead, 200)

    @property
    def answer(self) -> str:
        """Which values are best."""
        first = self.claims[0]
        if first.side == "below":
            return printable(f"No value of {join_names(self.names)} makes a difference.")
        if first.kind != "best":
            return super().answer
        if any(reason.kind == "no_value_ruled_out" for reason in first.because):
            return printable(f"No value of {join_names(self.names)} is ruled out.")
        where = where_best(self._parameters, first.values)
        return printable(f"Best on average at {join_names(where)}.")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which values hold the best one, or that there is no difference beyond noise.

        Then by how much the best value is better than the worst; and both of what is attainable
        (``term="attainable"``), where it was asked for.
        """
        order, names = self._order, join_names(self.names)
        least = max(ROUNDING * float(np.nanmax(np.abs(self.mean))), 1e-300)
        noise = max(self.noise_std, least)
        ranges = varying(np.ptp(self._costs, axis=1))
        flat = decide(ranges, noise, side="below", stretch=self.stretch)
        is_same = not flat.known and self.spread <= least
        if flat.certain or is_same:
            text = f"{self.lead} is the same for every value of {names}"
            if flat.certain and noise > least:
                below = f"{format_value(self.noise_std)}, the noise of one evaluation"
                text += f": differences are below {below}"
            if is_same:
                flat = replace(flat, estimate=0.0)
            return (replace(self._told("difference", f"{text}.", flat), side="below"),)
        gap = self._between(int(order[0]), int(order[-1]))
        best = self._best(int(order[0]), differs=gap.certain)
        return (best, gap) if flat.known else (best,)

    def _told(self, kind: Any, text: str, decision: Decision, **held: Any) -> Claim:
        return decision.claim(kind, self.names, text=text, term=self.term, **held)

    def _best(self, place: int, *, differs: bool) -> Claim:
        """Return which values hold the best one, where any differ, and how good it is."""
        masks = kept_values(self.best, self._parameters)
        level = float(self.mean.ravel()[place])
        narrowed = differs and any(not all(inside) for inside in masks)
        unseen = self._never_tried(place, masks)
        grids = zip(self._parameters, self.axes, self.positions, masks, strict=True)
        values = tuple(range_of(*grid) for grid in grids)
        draws = self._flat[place]
        low, high = np.clip(interval(draws, stretch=self.stretch), *self._bounds).tolist()
        is_known = len(draws) > 1
        decision = Decision(
            estimate=level,
            interval=(low, high),
            probability=0.95 if is_known else np.nan,
            certain=narrowed and not unseen,
            bound=level,
            threshold=np.nan,
        )
        where = join_names(where_best(self._parameters, values))
        text = f"{self.lead} is best at {where}: {decision.shown}."
        if is_known and not narrowed:
            names = shorten(" or ".join(self.names), 200)
            text = f"{self.lead} is {decision.shown} at best; no value of {names} is ruled out."
        claim = self._told("best", text, decision, because=self._basis, values=values)
        if not is_known:
            return claim
        doubts = unseen if narrowed else (_OPEN,)
        return replace(claim, because=(*doubts, *self._basis))

    def _never_tried(self, place: int, masks: list[Mask]) -> tuple[Fact, ...]:
        """Return where the best one lies, as far as no trial does; nothing of unknown trials."""
        if not self.tried:
            return ()
        facts = []
        for i, at in enumerate(np.unravel_index(place, self.mean.shape)):
            parameter = self._parameters[i]
            stretch = never_tried(parameter, self.positions[i], self.tried[i], int(at), masks[i])
            ends, name = [format_value(value, width=200) for value in stretch], parameter.name
            if len(ends) == 1:
                facts.append(fact(f"no trial has {name} = {ends[0]}", names=[name]))
            elif ends:
                between = f"between {ends[0]} and {ends[1]} of {name}"
                facts.append(fact(f"no trial lies {between}", names=[name]))
        return tuple(facts)

    def _between(self, first: int, second: int) -> Claim:
        """Return by how much the best place is better than the worst: they were chosen of many."""
        gap = self._flat[first] - self._flat[second]
        decision = decide(gap, stretch=self.stretch, least=NEGLIGIBLE * self.noise_std)
        values = tuple(zip(self._at(first), self._at(second), strict=True))
        # there is one, whatever its sign
        return replace(self._told("difference", "", decision, values=values), side="above")

    @property
    def _basis(self) -> tuple[Fact, ...]:
        """What the claims rest on."""
        out = [*itertools.compress(self.axes[0], ~self.may_be_best)] if self.mean.ndim == 1 else []
        if not out:
            return ()
        values = f"{join_names(self.names)} = {listed([*map(format_value, out)], 5)}"
        return (fact(f"probably infeasible, so not the best: {values}", role="basis"),)

    # ------------------------------------------------------------------ ranges of values

    def _at(self, place: int) -> tuple[Any, ...]:
        where = np.unravel_index(place, self.mean.shape)
        return tuple(axis[i] for axis, i in zip(self.axes, where, strict=True))


PartialDependence = Effect
"""What `hpo_explain.partial_dependence` returns."""
