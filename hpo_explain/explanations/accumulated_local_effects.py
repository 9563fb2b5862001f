"""The accumulated local effects of one or two hyperparameters, with the model's uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.explanations._best import FLAT
from hpo_explain.explanations._effect import Effect
from hpo_explain.explanations.claims import Claim, between
from hpo_explain.facts import fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AccumulatedLocalEffects(Effect):
    """Accumulated local effects: what changes along the configurations that were tried.

    Of one hyperparameter the effect g, of two what both do together beyond the sum of both (the
    second-order effect); the mean over the sample is 0.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, one or two.
    grid : tuple
        Values in the user's units; of two hyperparameters a pair of axes.
    positions : tuple of ndarray
        The encoded positions of each axis.
    mean, std : ndarray of shape (G,) or (G1, G2)
        Effect and its posterior standard deviation, in the objective's units; the latter NaN where
        the model has no joint posterior, nor trees.
    covariance : ndarray of shape (K, K) or None
        Covariance of the effect between the K places of the grid, the last axis fastest; None
        where the model knows none.
    joint : bool
        Whether that is the posterior's, so that the effect can be drawn from it.
    supported : ndarray of bool, of the shape of `mean`
        Where at least three trials are near (of a pair, one near both); everywhere True where the
        trials are not known.
    scale : float
        Standard deviation of the prediction over the sample, in the objective's units.
    sample_size : int
        Number of configurations whose local effects are averaged.
    partial : ndarray of shape (G,) or None
        The partial dependence of one hyperparameter at the same values, centred likewise.
    branch : Branch or None
        The trials of a conditional hyperparameter's branch; None where it is always active.
    feasible : ndarray of the shape of `mean`, or None
        Highest probability of being feasible over the sample; None without constraints.
    tried : tuple of tuple
        The observed trials' values, one tuple per hyperparameter.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black
       box supervised learning models. Journal of the Royal Statistical Society B 82(4), 1059-1086.
       Eq. 15 to 19. https://doi.org/10.1111/rssb.12377

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> effect = hx.accumulated_local_effects(table, "x", objective="loss")
    >>> effect.grid, effect.sample_size
    ((0.1, 0.2, 0.3, 0.5, 0.9), 5)
    """

    scale: float
    sample_size: int
    partial: Array | None = None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which values cannot be told from the best, and by how much the best beats the worst.

        Or that there is no effect; of a pair whether both act together.
        """
        if len(self.names) == 1:
            return self._curve.claims()
        contrasts, doubts = self._curve.contrasts, self._curve.doubted
        if self.covariance is not None and contrasts.widest <= FLAT * self.scale:
            within = fact("flat_within", bound=contrasts.widest)
            because = (within, *doubts)
            return (
                Claim(
                    "no_interaction", self.names, estimate=0.0,
                    interval=between(0.0, contrasts.widest), certain=not doubts, because=because,
                ),
            )  # fmt: skip
        known = np.where(contrasts.tried, contrasts.cost, -np.inf)
        gap, half = contrasts.against_best(int(np.nanargmax(known)))
        told = self.covariance is not None and gap > half
        if self.covariance is not None and not told:
            doubts = (fact("interaction_may_be_nothing"), *doubts)
        return (
            Claim(
                "interaction", self.names, estimate=gap,
                interval=None if self.covariance is None else between(gap, half),
                certain=not doubts, because=doubts,
            ),
        )  # fmt: skip

    @property
    def _scale(self) -> float:
        return self.scale

    def to_frame(self) -> pd.DataFrame:
        """Return a row per value (or pair): mean, std, ends of the 95 % band, tried.

        Of one hyperparameter also whether it may be the best, and the partial dependence.
        """
        lower, upper = self.band()
        columns: dict[str, npt.NDArray[Any]] = {
            "mean": self.mean,
            "std": self.std,
            "lower": lower,
            "upper": upper,
            "tried": self.supported,
        }
        if len(self.names) == 1:
            columns["best"] = self.best
        if self.partial is not None:
            columns["partial_dependence"] = self.partial
        if self.feasible is not None:
            columns["feasible"] = self.feasible
        return self._framed(columns)

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "grid": self.axes,
            "mean": self.mean,
            "std": self.std,
            "supported": self.supported,
            "best": self.best if len(self.names) == 1 else None,
            "partial_dependence": self.partial,
            "feasible": self.feasible,
            "branch": None if self.branch is None else self.branch.to_dict(),
            "sample_size": self.sample_size,
            "incumbent": self.incumbent,
        }
