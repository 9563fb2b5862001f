"""Whether sampled Shapley values rank the hyperparameters safely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base.claim import Claim, between
from hpo_explain.base.facts import Fact, fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Closest:
    """The two neighbours in a ranking that are told apart worst.

    Attributes
    ----------
    pair : tuple of (str, str)
        The hyperparameters, the one that contributes more first.
    difference : float
        How much more it contributes.
    half_width : float
        Half the 95 % interval of that, simultaneous over all pairs and terms; infinite where the
        error is not known.
    """

    pair: tuple[str, str]
    difference: float
    half_width: float

    @property
    def told_apart(self) -> bool:
        """Whether the first contributes more for certain; also where both are known exactly."""
        return self.half_width == 0.0 or self.difference > self.half_width


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampleSizeCheck(Result):
    """Whether the number of orders is enough for the ranking of the hyperparameters.

    Attributes
    ----------
    orders : int or None
        The number of orders K, None where nothing was drawn.
    most : int or None
        The largest number of orders that was allowed; None where there is no limit.
    estimated : tuple of str
        The hyperparameters whose contributions are estimated.
    contributions : dict of str to ndarray
        Their contributions by term, plus "total".
    closest : dict of str to (Closest or None)
        By term, plus "total": the neighbours in the ranking that are told apart worst; None with
        fewer than two hyperparameters that contribute.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + 3.0 * table.y
    >>> sampled = hx.explain_proposal(table, 4, objective="loss", estimator="sampling", orders=500)
    >>> list(hx.check_sample_size(sampled).closest)
    ['mean', 'uncertainty', 'total']
    """

    scope: ClassVar[Scope] = "proposals"
    orders: int | None
    most: int | None
    estimated: tuple[str, ...]
    contributions: Mapping[str, Array]
    closest: Mapping[str, Closest | None]

    @property
    def enough(self) -> bool:
        """Whether the ranking is safe for every term and the total."""
        return all(claim.certain for claim in self.claims)

    @property
    def limited(self) -> bool:
        """Whether twice as many orders exceed the allowed number."""
        return self.orders is not None and self.most is not None and 2 * self.orders > self.most

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The ranking by each term; certain where all neighbours in it are told apart."""
        return tuple(self._claim(term) for term in self.closest)

    def _claim(self, term: str) -> Claim:
        order = np.argsort(-self.contributions[term], kind="stable")
        closest = self.closest[term]
        doubts: tuple[Fact, ...] = ()
        if closest is not None and not closest.told_apart:
            if np.isfinite(closest.half_width):
                doubts = (fact("not_told_apart", names=closest.pair),)
            else:
                doubts = (fact("sampling_error_unknown"),)
        return Claim(
            "ranking",
            tuple(self.estimated[j] for j in order),
            estimate=np.inf if closest is None else closest.difference,
            interval=None if closest is None else between(closest.difference, closest.half_width),
            certain=not doubts,
            because=doubts,
            term=term,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per term: the closest two, their difference, half_width, enough."""
        import pandas as pd

        rows = [
            (None, None, np.inf, 0.0, True)
            if found is None
            else (*found.pair, found.difference, found.half_width, found.told_apart)
            for found in self.closest.values()
        ]
        return pd.DataFrame(
            rows,
            columns=["more", "less", "difference", "half_width", "enough"],
            index=pd.Index(self.closest, name="term"),
        )

    def _numbers(self) -> dict[str, Any]:
        return {
            "orders": self.orders,
            "most": self.most,
            "estimated": self.estimated,
            "contributions": self.contributions,
            "closest": {
                term: None
                if found is None
                else {
                    "pair": found.pair,
                    "difference": found.difference,
                    "half_width": found.half_width,
                }
                for term, found in self.closest.items()
            },
        }
