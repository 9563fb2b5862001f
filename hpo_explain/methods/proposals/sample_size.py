"""Whether sampled Shapley values rank the hyperparameters safely (checkSampleSize).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
r          a repetition: a draw, or a hypercube of the background with its own coalitions
δ_ij       difference of the contributions of hyperparameters i and j
s_ij       its standard error: that of the mean of ``φ_i^r - φ_j^r`` over repetitions
=========  ============================================================================

The thesis (Algorithm 4, ``error="efficiency"``) compares the efficiency error Δ, how far the
contributions' sum is from the payout, with the smallest |δ|: the sample is large enough if Δ < |δ|.
That holds for draws that are independent between hyperparameters (Algorithm 2). Ours share their
draws, so that sums telescope and the efficiency error says nothing; but so do differences: their
errors are estimated from pairs. The ranking is safe if ``δ_ij > t s_ij`` for all neighbours in it,
with t such that the intervals of all pairs and terms hold together with 95 % probability
(Bonferroni): a wrong ranking has two neighbours in the wrong order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    ROUNDING,
    SAMPLING_ERRORS,
    Claim,
    Fact,
    Result,
    SamplingError,
    Table,
    attributes,
    between,
    check_option,
    fact,
    join_names,
)
from hpo_explain.belief import LEVEL
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
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
        held=attributes(
            "orders",
            "error",
            "estimated",
            "contributions",
            closest=lambda result: {t: c and vars(c) for t, c in result.closest.items()},
        ),
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
                "The sample is large enough: all neighbours in the rankings can be distinguished "
                "(95 %)."
            )
        texts = [text * self.enough, *[""] * len(self.by)]
        return tuple(map(self._claim, self.by, texts))

    def _claim(self, term: str, text: str) -> Claim:
        order = np.argsort(-self.contributions[term], kind="stable")
        closest, because, frame = self.closest[term], tuple[Fact, ...](), "{each}"
        if closest is not None and not closest.told_apart:
            why = "coalitions were sampled once, so their error is not known"
            if np.isfinite(closest.half_width):
                why = f"{join_names(closest.pair)} cannot be distinguished"
            because, text = (fact(why, names=closest.pair),), term
            frame = (
                "The sample is too small to rank the hyperparameters by {each}; take more orders."
            )
        elif self.error == "efficiency":
            why = "the efficiency error of draws that hyperparameters share says little of their"
            because = (fact(f"{why} differences"),)
        return Claim(
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


def check_sample_size(
    explanation: ProposalExplanation, error: SamplingError = "pairs"
) -> SampleSizeCheck:
    """Check whether an explanation used enough samples for a stable ranking.

    Parameters
    ----------
    explanation : ProposalExplanation
        Shapley values. With all coalitions and given background rows they have no error.
    error : {"pairs", "efficiency"}, default "pairs"
        What differences are compared with: their own errors, or the efficiency error (Algorithm
        4), which says little if hyperparameters share draws.

    Returns
    -------
    SampleSizeCheck
        For each term the two neighbours in the ranking that are hardest to distinguish.
        Hyperparameters that contribute nothing are excluded.

    Raises
    ------
    ValueError
        If `error` is unknown.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Appendix C, Algorithm 4 (by default with paired differences in place of its
       efficiency error).

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + 3.0 * table.y
    >>> explanation = hx.explain_proposal(table, 4, objective="loss")
    >>> hx.methods.check_sample_size(explanation).enough
    True
    """
    check_option("error", error, SAMPLING_ERRORS)
    part = (explanation.phi != 0.0).any(axis=1)
    part |= (np.nan_to_num(explanation.standard_error) != 0.0).any(axis=1)
    rows = np.flatnonzero(part)
    contributions = {term: phi[rows] for term, phi in explanation.by_term.items()}
    names = tuple(explanation.names[j] for j in rows)
    if error == "efficiency":
        # of the shares of mean and uncertainty only the sum can be predicted
        gap_of = explanation.efficiency_gap
        contributions = {term: phi for term, phi in contributions.items() if term in gap_of}
        gaps = np.abs([gap_of[term] for term in contributions])
        half = np.broadcast_to(gaps[:, None, None], (len(gaps), len(rows), len(rows)))
    else:
        half = _half_widths(explanation, rows)
    return SampleSizeCheck(
        subject=explanation.subject,
        orders=explanation.orders,
        error=error,
        estimated=names,
        contributions=contributions,
        closest={
            term: _closest(names, phi, half[t])
            for t, (term, phi) in enumerate(contributions.items())
        },
    )


def _half_widths(explanation: ProposalExplanation, rows: npt.NDArray[np.int64]) -> Array:
    """Return half the simultaneous intervals of all differences, (terms + 1, rows, rows)."""
    from scipy.special import stdtrit

    terms, p = len(explanation.terms) + 1, len(rows)
    if not explanation.degrees_of_freedom:
        estimator = explanation.estimator
        sampled = estimator is not None and dict(estimator.values).get("sampled", False)
        return np.full((terms, p, p), np.inf if sampled else 0.0)
    together = max(terms * p * (p - 1) // 2, 1)
    tail = (1.0 - LEVEL) / 2.0 / together
    quantile = -float(stdtrit(explanation.degrees_of_freedom, tail))
    return quantile * explanation.difference_error[:, rows][:, :, rows]


def _closest(names: tuple[str, ...], phi: Array, half: Array) -> Closest | None:
    """Return the neighbours in a ranking that are told apart worst."""
    order = np.argsort(-phi, kind="stable")
    more, less = order[:-1], order[1:]
    if not len(more):
        return None
    apart, error = phi[more] - phi[less], half[more, less]
    error = np.where(error <= ROUNDING * np.abs(phi).max(), 0.0, error)
    sure = np.divide(apart, error, out=np.full(len(apart), np.inf), where=error > 0.0)
    worst = int(np.lexsort((apart, sure))[0])
    return Closest(
        (names[more[worst]], names[less[worst]]), float(apart[worst]), float(error[worst])
    )
