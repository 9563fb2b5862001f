"""Surrogates and spaces whose every value is known in closed form, for all tests."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.belief.draws import Draws
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class AnalyticSurrogate:
    """A surrogate made of two functions of encoded rows (n, d); a number is a constant function.

    It refuses rows that are no configurations, so that whatever uses it is tested for that too.
    """

    space: SearchSpace
    mean: Callable[[Array], Array] | float
    std: Callable[[Array], Array] | float = 0.0

    def predict(self, X: Array) -> tuple[Array, Array]:
        if not self.space.is_valid(X).all():
            raise AssertionError(f"rows that are no configurations:\n{X}")
        values = [f(X) if callable(f) else np.full(len(X), float(f)) for f in (self.mean, self.std)]
        return values[0], values[1]


def unit_cube(d: int) -> SearchSpace:
    """x1, ..., xd, each uniform on [0, 1]: encoded rows are the values."""
    return SearchSpace([FloatParameter(f"x{j}", 0.0, 1.0) for j in range(1, d + 1)])


def nested_space() -> SearchSpace:
    """Every kind of hyperparameter; a category and an integer as parents, nested, and *and*.

    Columns: optimizer, momentum (sgd), nesterov (sgd), n_layers, units_0, units_1 (2 layers or
    more), dropout_1 (as units_1, and adam), lr, warmup (given or not, for no known reason).
    """
    return SearchSpace(
        [
            CategoricalParameter("optimizer", ["adam", "sgd", "lion"]),
            FloatParameter("momentum", 0.0, 0.9, step=0.3, active_when={"optimizer": ["sgd"]}),
            CategoricalParameter("nesterov", [False, True], active_when={"optimizer": ["sgd"]}),
            IntParameter("n_layers", 1, 3),
            IntParameter("units_0", 4, 64, log=True),
            IntParameter("units_1", 4, 64, log=True, active_when={"n_layers": [2, 3]}),
            FloatParameter(
                "dropout_1", 0.0, 0.5, active_when={"n_layers": [2, 3], "optimizer": ["adam"]}
            ),
            FloatParameter("lr", 1e-5, 1e-1, log=True),
            IntParameter("warmup", 10, 50, step=10, optional=0.4),
        ]
    )


def space_of(*, when: dict[str, dict[str, list]] | None = None, **values) -> SearchSpace:
    """Hyperparameters by their values: a list, a range of integers, or (low, high[, "log"]).

    `when` maps the names of conditional ones to what activates them.
    """
    conditions = when or {}

    def parameter(name, of):
        options = {"active_when": conditions.get(name, {})}
        if isinstance(of, list):
            return CategoricalParameter(name, of, **options)
        if isinstance(of, range):
            return IntParameter(name, of.start, of.stop - 1, **options)
        return FloatParameter(name, *of[:2], log=of[2:] == ("log",), **options)

    return SearchSpace([parameter(name, of) for name, of in values.items()])


class Known(Draws):
    """Draws that are given functions of encoded rows."""

    noise_std = 0.0

    def __init__(self, space, functions, parts=1):
        super().__init__(space, np.empty((0, len(space))), "minimize", 0)
        self.functions, self.n_parts = functions, parts

    @property
    def parts(self):
        size = len(self.functions) // self.n_parts
        return tuple(slice(i * size, (i + 1) * size) for i in range(self.n_parts))

    def costs(self, X):
        return np.array([f(X) for f in self.functions])

    def predict(self, X):
        found = self.costs(X)
        return found.mean(axis=0), found.std(axis=0)
