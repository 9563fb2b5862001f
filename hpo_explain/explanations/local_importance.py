"""Which hyperparameters matter around one configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_name
from hpo_explain.base.claim import Claim, worth_naming
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_MAIN_SHARE = 0.75
_MAIN_COUNT = 3
_NORMAL_95 = 1.959963984540054
_TRIED_SHARE = 0.8  # of a hyperparameter's values


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalImportance(Result):
    """Shares of the variance along each hyperparameter around a configuration (LPI).

    A share says how much the prediction changes when this hyperparameter alone takes its other
    values, not in which direction, and not what changes together with others.

    Attributes
    ----------
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    importance : ndarray of shape (d,)
        Shares, which add up to 1; all 0 where nothing changes the prediction. They are those of
        the mean prediction (Eq. 2), of a forest, too.
    variance : ndarray of shape (d,)
        Variance of the prediction along each hyperparameter, in squared units of it.
    curves : tuple of (str, tuple, ndarray)
        Of each hyperparameter that can vary its values, in the user's units, and the predictions.
    std : ndarray of shape (d,) or None
        Standard deviation of each share.
    std_kind : {"trees", "posterior", ""}
        Whether it is over trees, over draws from the posterior, or not known.
    drawn : ndarray of shape (number of draws, d) or None
        The shares of functions drawn from the posterior; None without one.
    prediction : float
        The prediction for the configuration.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Biedenkapp, A. et al. (2018). CAVE: Configuration assessment, visualization and
       evaluation. LION 12, Section 3.2. https://doi.org/10.1007/978-3-030-05348-2_10

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.local_importance(table, objective="loss").share("x")
    1.0
    """

    scope: ClassVar[Scope] = "good_region"
    config: Mapping[str, Any]
    importance: Array
    variance: Array
    curves: tuple[tuple[str, tuple[Any, ...], Array], ...]
    std: Array | None = None
    std_kind: str = ""
    drawn: Array | None = None
    prediction: float = float("nan")

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def posterior(self) -> PosteriorDraws:
        """The shares of functions drawn from the posterior, by hyperparameter.

        The kernel's parameters are those of the model.
        """
        if self.drawn is None:
            return super().posterior
        return PosteriorDraws(self.names, self.drawn)

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    def share(self, name: str) -> float:
        """Return the share of a hyperparameter.

        Raises
        ------
        ValueError
            If there is no hyperparameter of that name.
        """
        return float(self.importance[self._index(name)])

    def curve(self, name: str) -> tuple[tuple[Any, ...], Array]:
        """Return a hyperparameter's values, in the user's units, and the predictions for them.

        Raises
        ------
        ValueError
            If there is no hyperparameter of that name, or it is inactive.
        """
        self._index(name)
        for known, values, mean in self.curves:
            if known == name:
                return values, mean
        raise InputError(
            "name",
            f"is {name!r}, which is inactive in this configuration, so nothing changes along it",
            name,
            "Choose a configuration in which it is active.",
        )

    def _index(self, name: str) -> int:
        return self.names.index(check_name("name", name, self.names, "hyperparameter"))

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest share first."""
        return np.argsort(-self.importance, kind="stable")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What matters around the configuration, up to three quarters of the variance."""
        if not self.importance.any():
            return (Claim("no_effect", self.names, estimate=0.0, certain=False),)
        leading: list[int] = []
        for j in worth_naming(self.order().tolist(), self.importance, _MAIN_COUNT):
            if self.importance[leading].sum() >= _MAIN_SHARE:
                break
            leading.append(j)
        return tuple(self._claim(j) for j in leading)

    def _claim(self, j: int) -> Claim:
        share = float(self.importance[j])
        half = None if self.std is None else float(self.std[j])
        if half is not None:
            half *= _NORMAL_95
        because: tuple[Fact, ...] = ()
        if not self.subject.acquisition:
            # 95 % intervals from draws held 81 of 100 true shares: the kernel's parameters, too,
            # are estimates
            unknown = (fact("share_uncertainty_unknown"),)
            because = (*unknown, *self.subject.doubts(self.scope), *self._hardly_tried(j))
        return Claim(
            "importance",
            (self.names[j],),
            estimate=share,
            interval=None if half is None else (max(0.0, share - half), min(1.0, share + half)),
            certain=not because,
            because=because,
        )

    def _hardly_tried(self, j: int) -> tuple[Fact, ...]:
        """Return a fact where much of what a hyperparameter can be was hardly tried."""
        support = self.subject.support
        if support is None or support.share(self.names[j]) >= _TRIED_SHARE:
            return ()
        return (fact("value_not_tried", names=[self.names[j]]),)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hyperparameter: value, importance, std, variance; largest first."""
        import pandas as pd

        values = pd.Series([self.config.get(name) for name in self.names], dtype=object)
        frame = pd.DataFrame(
            {
                "value": values.to_numpy(),
                "importance": self.importance,
                "std": np.full(len(self.names), np.nan) if self.std is None else self.std,
                "variance": self.variance,
            },
            index=pd.Index(self.names, name="hyperparameter"),
        )
        return frame.iloc[self.order()]

    def _numbers(self) -> dict[str, Any]:
        return {
            "config": dict(self.config),
            "importance": [
                {
                    "hyperparameter": name,
                    "value": self.config.get(name),
                    "active": bool(self.active[j]),
                    "importance": float(self.importance[j]),
                    "std": None if self.std is None else float(self.std[j]),
                    "variance": float(self.variance[j]),
                }
                for j, name in enumerate(self.names)
            ],
            "std_kind": self.std_kind,
            "prediction": self.prediction,
        }
