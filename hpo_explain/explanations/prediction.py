"""Why the surrogate predicts what it does: Shapley values of the predicted objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.claim import Claim, between, worth_naming
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.methods._engines.certainty import NORMAL_95, doubts_of_value
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictionExplanation(Result):
    """Shapley values of the predicted objective at one configuration.

    Contributions are in the objective's units and add up to the difference between the prediction
    and its average over the background; where the objective is minimized, negative ones are good.

    Attributes
    ----------
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    phi : ndarray of shape (d,)
        The contribution of each hyperparameter; 0 where it is inactive.
    half_width : ndarray of shape (d,) or None
        Half the 95 % interval of each, from integrating over the background; None where that was
        given as an array.
    prediction, baseline, efficiency_gap : float
        The prediction, its mean over the background, and what the contributions miss of their
        difference.
    background_size : int
        Number of background rows.
    estimator : Fact or None
        How coalitions were valued.
    model_std : ndarray of shape (d,) or None
        Standard deviation of each under the model: the posterior's for a Gaussian process, that
        over the trees for a forest; None where the model does not know.
    covariance : ndarray of shape (d, d) or None
        Posterior covariance of the contributions; None without a joint posterior.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.explain_prediction(table, objective="loss", background=50)
    >>> found.config, bool(found.phi[0] < 0)
    ({'x': 0.1}, True)
    """

    scope: ClassVar[Scope] = "everywhere"
    config: Mapping[str, Any]
    phi: Array
    half_width: Array | None
    prediction: float
    baseline: float
    efficiency_gap: float
    background_size: int = 0
    estimator: Fact | None = None
    model_std: Array | None = None
    covariance: Array | None = None

    @property
    def posterior(self) -> PosteriorDraws:
        """The contributions for functions drawn from the posterior; the largest comes first.

        The kernel's parameters are those of the model.
        """
        if self.covariance is None:
            return super().posterior
        return PosteriorDraws.of_normal(
            self.names,
            self.phi,
            self.covariance,
            first="farthest from 0",
            draws=self.subject.draws,
        )

    @property
    def model_half_width(self) -> Array | None:
        """Half the 95 % interval of each under the model, (d,)."""
        return None if self.model_std is None else NORMAL_95 * self.model_std

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contribution (by size) first."""
        return np.argsort(-np.abs(self.phi), kind="stable")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The largest contributions; positive ones raise the predicted objective."""
        sizes = np.abs(self.phi)
        found = tuple(
            self.claim_of(j)
            for j in worth_naming(self.order().tolist(), sizes, _MAIN_COUNT, sizes.sum())
            if self.active[j]
        )
        return found or (Claim("no_effect", self.names, estimate=0.0),)

    def claim_of(self, j: int) -> Claim:
        """Return what is said of the contribution of a hyperparameter, by its position."""
        name, phi = self.names[j], float(self.phi[j])
        halves = [
            float(half[j]) for half in (self.half_width, self.model_half_width) if half is not None
        ]
        half = float(np.hypot.reduce(halves)) if halves else None
        if self.model_std is None:
            doubts: tuple[Fact, ...] = (fact("uncertainty_unknown"),)
        else:
            doubts = doubts_of_value(
                self.subject, self.scope, self.config, name, abs(phi), half or 0.0
            )
        return Claim(
            "reason",
            (name,),
            (self.config.get(name),),
            estimate=phi,
            interval=between(phi, half),
            certain=not doubts,
            because=doubts,
        )

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions."""
        return ("contribution",)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hyperparameter, the largest contribution first.

        Columns value, contribution, half_width (of integrating over the background), model_std.
        """
        import pandas as pd

        values = pd.Series([self.config.get(name) for name in self.names], dtype=object)
        d = len(self.names)
        frame = pd.DataFrame(
            {
                "value": values.to_numpy(),
                "contribution": self.phi,
                "half_width": np.full(d, np.nan) if self.half_width is None else self.half_width,
                "model_std": np.full(d, np.nan) if self.model_std is None else self.model_std,
            },
            index=pd.Index(self.names, name="hyperparameter"),
        )
        return frame.iloc[self.order()]

    def _numbers(self) -> dict[str, Any]:
        half, model = self.half_width, self.model_half_width
        return {
            "config": dict(self.config),
            "contributions": [
                {
                    "hyperparameter": name,
                    "value": self.config.get(name),
                    "active": bool(self.active[j]),
                    "contribution": float(self.phi[j]),
                    "interval_95_half_width": None if half is None else float(half[j]),
                    "model_95_half_width": None if model is None else float(model[j]),
                }
                for j, name in enumerate(self.names)
            ],
            "prediction": self.prediction,
            "baseline": self.baseline,
            "efficiency_gap": self.efficiency_gap,
            "background_size": self.background_size,
            "estimator": None if self.estimator is None else str(self.estimator),
        }
