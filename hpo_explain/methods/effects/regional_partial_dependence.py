"""Regional partial dependence: Algorithm 1 of Moosbauer et al. (2021), and REPID.

===========  ==========================================================================
symbol       meaning
===========  ==========================================================================
N            a node: a set of rows of the sample
N_l, N_r     its two children
R(N)         impurity: the sum over rows of squared distances of a target from its mean in N;
             the target is the curve ``ŝ²(·, λ_C)`` on the grid ("l2", Eq. 6), the curve of ŝ
             ("std", as the paper's program has it), the mean of ŝ² over the grid ("area",
             Eq. 11), ŝ² ("variance") or m̂ ("mean") at the row itself, or the curve of m̂
             minus its own mean over the grid ("interaction", Herbinger et al. 2022)
===========  ==========================================================================

A split minimizes ``R(N_l) + R(N_r)``. As R(N) = Σ |t|² - |Σ t|² / |N|, running sums over the sorted
rows give it for every threshold at once.

How uncertain a model is, is known exactly. Where the shape of an effect changes is a statement
about the objective: with "interaction" a node is split only if functions that the trials allow
agree that the difference explains a share that counts (`effects/shapes.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    SPLITS,
    Direction,
    InputError,
    NothingToExplain,
    Option,
    Split,
    Subject,
    Variance,
    check_count,
    check_number,
    check_option,
    fact,
    shows_progress,
)
from hpo_explain.belief import Decision
from hpo_explain.methods._engines.background import l1_neighbourhood
from hpo_explain.methods._engines.conditions import Condition
from hpo_explain.methods._engines.effect_kinds import AverageEffect
from hpo_explain.methods._engines.rows_at import values_together
from hpo_explain.methods._engines.sub_space import Given
from hpo_explain.methods.effects.partial_dependence import (
    Grid,
    PartialDependenceExplainer,
    averaged,
)
from hpo_explain.methods.effects.regional_partial_dependence_result import (
    Region,
    RegionalPartialDependence,
)
from hpo_explain.methods.effects.shapes import DrawnShapes, centred
from hpo_explain.models import SupportsJoint, Surrogate
from hpo_explain.question import accepted_surrogate
from hpo_explain.space import (
    Array,
    Bools,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Ints,
    SearchSpace,
    Support,
    supported_at,
)

_NO_UNCERTAINTY = fact(
    "the model has no uncertainty, so no part of the space is known better than another; ",
    Option("criterion"),
    '"interaction" tells where the effect has another shape',
)
_PARTS = 5  # regions of the fewest rows, for which there are rows, however large the grid
ALL_SUBSETS = 10  # categories up to which every subset is tried


class RegionalPartialDependenceExplainer:
    """Splits the space into regions in which an effect has a similar uncertainty or shape.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    sample, grid_size, grid, direction, given, seed
        As in `PartialDependenceExplainer`.
    variance : {"average", "covariance"}, default "average"
        The variance of the effect in a region: Eq. 5, or Eq. 4 for surrogates with a joint
        posterior. The search for regions always uses the ŝ² of single configurations.
    subject : Subject, optional
        Names and the incumbent, such as ``Subject.of(run)``; the incumbent's region comes first.
    space : SearchSpace, optional
        The search space, for a model of your own.
    max_depth : int, default 3
        Largest number of splits that lead to a region.
    criterion : {"l2", "std", "area", "variance", "mean", "interaction"}, default "l2"
        What is similar within a region: curves of ŝ² (Eq. 6), curves of ŝ ("std", as in the
        paper's program), the area under the former (Eq. 11), ŝ² or m̂ at the rows, or the effect's
        shape ("interaction": curves of m̂, each minus its own mean, REPID [2]_). If the model has
        draws, a split by shape must count in 95 % of them.
    min_leaf : int, default 20
        Smallest number of sampled rows in a region.
    min_improvement : float, default 0.01
        Smallest share of the total impurity that a split must remove.

    Raises
    ------
    ValueError
        If an option is unknown or out of range, or the surrogate for "covariance" has no joint
        posterior.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Algorithm 1, Eq. 6 and 11. https://arxiv.org/abs/2111.04820
    .. [2] Herbinger, J., Bischl, B. and Casalicchio, G. (2022). REPID: regional effect plots with
       implicit interaction detection. AISTATS. https://arxiv.org/abs/2202.07254

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1) * [1.0, 0.5]  # the upper half of y was never tried
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> explainer = RegionalPartialDependenceExplainer(surrogate, sample=200, max_depth=1)
    >>> [condition.name for condition in explainer.explain("x").regions[0].conditions]
    ['y']
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        sample: int | npt.ArrayLike = 1000,
        grid_size: int = 20,
        grid: Grid | None = None,
        variance: Variance = "average",
        max_depth: int = 3,
        criterion: Split = "l2",
        min_leaf: int = 20,
        min_improvement: float = 0.01,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        space: SearchSpace | None = None,
        given: Given | None = None,
        seed: int = 0,
    ) -> None:
        surrogate = accepted_surrogate(surrogate, space=space)
        self._explainer = PartialDependenceExplainer(
            surrogate,
            sample=sample,
            grid_size=grid_size,
            grid=grid,
            variance=variance,
            direction=direction,
            subject=subject,
            given=given,
            seed=seed,
        )
        self._surrogate, self._variance = surrogate, variance
        if variance == "covariance" and not isinstance(surrogate, SupportsJoint):
            problem = f"is 'covariance', which {type(surrogate).__name__} does not know in regions"
            raise InputError(
                "variance", problem, variance, ("Use ", Option("variance", "average"), ".")
            )
        self._max_depth = check_count("max_depth", max_depth, minimum=0)
        self._criterion = check_option("criterion", criterion, SPLITS)
        self._min_leaf = check_count("min_leaf", min_leaf)
        if not 0.0 <= check_number("min_improvement", min_improvement) < 1.0:
            problem = f"must be at least 0 and below 1, but was {min_improvement!r}"
            raise InputError("min_improvement", problem, min_improvement)
        self._min_improvement = min_improvement
        self._fewest = _PARTS * self._min_leaf

    @shows_progress
    def explain(self, names: str | Sequence[str]) -> RegionalPartialDependence:
        """Return the partial dependence on one or two hyperparameters in each region.

        Parameters
        ----------
        names : str or pair of str
            The hyperparameters λ_S.

        Returns
        -------
        RegionalPartialDependence
            The regions and the tree that leads to them.

        Raises
        ------
        ValueError
            As in `PartialDependenceExplainer.explain`.
        """
        effect, rows, curves = self._explainer.effect_and_rows(names, self._fewest)
        self._check_uncertainty(effect)
        space = self._surrogate.space
        X = space.project(rows)
        target = self._target(effect, X)
        shapes = None
        if self._criterion == "interaction" and len(curves) > 1:
            shapes = DrawnShapes.of(curves, effect.noise_std)
        candidates = [j for j in space.order.tolist() if space.names[j] not in effect.names]
        least = self._min_improvement * _impurity(target)
        region = partial(self._region, effect, rows)
        tree, leaves = [region((), np.arange(len(X)), 0, None)], list[Region]()
        for place, node in enumerate(tree):  # which grows
            split, parted = None, node
            if node.depth < self._max_depth:
                split = best_split(space, X, target, node.rows, candidates, self._min_leaf)
            if split is not None:
                gain = _gain(split, node.rows, target, shapes)
                part = split.conditions[0]
                tree[place] = parted = replace(node, gain=gain, part=part)
            if (
                split is None
                or split.improvement <= 0.0
                or split.improvement < least
                or not (shapes is None or parted.is_parted)
            ):
                leaves.append(parted)
                continue
            for condition, inside in zip(split.conditions, split.sides, strict=True):
                conditions = _merged(node.conditions, condition)
                tree.append(region(conditions, node.rows[inside], node.depth + 1, place))
        incumbent, around = effect.subject.incumbent, list[Region]()
        if incumbent:
            leaves.sort(key=lambda region: not region.holds(incumbent))
            for node in (node for node in tree if node.holds(incumbent)):
                some = l1_neighbourhood(
                    space, rows, incumbent, len(node.rows), without=effect.names
                )
                around.append(region((), some, node.depth, None))
        return RegionalPartialDependence(
            subject=effect.subject,
            names=effect.names,
            regions=tuple(leaves),
            tree=tuple(tree),
            criterion=self._criterion,
            interaction=None if shapes is None else shapes.differ(),
            sample=rows,
            around=tuple(around),
            notes=effect.notes,
        )

    def _region(
        self,
        effect: AverageEffect,
        sample: Array,
        conditions: tuple[Condition, ...],
        rows: Ints,
        depth: int,
        parent: int | None,
    ) -> Region:
        """Return a region with the partial dependence on some rows (Eq. 3, and 5 or 4)."""
        ice_mean, ice_std = effect.ice_mean[rows], effect.ice_std[rows]
        mean, std = averaged(ice_mean), np.sqrt(averaged(ice_std**2))
        if self._variance == "covariance":
            std = self._explainer.std_on(effect, sample[rows])
        within = replace(
            effect,
            mean=mean,
            std=std,
            ice_mean=ice_mean,
            ice_std=ice_std,
            draws=mean[..., None],
            **_tried_where(effect, conditions),
            exact=False,
        )
        return Region(conditions, len(rows) / len(sample), within, rows, depth, parent)

    def _check_uncertainty(self, effect: AverageEffect) -> None:
        """Raise NothingToExplain where parts of equal uncertainty are asked of a model without."""
        of_mean = self._criterion in ("interaction", "mean")
        if not of_mean and np.isnan(effect.std).all():
            raise NothingToExplain(_NO_UNCERTAINTY)

    def _target(self, effect: AverageEffect, X: Array) -> Array:
        """Return what is made similar, (n, number of columns), in a unit of its own."""
        if self._criterion in ("variance", "mean"):
            mean, std = self._surrogate.predict(X)
            return (
                _in_unit(std) ** 2 if self._criterion == "variance" else _in_unit(mean - mean[0])
            )[:, None]
        if self._criterion == "interaction":
            means = np.reshape(effect.ice_mean, (len(X), -1))
            means = means[:, ~np.isnan(means).all(axis=0)]
            return centred(_in_unit(means - np.nanmean(means)))
        curves = _in_unit(np.reshape(effect.ice_std, (len(X), -1)))
        if self._criterion != "std":
            curves = curves**2
        curves = curves[:, ~np.isnan(curves).all(axis=0)]
        curves = np.where(np.isnan(curves), np.nanmean(curves, axis=0), curves)
        return curves.mean(axis=1, keepdims=True) if self._criterion == "area" else curves


