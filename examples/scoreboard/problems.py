"""The problems: grids that were evaluated as a whole, BBOB, conditions, and three of our own.

References
----------
.. [1] Snoek, J., Larochelle, H. and Adams, R. P. (2012). Practical Bayesian optimization of machine
   learning algorithms. NeurIPS. The grid of Online LDA.
.. [2] Hansen, N. et al. (2009). Real-parameter black-box optimization benchmarking 2009: noiseless
   functions definitions. INRIA report 6829.
.. [3] Baba, K., Ozaki, Y. and Watanabe, S. (2026). Conditional PED-ANOVA: hyperparameter importance
   in hierarchical & dynamic search spaces. KDD.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.space import Range
from tests.claims.families import black_boxes, real
from tests.claims.families.smooth import cube
from tests.claims.problem import Problem, Rows
from tests.source_tree import DATA

NOISE = 0.1
"""Standard deviation of one evaluation of a function, as a share of the function's own."""


def online_lda() -> Problem:
    """Online LDA on Wikipedia: the perplexity of 288 configurations [1]_.

    Raises
    ------
    FileNotFoundError
        If the table is not at hand.
    """
    names = ["kappa", "log2_tau0", "log2_S"]
    table = pd.read_csv(DATA / "online_lda_grid288.csv").set_index(names)["perplexity"]
    space = SearchSpace(
        [
            FloatParameter("kappa", 0.5, 1.0, step=0.1),
            IntParameter("log2_tau0", 0, 10, step=2),
            IntParameter("log2_S", 0, 14, step=2),
        ]
    )
    return real.of_grid(
        "online lda",
        space,
        real.each(
            lambda config: table[round(config["kappa"], 1), config["log2_tau0"], config["log2_S"]]
        ),
    )


def support_vectors() -> Problem:
    """Support vector regression on diabetes: the mean squared error of five folds."""
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=real.SEED)
    space = SearchSpace(
        [
            IntParameter("log2_C", -5, 15, step=2),
            IntParameter("log2_gamma", -15, 3, step=2),
            IntParameter("log2_epsilon", -4, 6, step=2),
        ]
    )

    def cost(config: real.Config) -> float:
        model = SVR(
            C=2.0 ** config["log2_C"],
            gamma=2.0 ** config["log2_gamma"],
            epsilon=2.0 ** config["log2_epsilon"],
            max_iter=20000,
        )
        scaled = make_pipeline(StandardScaler(), model)
        scores = cross_val_score(scaled, X, y, cv=folds, scoring="neg_mean_squared_error")
        return -float(scores.mean())

    return real.of_grid("svr on diabetes", space, real.each(cost))


def logistic_regression() -> Problem:
    """Logistic regression by stochastic gradients on digits: the share of errors."""
    learned, tested, labels, truth = train_test_split(
        *load_digits(return_X_y=True), test_size=0.5, random_state=real.SEED
    )
    scaler = StandardScaler().fit(learned)
    space = SearchSpace(
        [
            FloatParameter("log10_rate", -5.0, 1.0, step=1.0),
            FloatParameter("log10_alpha", -7.0, 0.0, step=1.0),
            IntParameter("log2_epochs", 0, 5),
            CategoricalParameter("penalty", ["l2", "l1"]),
        ]
    )

    def cost(config: real.Config) -> float:
        model = SGDClassifier(
            "log_loss",
            penalty=config["penalty"],
            alpha=10.0 ** config["log10_alpha"],
            learning_rate="constant",
            eta0=10.0 ** config["log10_rate"],
            max_iter=2 ** config["log2_epochs"],
            tol=None,
            random_state=real.SEED,
        )
        model.fit(scaler.transform(learned), labels)
        return 1.0 - float(model.score(scaler.transform(tested), truth))

    return real.of_grid("logistic regression on digits", space, real.each(cost))


def activation_overlap() -> Problem:
    """Return x or y, as c decides: "activation-overlap" of [3]_."""
    space = SearchSpace(
        [
            FloatParameter("c", 0.0, 1.0),
            FloatParameter("x", -5.0, 2.0, active_when={"c": Range(high=0.5)}),
            FloatParameter("y", -2.0, 5.0, active_when={"c": Range(low=0.5)}),
        ]
    )

    def cost(X: Rows) -> np.ndarray:
        return np.where(np.isnan(X[:, 1]), 7.0 * X[:, 2] - 2.0, 7.0 * X[:, 1] - 5.0)

    return Problem("activation-overlap", space, cost, family="conditions")


