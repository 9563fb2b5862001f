"""What matters in a random forest: its functional ANOVA, exact in each of its trees.

A forest's boxes stay in the result as plain arrays, so that the marginal of any pair is an exact
integral whenever it is asked for; those of all pairs would take d²/2 tables of 1,600 numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import Claim, Fact, InputError, fact, join_names, percent_sd
from hpo_explain.methods.importance.estimates import SEPARATOR
from hpo_explain.methods.importance.fanova_result import (
    FanovaImportance,
    Rows,
    term_of,
    told,
)
from hpo_explain.methods.importance.most import ALL
from hpo_explain.models import TreeBoxes
from hpo_explain.models.box_sums import marginal_prediction, total_cost, total_shares
from hpo_explain.space import Array

_OVER_TREES = fact(
    "the spread over the trees of a forest is not a confidence interval, and the forest has "
    "learned some of the noise"
)
_TOO_SMALL = fact(
    "the share of an interaction can be too small where its hyperparameters have no effect alone: "
    "a tree chooses each split by one hyperparameter"
)


MOST_PAIRS = 1e8  # of leaves, up to which total effects are computed


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ForestImportance(FanovaImportance):
    """Shares of the variance of a forest's trees.

    Attributes
    ----------
    boxes : tuple of TreeBoxes
        The trees, as boxes over the latent values.
    order, members, shares, variances, axes, top, within, cap, given, fidelity, subject, notes
        As in `FanovaImportance`.
    """

    rows: ClassVar[Rows] = "trees"

    boxes: tuple[TreeBoxes, ...]

    @property
    def remarks(self) -> tuple[Fact, ...]:
        """That interactions of three or more may be told too small."""
        return (_TOO_SMALL,) if self.order > 2 else ()

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
        where there are more than 1e8. The plot marks totals that are known.
        """
        if total_cost(self.boxes) > MOST_PAIRS:
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
            If the name is unknown, or there are more than 1e8 pairs of leaves.
        """
        total = super().total_effect(name)
        if np.isnan(total):
            pairs = f"{total_cost(self.boxes):.1e} pairs of leaves, more than {MOST_PAIRS:.1e}"
            raise InputError(
                "name",
                f"was {name!r}, but total effects need {pairs}",
                name,
                "Take fewer trees.",
            )
        return total

    def averaged(self, members: Sequence[int], grid: Sequence[tuple[Any, ...]]) -> Array:
        """Return the prediction of each tree, averaged over all others, (..., trees)."""
        places = [self.axes[j].latent for j in members]
        return np.stack([marginal_prediction(b, members, places) for b in self.boxes], axis=-1)

    def _claims(self, ranking: list[int], named: list[int]) -> Iterator[Claim]:
        """Yield the largest shares of trees with their spread, of which none is certain."""
        where = f" given {self.where_given}" if self.given else ""
        by = f" (by {self.subject.model})" if self.subject.model else ""
        frame = f"Shares of the variance of the {self.objective_name}{where}{by}: {{each}}."
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
