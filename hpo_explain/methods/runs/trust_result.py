"""How well the objective of a run is known, in one word and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hpo_explain.base import Claim, Result, Table
from hpo_explain.belief import Trust

_SHOWN = {
    "r2": "R² over the space",
    "rank": "rank correlation among the best fifth",
    "known": "space known within the noise",
    "held_out": "R² of held-out trials",
    "covered": "held-out in 95% intervals",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunTrust(Result, Trust):
    """How well the objective of a run is known.

    Attributes
    ----------
    subject, notes
        As of every result.
    level : {"good", "fair", "poor"}
        The verdict: "good" if the lower end of R² is at least 0.5, "fair" if it is at least 0.1.
    r2 : float
        R² over the space that the mean over the draws of the belief is expected to have, never
        below 0; 0 where the objective of all trials is the same. By what trials scatter about the
        draws the objective itself may vary, unless repeated evaluations tell that it is noise.
    r2_interval : tuple of (float, float)
        What holds it with 95 %.
    rank : float
        Expected rank correlation among the best fifth of the space.
    rank_interval : tuple of (float, float)
        What holds it with 95 %.
    open : float
        Share of the space in which the objective may differ by more than one evaluation's noise.
    held_out : float
        R² of trials that were held out one by one, on the scale that ranks lead to.
    covered : float
        Share of them that 95 % intervals hold.
    n_trials : int
        How many trials are known.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0.0, 1.0, 30)[:, None]
    >>> found = hx.trust(hx.Run(space, X, np.sin(5 * X[:, 0]), "minimize"))
    >>> found.level, found.r2 > 0.9, found.n_trials
    ('good', True, 30)
    """

    table: ClassVar[Table] = Table(
        index=("measure", "measures"),
        columns={"value": "values", "lower": "lower", "upper": "upper"},
        held={name: name for name in Trust.__dataclass_fields__},
    )
    says: ClassVar[Mapping[str, str]] = {
        "r2": "Reliability: {found.level} (the model explains {value:%} of the variation, at "
        "least {low:%}).",
        "short": "Reliability: {found.level} (R² {value:.2f}, at least {low:.2f}).",
        "rank": "Among the best fifth of the space the rank correlation is expected to be "
        "{value:.2f} ({low:.2f} to {high:.2f}).",
        "held out": "Of {found.n_trials:#trial}, held out one by one, {found.covered:%} lie within "
        "their 95% intervals; R² is {found.held_out:.2f}. In {found.open:%} of the space the "
        "objective may differ by more than the noise of one evaluation.",
    }

    @property
    def measures(self) -> tuple[str, ...]:
        """What each row of the table is."""
        return tuple(_SHOWN.values())

    @property
    def values(self) -> tuple[float, ...]:
        """The measures: the larger, the better."""
        return self.r2, self.rank, 1.0 - self.open, self.held_out, self.covered

    @property
    def lower(self) -> tuple[float, ...]:
        """Lower ends of their 95 % intervals; NaN where there is none."""
        return self._ends(0)

    @property
    def upper(self) -> tuple[float, ...]:
        """Upper ends of their 95 % intervals; NaN where there is none."""
        return self._ends(1)

    def _ends(self, end: int) -> tuple[float, ...]:
        nan = float("nan")
        return self.r2_interval[end], self.rank_interval[end], nan, nan, nan

    @property
    def headline(self) -> str:
        """The verdict."""
        low = self.r2_interval[0]
        return self.briefly("short", value=self.r2, low=low)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """R², the rank correlation among the best, and what held-out trials say."""
        return (
            self._claim("share", "r2", self.r2, self.r2_interval),
            self._claim("order", "rank", self.rank, self.rank_interval),
            self.claim(
                "tried", self.subject.names, self.covered, says="held out", certain=True, because=()
            ),
        )

    def _claim(self, kind: str, says: str, value: float, ends: tuple[float, float]) -> Claim:
        least = 0.0 if kind == "share" else -1.0  # nothing known has no share
        value, low, high = (max(each, least) for each in (value, *ends))
        return self.claim(
            kind,
            self.subject.names,
            value,
            (low, high),
            says=says,
            certain=True,
            because=(),
            value=value,
            low=low,
            high=high,
        )
