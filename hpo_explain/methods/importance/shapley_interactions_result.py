"""What hyperparameters do to a prediction or an acquisition, alone and together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import (
    Claim,
    Estimate,
    Table,
    between,
    fact,
    format_level,
    format_value,
    worth_naming,
)
from hpo_explain.belief import PROBABLE, Decision, decide
from hpo_explain.methods.importance.sets import Sets
from hpo_explain.space import Array

_MAY_BE_NOTHING = fact("they may not interact at all", role="said")
NEGLIGIBLE = 0.1
"""Interactions that are surely a smaller part of the spread of what is explained are none."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ShapleyInteractions(Sets):
    """Shapley interactions of a prediction or an acquisition at a configuration.

    The values of all sets add up to the difference between what is explained at one configuration
    and its average over the background. A single hyperparameter's value is what it does by itself,
    that of several is what they do together beyond that.

    Attributes
    ----------
    of : {"prediction", "acquisition"}
        What is explained.
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    players, sets, values, draws, half_width, order, coalitions
        The values of sets, as of `Sets`, in the units of what is explained.
    terms : tuple of str
        The terms of which they are sums.
    by_term : ndarray of shape (number of sets, number of terms)
        The values of each term.
    prediction, baseline, efficiency_gap : float
        What is explained, its mean over the background, and what the values miss of their
        difference.
    spread : float
        The standard deviation of what is explained over the background.
    background_size : int
        Number of background rows.
    subject, notes
        As in every result.

    References
    ----------
    .. [1] Bordt, S. and von Luxburg, U. (2023). From Shapley values to generalized additive models
       and back. AISTATS. https://arxiv.org/abs/2209.04012

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.methods.shapley_interactions(table, objective="loss", background=50)
    >>> sorted(found.labels)
    ['x', 'x × y', 'y']
    """

    table: ClassVar[Table] = replace(
        Sets.table, hidden=(*Sets.table.hidden, "coalitions", "terms", "by_term")
    )

    of: Literal["prediction", "acquisition"]
    config: Mapping[str, Any]
    terms: tuple[str, ...]
    by_term: Array
    prediction: float
    baseline: float
    efficiency_gap: float
    spread: float
    background_size: int = 0

    @property
    def start(self) -> float:
        """What is explained, on average."""
        return self.baseline

    @property
    def columns(self) -> dict[str, Any]:
        """Those of every `Sets`, and the values of each term, where there are several."""
        columns = super().columns
        if len(self.terms) > 1:
            columns |= dict(zip(self.terms, self.by_term.T, strict=True))
        return columns

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The strongest interactions, or that there is none."""
        ranking = self.by_size(range(2, self.order + 1))
        sizes = np.abs(self.values)
        named = worth_naming(ranking, sizes, float(sizes.sum()))
        if not named or self._are_negligible(ranking):
            return (self._no_interaction(ranking),)
        claims = [self._interaction(i) for i in named]
        certain = [claim for claim in claims if claim.certain]
        if not certain and claims[0].probability < PROBABLE:
            return (self._no_interaction(ranking),)
        return tuple(certain or claims[:1])

    def _are_negligible(self, ranking: list[int]) -> bool:
        """Return whether interactions are surely small, but for integration if of an acquisition.

        That is below a tenth of the spread.
        """
        if self.of == "acquisition":
            most = (np.abs(self.values) + np.nan_to_num(self.half_width))[ranking]
            return bool((most <= NEGLIGIBLE * self.spread).all())
        return self._smallness(ranking).certain

    def _smallness(self, sets: list[int]) -> Decision:
        """Return whether the largest of some interactions is negligible."""
        largest = np.abs(self.draws[:, sets]).max(axis=1, initial=0.0)
        return decide(largest, np.nextafter(NEGLIGIBLE * self.spread, np.inf), side="below")

    def _no_interaction(self, ranking: list[int]) -> Claim:
        smallness = self._smallness(ranking)
        if not smallness.known:
            smallness = replace(smallness, estimate=0.0)
        none = "No hyperparameters interact."
        claim = smallness.claim("contribution", self.all_names, text=none)
        return replace(claim, side="below")

    def _interaction(self, i: int) -> Claim:
        """Return what a set does together."""
        if self.of == "acquisition":
            return self._interaction_on_acquisition(i)
        names, decision = self.members[i], self.decision(i)
        frame, text = self._together(i, decision.shown, certain=decision.certain)
        values = self._values_of(names)
        claim = decision.claim("contribution", names, text=text, frame=frame, values=values)
        return replace(claim, side="above")

    def _interaction_on_acquisition(self, i: int) -> Claim:
        """Return what a set does to an acquisition, of which only integrating is uncertain."""
        value, half = float(self.values[i]), float(self.half_width[i])
        certain = abs(value) > np.nan_to_num(half)
        frame, text = self._together(i, self.estimate(i), certain=certain)
        return Claim(
            "contribution",
            self.members[i],
            value,
            between(value, half),
            values=self._values_of(self.members[i]),
            certain=certain,
            because=() if certain else (_MAY_BE_NOTHING,),
            text=text,
            frame=frame,
        )

    def _together(self, i: int, size: Estimate, *, certain: bool) -> tuple[str, str]:
        """Return the frame and the words of what a set does together."""
        which = " with ".join(map(self._with_value, self.members[i]))
        if not certain:
            seems = f"The strongest interaction seems to be that of {which}"
            return "{each}", f"{seems} ({size})."
        changes = "raises" if self.values[i] > 0.0 else "lowers"
        does = f"{which} {changes} it by {abs(size)}"
        return "Beyond their own contributions, {each}.", does

    def _values_of(self, names: tuple[str, ...]) -> tuple[Any, ...]:
        return tuple(self.config.get(name) for name in names)

    def _with_value(self, name: str) -> str:
        value = self.config.get(name)
        return name if value is None else f"{name} = {format_value(value)}"

    @property
    def finding(self) -> str:
        """What is explained, and what hyperparameters do to it only together."""
        gap = self.prediction - self.baseline
        return (
            f"The {self.what} of {self.where} is {format_level(self.prediction, gap)}, on average "
            f"{format_level(self.baseline, gap)}. {super().finding}"
        )
