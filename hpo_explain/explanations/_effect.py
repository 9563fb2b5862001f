"""What effects share: a curve of one or two hyperparameters, or a surface, with its band."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_fraction
from hpo_explain.diagnostics import Branch, Scope
from hpo_explain.explanations._axes import OnAxes
from hpo_explain.explanations._best import Curve
from hpo_explain.explanations.posterior import PosteriorDraws
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Effect(OnAxes):
    """The effect of one or two hyperparameters on a grid of their values.

    Its fields mean what they mean in the results that extend it.
    """

    scope: ClassVar[Scope] = "everywhere"
    grid: tuple[Any, ...]
    positions: tuple[Array, ...]
    mean: Array
    std: Array
    supported: npt.NDArray[np.bool_]
    covariance: Array | None = None
    joint: bool = False
    branch: Branch | None = None
    feasible: Array | None = None
    tried: tuple[tuple[Any, ...], ...] = ()

    @property
    def axes(self) -> tuple[tuple[Any, ...], ...]:
        """The values of each hyperparameter, one tuple per axis."""
        return (self.grid,) if len(self.names) == 1 else self.grid

    @property
    def incumbent(self) -> tuple[Any, ...] | None:
        """The incumbent's values; None where it does not have all of them."""
        known = self.subject.incumbent
        return tuple(known[n] for n in self.names) if set(self.names) <= set(known) else None

    @property
    def spread(self) -> float:
        """How large the effect is: the range of the mean, in the objective's units."""
        return float(np.nanmax(self.mean) - np.nanmin(self.mean))

    def band(self, level: float = 0.95) -> tuple[Array, Array]:
        """Return lower and upper end of the band in which the function's effect is expected.

        It describes the function, observation noise excluded.

        Raises
        ------
        ValueError
            If `level` does not lie between 0 and 1.
        """
        from scipy.stats import norm

        half = float(norm.ppf(0.5 + check_fraction("level", level) / 2.0)) * self.std
        return self.mean - half, self.mean + half

    @property
    def posterior(self) -> PosteriorDraws:
        """The whole effect for functions drawn from the posterior, by value; better comes first.

        Of a pair by pairs of values. The kernel's parameters are those of the model.
        """
        if not self.joint or self.covariance is None:
            return super().posterior
        names = list(itertools.product(*self.axes)) if len(self.names) > 1 else list(self.axes[0])
        mean, known = self.mean.ravel(), ~np.isnan(np.diag(self.covariance))
        return PosteriorDraws.of_normal(
            [name for name, there in zip(names, known, strict=True) if there],
            mean[known],
            self.covariance[np.ix_(known, known)],
            first="smallest" if self.subject.lower_is_better else "largest",
            draws=self.subject.draws,
        )

    @property
    def best(self) -> npt.NDArray[np.bool_]:
        """Which values cannot be told from the best, (G,) or (G1, G2), 95 % simultaneous.

        Values that were not tried are among them. Without a covariance only the best itself is.
        """
        return self._curve.best.reshape(self.mean.shape)

    @property
    def shown(self) -> npt.NDArray[np.bool_]:
        """Where the effect may be relied on: it was tried, and is rather feasible than not."""
        return np.asarray(self.supported & self._curve.may_be_best.reshape(self.mean.shape))

    @property
    def _scale(self) -> float:
        """The objective's spread, which decides how small an effect is none."""
        raise NotImplementedError

    @cached_property
    def _curve(self) -> Curve:
        subject, support = self.subject, self.subject.support
        single = len(self.names) == 1
        return Curve(
            parameters=tuple(subject.space[name] for name in self.names),
            axes=self.axes,
            positions=self.positions,
            mean=self.mean,
            std=self.std,
            lower_is_better=subject.lower_is_better,
            covariance=self.covariance,
            supported=self.supported,
            gaps=tuple((n, support.gaps(n)) for n in self.names) if support and single else (),
            feasible=self.feasible,
            scale=self._scale,
            doubts=subject.doubts(self.scope),
            branch=self.branch,
        )

    def _framed(self, columns: Mapping[str, npt.NDArray[Any]]) -> pd.DataFrame:
        """Return a row per grid point: the hyperparameters' values, and some columns."""
        import pandas as pd

        frame = pd.DataFrame({name: values.ravel() for name, values in columns.items()})
        points = zip(*itertools.product(*self.axes), strict=True)
        for i, (name, values) in enumerate(zip(self.names, points, strict=True)):
            # a column of objects keeps None, which may be a category, apart from NaN
            kind = object if self.categorical[i] else None
            frame.insert(i, name, pd.Series(values, dtype=kind), allow_duplicates=True)
        return frame
