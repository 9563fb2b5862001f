"""The effect of one or two hyperparameters, and the model's uncertainty about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.errors import InputError
from hpo_explain.explanations._effect import Effect
from hpo_explain.explanations.attainable import Attainable
from hpo_explain.explanations.claims import Claim
from hpo_explain.space import Array, category_index

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartialDependence(Effect):
    """Partial dependence with the surrogate's uncertainty, and the curves it averages.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters λ_S, one or two.
    grid : tuple
        Values in the user's units; of two hyperparameters a pair of axes.
    positions : tuple of ndarray
        The encoded positions of each axis.
    mean, std : ndarray of shape (G,) or (G1, G2)
        ĉ_S and ŝ_S, in the objective's units; NaN where no configuration is valid.
    ice_mean, ice_std : ndarray of shape (n, G) or (n, G1, G2)
        m̂ and ŝ of each configuration of the sample; NaN where it is not valid.
    variance : {"average", "covariance"}
        Whether ŝ_S² averages pointwise variances (Eq. 5) or is that of the average (Eq. 4).
    supported : ndarray of bool, of the shape of `mean`
        Where at least three trials are near (of a pair, one near both); everywhere True where the
        trials are not known.
    covariance : ndarray of shape (K, K) or None
        Covariance of ĉ_S between the K places of the grid, the last axis fastest; None for models
        without a joint posterior or trees.
    branch : Branch or None
        The trials of a conditional hyperparameter's branch; None where it is always active.
    feasible : ndarray of the shape of `mean`, or None
        Highest probability of being feasible over the sample; None without constraints.
    attainable : Attainable or None
        The best over all others at each value, where it was asked for.
    tried : tuple of tuple
        The observed trials' values, one tuple per hyperparameter.
    joint : bool
        Whether the covariance is that of a posterior, and not one over trees.
    exact : bool
        Whether the mean integrates over the space exactly rather than over the sample.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Eq. 3 to 5, 7 and 8. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> effect = hx.partial_dependence(table, "x", objective="loss", sample=10)
    >>> effect.mean.shape, effect.ice_mean.shape
    ((20,), (10, 20))
    """

    ice_mean: Array
    ice_std: Array
    variance: str
    attainable: Attainable | None = None
    exact: bool = False

    @property
    def mean_confidence(self) -> float:
        """MC: the mean of ŝ_S over the grid, in the objective's units; smaller is more certain."""
        return float(np.nanmean(self.std))

    def confidence_at(self, config: Mapping[str, Any]) -> float:
        """OC: ŝ_S at the grid point closest to a configuration, in the objective's units.

        Raises
        ------
        ValueError
            If the configuration lacks one of the hyperparameters.
        """
        return float(self.std[self._place(config)])

    def _place(self, config: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the place of the grid that is nearest to a configuration."""
        place = []
        for i, name in enumerate(self.names):
            if name not in config:
                raise InputError(
                    "config",
                    f"must have a value of {name}, but has only "
                    f"{', '.join(map(str, config)) or 'none'}",
                    config,
                    f"Choose a configuration in which {name} is active.",
                )
            place.append(self._nearest(i, config[name]))
        return tuple(place)

    def _nearest(self, i: int, value: Any) -> int:
        values = self.axes[i]
        if self.categorical[i]:
            found = category_index(values, value)
            if found is None:
                problem = f"has {self.names[i]} = {value!r}, which is not one of {list(values)!r}"
                raise InputError("config", problem, value)
            return found
        scale = np.log if self.log[i] else np.asarray
        distances = np.abs(scale(np.array(values, dtype=float)) - scale(float(value)))
        return int(np.argmin(distances))

    def negative_log_likelihood(self, true: npt.ArrayLike | Callable[..., float]) -> float:
        """NLL of a known truth: the mean over the grid of ``-log N(true; ĉ_S, ŝ_S²)``.

        Parameters
        ----------
        true : array_like of the shape of `mean`, or callable
            The true partial dependence on the grid, or a function of the hyperparameters' values.

        Returns
        -------
        float
            In nats; infinite where the band has no width but misses the truth.
        """
        if callable(true):
            points = np.array(np.meshgrid(*map(np.arange, self.mean.shape), indexing="ij"))
            index = points.reshape(len(self.names), -1).T
            values = [
                true(*(axis[i] for axis, i in zip(self.axes, row, strict=True))) for row in index
            ]
            true = np.reshape(values, self.mean.shape)
        gap = np.asarray(true, dtype=float) - self.mean
        if gap.shape != self.mean.shape:
            problem = f"must have the shape of the grid, {self.mean.shape}, but had "
            raise InputError("true", f"{problem}{np.shape(true)}", true)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(gap == 0.0, 0.0, gap / self.std)
            terms = 0.5 * np.log(2.0 * np.pi) + np.log(self.std) + 0.5 * z**2
        return float(np.nanmean(np.where((self.std == 0.0) & (gap != 0.0), np.inf, terms)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which values cannot be told from the best on average, or that there is no effect.

        Then by how much the best value is better than the worst, where that is known; and both of
        the attainable effect (``term="attainable"``), where it was asked for.
        """
        return self._curve.claims() + self.attainable_claims

    @property
    def attainable_claims(self) -> tuple[Claim, ...]:
        """Which values cannot be told from the best if all others are at their best."""
        found = self.attainable
        if found is None or np.isnan(found.mean).all():
            return ()
        curve = replace(
            self._curve,
            mean=found.mean,
            std=found.std,
            covariance=found.covariance,
            term="attainable",
        )
        return curve.claims()

    def contrast(self, a: Any, b: Any) -> Claim:
        """Return by how much the objective at one value differs from that at another on average.

        Parameters
        ----------
        a, b : object
            Values in the user's units (of two hyperparameters pairs of values); those of the grid
            that are nearest to them are compared.

        Returns
        -------
        Claim
            Its `estimate` is the objective at `a` minus that at `b`, with a 95 % `interval` where
            the model has a joint posterior; `certain` if that excludes 0 and the trials carry it.

        Raises
        ------
        ValueError
            If a category is unknown.
        """
        first, second = (
            self._place(dict(zip(self.names, (v,) if len(self.names) == 1 else v, strict=True)))
            for v in (a, b)
        )
        flat = (int(np.ravel_multi_index(place, self.mean.shape)) for place in (first, second))
        return self._curve.contrast(*flat)

    @property
    def _scale(self) -> float:
        return float(np.nanstd(self.ice_mean))

    def to_frame(self) -> pd.DataFrame:
        """Return a row per grid point: values, mean, std, ends of the 95 % band, tried, best."""
        lower, upper = self.band()
        columns: dict[str, npt.NDArray[Any]] = {
            "mean": self.mean,
            "std": self.std,
            "lower": lower,
            "upper": upper,
            "tried": self.supported,
            "best": self.best,
        }
        if self.feasible is not None:
            columns["feasible"] = self.feasible
        if self.attainable is not None:
            columns |= {
                "attainable": self.attainable.mean,
                "attainable_std": self.attainable.std,
            }
        return self._framed(columns)

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "grid": self.axes,
            "mean": self.mean,
            "std": self.std,
            "variance": self.variance,
            "supported": self.supported,
            "best": self.best,
            "feasible": self.feasible,
            "attainable": None if self.attainable is None else asdict(self.attainable),
            "branch": None if self.branch is None else self.branch.to_dict(),
            "mean_confidence": self.mean_confidence,
            "incumbent": self.incumbent,
        }
