"""What moves the predictions for many configurations: Shapley values of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.claim import Claim, worth_naming
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictionOverview(Result):
    """Shapley values of the predicted objective at many configurations.

    Attributes
    ----------
    configs : tuple of mapping
        The n configurations, in the user's units.
    phi : ndarray of shape (n, d)
        Contributions, in the objective's units; 0 where a hyperparameter is inactive.
    positions : ndarray of shape (n, d)
        Positions of the values on their own scale, 0 to 1; NaN where inactive.
    predictions : ndarray of shape (n,)
        The predictions.
    baseline : float
        Their mean over the background.
    trials : tuple of int
        The trials, if they are some.
    background_size : int
        Number of background rows.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.explain_predictions(table, objective="loss", background=20).phi.shape
    (5, 1)
    """

    scope: ClassVar[Scope] = "everywhere"
    configs: tuple[Mapping[str, Any], ...]
    phi: Array
    positions: Array
    predictions: Array
    baseline: float
    trials: tuple[int, ...] = ()
    background_size: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def importance(self) -> Array:
        """The mean size of each hyperparameter's contributions, in the objective's units. (d,)."""
        return np.asarray(np.abs(self.phi).mean(axis=0))

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contributions first."""
        return np.argsort(-self.importance, kind="stable")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What moves the predictions most: by how much on average."""
        sizes = self.importance
        found = tuple(
            Claim("effect", (self.names[j],), estimate=float(sizes[j]))
            for j in worth_naming(self.order().tolist(), sizes, _MAIN_COUNT, sizes.sum())
        )
        return found or (Claim("no_effect", self.names, estimate=0.0),)

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions."""
        return ("contribution",)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per configuration and active hyperparameter: value and contribution."""
        import pandas as pd

        numbers = self.trials or tuple(range(len(self.phi)))
        rows = [
            (number, name, config[name], self.phi[i, j])
            for i, (number, config) in enumerate(zip(numbers, self.configs, strict=True))
            for j, name in enumerate(self.names)
            if name in config
        ]
        columns = ["trial", "hyperparameter", "value", "contribution"]
        return pd.DataFrame(rows, columns=columns)

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "configs": [dict(config) for config in self.configs],
            "trials": self.trials,
            "contributions": self.phi,
            "predictions": self.predictions,
            "baseline": self.baseline,
            "importance": self.importance,
            "background_size": self.background_size,
        }
