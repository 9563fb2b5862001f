"""A marginal prediction: a model's expectation over all but one or two hyperparameters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.diagnostics import Scope, supported_at
from hpo_explain.explanations._axes import OnAxes
from hpo_explain.explanations.claims import Claim, between
from hpo_explain.explanations.posterior import PosteriorDraws
from hpo_explain.facts import fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-12  # of the level: below, no value is better than another


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Marginal(OnAxes):
    """The marginal prediction of a forest, or of draws, for one or two hyperparameters.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, one or two.
    grid : tuple of tuple
        Values of each, in the user's units.
    mean, std : ndarray of shape (G,) or (G1, G2)
        Marginal prediction and its standard deviation, in the objective's units.
    rows : {"trees", "draws"}
        What the standard deviation is over: a forest's trees, or a posterior.
    activity : tuple of float
        Share of the space in which each is active; elsewhere it makes no difference.
    given : mapping of str to list
        The sub-space to which the analysis is restricted; empty for the whole space.
    drawn : ndarray of shape (G, number of draws) or (G1, G2, number of draws), or None
        The marginal prediction of each function drawn; None of trees.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Eq. 1, Theorem 6.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> marginal = hx.importance(table, objective="loss").marginal("x")
    >>> marginal.names, bool(marginal.mean[0] < marginal.mean[-1])
    (('x',), True)
    """

    scope: ClassVar[Scope] = "everywhere"
    grid: tuple[tuple[Any, ...], ...]
    mean: Array
    std: Array
    activity: tuple[float, ...]
    rows: Literal["trees", "draws"] = "trees"
    given: Mapping[str, list[Any]] = field(default_factory=dict)
    drawn: Array | None = None

    @property
    def posterior(self) -> PosteriorDraws:
        """The marginal of each function drawn, by value; of two by pairs; better comes first.

        They are from several kernels that the trials allow, as the shares are.
        """
        if self.drawn is None:
            return super().posterior
        names = list(itertools.product(*self.grid)) if len(self.grid) > 1 else list(self.grid[0])
        return PosteriorDraws(
            tuple(names),
            self.drawn.reshape(len(names), -1).T,
            "smallest" if self.subject.lower_is_better else "largest",
        )

    @property
    def tried(self) -> tuple[tuple[Any, ...], ...]:
        """Values of the trials in which all are active, per hyperparameter; empty if unknown."""
        space, X = self.subject.space, self.subject.tried
        if X is None:
            return ()
        positions = X[:, [space.index(name) for name in self.names]]
        positions = positions[~np.isnan(positions).any(axis=1)]
        return tuple(
            tuple(space[name].decode(column))
            for name, column in zip(self.names, positions.T, strict=True)
        )

    @property
    def supported(self) -> npt.NDArray[np.bool_]:
        """Where trials are near, of the shape of `mean`; everywhere True if they are not known."""
        return supported_at(self.subject.support, self.names, self.grid)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Where the marginal prediction is best of what was tried.

        It is not certain, as a spread over trees says nothing about differences between values;
        a partial dependence compares them.
        """
        doubts = self.subject.doubts(self.scope)
        if np.ptp(self.mean) <= _ROUNDING * np.abs(self.mean).max():
            certain = not doubts and bool(self.supported.all())
            return (Claim("flat", self.names, certain=certain, because=doubts),)
        cost = self.mean if self.subject.direction == "minimize" else -self.mean
        if self.supported.any():
            cost = np.where(self.supported, cost, np.inf)
        place = np.unravel_index(int(np.argmin(cost)), self.mean.shape)
        values = tuple(grid[i] for grid, i in zip(self.grid, place, strict=True))
        mean, std = float(self.mean[place]), float(self.std[place])
        return (
            Claim(
                "best_at",
                self.names,
                values,
                estimate=mean,
                interval=between(mean, std),
                certain=False,
                because=(*doubts, fact("uncertainty_unknown")),
            ),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per grid point: the values, mean and std."""
        import pandas as pd

        if len(self.names) == 1:
            columns = {self.names[0]: list(self.grid[0])}
        else:
            pairs = [(a, b) for a in self.grid[0] for b in self.grid[1]]
            columns = {name: [pair[i] for pair in pairs] for i, name in enumerate(self.names)}
        return pd.DataFrame({**columns, "mean": self.mean.ravel(), "std": self.std.ravel()})

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "grid": self.grid,
            "mean": self.mean,
            "std": self.std,
            "activity": self.activity,
            "given": self.given,
        }
