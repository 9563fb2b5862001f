"""The expected improvement of a cost that is log-normal, as SMAC computes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr

from hpo_explain.base.options import Direction
from hpo_explain.models.acquisition.protocols import TermBlock
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.space import Array, SearchSpace


@dataclass(frozen=True, eq=False)
class LogNormalImprovement:
    """The expected improvement of the cost, whose logarithm is what SMAC's forest predicts.

    Attributes
    ----------
    surrogate : ForestSurrogate
        The forest, in units of the cost.
    on_log_scale : ForestSurrogate
        The same, on the scale on which SMAC trained it: the logarithm of the cost as a share of its
        range. The improvement is such a share, too.
    best : float
        The best prediction for a trial, on that scale.
    xi : float
        Smallest improvement that counts, on that scale.

    References
    ----------
    .. [1] Watanabe, S. (2024). Derivation of closed form of expected improvement for Gaussian
       process trained on log-transformed objective. https://arxiv.org/abs/2411.18095
    """

    surrogate: ForestSurrogate
    on_log_scale: ForestSurrogate
    best: float
    xi: float = 0.0
    direction: Direction = "minimize"
    term_names: ClassVar[tuple[str, ...]] = ("expected improvement",)

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self.surrogate.space

    @property
    def label(self) -> str:
        """What it is called."""
        return "EI (log-normal)" if not self.xi else f"EI (log-normal, ξ = {self.xi:g})"

    def terms(self, X: Array) -> dict[str, Array]:
        """Return the one term, (n,), at encoded rows (n, d)."""
        return self._terms_of(*self.on_log_scale.predict(X))

    def coalition_terms(
        self,
        x: Array,
        background: Array,
        players: npt.NDArray[np.int64],
        coalitions: npt.NDArray[np.bool_],
    ) -> Iterator[TermBlock]:
        """Return the term in coalitions, block by block of background rows."""
        blocks = self.on_log_scale.predict_coalitions(x, background, players, coalitions)
        for block in blocks or ():  # its columns have owners, so that there are blocks
            yield TermBlock(block.rows, self._terms_of(block.mean, block.std))

    def relevant(self) -> npt.NDArray[np.bool_]:
        """Return for each hyperparameter whether a tree splits on it, (d,)."""
        return self.on_log_scale.relevant()

    def _terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        return {self.term_names[0]: log_normal_improvement(mean, std, self.best - self.xi)}


def log_normal_improvement(m: Array, s: Array, best: float) -> Array:
    """Return ``E[max(exp(f*) - exp(y), 0)]`` for a normal y: Eq. 4 of [1]_.

    ``exp(f*) Φ(v) - exp(m + s²/2) Φ(v - s)`` with ``v = (f* - m) / s``.

    References
    ----------
    .. [1] Watanabe, S. (2024). Derivation of closed form of expected improvement for Gaussian
       process trained on log-transformed objective. https://arxiv.org/abs/2411.18095

    Examples
    --------
    >>> import numpy as np
    >>> drawn = np.random.default_rng(0).normal(-1.0, 0.5, size=200_000)
    >>> sampled = np.maximum(np.exp(-1.2) - np.exp(drawn), 0.0).mean()
    >>> found = log_normal_improvement(np.array([-1.0]), np.array([0.5]), -1.2)[0]
    >>> bool(abs(found / sampled - 1.0) < 0.01)
    True
    """
    s = np.maximum(s, np.finfo(float).tiny)
    v = np.clip((best - m) / s, -1e6, 1e6)
    gained = np.exp(best + log_ndtr(v)) - np.exp(m + 0.5 * s**2 + log_ndtr(v - s))
    return np.asarray(np.maximum(gained, 0.0), dtype=float)
