"""Partial dependence by region: where it is known well, or where it has another shape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import Claim, InputError, Result, Table, below_each_other, declared_fact
from hpo_explain.belief import Decision, decide
from hpo_explain.methods._engines.conditions import Condition
from hpo_explain.methods._engines.effect_kinds import AverageEffect
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd

_OPEN = declared_fact("shapes_not_settled", "the shapes may differ, or not", role="said")
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
    """Partial dependence in regions within which its uncertainty, or its shape, is similar.

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
        As of every result.

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
    says: ClassVar[Mapping[str, str]] = {
        "best": "The effect of {names} is known best where {where}: its band is {gain:%} narrower "
        "there than over the whole space.",
        "same": "The effect of {names} is known equally well in all parts of the space.",
        "differs": "The effect of {names} has another shape where {where} than elsewhere: the "
        "difference explains {estimate:%} of what the {objective} varies by.",
        "seems": "The effect of {names} seems to have another shape where {where} than elsewhere.",
        "alike": "The effect of {names} has the same shape everywhere: differences explain less "
        "than {most}% of what the {objective} varies by.",
        "may": "The effect of {names} may have another shape where {where} than elsewhere "
        "({probability:%} sure).",
        "open": "No part of the space certainly has another shape of the effect of {names}.",
    }
    names: tuple[str, ...]
    regions: tuple[Region, ...]
    tree: tuple[Region, ...]
    criterion: str
    interaction: Decision | None = None
    sample: Array
    around: tuple[Region, ...] = ()

    @property
    def std_with_noise(self) -> bool:
        """Whether standard deviations include observation noise."""
        bands = [note for note in self.notes if note.kind == "effect_band"]
        return any(band["noise"] for band in bands)

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
        certain = partial(self.claim, certain=True, because=())
        if len(self.regions) == 1:
            return (replace(certain("form", self.names, says="same"), side="below"),)
        best = min(self.regions, key=lambda region: region.effect.mean_confidence)
        gain = _narrower(self.whole.mean_confidence, best.effect.mean_confidence)
        where = best.label
        return (
            certain(
                "form",
                self.names,
                gain,
                says="best",
                values=best.conditions,
                where=where,
                gain=gain,
            ),
        )

    def _about_shape(self) -> Claim:
        """Return the first split, by which shapes differ most, or that none is known."""
        gain = self.tree[0].gain or _UNKNOWN
        whole = self.interaction or _UNKNOWN
        if len(self.tree) > 1 and not gain.known:
            return self._differs("seems")
        if gain.probability > 0.5:
            return self._differs("differs" if gain.certain else "may")
        if not whole.certain:
            claim = self.decided("form", self.names, whole, says="open", unsettled=_OPEN())
            return replace(claim, side="below")
        return self.decided(
            "form",
            self.names,
            whole,
            says="alike",
            most=max(math.ceil(100.0 * whole.bound), 1),
            objective=self.objective_name,
        )

    def _differs(self, says: str) -> Claim:
        """Return in which part the shape is another one, by the first split."""
        root = self.tree[0]
        gain = root.gain or _UNKNOWN
        return self.decided(
            "form",
            self.names,
            gain,
            says=says,
            values=(root.part,),
            unsettled=_OPEN(),
            where=str(root.part),
            objective=self.objective_name,
            probability=gain.probability,
        )

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
