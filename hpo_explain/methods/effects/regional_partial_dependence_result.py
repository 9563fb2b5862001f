"""Partial dependence by region: where it is known well, or where it has another shape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Claim,
    InputError,
    Result,
    Table,
    below_each_other,
    fact,
    join_names,
    percent,
)
from hpo_explain.belief import Decision, decide
from hpo_explain.methods._engines.conditions import Condition
from hpo_explain.methods._engines.effect_kinds import AverageEffect
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd

_OPEN = fact("the shapes may differ, or not", role="said")
_ALIKE = {"interaction": "shape", "mean": "mean"}
_UNKNOWN = decide(np.full(1, np.nan))  # of a single function
_MEASURES = ("gain", "oc", "nll")  # δ of MC, OC and NLL


@dataclass(frozen=True, eq=False)
class Region:
    """A part of the space, and the partial dependence within it.

    Attributes
    ----------
    conditions : tuple of Condition
        What holds in the region; empty for the whole space.
    weight : float
        Share of the sample in it.
    effect : AverageEffect
        Partial dependence on the sample in it (Eq. 5, or 4).
    rows : ndarray of int
        Which configurations of the sample are in it.
    depth : int
        Number of splits that lead to it.
    parent : int or None
        Its parent's place in the tree.
    gain : Decision or None
        Of the criterion "interaction": the share of what evaluations vary by that the best split
        of it explains, whether it counts or not; None without draws, or where there is no split.
    part : Condition or None
        What holds on the first side of that split, whether it was made or not.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0])
    >>> explainer = hx.methods.RegionalPartialDependenceExplainer(surrogate, sample=50)
    >>> region = explainer.explain("x").regions[0]
    >>> region.label, region.weight
    ('everywhere', 1.0)
    """

    conditions: tuple[Condition, ...]
    weight: float
    effect: AverageEffect
    rows: Ints
    depth: int
    parent: int | None
    gain: Decision | None = None
    part: Condition | None = None

    @property
    def is_parted(self) -> bool:
        """Whether the best split of it certainly explains a share that counts."""
        return self.gain is not None and self.gain.certain

    @property
    def label(self) -> str:
        """The conditions in words."""
        return " and ".join(map(str, self.conditions)) or "everywhere"

    def holds(self, config: Mapping[str, Any]) -> bool:
        """Return whether a configuration lies in the region."""
        return all(condition.holds(config) for condition in self.conditions)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RegionalPartialDependence(Result):
    """Partial dependence in regions of similar uncertainty or shape.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters of interest, λ_S.
    regions : tuple of Region
        The leaves: disjoint, and together everything; the incumbent's first. The sample's partial
        dependence is the mean of theirs, weighted.
    tree : tuple of Region
        All nodes, the root first, parents before children.
    criterion : {"l2", "std", "area", "variance", "mean", "interaction"}
        What was made similar within regions.
    interaction : Decision or None
        Of the criterion "interaction": the share of what evaluations vary by that all differences
        in shape explain, and whether that is too little to count; None without draws.
    sample : ndarray of shape (n, d)
        The latent rows of the sample.
    around : tuple of Region
        The naive local effects beside the nodes that hold the incumbent, the root first: on as
        many rows, the closest to the incumbent in L1 distance. Empty without an incumbent.
    subject, notes
        As in every result.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Algorithm 1. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1) * [1.0, 0.5]  # the upper half of y was never tried
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> from hpo_explain.methods import RegionalPartialDependenceExplainer
    >>> explainer = RegionalPartialDependenceExplainer(surrogate, sample=200, max_depth=1)
    >>> list(explainer.explain("x").gain().columns[:4])
    ['regions', 'explained', 'mean_confidence', 'gain']
    """

    table: ClassVar[Table] = Table(
        columns={}, held={"names": "names", "criterion": "criterion", "regions": "_held"}
    )
    names: tuple[str, ...]
    regions: tuple[Region, ...]
    tree: tuple[Region, ...]
    criterion: str
    interaction: Decision | None = None
    sample: Array
    around: tuple[Region, ...] = ()

    @property
    def alike(self) -> str:
        """What is similar within a region, in a word."""
        return _ALIKE.get(self.criterion, "uncertainty")

    @property
    def whole(self) -> AverageEffect:
        """The partial dependence on all of the sample."""
        return self.tree[0].effect

    def region_of(self, config: Mapping[str, Any]) -> Region:
        """Return the region in which a configuration lies.

        Raises
        ------
        ValueError
            If it lies in none: a hyperparameter that a condition names is missing.
        """
        for region in self.regions:
            if region.holds(config):
                return region
        named = sorted({c.name for r in self.regions for c in r.conditions})
        problem = f"lies in no region: it must have values of {', '.join(named)}, but was "
        raise InputError("config", f"{problem}{dict(config)!r}", config)

    def is_incumbents(self, region: Region) -> bool:
        """Return whether the incumbent lies in a region; not where it is unknown."""
        return bool(self.subject.incumbent) and region.holds(self.subject.incumbent)

    def gain(self, true: Callable[[Array], npt.ArrayLike] | None = None) -> pd.DataFrame:
        """Return how much narrower the bands get with every depth of splitting.

        Parameters
        ----------
        true : callable, optional
            The objective itself, (m,), at encoded rows (m, d), where it is known.

        Returns
        -------
        pandas.DataFrame
            Index depth; columns regions (their number), explained (the share of what evaluations
            vary by that the differences in shape between them explain; NaN of other criteria),
            mean_confidence (MC, weighted, in the objective's units), gain (δMC: its relative
            improvement in percent), and of the incumbent's region incumbent_gain (δMC),
            incumbent_oc (δOC) and incumbent_nll (δNLL, of the `true` effect); l1_gain, l1_oc and
            l1_nll are those of `around`, the naive neighbourhood. NaN without an incumbent, of OC
            without its value, of NLL without `true`.

        Raises
        ------
        ValueError
            If `true` does not return one value per row.

        References
        ----------
        .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
           dependence plots. NeurIPS. Tables 1, 2 and 11. https://arxiv.org/abs/2111.04820
        """
        import pandas as pd

        base = self.whole.mean_confidence
        curves = None if true is None else self._true_curves(true)
        mine = [region for region in self.tree if self.is_incumbents(region)]
        kinds, lacking = ({"incumbent": mine, "l1": [*self.around]}, [np.nan] * len(_MEASURES))
        rows = []
        deepest = max(region.depth for region in self.tree)
        for depth in range(deepest + 1):
            cut = self._at_depth(depth)
            confidence = sum(r.weight * r.effect.mean_confidence for r in cut)
            rows.append(
                {
                    "regions": len(cut),
                    "explained": self._explained(depth),
                    "mean_confidence": confidence,
                    "gain": 100.0 * _narrower(base, confidence),
                }
            )
            for kind, path in kinds.items():
                after = self._measures(path[min(depth, len(path) - 1)], curves) if path else lacking
                differences = map(_narrower, self._measures(self.tree[0], curves), after)
                rows[-1] |= {
                    f"{kind}_{m}": 100.0 * d for m, d in zip(_MEASURES, differences, strict=True)
                }
        return pd.DataFrame(rows, index=pd.RangeIndex(deepest + 1, name="depth"))

    def _measures(self, region: Region, curves: Array | None) -> list[float]:
        """Return MC, OC and NLL of the effect in a region."""
        effect, nll = region.effect, np.nan
        if curves is not None:
            nll = effect.negative_log_likelihood(np.nanmean(curves[region.rows], axis=0))
        at = np.nan if effect.incumbent is None else effect.confidence_at(self.subject.incumbent)
        return [effect.mean_confidence, at, nll]

    def _true_curves(self, true: Callable[[Array], npt.ArrayLike]) -> Array:
        """Return the true curve of each row of the sample, NaN where it is not valid."""
        space, grid = (self.subject.space, itertools.product(*self.whole.positions))
        members, axes = [space.index(name) for name in self.names], []
        for value in grid:
            rows = self.sample.copy()
            rows[:, members] = value
            column = np.asarray(true(space.project(rows)), dtype=float)
            if column.shape != (len(rows),):
                problem = f"must return one value per row, {len(rows)}, but returned {column.shape}"
                raise InputError("true", problem, true, "Return an array of shape (m,).")
            axes.append(column)
        ice = self.whole.ice_mean
        return np.where(np.isnan(ice), np.nan, np.stack(axes, axis=1).reshape(ice.shape))

    def _explained(self, depth: int) -> float:
        """Return the share that the splits above a depth explain, NaN where it is not known."""
        if self.interaction is None:
            return np.nan
        split = {node.parent for node in self.tree if node.depth <= depth}
        gains = [self.tree[i].gain for i in split if i is not None]
        return sum(gain.estimate for gain in gains if gain is not None)

    def _at_depth(self, depth: int) -> list[Region]:
        """Return the nodes of a depth, and the leaves above it."""
        parents = {node.parent for node in self.tree}
        return [
            node
            for place, node in enumerate(self.tree)
            if node.depth == depth or (node.depth < depth and place not in parents)
        ]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Where the effect is known best, and how much better; or where it has another shape."""
        if self.criterion == "interaction":
            return (self._about_shape(),)
        effect = f"The effect of {join_names(self.names)} is known"
        if len(self.regions) == 1:
            same = f"{effect} equally well in all parts of the space."
            return (Claim("form", self.names, text=same, side="below"),)
        best = min(self.regions, key=lambda region: region.effect.mean_confidence)
        gain = _narrower(self.whole.mean_confidence, best.effect.mean_confidence)
        narrower = f"its band is {percent(gain)} narrower there than over the whole space"
        text = f"{effect} best where {join_names([best.label])}: {narrower}."
        return (Claim("form", self.names, gain, text=text, values=best.conditions),)

    def _about_shape(self) -> Claim:
        """Return the first split, by which shapes differ most, or that none is known."""
        gain = self.tree[0].gain or _UNKNOWN
        whole = self.interaction or _UNKNOWN
        effect, part = f"effect of {join_names(self.names)}", self.tree[0].part
        varies = f"of the variation of the {self.objective_name}"
        elsewhere = f"a different shape where {join_names([str(part)])} than elsewhere"
        if len(self.tree) > 1 and not gain.known:
            return self._told(f"The {effect} seems to have {elsewhere}.", gain, (part,))
        if gain.certain:
            explains = f"the difference explains {gain.shown:%} {varies}"
            return self._told(f"The {effect} has {elsewhere}: {explains}.", gain, (part,))
        if gain.probability > 0.5:
            sure = f"({percent(gain.probability)} sure)"
            return self._told(f"The {effect} may have {elsewhere} {sure}.", gain, (part,))
        if whole.certain:
            most = max(math.ceil(100.0 * whole.bound), 1)
            less = f"differences explain less than {most}% {varies}"
            return self._told(f"The {effect} has the same shape everywhere: {less}.", whole)
        claim = self._told(f"No region certainly has a different shape of the {effect}.", whole)
        return replace(claim, side="below")

    def _told(self, text: str, share: Decision, values: tuple[Any, ...] = ()) -> Claim:
        return share.claim("form", self.names, text=text, values=values, unsettled=_OPEN)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the table: a row per region and grid point."""
        tables = []
        for region in self.regions:
            columns = region.effect.named_columns
            n = len(columns[0][1])
            own: list[tuple[str, Any]] = [("region", [region.label] * n)]
            own.append(("weight", [region.weight] * n))
            tables.append([*columns, *own])
        return below_each_other(tables)

    @property
    def _held(self) -> list[dict[str, Any]]:
        return [
            {
                "label": region.label,
                "conditions": [asdict(condition) for condition in region.conditions],
                "weight": region.weight,
                "effect": region.effect.to_dict(),
            }
            for region in self.regions
        ]


def _narrower(before: float, after: float) -> float:
    """Return by which share of its size a measure is less than before."""
    return (before - after) / abs(before) if before else 0.0
