"""Whether sampled Shapley values rank the hyperparameters safely (checkSampleSize).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
K          number of draws
Δ          efficiency error: how far the contributions' sum is from the payout
δ          the smallest difference between the contributions of two hyperparameters
=========  ============================================================================

If Δ < δ, not even giving the whole error to one hyperparameter changes the ranking: K is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_count
from hpo_explain.acquisition import Acquisition
from hpo_explain.explainers.shapley import ShapleyExplainer
from hpo_explain.explanations import ProposalExplanation
from hpo_explain.explanations._result import Told
from hpo_explain.space import Config

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class SampleSizeCheck(Told):
    """Whether the number of draws is enough for the ranking of the hyperparameters.

    Attributes
    ----------
    draws : int or None
        The number of draws K, None where nothing was drawn.
    error, threshold : dict of str to float
        By term, plus "total": the efficiency error Δ and the smallest difference δ between two
        contributions (infinite with fewer than two hyperparameters that contribute).

    Examples
    --------
    >>> SampleSizeCheck(100, {"total": 0.1}, {"total": 0.3}).enough
    True
    """

    draws: int | None
    error: dict[str, float]
    threshold: dict[str, float]

    @property
    def enough(self) -> bool:
        """Whether the ranking is safe for every term and the total."""
        return all(self.error[term] < self.threshold[term] for term in self.error)

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        unsafe = [term for term in self.error if self.error[term] >= self.threshold[term]]
        if not unsafe:
            return "The sample is large enough: no ranking would change with the efficiency error."
        return (
            f"The sample is too small: the efficiency error could change the ranking by "
            f"{', '.join(unsafe)}. Take more draws."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per term: error, threshold, enough."""
        import pandas as pd

        frame = pd.DataFrame({"error": self.error, "threshold": self.threshold})
        frame["enough"] = frame["error"] < frame["threshold"]
        frame.index.name = "term"
        return frame


def check_sample_size(explanation: ProposalExplanation) -> SampleSizeCheck:
    """Return whether an explanation's efficiency error is too small to change its ranking.

    Parameters
    ----------
    explanation : ProposalExplanation
        Sampled Shapley values; those of all coalitions have no error.

    Returns
    -------
    SampleSizeCheck
        Error and threshold by term. Hyperparameters that contribute nothing are left out: they
        are not estimated.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Appendix C, Algorithm 4.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + 3.0 * table.y
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> hx.check_sample_size(explanation).enough
    True
    """
    part = (explanation.phi != 0.0).any(axis=1)
    if explanation.standard_error is not None:
        part |= (explanation.standard_error != 0.0).any(axis=1)
    columns = {
        **{term: explanation.phi[:, t] for t, term in enumerate(explanation.terms)},
        "total": explanation.total,
    }
    error, threshold = {}, {}
    for term, contributions in columns.items():
        error[term] = abs(explanation.efficiency_gap[term])
        ordered = np.sort(contributions[part])
        threshold[term] = float(np.diff(ordered).min()) if len(ordered) > 1 else float("inf")
    return SampleSizeCheck(explanation.draws, error, threshold)


def find_sample_size(
    acquisition: Acquisition,
    config: Config,
    *,
    background: int | str | Mapping[str, Any] | npt.ArrayLike = "thesis",
    first: int = 250,
    most: int = 64_000,
    seed: int = 0,
) -> tuple[ProposalExplanation, list[SampleSizeCheck]]:
    """Return an explanation with enough draws, found by doubling their number.

    Parameters
    ----------
    acquisition : Acquisition
        The utility to explain, as named additive terms.
    config : dict
        The configuration, in the user's units.
    background : optional
        As in :class:`ShapleyExplainer`.
    first, most : int, default 250 and 64,000
        Number of draws to start from, and not to exceed.
    seed : int, default 0
        Seed of background and draws.

    Returns
    -------
    explanation : ProposalExplanation
        The first explanation with enough draws; else the last one, with a note.
    checks : list of SampleSizeCheck
        What was tried.

    Raises
    ------
    ValueError
        If `first` is below 2 or `most` below `first`.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Appendix C ("greedy forward search").

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=1)
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, (X[:, 0] - 0.2) ** 2)
    >>> bound = hx.LowerConfidenceBound(surrogate)
    >>> explanation, checks = hx.find_sample_size(bound, {"x": 0.2, "y": 0.5}, most=16_000)
    >>> checks[-1].enough, checks[-1].draws == explanation.draws
    (True, True)
    """
    from dataclasses import replace

    draws = check_count("first", first, minimum=2)
    check_count("most", most, minimum=draws)
    checks: list[SampleSizeCheck] = []
    while True:
        explainer = ShapleyExplainer(
            acquisition, background=background, estimator="sampling", draws=draws, seed=seed
        )
        explanation = explainer.explain(config)
        checks.append(check_sample_size(explanation))
        if checks[-1].enough:
            return explanation, checks
        if 2 * draws > most:
            note = (
                f"{draws} draws are not enough for a safe ranking, and most={most} allows no more"
            )
            return replace(explanation, notes=(*explanation.notes, note)), checks
        draws *= 2
