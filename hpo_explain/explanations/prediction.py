"""Why the surrogate predicts what it does: Shapley values of the predicted objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain._words import counted
from hpo_explain.diagnostics import Trust
from hpo_explain.explanations._format import (
    format_level,
    format_value,
    join_words,
    plain_json,
    worth_naming,
)
from hpo_explain.explanations._result import AboutConfiguration, Shown
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False, repr=False)
class PredictionExplanation(Shown, AboutConfiguration):
    """Shapley values of the predicted objective at one configuration.

    Contributions are in the objective's units and add up to the difference between the prediction
    and its average over the background; where the objective is minimized, negative ones are good.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the space.
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
    model : str
        The surrogate in words.
    objective_name, direction : str
        What the objective is called, and which way is better.
    trial : int or None
        The trial, if it is one.
    background_size : int
        Number of background rows.
    estimator : str
        How coalitions were valued, in words.
    trust : Trust or None
        Whether the surrogate is good enough to be explained.
    notes : tuple of str
        What was assumed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.explain_prediction(table, objective="loss", background=50)
    >>> found.config, bool(found.phi[0] < 0)
    ({'x': 0.1}, True)
    """

    names: tuple[str, ...]
    config: Mapping[str, Any]
    phi: Array
    half_width: Array | None
    prediction: float
    baseline: float
    efficiency_gap: float
    model: str = ""
    objective_name: str = "objective"
    direction: str = "minimize"
    trial: int | None = None
    background_size: int = 0
    estimator: str = ""
    trust: Trust | None = None
    notes: tuple[str, ...] = ()

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contribution (by size) first."""
        return np.argsort(-np.abs(self.phi), kind="stable")

    @property
    def sentence(self) -> str:
        """One sentence that says what makes the prediction what it is."""
        start = (
            f"The {self.objective_name} predicted for {self.subject} is "
            f"{format_level(self.prediction, self.prediction - self.baseline)}, on average "
            f"{format_level(self.baseline, self.prediction - self.baseline)}"
        )
        sizes = np.abs(self.phi)
        parts = [
            f"{self.names[j]} = {format_value(self.config[self.names[j]])} ({self.phi[j]:+.4g})"
            for j in worth_naming(self.order().tolist(), sizes, _MAIN_COUNT, sizes.sum())
            if self.active[j]
        ]
        return f"{start}, mainly because of {join_words(parts)}." if parts else f"{start}."

    @property
    def _contributions(self) -> tuple[str, ...]:
        return ("contribution",)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hyperparameter: value, contribution, half_width; largest first."""
        import pandas as pd

        values = pd.Series([self.config.get(name) for name in self.names], dtype=object)
        d = len(self.names)
        frame = pd.DataFrame(
            {
                "value": values.to_numpy(),
                "contribution": self.phi,
                "half_width": np.full(d, np.nan) if self.half_width is None else self.half_width,
            },
            index=pd.Index(self.names, name="hyperparameter"),
        )
        return frame.iloc[self.order()]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the contributions as bars, the largest on top; return the axes."""
        from hpo_explain.plotting.prediction import plot_prediction

        return plot_prediction(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        half = self.half_width
        return {
            "trial": self.trial,
            "config": plain_json(dict(self.config)),
            "contributions": [
                {
                    "hyperparameter": name,
                    "value": plain_json(self.config.get(name)),
                    "active": bool(self.active[j]),
                    "contribution": plain_json(self.phi[j]),
                    "interval_95_half_width": None if half is None else plain_json(half[j]),
                }
                for j, name in enumerate(self.names)
            ],
            "prediction": plain_json(self.prediction),
            "baseline": plain_json(self.baseline),
            "efficiency_gap": plain_json(self.efficiency_gap),
            "model": self.model,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "background_size": self.background_size,
            "estimator": self.estimator,
            "sentence": self.sentence,
            "trust": None if self.trust is None else self.trust.to_dict(),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False, repr=False)
class PredictionOverview(Shown):
    """Shapley values of the predicted objective at many configurations.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the space.
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
    model : str
        The surrogate in words.
    objective_name, direction : str
        What the objective is called, and which way is better.
    trials : tuple of int
        The trials, if they are some.
    background_size : int
        Number of background rows.
    trust : Trust or None
        Whether the surrogate is good enough to be explained.
    notes : tuple of str
        What was assumed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.explain_predictions(table, objective="loss", background=20).phi.shape
    (5, 1)
    """

    names: tuple[str, ...]
    configs: tuple[Mapping[str, Any], ...]
    phi: Array
    positions: Array
    predictions: Array
    baseline: float
    model: str = ""
    objective_name: str = "objective"
    direction: str = "minimize"
    trials: tuple[int, ...] = ()
    background_size: int = 0
    trust: Trust | None = None
    notes: tuple[str, ...] = ()

    @property
    def importance(self) -> Array:
        """The mean size of each hyperparameter's contributions, in the objective's units. (d,)."""
        return np.asarray(np.abs(self.phi).mean(axis=0))

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contributions first."""
        return np.argsort(-self.importance, kind="stable")

    @property
    def sentence(self) -> str:
        """One sentence that says which hyperparameters move the predictions most."""
        sizes = self.importance
        parts = [
            f"{self.names[j]} (by {format_value(float(self.importance[j]))} on average)"
            for j in worth_naming(self.order().tolist(), sizes, _MAIN_COUNT, sizes.sum())
        ]
        start = f"Over {counted(len(self.phi), 'configuration')}"
        if not parts:
            return f"{start} no hyperparameter moves the predicted {self.objective_name}."
        return f"{start} the predicted {self.objective_name} is moved most by {join_words(parts)}."

    @property
    def _contributions(self) -> tuple[str, ...]:
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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the contributions as a beeswarm, colored by value; return the axes."""
        from hpo_explain.plotting.prediction_overview import plot_prediction_overview

        return plot_prediction_overview(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "names": list(self.names),
            "configs": [plain_json(dict(config)) for config in self.configs],
            "trials": list(self.trials),
            "contributions": plain_json(self.phi),
            "predictions": plain_json(self.predictions),
            "baseline": plain_json(self.baseline),
            "importance": plain_json(self.importance),
            "model": self.model,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "background_size": self.background_size,
            "sentence": self.sentence,
            "trust": None if self.trust is None else self.trust.to_dict(),
            "notes": list(self.notes),
        }
