"""Whether sampled Shapley values rank the hyperparameters safely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.diagnostics import Scope
from hpo_explain.explanations.claims import Claim
from hpo_explain.explanations.result import Result
from hpo_explain.facts import fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_TOO_LARGE = fact("efficiency_error_too_large")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampleSizeCheck(Result):
    """Whether the number of draws is enough for the ranking of the hyperparameters.

    Attributes
    ----------
    draws : int or None
        The number of draws K, None where nothing was drawn.
    most : int or None
        The largest number of draws that was allowed; None where there is no limit.
    estimated : tuple of str
        The hyperparameters whose contributions are estimated.
    contributions : dict of str to ndarray
        Their contributions by term, plus "total".
    error, threshold : dict of str to float
        By term, plus "total": the efficiency error Δ and the smallest difference δ between two
        contributions (infinite with fewer than two hyperparameters that contribute).
    subject, notes
        As of every result.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + 3.0 * table.y
    >>> sampled = hx.explain_proposal(table, 4, objective="loss", estimator="sampling", draws=500)
    >>> list(hx.check_sample_size(sampled).error)
    ['mean', 'uncertainty', 'total']
    """

    scope: ClassVar[Scope] = "proposals"
    draws: int | None
    most: int | None
    estimated: tuple[str, ...]
    contributions: Mapping[str, Array]
    error: Mapping[str, float]
    threshold: Mapping[str, float]

    @property
    def enough(self) -> bool:
        """Whether the ranking is safe for every term and the total."""
        return all(claim.certain for claim in self.claims)

    @property
    def limited(self) -> bool:
        """Whether twice as many draws exceed the allowed number."""
        return self.draws is not None and self.most is not None and 2 * self.draws > self.most

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The ranking by each term; certain where the error cannot change it."""
        return tuple(self._claim(term) for term in self.error)

    def _claim(self, term: str) -> Claim:
        order = np.argsort(-self.contributions[term], kind="stable")
        safe = self.error[term] < self.threshold[term]
        return Claim(
            "ranking",
            tuple(self.estimated[j] for j in order),
            estimate=self.error[term],
            certain=safe,
            because=() if safe else (_TOO_LARGE,),
            term=term,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per term: error, threshold, enough."""
        import pandas as pd

        frame = pd.DataFrame({"error": self.error, "threshold": self.threshold})
        frame["enough"] = frame["error"] < frame["threshold"]
        frame.index.name = "term"
        return frame

    def _numbers(self) -> dict[str, Any]:
        return {
            "draws": self.draws,
            "most": self.most,
            "estimated": self.estimated,
            "contributions": self.contributions,
            "error": self.error,
            "threshold": self.threshold,
        }
