"""Problems to be minimized: functions whose optimum is known, and models that are tuned."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import hpo_explain as hx

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "lcbench_phoneme.csv.gz"
Config = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Problem:
    """A problem to be minimized.

    Attributes
    ----------
    name : str
        Its name.
    space : SearchSpace
        Its search space.
    value : callable
        From a configuration to what is minimized, without noise.
    least : float, optional
        The least value, where it is known.
    searched : float, default infinity
        The least value that a long search found; where `least` is not known, it or the least that
        any run found counts as that.
    noise : float, default 0
        Standard deviation of the noise with which a value is observed.
    wider : bool, default True
        Whether values beyond the ranges are allowed.
    valley : float, optional
        The regret within which the optimum's valley was found, where there is another valley.
    """

    name: str
    space: hx.SearchSpace
    value: Callable[[Config], float]
    least: float | None = None
    searched: float = float("inf")
    noise: float = 0.0
    wider: bool = True
    valley: float | None = None


def _cube(d: int, low: float, high: float) -> hx.SearchSpace:
    return hx.SearchSpace([hx.FloatParameter(f"x{j}", low, high) for j in range(d)])


def _vector(config: Config) -> np.ndarray:
    return np.array([*config.values()], dtype=float)


def hyper_ellipsoid(noise: float = 0.0, name: str = "hyper-ellipsoid") -> Problem:
    """Squares with weights 1 to 4, the optimum off the centre."""

    def value(config: Config) -> float:
        return float(np.arange(1, 5) @ (_vector(config) - 1.0) ** 2)

    return Problem(name, _cube(4, -5.12, 5.12), value, least=0.0, noise=noise)


def styblinski_tang() -> Problem:
    """Four dimensions with two valleys each: sixteen local optima, one of them global."""

    def value(config: Config) -> float:
        x = _vector(config)
        return float(np.sum(x**4 - 16.0 * x**2 + 5.0 * x) / 2.0)

    return Problem("Styblinski-Tang", _cube(4, -5.0, 5.0), value, least=4 * -39.16616570377142)


def conditional() -> Problem:
    """Three families, each with a hyperparameter of its own; the best needs its value right."""
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("family", ["a", "b", "c"]),
            hx.FloatParameter("a_width", 0.0, 1.0, active_when={"family": ["a"]}),
            hx.FloatParameter("b_rate", 0.0, 1.0, active_when={"family": ["b"]}),
            hx.FloatParameter("c_depth", 0.0, 1.0, active_when={"family": ["c"]}),
            hx.FloatParameter("shared", 0.0, 1.0),
            hx.FloatParameter("scale", 1e-3, 1e1, log=True),
        ]
    )

    def value(config: Config) -> float:
        branch = {
            "a": lambda: 0.5 + 0.3 * config["a_width"],
            "b": lambda: 0.2 + 3.0 * (config["b_rate"] - 0.7) ** 2,
            "c": lambda: 0.9 - 0.2 * config["c_depth"],
        }[config["family"]]()
        scale = np.log10(config["scale"]) - 0.3
        return float(branch + 0.3 * (config["shared"] - 0.4) ** 2 + 0.05 * scale**2)

    return Problem("conditional", space, value, least=0.2)


def trap() -> Problem:
    """Return a wide bowl, and far from its bottom a well that holds the optimum."""

    def value(config: Config) -> float:
        x = _vector(config)[:2]
        bowl = np.sum((x - 0.25) ** 2)
        return float(bowl - 1.5 * np.exp(-0.5 * np.sum((x - 0.85) ** 2) / 0.06**2))

    # the well's bottom is moved a little by the bowl
    least = min(
        value({"x0": a, "x1": b, "x2": 0.0})
        for a in np.linspace(0.84, 0.86, 201)
        for b in np.linspace(0.84, 0.86, 201)
    )
    return Problem("trap", _cube(3, 0.0, 1.0), value, least=least, valley=-least)


# ---------------------------------------------------------------------- measured
# `searched`: a sample of the space, then six times changed copies of the fifteen best, in all about
# 3,700, 2,500 and 750 configurations


def phoneme() -> Problem:
    """Return a network on OpenML phoneme: validation error (%) by a forest fitted to LCBench."""
    from sklearn.ensemble import ExtraTreesRegressor

    space = hx.SearchSpace(
        [
            hx.IntParameter("batch_size", 16, 512, log=True),
            hx.FloatParameter("learning_rate", 1e-4, 1e-1, log=True),
            hx.FloatParameter("momentum", 0.1, 0.99),
            hx.FloatParameter("weight_decay", 1e-5, 1e-1),
            hx.IntParameter("num_layers", 1, 5),
            hx.IntParameter("max_units", 64, 1024, log=True),
            hx.FloatParameter("max_dropout", 0.0, 1.0),
        ]
    )
    table = pd.read_csv(DATA)
    X = space.encode(table[list(space.names)].to_dict("records"))
    forest = ExtraTreesRegressor(64, random_state=0).fit(X, 100.0 - table["final_val_accuracy"])

    def value(config: Config) -> float:
        return float(forest.predict(space.encode([dict(config)]))[0])

    return Problem("LCBench phoneme", space, value, searched=20.21966, wider=False)


def support_vectors() -> Problem:
    """Support vector regression on scikit-learn's diabetes: mean squared error, held out."""
    from sklearn.datasets import load_diabetes
    from sklearn.svm import SVR

    X, y = load_diabetes(return_X_y=True)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    space = hx.SearchSpace(
        [
            hx.FloatParameter("C", 1e-3, 1e2, log=True),
            hx.FloatParameter("gamma", 1e-5, 1e1, log=True),
            hx.FloatParameter("epsilon", 1e-3, 1.0, log=True),
            hx.CategoricalParameter("kernel", ["rbf", "sigmoid"]),
            hx.CategoricalParameter("shrinking", [True, False]),
        ]
    )

    def value(config: Config) -> float:
        errors = []
        for fold in range(2):
            held_out = np.arange(len(y)) % 2 == fold
            model = SVR(**config, max_iter=20_000).fit(X[~held_out], y[~held_out])
            errors.append(np.mean((model.predict(X[held_out]) - y[held_out]) ** 2))
        return float(min(np.mean(errors), 10.0))

    return Problem("SVR on diabetes", space, value, searched=0.520184)


