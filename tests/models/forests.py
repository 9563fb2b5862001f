"""Small forests over spaces of every kind, for the tests of their boxes."""

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.models import ForestSurrogate
from hpo_explain.models.columns import OrderedColumns
from hpo_explain.space import Range
from tests.analytic import unit_cube

SPACES = {
    "numbers": unit_cube(3),
    "mixed": SearchSpace(
        [
            FloatParameter("lr", 1e-4, 1.0, log=True),
            IntParameter("layers", 1, 5),
            CategoricalParameter("booster", ["a", "b", "c", "d"]),
        ]
    ),
    "counted on a log scale": SearchSpace(
        [
            IntParameter("units", 1, 64, log=True),
            FloatParameter("momentum", 0.0, 0.9, step=0.3),
            FloatParameter("lr", 1e-4, 1.0, log=True),
        ]
    ),
    "conditional": SearchSpace(
        [
            CategoricalParameter("booster", ["gbtree", "dart", "gblinear"]),
            FloatParameter("rate_drop", 0.0, 1.0, active_when={"booster": ["dart", "gblinear"]}),
            IntParameter("depth", 1, 6, active_when={"booster": ["gbtree", "gblinear"]}),
        ]
    ),
    "nested": SearchSpace(
        [
            FloatParameter("leaf", 0.0, 1.0, active_when={"middle": [2, 4], "root": ["b", "c"]}),
            IntParameter("middle", 1, 4, active_when={"root": ["a", "c"]}),
            CategoricalParameter("root", ["a", "b", "c", "d"]),
        ]
    ),
    "on numbers": SearchSpace(
        [
            FloatParameter("c", 1e-3, 1.0, log=True),
            FloatParameter("x", 0.0, 1.0, active_when={"c": Range(high=0.1)}),
            FloatParameter("deep", 0.0, 1.0, active_when={"x": Range(0.4)}),
        ]
    ),
    "on counted numbers": SearchSpace(
        [
            FloatParameter("m", 0.0, 0.9, step=0.3, optional=0.8),
            IntParameter("units", 1, 64, log=True, active_when={"m": Range(0.3, 0.9)}),
            FloatParameter("y", 0.0, 1.0, active_when={"units": Range(5)}),
        ]
    ),
    "optional": SearchSpace(
        [
            FloatParameter("warmup", 0.0, 1.0, optional=0.3),
            IntParameter("on", 0, 1, optional=0.6),
            FloatParameter("slope", 0.0, 1.0, active_when={"on": [1]}, optional=0.5),
        ]
    ),
    "single values": SearchSpace(
        [
            FloatParameter("fixed", 2.0, 2.0),
            CategoricalParameter("one", ["only"]),
            FloatParameter("x", 0.0, 1.0),
        ]
    ),
}


def data(space, n=60, seed=0):
    """Encoded rows, and an objective with interactions in which being active matters."""
    X = space.sample(n, seed=seed)
    rng = np.random.default_rng(seed)
    latent = np.nan_to_num(X, nan=-0.7)
    y = 3.0 * np.sin(5.0 * latent).sum(axis=1) + 2.0 * latent[:, 0] * latent[:, -1]
    return X, y + rng.normal(0.0, 0.3, n)


def standardized(y):
    """Objectives as a fit learns them, from -1 to 1 in steps of 2^-26, and what leads back.

    The first one is above the middle.
    """
    middle, half = (y.min() + y.max()) / 2.0, np.ptp(y) / 2.0
    half = np.copysign(half, y[0] - middle)
    return np.round((y - middle) / half * 2**26) / 2**26, lambda s: middle + half * s


def fitted(space, n=60, seed=0, extra=False, **options):
    """A forest surrogate, its columns, and its scikit-learn trees."""
    X, y = data(space, n, seed)
    columns = OrderedColumns(space, X, y)
    kind = ExtraTreesRegressor if extra else RandomForestRegressor
    options = {"n_estimators": 4, "random_state": seed, **options}
    forest = kind(**options).fit(columns(X), y)
    surrogate = ForestSurrogate(space, forest, columns=columns, data=(X, y))
    return (surrogate, columns, [estimator.tree_ for estimator in forest.estimators_])


def fitted_with_missing(space, n=60, seed=0, **options):
    """As `fitted`, on the encoded rows themselves: inactive is NaN, categories in their order."""
    X, y = data(space, n, seed)
    forest = RandomForestRegressor(**{"n_estimators": 4, "random_state": seed, **options}).fit(X, y)
    return (ForestSurrogate(space, forest), None, [e.tree_ for e in forest.estimators_])
