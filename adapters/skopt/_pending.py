"""Points that an optimizer was asked for and has not been told, and the models that chose them.

skopt keeps the next point (`_next_x`, which `ask` returns) and the latest batch (`cache_`). For a
batch it takes a copy of itself, and after each point tells the copy a lie in place of a result:
the least, the mean or the largest objective so far (the constant liar). The models of the copy are
lost. They are fitted again here, with the same lies, and the same seed where the base estimator
has one, as skopt gives those it makes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from skopt import Optimizer
from skopt.utils import has_gradients

from hpo_explain.base.facts import Fact, fact

_LIES: dict[str, Callable[..., Any]] = {"cl_min": np.min, "cl_mean": np.mean, "cl_max": np.max}
_SAME = 1e-8  # distance at which skopt takes two points for the same


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A model that is stored."""

    stored: Any

    @property
    def follows_gradients(self) -> bool:
        """Whether skopt can follow its gradient."""
        return bool(has_gradients(self.stored))

    def fitted(self) -> Any:
        """Return it."""
        return self.stored


@dataclass(frozen=True, eq=False)
class ModelToFit:
    """A model that was fitted, and is lost: what it was made of."""

    estimator: Any
    columns: Any
    values: tuple[float, ...]

    @property
    def follows_gradients(self) -> bool:
        """Whether skopt can follow its gradient."""
        return bool(has_gradients(self.estimator))

    def fitted(self) -> Any:
        """Return it, fitted again."""
        model = clone(self.estimator)
        return model.fit(self.columns, list(self.values))


@dataclass(frozen=True, eq=False)
class AskedPoint:
    """A point without a result.

    Attributes
    ----------
    point : sequence
        Its values, in skopt's order.
    model : FittedModel, ModelToFit or None
        The model that chose it; None where none did.
    beside : tuple of sequence
        The points of its batch on which the model was told lies, in their order.
    lies : tuple of float
        The lies.
    criterion : str
        Which of the criteria of a hedge chose it; empty where that is not known.
    notes : tuple of Fact
        How that is known.
    """

    point: Sequence[Any]
    model: FittedModel | ModelToFit | None = None
    beside: tuple[Sequence[Any], ...] = ()
    lies: tuple[float, ...] = ()
    criterion: str = ""
    notes: tuple[Fact, ...] = ()


def asked_points(optimizer: Optimizer) -> list[AskedPoint]:
    """Return the latest batch, else the next point; none where skopt will draw it at random."""
    if optimizer.cache_:
        ((_, strategy), points) = next(iter(optimizer.cache_.items()))
        return _batch(optimizer, strategy, points)
    if not optimizer.models or getattr(optimizer, "_next_x", None) is None:
        return []
    points = [optimizer._next_x]
    criteria = list(optimizer.cand_acq_funcs_)
    if min(optimizer.space.distance(points[0], x) for x in optimizer.Xi) <= _SAME:
        # it was evaluated before: the hedge may have another one, else it is drawn at random
        points = [x for x in _candidates(optimizer) if x != points[0] and x not in optimizer.Xi]
        if not points:
            return []
    chosen = [
        name
        for name, x in zip(criteria, _candidates(optimizer), strict=True)
        if x == points[0] and len(criteria) > 1
    ]
    notes = (fact("next_point"), *([fact("hedge_recorded", names=chosen)] if chosen else []))
    name = chosen[0] if chosen else ""
    return [AskedPoint(points[0], FittedModel(optimizer.models[-1]), criterion=name, notes=notes)]


def _candidates(optimizer: Optimizer) -> list[list[Any]]:
    """Return the point that each criterion would choose next."""
    return [
        optimizer.space.inverse_transform(np.reshape(x, (1, -1)))[0] for x in optimizer.next_xs_
    ]


def _batch(
    optimizer: Optimizer, strategy: str, points: Sequence[Sequence[Any]]
) -> list[AskedPoint]:
    """Return the points of a batch, each with the model that had been told lies about others."""
    found: list[AskedPoint] = []
    values = [] if "ps" in optimizer.acq_func else list(optimizer.yi)
    lies: list[float] = []
    for k, point in enumerate(points):
        beside = tuple(points[:k])
        model = _model(optimizer, beside, [*values, *lies])
        notes = []
        if model is not None and k:
            notes.append(fact("lies_told", count=k, strategy=strategy, value=lies[-1]))
        found.append(AskedPoint(point, model, beside, tuple(lies), notes=tuple(notes)))
        lies.append(float(_LIES[strategy]([*values, *lies])) if values else 0.0)
    return found


def _model(
    optimizer: Optimizer, beside: Sequence[Sequence[Any]], values: Sequence[float]
) -> ModelToFit | None:
    """Return the model that chose a point of a batch; None where it was an initial one."""
    points = [*optimizer.Xi, *beside]
    enough = len(points) >= max(optimizer.n_initial_points_, 1)
    if optimizer.base_estimator_ is None or not enough or len(values) != len(points):
        return None
    columns = optimizer.space.transform(points)
    return ModelToFit(optimizer.base_estimator_, columns, tuple(map(float, values)))
