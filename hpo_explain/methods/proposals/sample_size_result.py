"""Whether sampled Shapley values rank the hyperparameters safely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hpo_explain.base import Claim, Fact, Result, SamplingError, Table, between, fact, join_names
from hpo_explain.space import Array


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
        error is not known. By the efficiency error that error.
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
    estimated : tuple of str
        The hyperparameters whose contributions are estimated.
    contributions : dict of str to ndarray
        Their contributions by term, plus "total".
    closest : dict of str to (Closest or None)
        By term, plus "total": the neighbours in the ranking that are told apart worst; None with
        fewer than two hyperparameters that contribute.
    error : {"pairs", "efficiency"}
        The error that differences are compared with.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + 3.0 * table.y
    >>> sampled = hx.explain_proposal(table, 4, objective="loss", estimator="sampling", orders=500)
    >>> list(hx.methods.check_sample_size(sampled).closest)
    ['mean', 'uncertainty', 'total']
    """

    table: ClassVar[Table] = Table(
        index=("term", "by"),
        columns={
            "more": lambda result: [c and c.pair[0] for c in result.closest.values()],
            "less": lambda result: [c and c.pair[1] for c in result.closest.values()],
            "difference": lambda result: [c.estimate for c in result.claims],
            "half_width": lambda result: [
                c.half_width if c else 0.0 for c in result.closest.values()
            ],
            "enough": "safe",
        },
        held={
            "orders": "orders",
            "error": "error",
            "estimated": "estimated",
            "contributions": "contributions",
            "closest": lambda result: {t: c and vars(c) for t, c in result.closest.items()},
        },
    )
    orders: int | None
    estimated: tuple[str, ...]
    contributions: Mapping[str, Array]
    closest: Mapping[str, Closest | None]
    error: SamplingError = "pairs"

    @property
    def safe(self) -> list[bool]:
        """Whether the ranking is safe, by term, and by the total."""
        return [pair is None or pair.told_apart for pair in self.closest.values()]

    @property
    def enough(self) -> bool:
        """Whether the ranking is safe for every term and the total."""
        return all(self.safe)

    @property
    def by(self) -> list[str]:
        """The terms, and "total"."""
        return [*self.closest]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The ranking by each term; certain where all neighbours in it are told apart.

        By the efficiency error none is certain.
        """
        text = (
            "The sample is large enough by Algorithm 4: the efficiency error is smaller than every "
            "difference in the rankings."
        )
        if self.error == "pairs":
            text = (
                "The sample is large enough: all neighbours in the rankings can be told apart "
                "(95 %)."
            )
        told = [text * self.enough, *[""] * len(self.by)]
        return tuple(map(self._claim, self.by, told))

    def _claim(self, term: str, text: str) -> Claim:
        order = np.argsort(-self.contributions[term], kind="stable")
        closest, because, frame = self.closest[term], tuple[Fact, ...](), "{each}"
        if closest is not None and not closest.told_apart:
            why = "coalitions were sampled once, so their error is not known"
            if np.isfinite(closest.half_width):
                why = f"{join_names(closest.pair)} cannot be told apart"
            because, text = (fact(why, names=closest.pair),), term
            frame = (
                "The sample is too small to rank the hyperparameters by {each}; take more orders."
            )
        elif self.error == "efficiency":
            why = "the efficiency error of draws that hyperparameters share says little of their"
            because = (fact(f"{why} differences"),)
        return self.claim(
            "order",
            tuple(self.estimated[j] for j in order),
            np.inf if closest is None else closest.difference,
            None if closest is None else between(closest.difference, closest.half_width),
            frame=frame,
            text=text,
            certain=not because,
            because=because,
            term=term,
        )
