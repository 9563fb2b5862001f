"""How strong interactions are in functions that the trials allow.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f          a function drawn from the posterior
V_U        variance of f_U, what f averaged over all hyperparameters but U adds to its subsets
C_jk       mean product of f_jk of two draws: on average what is known of the interaction
H_jk²      ``V_jk / (V_j + V_k + V_jk)``
=========  ============================================================================

V_jk is a square: where nothing is known of an interaction, it is that of the draws' own variation.
So the lower ends are those of C_jk, which is 0 on average if nothing is known. Other ends are the
0.5 % and 99.5 % quantiles: 95 % intervals with what the few kernels that are drawn may miss.

Where the model draws its own decomposition (`GaussianProcessSurrogate`), this is taken. Else
partial dependences of a pair are drawn jointly on a grid of values of the sample (Eq. 4 of
Moosbauer et al. [1]_ for means over rows), with the kernel as it is. Those of several pairs are
of the same functions, drawn at a design; what it leaves open of a pair is drawn for it alone, so
that the draws of each pair are from its own posterior whatever the design.

.. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial dependence
   plots. NeurIPS. https://arxiv.org/abs/2111.04820
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hpo_explain.methods.importance._drawn_functions import inverse_root, mirrored
from hpo_explain.methods.importance.h_statistic_result import InteractionBounds
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import SupportsJoint, Surrogate
from hpo_explain.space import Array

if TYPE_CHECKING:
    from hpo_explain.models.anova import AnovaDraws

_ENDS = (0.005, 0.995)
_KNOWN = 0.025  # quantile of C
_VALUES = 8  # of each hyperparameter
_ROWS = 24  # over which a partial dependence is averaged
_DESIGN = 200  # configurations at which the functions of several pairs are drawn
_DRAWS = 200


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Variances of one pair in functions drawn, each (draws,): V_jk, its C, V_j + V_k, and V."""

    own: Array
    common: Array
    alone: Array
    whole: Array


def interaction_bounds(
    surrogate: Surrogate | None,
    rows: Array,
    pairs: Sequence[tuple[int, int]],
    *,
    draws: int | None = None,
    seed: int = 0,
) -> InteractionBounds | None:
    """Return how strong interactions are in functions drawn from the model's posterior.

    Parameters
    ----------
    surrogate : Surrogate or None
        The model of the objective.
    rows : ndarray of shape (n, d)
        Latent rows: the sample.
    pairs : sequence of (int, int)
        Those that are asked for; of all others nothing is known.
    draws : int, optional
        Number of functions; by default 200, or as many as the model draws.
    seed : int, default 0
        Seed of the draws.

    Returns
    -------
    InteractionBounds or None
        For a model with a joint posterior, if there is a pair.
    """
    if surrogate is None or not pairs:
        return None
    drawn: Iterator[_Drawn] | None = None
    if isinstance(surrogate, GaussianProcessSurrogate):
        decomposed = surrogate.anova(2, draws=draws, seed=seed)
        if decomposed is not None:
            drawn = (_of_anova(decomposed, pair) for pair in pairs)
    if drawn is None and isinstance(surrogate, SupportsJoint):
        drawn = _jointly(surrogate, surrogate, rows, pairs, draws or _DRAWS, seed)
    if drawn is None:
        return None
    found, by_pair = np.full((9, rows.shape[1], rows.shape[1]), np.nan), list(drawn)
    for (j, k), numbers in zip(pairs, map(_summary, by_pair), strict=True):
        found[:, j, k] = found[:, k, j] = numbers
    H = np.full((len(by_pair[0].own), rows.shape[1], rows.shape[1]), np.nan)
    for (j, k), one in zip(pairs, by_pair, strict=True):
        H[:, j, k] = H[:, k, j] = np.sqrt(_ratio(one.own, one.own + one.alone))
    return replace(InteractionBounds(*found), drawn=H)


def _summary(drawn: _Drawn) -> list[float]:
    """Return estimate, lower and upper end of H, of the size, and of the share of everything."""
    joint, whole = drawn.alone + drawn.own, drawn.whole
    H2, common = (_ratio(part, joint) for part in (drawn.own, drawn.common))
    sizes = (drawn.own, drawn.common)
    shares = (_ratio(part, whole) for part in sizes)
    squares = [*_ends(H2, common), *_ends(*sizes)]
    return [*np.sqrt(squares), *_ends(*shares)]


def _ratio(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)


def _ends(own: Array, common: Array) -> tuple[float, float, float]:
    low, high = np.quantile(own, _ENDS)
    lower = max(min(low, np.quantile(common, _KNOWN)), 0.0)
    return float(np.clip(common.mean(), lower, high)), float(lower), float(high)


def _of_anova(draws: AnovaDraws, pair: tuple[int, int]) -> _Drawn:
    j, k = pair
    i = draws.members.index((min(pair), max(pair)))
    scale = draws.variances
    return _Drawn(
        own=scale * draws.shares[:, i],
        common=scale * draws.products[:, i],
        alone=scale * (draws.shares[:, j] + draws.shares[:, k]),
        whole=scale,
    )


def _jointly(
    surrogate: Surrogate,
    joint: SupportsJoint,
    rows: Array,
    pairs: Sequence[tuple[int, int]],
    draws: int,
    seed: int,
) -> Iterator[_Drawn]:
    """Draw the partial dependence of each pair on a grid of values of the sample."""
    space, n = surrogate.space, len(rows)
    rng = np.random.default_rng(seed)
    background = rows[rng.permutation(n)[:_ROWS]]
    m = min(_VALUES, n)
    values = np.sort(rows, axis=0)[((np.arange(m) + 0.5) / m * n).astype(int)]
    spread = float(surrogate.predict(space.project(rows))[0].var())

    def at(j: int, k: int, a: int, b: int) -> Array:
        composed = background.copy()
        composed[:, j], composed[:, k] = values[a, j], values[b, k]
        return np.asarray(space.project(composed))

    design = np.empty((0, len(space)))
    if len(pairs) > 1:
        some = zip(
            rng.integers(len(pairs), size=_DESIGN), rng.integers(m, size=(_DESIGN, 2)), strict=True
        )
        design = np.vstack([at(*pairs[i], *ab)[rng.integers(len(background))] for i, ab in some])
        root, shared = inverse_root(joint, design), mirrored(rng, _DESIGN, draws)
    for j, k in pairs:
        groups = [at(j, k, a, b) for a, b in np.ndindex(m, m)]
        X = np.vstack(groups)
        F = surrogate.predict(X)[0].reshape(m * m, -1).mean(axis=1)[:, None]
        K = joint.covariance_of_means(groups)
        if len(design):
            with_design = joint.covariance_with(X, design).reshape(m * m, -1, len(design))
            told = with_design.mean(axis=1) @ root
            F, K = F + told @ shared, K - told @ told.T
        variances, vectors = np.linalg.eigh(K)
        # each with its mirror image, so that the negated objective has the same bounds
        F = F + vectors * np.sqrt(np.maximum(variances, 0.0)) @ mirrored(rng, m * m, draws)
        F = F.reshape(m, m, -1)
        F -= F.mean(axis=(0, 1))
        of_j, of_k = F.mean(axis=1, keepdims=True), F.mean(axis=0, keepdims=True)
        own = F - of_j - of_k
        variance = (own**2).mean(axis=(0, 1))
        alone = (of_j**2).mean(axis=(0, 1)) + (of_k**2).mean(axis=(0, 1))
        common = (own * np.roll(own, 1, axis=2)).mean(axis=(0, 1))
        yield _Drawn(variance, common, alone, np.maximum(alone + variance, spread))
