"""Classifiers of scikit-learn on its own data sets: they judge, and nothing was chosen by them.

Each is a grid of which every configuration is evaluated once, with fixed splits and seeds; the
results are kept in the user's cache.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.base.cache_folder import cache_folder
from tests.claims.problem import Problem, Rows

Config = Mapping[str, Any]
Costs = Callable[[list[Config]], Iterator[float]]
SEED = 0


def of_grid(name: str, space: SearchSpace, costs: Costs) -> Problem:
    """Return the problem of a grid, each configuration of which is evaluated once.

    Negative costs are scores, which are maximized.
    """
    sizes = [p.size for p in space.parameters]
    levels = [
        p.from_latent((np.arange(n) + 0.5) / n)
        for p, n in zip(space.parameters, sizes, strict=True)
    ]

    def place(X: Rows) -> np.ndarray:
        """Return the number of each row among all combinations; what is inactive counts as 0."""
        each = [
            np.abs(np.nan_to_num(x)[:, None] - at).argmin(axis=1) * ~np.isnan(x)
            for x, at in zip(X.T, levels, strict=True)
        ]
        return np.ravel_multi_index(tuple(each), sizes)

    grid = np.meshgrid(*levels, indexing="ij")
    rows = space.project(np.column_stack([axis.ravel() for axis in grid]))
    places, first = np.unique(place(rows), return_index=True)
    values = np.full(len(rows), np.nan)
    values[places] = _kept(name, space.decode(rows[first]), costs)
    return Problem(
        name,
        space,
        lambda X: values[place(X)],
        family="real tasks",
        noises=(0.0,),
        judges=True,
        maximize=bool(np.nanmax(values) <= 0.0),
    )


def _kept(name: str, configs: list[Config], costs: Costs) -> np.ndarray:
    """Return the costs of configurations, from the cache if they are there."""
    folder = cache_folder("claims")
    path = folder and folder / (f"{name} of {len(configs)} by {sklearn.__version__}.npy")
    if path is not None and path.exists():
        return np.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that are cut short
        found = np.array([*costs(configs)])
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, found)
    return found


def each(cost: Callable[[Config], float]) -> Costs:
    """Return the costs of configurations that are evaluated one by one."""
    return lambda configs: map(cost, configs)


def _halves(data: Any, size: int | None = None) -> list[np.ndarray]:
    """Return the inputs that are learned from and tested by, and their labels."""
    X, y = data(return_X_y=True)
    X, y = X[:size], y[:size]
    halves: list[np.ndarray] = train_test_split(X, y, test_size=0.5, random_state=SEED, stratify=y)
    return halves


def _missed(model: Any, halves: list[np.ndarray]) -> float:
    """Return minus the accuracy."""
    learned, tested, labels, truth = halves
    return -float(model.fit(learned, labels).score(tested, truth))


def support_vectors() -> Problem:
    """Support vectors on wine: the grid that comes with libsvm, with and without scaling."""
    X, y = load_wine(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    space = SearchSpace(
        [
            IntParameter("log2_C", -5, 15, step=2),
            IntParameter("log2_gamma", -15, 3, step=2),
            CategoricalParameter("kernel", ["rbf", "poly", "sigmoid"]),
            CategoricalParameter("scaled", [False, True]),
        ]
    )

    def cost(config: Config) -> float:
        model = SVC(
            C=2.0 ** config["log2_C"],
            gamma=2.0 ** config["log2_gamma"],
            kernel=config["kernel"],
            max_iter=5000,
        )
        if config["scaled"]:
            model = make_pipeline(StandardScaler(), model)
        return -float(cross_val_score(model, X, y, cv=folds).mean())

    return of_grid("svc on wine", space, each(cost))


def logistic() -> Problem:
    """Principal components and logistic regression on breast cancer."""
    halves = _halves(load_breast_cancer)
    scalers = {"none": "passthrough", "standard": StandardScaler(), "minmax": MinMaxScaler()}
    space = SearchSpace(
        [
            IntParameter("components", 2, 20),
            FloatParameter("log10_C", -4.0, 4.0, step=0.5),
            CategoricalParameter("scaler", [*scalers]),
            CategoricalParameter("balanced", [False, True]),
        ]
    )

    def cost(config: Config) -> float:
        model = LogisticRegression(
            C=10.0 ** config["log10_C"],
            class_weight="balanced" if config["balanced"] else None,
            max_iter=100,
        )
        components = PCA(config["components"], random_state=SEED)
        steps = scalers[config["scaler"]], components, model
        return _missed(make_pipeline(*steps), halves)

    return of_grid("logistic on breast cancer", space, each(cost))


def boosting() -> Problem:
    """Gradient boosting on breast cancer, by its log loss."""
    learned, tested, labels, truth = _halves(load_breast_cancer)
    most, step = 200, 20
    space = SearchSpace(
        [
            FloatParameter("log10_rate", -2.5, 0.0, step=0.25),
            IntParameter("depth", 1, 5),
            FloatParameter("subsample", 0.5, 1.0, step=0.25),
            IntParameter("trees", step, most, step=step),
        ]
    )

    def costs(configs: list[Config]) -> Iterator[float]:
        """One fit for all numbers of trees, which follow each other."""
        of_fit = lambda config: [*config.values()][:-1]  # noqa: E731
        for (rate, depth, subsample), several in groupby(configs, of_fit):
            model = GradientBoostingClassifier(
                learning_rate=10.0**rate,
                max_depth=depth,
                subsample=subsample,
                n_estimators=most,
                max_features="sqrt",
                random_state=SEED,
            )
            model.fit(learned, labels)
            staged = [*model.staged_predict_proba(tested)]
            for config in several:
                yield float(log_loss(truth, staged[config["trees"] - 1]))

    return of_grid("boosting on breast cancer", space, costs)


def forest() -> Problem:
    """A random forest on digits."""
    halves = _halves(load_digits, 800)
    space = SearchSpace(
        [
            IntParameter("depth", 2, 16, step=2),
            IntParameter("leaf", 1, 15, step=2),
            FloatParameter("features", 0.1, 1.0, step=0.1),
            CategoricalParameter("criterion", ["gini", "entropy"]),
        ]
    )

    def cost(config: Config) -> float:
        model = RandomForestClassifier(
            20,
            max_depth=config["depth"],
            min_samples_leaf=config["leaf"],
            max_features=config["features"],
            criterion=config["criterion"],
            random_state=SEED,
        )
        return _missed(model, halves)

    return of_grid("forest on digits", space, each(cost))


def perceptron() -> Problem:
    """A small network on digits, trained for a few epochs."""
    halves = _halves(load_digits, 800)
    space = SearchSpace(
        [
            IntParameter("width", 8, 64, step=8),
            FloatParameter("log10_alpha", -5.0, 1.0, step=1.0),
            FloatParameter("log10_rate", -4.0, -1.0, step=0.5),
            CategoricalParameter("activation", ["relu", "tanh"]),
        ]
    )

    def cost(config: Config) -> float:
        model = MLPClassifier(
            (config["width"],),
            alpha=10.0 ** config["log10_alpha"],
            learning_rate_init=10.0 ** config["log10_rate"],
            activation=config["activation"],
            max_iter=15,
            batch_size=100,
            random_state=SEED,
        )
        return _missed(model, halves)

    return of_grid("network on digits", space, each(cost))


def pipeline() -> Problem:
    """Which of three classifiers of digits, each with hyperparameters of its own."""
    halves = _halves(load_digits, 800)

    def of(name: str) -> dict[str, list[str]]:
        return {"classifier": [name]}

    space = SearchSpace(
        [
            CategoricalParameter("classifier", ["svc", "knn", "logistic"]),
            IntParameter("svc_log2_C", -5, 15, step=2, active_when=of("svc")),
            IntParameter("svc_log2_gamma", -15, 3, step=2, active_when=of("svc")),
            IntParameter("knn_neighbors", 1, 15, active_when=of("knn")),
            CategoricalParameter("knn_weights", ["uniform", "distance"], active_when=of("knn")),
            IntParameter("logistic_log10_C", -5, 3, active_when=of("logistic")),
        ]
    )

    def cost(config: Config) -> float:
        if config["classifier"] == "svc":
            model = SVC(C=2.0 ** config["svc_log2_C"], gamma=2.0 ** config["svc_log2_gamma"])
        elif config["classifier"] == "knn":
            model = KNeighborsClassifier(config["knn_neighbors"], weights=config["knn_weights"])
        else:
            model = LogisticRegression(C=10.0 ** config["logistic_log10_C"])
        scaled = make_pipeline(MinMaxScaler(), model)
        return _missed(scaled, halves)

    return of_grid("pipeline on digits", space, each(cost))


@cache
def every() -> tuple[Problem, ...]:
    """Return all of them."""
    tasks = support_vectors, logistic, boosting, forest, perceptron, pipeline
    return tuple(task() for task in tasks)
