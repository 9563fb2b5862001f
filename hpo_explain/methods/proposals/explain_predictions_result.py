"""What moves the predictions for many configurations: Shapley values of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import Claim, Result, Table, attributes, counted, format_value, worth_naming
from hpo_explain.methods.proposals.contributions_result import value_in
from hpo_explain.space import Array

if TYPE_CHECKING:
    import shap


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

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.methods.explain_predictions(table, objective="loss", background=20).phi.shape
    (5, 1)
    """

    table: ClassVar[Table] = Table(
        columns={},
        held=attributes(
            "names",
            "configs",
            "trials",
            "predictions",
            "baseline",
            "importance",
            "background_size",
            contributions="phi",
        ),
        contributions=("contribution",),
    )
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
        return np.abs(self.phi).mean(axis=0)

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contributions first."""
        return np.argsort(-self.importance, kind="stable")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What moves the predictions most: by how much on average."""
        sizes, over = self.importance, f"Over {counted(len(self.phi), 'configuration')}"
        claims = tuple(
            Claim(
                "contribution",
                (self.names[j],),
                float(sizes[j]),
                frame=f"{over} the {self.what} changes most with {{each}}.",
                text=f"{self.names[j]} (by {format_value(sizes[j])} on average)",
            )
            for j in worth_naming(self.order().tolist(), sizes, sizes.sum())
        )
        text = f"{over} no hyperparameter changes the {self.what}."
        return claims or (Claim("contribution", self.names, 0.0, text=text, side="below"),)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns: a row per configuration and active hyperparameter, with its contribution."""
        numbers = self.trials or tuple(range(len(self.phi)))
        rows = [
            (number, name, config[name], self.phi[i, j])
            for i, (number, config) in enumerate(zip(numbers, self.configs, strict=True))
            for j, name in enumerate(self.names)
            if name in config
        ]
        names = ("trial", "hyperparameter", "value", "contribution")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def to_shap(self) -> shap.Explanation:
        """Return the contributions as shap has them, for ``shap.plots.beeswarm``.

        Inactive hyperparameters have no value, and contribute 0.

        Returns
        -------
        shap.Explanation
            A row per configuration.
        """
        import shap

        values = [[config.get(name) for name in self.names] for config in self.configs]
        words = [
            [value_in(self.subject, config, name) for name in self.names] for config in self.configs
        ]
        return shap.Explanation(
            values=self.phi.copy(),
            base_values=np.full(len(self.phi), self.baseline),
            data=np.array(values, dtype=object),
            # shap would write None where a hyperparameter is inactive.
            display_data=np.array(words, dtype=object),
            feature_names=list(self.names),
        )
