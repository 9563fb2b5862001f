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
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_count
from hpo_explain.acquisition import Acquisition
from hpo_explain.explainers.shapley import ShapleyExplainer
from hpo_explain.explanations import ProposalExplanation, SampleSizeCheck, Subject
from hpo_explain.space import Config


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
    return _check(explanation)


def _check(explanation: ProposalExplanation, most: int | None = None) -> SampleSizeCheck:
    part = (explanation.phi != 0.0).any(axis=1)
    if explanation.standard_error is not None:
        part |= (explanation.standard_error != 0.0).any(axis=1)
    contributions = {
        **{term: explanation.phi[part, t] for t, term in enumerate(explanation.terms)},
        "total": explanation.total[part],
    }
    return SampleSizeCheck(
        subject=explanation.subject,
        draws=explanation.draws,
        most=most,
        estimated=tuple(n for n, is_part in zip(explanation.names, part, strict=True) if is_part),
        contributions=contributions,
        error={term: abs(explanation.efficiency_gap[term]) for term in contributions},
        threshold={term: _smallest_difference(phi) for term, phi in contributions.items()},
    )


def _smallest_difference(contributions: npt.NDArray[np.float64]) -> float:
    return float(np.diff(np.sort(contributions)).min(initial=np.inf))


def find_sample_size(
    acquisition: Acquisition,
    config: Config,
    *,
    background: int | str | Mapping[str, Any] | npt.ArrayLike = "thesis",
    first: int = 250,
    most: int = 64_000,
    subject: Subject | None = None,
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
    subject : Subject, optional
        As in :class:`ShapleyExplainer`.
    seed : int, default 0
        Seed of background and draws.

    Returns
    -------
    explanation : ProposalExplanation
        The first explanation with enough draws; else the last one.
    checks : list of SampleSizeCheck
        The check after each number of draws.

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
    draws = check_count("first", first, minimum=2)
    check_count("most", most, minimum=draws)
    checks: list[SampleSizeCheck] = []
    while True:
        explanation = ShapleyExplainer(
            acquisition,
            background=background,
            estimator="sampling",
            draws=draws,
            subject=subject,
            seed=seed,
        ).explain(config)
        checks.append(_check(explanation, most))
        if checks[-1].enough or checks[-1].limited:
            return explanation, checks
        draws *= 2
