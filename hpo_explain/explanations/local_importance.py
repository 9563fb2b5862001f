"""Which hyperparameters matter around one configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import unknown_name
from hpo_explain.diagnostics import Trust
from hpo_explain.explanations._format import format_value, join_words, plain_json, worth_naming
from hpo_explain.explanations._result import AboutConfiguration, AboutModel, Shown
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MAIN_SHARE = 0.75
_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False, repr=False)
class LocalImportance(Shown, AboutConfiguration, AboutModel):
    """Shares of the variance along each hyperparameter around a configuration (LPI).

    A share says how much the prediction changes when this hyperparameter alone takes its other
    values, not in which direction, and not what changes together with others.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the space.
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    importance : ndarray of shape (d,)
        Shares, which add up to 1; all 0 where nothing changes the prediction. Of a forest, the
        means of its trees' shares; trees in which nothing varies have none.
    variance : ndarray of shape (d,)
        Variance of the prediction along each hyperparameter, in squared units of it.
    curves : tuple of (str, tuple, ndarray)
        Of each hyperparameter that can vary its values, in the user's units, and the predictions.
    std : ndarray of shape (d,) or None
        Standard deviation of each share.
    std_kind : {"trees", "posterior", ""}
        Whether it is over trees, over draws from the posterior, or not known.
    prediction : float
        The prediction for the configuration.
    acquisition : str
        The acquisition that is explained; empty where it is the objective.
    model : str
        The surrogate in words.
    objective_name, direction : str
        What the objective is called, and which way is better.
    trial : int or None
        The trial, if it is one.
    trust : Trust or None
        Whether the surrogate is good enough to be explained.
    notes : tuple of str
        What was assumed.

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

    names: tuple[str, ...]
    config: Mapping[str, Any]
    importance: Array
    variance: Array
    curves: tuple[tuple[str, tuple[Any, ...], Array], ...]
    std: Array | None = None
    std_kind: str = ""
    prediction: float = float("nan")
    acquisition: str = ""
    model: str = ""
    objective_name: str = "objective"
    direction: str = "minimize"
    trial: int | None = None
    trust: Trust | None = None
    notes: tuple[str, ...] = ()

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
        raise ValueError(
            f"{name} is inactive in {self.subject}, so nothing changes along it. Choose a "
            "configuration in which it is active."
        )

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(unknown_name("hyperparameter", name, self.names))
        return self.names.index(name)

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest share first."""
        return np.argsort(-self.importance, kind="stable")

    @property
    def sentence(self) -> str:
        """One sentence that says what matters around the configuration."""
        if not self.importance.any():
            return (
                f"Around {self.subject} no hyperparameter alone changes the {self.explained}, "
                f"which is {format_value(self.prediction)}."
            )
        leading: list[int] = []
        for j in worth_naming(self.order().tolist(), self.importance, _MAIN_COUNT):
            if self.importance[leading].sum() >= _MAIN_SHARE:
                break
            leading.append(j)
        parts = [
            f"{self.names[j]} with {self.importance[j]:.0%}"
            + ("" if self.std is None else f" ± {self.std[j]:.0%}")
            for j in leading
        ]
        return (
            f"Around {self.subject} the {self.explained} varies most along "
            f"{join_words(parts)} of the variance along single hyperparameters."
        )

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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares as bars, the largest on top; return the axes."""
        from hpo_explain.plotting.local_importance import plot_local_importance

        return plot_local_importance(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the curves as plain values that `json.dumps` accepts."""
        return {
            "trial": self.trial,
            "config": plain_json(dict(self.config)),
            "importance": [
                {
                    "hyperparameter": name,
                    "value": plain_json(self.config.get(name)),
                    "active": bool(self.active[j]),
                    "importance": float(self.importance[j]),
                    "std": None if self.std is None else float(self.std[j]),
                    "variance": plain_json(self.variance[j]),
                }
                for j, name in enumerate(self.names)
            ],
            "std_kind": self.std_kind,
            "prediction": plain_json(self.prediction),
            "acquisition": self.acquisition,
            "model": self.model,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "sentence": self.sentence,
            "trust": None if self.trust is None else self.trust.to_dict(),
            "notes": list(self.notes),
        }