@dataclass(frozen=True, eq=False)
class _Split:
    """A split of a node: how much impurity it removes, which rows lie on either side, and why."""

    improvement: float
    sides: tuple[Bools, Bools]
    conditions: tuple[Condition, Condition]


def best_split(
    space: SearchSpace, X: Array, target: Array, rows: Ints, candidates: Sequence[int], least: int
) -> _Split | None:
    """Return the split of a node that removes most impurity, or None if there is none.

    Only hyperparameters that are active in all rows of the node can be split on.
    """
    splits = list[_Split]()
    # centred: the whole sum is zero
    node = target[rows] - target[rows].mean(axis=0)
    for j in candidates:
        column, parameter = X[rows, j], space.parameters[j]
        if np.isnan(column).any() or np.ptp(column) == 0.0:
            continue
        if parameter.is_category:
            codes = column.astype(np.int64)
            splits += _categorical_split(parameter, node, codes, space.codes(j), least)
        else:
            splits += _numeric_split(parameter, node, column, least)
    return max(splits, key=lambda split: split.improvement, default=None)


def _numeric_split(
    parameter: FloatParameter | IntParameter, node: Array, column: Array, least: int
) -> Iterator[_Split]:
    """Yield the best split by a threshold, if one leaves enough rows on both sides."""
    order = np.argsort(column, kind="stable")
    ordered, n = column[order], len(column)
    sums = np.cumsum(node[order], axis=0)[:-1]
    left = np.arange(1, n)
    gains = np.einsum("ij,ij->i", sums, sums) * (1.0 / left + 1.0 / (n - left))
    allowed = (ordered[1:] > ordered[:-1]) & (left >= least) & (n - left >= least)
    if not allowed.any():
        return
    place = int(np.argmax(np.where(allowed, gains, -np.inf)))
    # counted values end at the last one on the left; others half-way to the next
    counted = parameter.size is not None
    threshold = ordered[place] if counted else (ordered[place] + ordered[place + 1]) / 2.0
    below, extent = column <= threshold, parameter.high - parameter.low
    (value,) = parameter.decode(np.array([threshold]))
    conditions = (
        Condition(parameter.name, up_to=value, extent=extent),
        Condition(parameter.name, above=value, extent=extent),
    )
    yield _Split(float(gains[place]), (below, ~below), conditions)