def nested_conditions() -> Problem:
    """Return x, y or z, as c0 and c1 decide: "nested-conditions" of [3]_."""
    space = SearchSpace(
        [
            FloatParameter("c0", 0.0, 1.0),
            FloatParameter("c1", 0.0, 1.0, active_when={"c0": Range(high=0.75)}),
            FloatParameter("x", -7.0, -4.0, active_when={"c1": Range(high=0.5)}),
            FloatParameter("y", -3.0, 0.0, active_when={"c1": Range(low=0.5)}),
            FloatParameter("z", 2.0, 5.0, active_when={"c0": Range(low=0.75)}),
        ]
    )

    def cost(X: Rows) -> np.ndarray:
        x, y, z = 3.0 * X[:, 2] - 7.0, 3.0 * X[:, 3] - 3.0, 3.0 * X[:, 4] + 2.0
        return np.where(np.isnan(z), np.where(np.isnan(y), x, y), z)

    return Problem("nested-conditions", space, cost, family="conditions")


def cliff() -> Problem:
    """Return a loss that falls until the product of two is too large, and jumps there."""

    def cost(X: Rows) -> np.ndarray:
        falling = (1.0 - X[:, 0]) ** 2 + 0.5 * (X[:, 2] - 0.6) ** 2 + 0.05 * X[:, 3]
        return falling + 1.5 * (X[:, 0] * X[:, 1] > 0.35)

    return Problem("cliff", cube(4), cost)


def curved_valley() -> Problem:
    """Return a valley along a sine, whose floor falls slowly."""

    def cost(X: Rows) -> np.ndarray:
        across = X[:, 0] - 0.5 - 0.3 * np.sin(4.0 * X[:, 1])
        return np.sqrt(0.001 + across**2) + 0.1 * (X[:, 1] - 0.9) ** 2 + 0.05 * X[:, 2]

    return Problem("curved valley", cube(3), cost)


def additive() -> Problem:
    """Twelve effects that only add up, each with 0.7 of the amplitude of the one before."""
    weights = 0.7 ** np.arange(12)

    def cost(X: Rows) -> np.ndarray:
        return np.column_stack([effect(X[:, j], j) for j in range(12)]) @ weights

    optimum = np.tile([0.3, 0.0, np.pi / 4.0], 4)[None]
    return Problem("additive of 12", cube(12), cost, optimum=optimum)


def effect(x: np.ndarray, j: int) -> np.ndarray:
    """Return one of the twelve effects: a square, a line and a wave in turn."""
    return ((x - 0.3) ** 2, 0.5 * x, 0.25 * np.sin(6.0 * x))[j % 3]


def bbob(number: int, d: int) -> Callable[[], Problem]:
    """Return what makes a function of BBOB [2]_, in its first instance."""
    return lambda: replace(black_boxes.bbob(number, d, instance=1), maximize=False)


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "online lda": online_lda,
    "svr on diabetes": support_vectors,
    "logistic regression on digits": logistic_regression,
    "bbob 2 of 3": bbob(2, 3),
    "bbob 6 of 5": bbob(6, 5),
    "bbob 11 of 10": bbob(11, 10),
    "bbob 19 of 3": bbob(19, 3),
    "bbob 20 of 5": bbob(20, 5),
    "activation-overlap": activation_overlap,
    "nested-conditions": nested_conditions,
    "cliff": cliff,
    "curved valley": curved_valley,
    "additive of 12": additive,
}


@cache
def at_hand() -> dict[str, Problem]:
    """Return the problems by name; what cannot be made here is left out, with a word."""
    found = {}
    for name, make in PROBLEMS.items():
        try:
            found[name] = make()
        except (FileNotFoundError, ModuleNotFoundError) as error:
            print(f"left out: {name}: {error}", file=sys.stderr)
    return found


def noise_of(problem: Problem) -> float:
    """Return the standard deviation of one evaluation; a grid has one result for each cell."""
    return 0.0 if problem.is_finite else NOISE * problem.scale
