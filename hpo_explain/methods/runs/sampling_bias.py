"""Sampling bias: how far the tried configurations are from a uniform sample of the space.

===========  ==========================================================================
symbol       meaning
===========  ==========================================================================
X, Y         a uniform sample of the space (n rows), and the tried configurations (m rows)
k(x, y)      ``exp(-D(x, y)² / (2 σ²))``, σ the median distance of two points of both samples
D(x, y)      root of the mean over hyperparameters of squared dissimilarities
MMD²         mean of k within X, plus that within Y, minus twice that between (unbiased)
===========  ==========================================================================

The dissimilarities are Gower's. Where all hyperparameters are numeric, D is the paper's L2 distance
divided by √d. As σ is divided by √d too, the kernel is the paper's.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hpo_explain.base import InputError, check_count, text_html
from hpo_explain.belief import LEVEL
from hpo_explain.question import Question, explains
from hpo_explain.space import Array, gower_distances

_MOST_TRIALS = 2000  # the kernel is held as a whole


@dataclass(frozen=True, eq=False)
class SamplingBias:
    """How far the tried configurations are from a uniform sample of the space.

    Attributes
    ----------
    mmd : float
        Maximum mean discrepancy, from 0 (the same distribution) to below √2.
    chance : float
        The 95 % quantile of the discrepancy of uniform trials.
    p_value : float
        Share of permutations of both samples with an MMD at least as large.
    sigma : float
        The kernel's width: the median distance of two points.
    n_trials, n_uniform : int
        Sizes of the two samples.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Appendix C.1. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> print(SamplingBias(0.5, 0.1, 0.005, 0.4, 60, 1000))
    The trials are concentrated in a part of the space: ...
    """

    mmd: float
    chance: float
    p_value: float
    sigma: float
    n_trials: int
    n_uniform: int

    @property
    def concentrated(self) -> bool:
        """Whether the trials differ from a uniform sample by more than chance explains."""
        return self.p_value <= 1.0 - LEVEL

    @property
    def sentence(self) -> str:
        """What the discrepancy means for explanations that average over the space."""
        numbers = (
            f"the MMD between the {self.n_trials} tried configurations and a uniform sample is "
            f"{self.mmd:.2f}; by chance alone it would stay below {self.chance:.2f} in 95 % of "
            "cases"
        )
        if not self.concentrated:
            return f"The trials do not differ significantly from a uniform sample: {numbers}."
        return (
            f"The trials are concentrated in a part of the space: {numbers}. Averages over the "
            "whole space rest on regions with few trials; check the width of the bands, and look "
            "at single regions."
        )

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return text_html(self.sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {**asdict(self), "sentence": self.sentence}


@explains(of="surrogate", without=("kind", "surrogate"))
def sampling_bias(question: Question, *, size: int = 1000, permutations: int = 200) -> SamplingBias:
    """Measure how far the tried configurations are from a uniform sample.

    Parameters
    ----------
    size : int, default 1000
        Size of the uniform sample.
    permutations : int, default 200
        Number of permutations of both samples for `chance` and `p_value`.

    Returns
    -------
    SamplingBias
        The maximum mean discrepancy, and its value for uniform trials.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or an option is not a positive number.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Appendix C.1. https://arxiv.org/abs/2111.04820
    .. [2] Gretton, A. et al. (2012). A kernel two-sample test. JMLR 13. Lemma 6, Section 8.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xy"])
    >>> X = space.sample(40, seed=1)
    >>> hx.methods.sampling_bias(hx.Run(space, X / 4, X[:, 0], "minimize")).p_value < 0.05
    True
    >>> hx.methods.sampling_bias(hx.Run(space, X, X[:, 0], "minimize")).p_value < 0.05
    False
    """
    run = question.run
    n = check_count("size", size, minimum=2)
    check_count("permutations", permutations)
    if len(run) < 2:
        problem = f"must have at least two finished trials, but has {len(run)}"
        raise InputError("run", problem, run, "Run more trials.")
    rng = np.random.default_rng(question.seed)
    Y = run.X[np.sort(rng.permutation(len(run))[:_MOST_TRIALS])]
    X = run.space.sample(n, seed=question.seed, method="uniform")
    both = np.vstack([X, Y])
    distances = gower_distances(run.space, both, both)
    sigma = _median(distances)
    kernel = np.exp(-0.5 * (distances / sigma) ** 2)
    is_trial = np.repeat([0.0, 1.0], [n, len(Y)])
    observed = _mmd_squared(kernel, is_trial[:, None])[0]
    permuted = _mmd_squared(kernel, rng.permuted(np.tile(is_trial, (permutations, 1)), axis=1).T)
    return SamplingBias(
        mmd=float(np.sqrt(max(observed, 0.0))),
        chance=float(np.sqrt(max(np.quantile(permuted, LEVEL), 0.0))),
        p_value=float((1 + np.sum(permuted >= observed)) / (1 + permutations)),
        sigma=sigma,
        n_trials=len(Y),
        n_uniform=n,
    )


def _median(distances: Array) -> float:
    """Return the median distance of two different rows; their mean where most are equal."""
    pairs = distances[np.triu_indices(len(distances), k=1)]
    median = float(np.median(pairs))
    return median or float(pairs.mean()) or 1.0


def _mmd_squared(kernel: Array, is_trial: Array) -> Array:
    """Return MMD² for each column of is_trial (0 or 1), unbiased: no row with itself."""
    m = is_trial.sum(axis=0)
    n = len(is_trial) - m
    with_trials = kernel @ is_trial
    own = np.diag(kernel).sum() - m  # of the uniform sample: k(x, x) = 1
    within_trials = np.einsum("ij,ij->j", is_trial, with_trials)
    between = with_trials.sum(axis=0) - within_trials
    within_uniform = kernel.sum() - within_trials - 2.0 * between
    return (
        (within_uniform - own) / (n * (n - 1))
        + (within_trials - m) / (m * (m - 1))
        - 2.0 * between / (n * m)
    )