def _categorical_split(
    parameter: CategoricalParameter, node: Array, codes: Ints, listed: Ints, least: int
) -> Iterator[_Split]:
    """Yield the best split in two sets of categories, if one leaves enough rows on both sides."""
    present, n = listed[np.isin(listed, codes)], len(codes)
    counts = np.array([(codes == c).sum() for c in present])
    sums = np.array([node[codes == c].sum(axis=0) for c in present])
    gains = dict[tuple[int, ...], float]()
    for subset in _subsets(present, sums, counts):
        size = counts[list(subset)].sum()
        if least <= size <= n - least:
            total = sums[list(subset)].sum(axis=0)
            gains[subset] = float(total @ total) * (1.0 / size + 1.0 / (n - size))
    if not gains:
        return
    best = max(gains, key=lambda subset: gains[subset])
    left = np.sort(present[list(best)])
    first, second = (
        Condition(parameter.name, categories=tuple(parameter.choices[c] for c in side))
        for side in (left, np.setdiff1d(present, left))
    )
    inside = np.isin(codes, left)
    yield _Split(gains[best], (inside, ~inside), (first, second))


def _subsets(present: Ints, sums: Array, counts: Ints) -> Iterator[tuple[int, ...]]:
    """Yield the ways to part categories in two, as places in `present`."""
    k = len(present)
    if k <= ALL_SUBSETS:
        for size in range(1, k):
            for subset in combinations(range(k), size):
                if 0 in subset:  # the others are their complements
                    yield subset
        return
    order = np.argsort((sums / counts[:, None]).mean(axis=1), kind="stable")
    for size in range(1, k):
        yield tuple(order[:size].tolist())