def network() -> Problem:
    """Return a multilayer perceptron on scikit-learn's digits: log loss, held out."""
    from sklearn.datasets import load_digits
    from sklearn.metrics import log_loss
    from sklearn.neural_network import MLPClassifier

    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    space = hx.SearchSpace(
        [
            hx.FloatParameter("learning_rate_init", 1e-4, 1e-1, log=True),
            hx.FloatParameter("alpha", 1e-6, 1e1, log=True),
            hx.IntParameter("units", 4, 64, log=True),
            hx.IntParameter("batch_size", 32, 256, log=True),
            hx.FloatParameter("beta_1", 0.5, 0.99),
            hx.CategoricalParameter("activation", ["relu", "tanh", "logistic"]),
        ]
    )

    def value(config: Config) -> float:
        others = {name: config[name] for name in config if name != "units"}
        model = MLPClassifier((config["units"],), max_iter=12, random_state=0, **others)
        model.fit(X[:400], y[:400])
        return float(log_loss(y[400:800], model.predict_proba(X[400:800]), labels=range(10)))

    return Problem("MLP on digits", space, _without_warnings(value), searched=0.386572, wider=False)


def _without_warnings(value: Callable[[Config], float]) -> Callable[[Config], float]:
    def quiet(config: Config) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # too few iterations are a part of the problem
            return value(config)

    return quiet


PROBLEMS: Mapping[str, Callable[[], Problem]] = {
    "hyper-ellipsoid": hyper_ellipsoid,
    "noisy": partial(hyper_ellipsoid, noise=10.0, name="noisy"),
    "Styblinski-Tang": styblinski_tang,
    "conditional": conditional,
    "trap": trap,
    "LCBench phoneme": phoneme,
    "SVR on diabetes": support_vectors,
    "MLP on digits": network,
}


def available() -> list[str]:
    """Return the names of the problems whose data are there."""
    return [name for name in PROBLEMS if name != "LCBench phoneme" or DATA.exists()]


@cache
def problem_of(name: str) -> Problem:
    """Return the problem of a name."""
    return PROBLEMS[name]()
