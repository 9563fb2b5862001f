"""What matters in a random forest: its functional ANOVA, exact in each of its trees.

A forest's boxes stay in the result as plain arrays, so that the marginal of any pair is an exact
integral whenever it is asked for; those of all pairs would take d²/2 tables of 1,600 numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base import Claim, InputError, Option, check_name, fact, join_names, percent_sd
from hpo_explain.methods.importance.estimates import SEPARATOR
from hpo_explain.methods.importance.fanova_result import (
    FanovaImportance,
    Rows,
    components_error,
    term_of,
    told,
)
from hpo_explain.methods.importance.most import ALL
from hpo_explain.models import TreeBoxes
from hpo_explain.models.box_sums import marginal_at, marginal_prediction, total_cost, total_shares
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


_OVER_TREES = fact(
    "the shares of a forest vary over its trees, which is no interval, and hold what it learned "
    "of the noise"
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ForestImportance(FanovaImportance):
    """Shares of the variance of a forest's trees.

    Attributes
    ----------
    boxes : tuple of TreeBoxes
        The trees, as boxes over the latent values.
    most_pairs : float
        Number of pairs of leaves up to which `totals` are computed.
    order, members, shares, variances, axes, top, within, cap, given, fidelity, subject, notes
        As of `FanovaImportance`.
    """

    rows: ClassVar[Rows] = "trees"

    boxes: tuple[TreeBoxes, ...]
    most_pairs: float = 1e8

    @property
    def functions(self) -> Array:
        """The mean of the shares over the trees, (1, number of sets)."""
        return self.estimate[None]

    @property
    def mattering(self) -> Array:
        """The same of single hyperparameters, (1, d)."""
        return self.functions[:, : len(self.names)]

    @cached_property
    def totals(self) -> Array:
        """Share of everything in which a hyperparameter takes part, (number of trees, d).

        It is computed when it is first asked for, from every pair of leaves, some 20 ns each; NaN
        where there are more than `most_pairs`. The plot marks totals that are known.
        """
        if total_cost(self.boxes) > self.most_pairs:
            return self._no_totals
        varying = [b for b, v in zip(self.boxes, self.variances, strict=True) if v > 0.0]
        return total_shares(varying or self.boxes)

    @property
    def known_totals(self) -> Array:
        """`totals`, if they were asked for before, else NaN; drawing does not compute them."""
        totals: Array = vars(self).get("totals", self._no_totals)
        return totals

    @property
    def _no_totals(self) -> Array:
        return np.full((len(self.shares), len(self.names)), np.nan)

    def total_effect(self, name: str) -> float:
        """Return the share of everything in which a hyperparameter takes part.

        Raises
        ------
        ValueError
            If the name is unknown, or there are more than `most_pairs` pairs of leaves.
        """
        total = super().total_effect(name)
        if np.isnan(total):
            pairs = f"{total_cost(self.boxes):.1e} pairs of leaves, more than {self.most_pairs:.1e}"
            raise InputError(
                "name",
                f"was {name!r}, but total effects need {pairs}",
                name,
                ("Pass a larger ", Option("most_pairs"), " to the explainer, or take fewer trees."),
            )
        return total

    def averaged(self, members: Sequence[int], grid: Sequence[tuple[Any, ...]]) -> Array:
        """Return the prediction of each tree, averaged over all others, (..., trees)."""
        places = [self.axes[j].latent for j in members]
        return np.stack([marginal_prediction(b, members, places) for b in self.boxes], axis=-1)

    def components(self, values: Mapping[str, Any]) -> pd.DataFrame:
        """Return what values do alone and together, in the trees of a forest.

        Parameters
        ----------
        values : mapping of str to value
            A part θ_U of a configuration, in the user's units.

        Returns
        -------
        DataFrame
            A row for each set of them, the empty one first. `marginal` is the prediction at these
            values averaged over all others, `component` what of it is not that of smaller sets,
            `std` the standard deviation of the component over the trees. The components of all
            hyperparameters add up to the prediction.

        Raises
        ------
        ValueError
            If a name or value is unknown, more than 12 are named, or this is no decomposition of a
            forest's whole space.

        References
        ----------
        .. [1] Hutter, Hoos and Leyton-Brown (2014), Definitions 2 to 4.

        Examples
        --------
        >>> import hpo_explain as hx
        >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xy"])
        >>> X = space.sample(200, seed=1)
        >>> run = hx.Run(space, X, X[:, 0] + X[:, 1], "minimize")
        >>> found = hx.importance(run, kind="forest").components({"x": 0.9, "y": 0.1})
        >>> [*found.index], bool(found.component["x"] > 0.3 > found.component["x × y"])
        (['', 'x', 'y', 'x × y'], True)
        """
        import pandas as pd

        if self.given:
            raise components_error(values, f"those given {self.where_given}")
        if len(values) > 12:  # whose sets are 4096
            problem = f"must name at most 12 hyperparameters, but has {len(values)}"
            raise InputError("values", problem, values)
        members = sorted(
            self.names.index(check_name("values", name, self.names, "hyperparameter"))
            for name in values
        )
        point = {j: self._latent(j, values[self.names[j]]) for j in members}
        components = dict[tuple[int, ...], tuple[Array, Array]]()
        for size in range(len(members) + 1):
            for u in itertools.combinations(members, size):
                at = np.array([point[j] for j in u])
                whole = np.array([marginal_at(b, u, at) for b in self.boxes])
                smaller = [
                    components[w][1] for k in range(size) for w in itertools.combinations(u, k)
                ]
                components[u] = whole, whole - np.sum(smaller, axis=0)
        return pd.DataFrame(
            [(whole.mean(), own.mean(), own.std()) for whole, own in components.values()],
            index=[SEPARATOR.join(self._named(u)) for u in components],
            columns=["marginal", "component", "std"],
        )

    def _latent(self, j: int, value: Any) -> float:
        """Return where a value of a hyperparameter lies among its latent values."""
        parameter, axis = self.subject.space.parameters[j], self.axes[j]
        position = float(parameter.encode([value])[0])
        if parameter.size is not None and value in axis.grid:
            return float(axis.latent[axis.grid.index(value)])
        place = np.mean(parameter.latent_interval(position, position)) * parameter.optional
        return min(float(place), 1.0 - 1e-12)

    def _claims(self, ranking: list[int], named: list[int]) -> Iterator[Claim]:
        """Yield the largest shares of trees with their spread, of which none is certain."""
        where = f" given {self.where_given}" if self.given else ""
        by = f" (by {self.subject.model})" if self.subject.model else ""
        depends = f"What the {self.objective_name} depends on most{where}{by}"
        frame = f"{depends}: {{each}} of its variance."
        for i in named:
            members, share = self.members[i], self.shares[:, i]
            names, term = self._named(members), term_of(members)
            label = join_names([SEPARATOR.join(names)])
            yield self._mean_of(
                names, share, term, f"{label} ({told(_spread(share), term)})", frame
            )
        if len(self.names) > 1:
            alone = _spread(self.alone)
            text = f"Without interactions all hyperparameters explain {alone}."
            yield self._mean_of(self.names, self.alone, ALL, text)

    def _mean_of(
        self, names: tuple[str, ...], share: Array, term: str, text: str, frame: str = "{each}"
    ) -> Claim:
        return Claim(
            "share",
            names,
            float(share.mean()),
            certain=False,
            term=term,
            because=(_OVER_TREES,),
            text=text,
            frame=frame,
        )


def _spread(share: Array) -> str:
    return percent_sd(float(share.mean()), float(share.std()))