def _in_unit(values: Array) -> Array:
    """Return values divided by a power of two, so that no square of theirs overflows."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    return np.ldexp(values, -math.frexp(largest)[1])


def _impurity(target: Array) -> float:
    return float(np.sum((target - target.mean(axis=0)) ** 2))


def _gain(split: _Split, rows: Ints, target: Array, shapes: DrawnShapes | None) -> Decision | None:
    """Return what a split of a node by shape explains, where there are draws to say."""
    if shapes is None:
        return None
    first, second = (rows[inside] for inside in split.sides)
    difference = target[first].mean(axis=0) - target[second].mean(axis=0)
    return shapes.gain(difference, first, second)


def _tried_where(effect: AverageEffect, conditions: tuple[Condition, ...]) -> dict[str, Any]:
    """Return what is known of the trials that meet conditions: their values, and the support."""
    space, X = effect.subject.space, effect.subject.tried
    if not len(X):
        return {}
    inside = np.ones(len(X), dtype=bool)
    for condition in conditions:
        j = space.index(condition.name)
        active = np.flatnonzero(~np.isnan(X[:, j]))
        values = space.parameters[j].decode(X[active, j])
        meets = np.zeros(len(X), dtype=bool)
        meets[active] = [condition.holds({condition.name: value}) for value in values]
        inside &= meets
    here = X[inside]
    return {
        "tried": values_together(space, [space.index(name) for name in effect.names], here),
        "supported": supported_at(Support(space, here), effect.names, effect.axes),
    }


def _merged(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    """Return conditions with a further one, those on the same hyperparameter joined."""
    for place, old in enumerate(conditions):
        if old.name != new.name:
            continue
        joined = replace(
            old,
            above=old.above if new.above is None else new.above,
            up_to=old.up_to if new.up_to is None else new.up_to,
            categories=new.categories,
        )
        return (*conditions[:place], joined, *conditions[place + 1 :])
    return (*conditions, new)
