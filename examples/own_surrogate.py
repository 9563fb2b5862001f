"""Bring your own model: any object with `space` and `predict(X) -> (mean, std)` will do.

Here an ensemble of small neural networks, whose disagreement is the standard deviation. It gets the
encoded columns: the position in [0, 1] on each hyperparameter's own scale, a category's index, NaN
where a hyperparameter is inactive.

    python examples/own_surrogate.py
"""

from __future__ import annotations

import numpy as np
from sklearn.neural_network import MLPRegressor

import hpo_explain as hx

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("learning_rate", 1e-5, 1e-1, log=True),
        hx.FloatParameter("dropout", 0.0, 0.6),
        hx.IntParameter("layers", 1, 6),
    ]
)


class Ensemble:
    """Networks from different starting points."""

    space = SPACE

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.networks = [
            MLPRegressor(
                hidden_layer_sizes=(32, 32), solver="lbfgs", max_iter=5000, random_state=seed
            ).fit(X, y)
            for seed in range(5)
        ]

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and standard deviation of the objective at encoded rows."""
        predictions = np.array([network.predict(X) for network in self.networks])
        return predictions.mean(axis=0), predictions.std(axis=0)


def main() -> None:
    """Explain the ensemble."""
    X = SPACE.sample(60, seed=0)
    y = (X[:, 0] - 0.4) ** 2 + 0.3 * X[:, 1] * X[:, 2]
    ensemble = Ensemble(X, y)
    bound = hx.models.LowerConfidenceBound(ensemble, kappa=1.96)
    config = {"learning_rate": 4e-4, "dropout": 0.1, "layers": 2}
    reasons = hx.methods.ShapleyExplainer(bound, background=200).explain(config)
    print(reasons.sentence)
    reasons.plot()
    # distilled into a forest
    print(hx.methods.FanovaExplainer(ensemble).explain(order=2).sentence)
    print(
        hx.methods.PartialDependenceExplainer(ensemble, sample=200)
        .explain("learning_rate")
        .sentence
    )


if __name__ == "__main__":
    main()
