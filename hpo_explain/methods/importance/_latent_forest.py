"""A forest as boxes over the latent values of its space, or of a part of it.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
u_j        latent value of hyperparameter j, uniform on [0, 1)
kept       latent intervals of a sub-space; its boxes are stretched to fill the cube again
=========  ============================================================================
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hpo_explain.base.checks import check_count, check_direction, check_number
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import r_squared
from hpo_explain.base.options import Direction, sign_of
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.methods._engines.sub_space import Given, SubSpace, stretch
from hpo_explain.methods.importance.fanova_result import capped
from hpo_explain.models.box_sums import (
    Intervals,
    clip_worse,
    restrict,
    squeeze,
)
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import Surrogate, TreeBoxes
from hpo_explain.question.explained import (
    Explained,
    PredictedObjective,
    accepted_surrogate,
)
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    Parameter,
    SearchSpace,
)
from hpo_explain.space.encoding import latent_rows

_DISTILLED = declared_fact(
    "forest_distilled",
    "the model was distilled into a forest with R² = {r2}",
    r2=lambda told: f"{told['fidelity']:.3f}",
)
_CAPPED = declared_fact(
    "predictions_capped",
    "{what}",
    what=lambda told: capped(told["cap"], told["direction"]),
)
GRID = 40  # points of a marginal where there are more values
DISTILLED_ROWS = 2000
ACTIVITY_ROWS = 2000


@dataclass(frozen=True, eq=False)
class LatentForest:
    """A forest as boxes over the latent values.

    Attributes
    ----------
    subject : Subject
        What is explained; in a sub-space the incumbent is the best configuration there.
    boxes : tuple of TreeBoxes
        The trees.
    ranks : dict of int to ndarray
        Of categorical columns the place of each category on the latent axis.
    fidelity : float or None
        R² with the model that the forest was distilled from; None for a forest itself.
    kept : dict of int to list of tuple
        Of restricted columns the latent intervals of the whole space that are kept.
    cap : float or None
        The objective at which the boxes are clipped on the worse side.
    given : mapping of str to list
        The sub-space, in the user's units; empty for the whole space.
    """

    subject: Subject
    boxes: tuple[TreeBoxes, ...]
    ranks: dict[int, Array]
    fidelity: float | None = None
    kept: dict[int, Intervals] = field(default_factory=dict)
    cap: float | None = None
    given: Mapping[str, list[Any]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        forest: Surrogate,
        *,
        direction: Direction,
        subject: Subject | None,
        n_trees: int,
        seed: int,
    ) -> LatentForest:
        """Return the boxes of a forest, or of one that any other surrogate is distilled into."""
        n_trees = check_count("n_trees", n_trees)
        completed = completed_subject(forest, direction, subject)
        if (
            isinstance(forest, ForestSurrogate)
            and (boxes := forest.boxes()) is not None
        ):
            return cls(completed, boxes, forest.category_ranks())
        distilled, fidelity = _distill(forest, n_trees, seed)
        return cls(
            completed,
            distilled.boxes() or (),
            distilled.category_ranks(),
            fidelity,
        )

    @property
    def space(self) -> SearchSpace:
        """The whole search space."""
        return self.subject.space

    @property
    def sign(self) -> float:
        """1 where the objective is minimized, else -1: a cost is the objective times it."""
        return sign_of(self.subject.direction)

    @property
    def notes(self) -> tuple[Fact, ...]:
        """Assumptions behind every analysis of this forest."""
        notes = []
        if self.fidelity is not None:
            notes.append(_DISTILLED(fidelity=self.fidelity))
        if self.cap is not None:
            notes.append(
                _CAPPED(cap=self.cap, direction=self.subject.direction)
            )
        return (*notes, *self.subject.notes)

    # ------------------------------------------------------------------ a part of the space

    def within(self, cap: float | None, given: Given | None) -> LatentForest:
        """Return the forest with its predictions capped, in a sub-space; see `FanovaExplainer`."""
        boxes = self.boxes
        if cap is not None:
            cap = check_number("cap", cap)
            boxes = tuple(
                clip_worse(b, cap, self.subject.direction) for b in boxes
            )
        part = SubSpace.of(self.space, given, self.ranks)
        if not part.kept:
            return replace(self, boxes=boxes, cap=cap)
        return replace(
            self,
            subject=replace(
                self.subject, incumbent=part.best_of(self.subject)
            ),
            boxes=tuple(restrict(b, part.kept) for b in boxes),
            kept=part.kept,
            cap=cap,
            given=part.given,
        )

    # ------------------------------------------------------------------ the latent axes

    def grid(self, j: int) -> tuple[tuple[Any, ...], Array]:
        """Return values of a hyperparameter in the user's units, and their latent values."""
        parameter = self.space.parameters[j]
        positions, latent = self._grid(
            j, self.kept.get(j, [(0.0, parameter.optional or 1.0)])
        )
        if j in self.kept:
            latent = squeeze(latent, self.kept[j])
        return tuple(parameter.decode(positions)), np.minimum(
            latent, 1.0 - 1e-12
        )

    def _grid(self, j: int, kept: Intervals) -> tuple[Array, Array]:
        """Return positions of a marginal's grid in latent intervals, and their latent values."""
        parameter = self.space.parameters[j]
        share = parameter.optional or 1.0
        if parameter.size is None:
            latent = stretch(np.linspace(0.0, 1.0, GRID), kept)
            return latent / share, latent
        if isinstance(parameter, CategoricalParameter):
            positions = np.arange(parameter.size, dtype=float)
            latent = (
                share * (self.ranks.get(j, positions) + 0.5) / parameter.size
            )
        else:
            positions = _counted_positions(parameter, kept, share)
            middle = [
                np.mean(parameter.latent_interval(p, p)) for p in positions
            ]
            latent = share * np.array(middle)
        inside = np.zeros(len(latent), dtype=bool)
        for low, high in kept:
            inside |= (low <= latent) & (latent <= high)
        return positions[inside], latent[inside]

    def activity(self, seed: int) -> Array:
        """Return the share of the space in which each hyperparameter is active, (d,)."""
        U = np.empty((ACTIVITY_ROWS, len(self.space)))
        U[:, self.space.order] = np.random.default_rng(seed).random(U.shape)
        for j, kept in self.kept.items():
            U[:, j] = stretch(U[:, j], kept)
        rows = latent_rows(U, self.space.parameters)
        for (
            j,
            ranks,
        ) in self.ranks.items():  # the categories are in the trees' order
            active = ~np.isnan(rows[:, j])
            rows[active, j] = np.argsort(ranks)[rows[active, j].astype(int)]
        return np.asarray((~np.isnan(self.space.project(rows))).mean(axis=0))


def completed_subject(
    forest: Surrogate, direction: Direction, subject: Subject | None
) -> Subject:
    """Return what is explained, with what is known of the model.

    Raises
    ------
    InputError
        If the model is not a surrogate, the direction is unknown, or the subject is of another
        space.
    """
    if not isinstance(forest, Surrogate):
        raise InputError(
            "forest",
            f"must be a surrogate, but was {type(forest).__name__}",
            forest,
            "Wrap a forest of scikit-learn with hpo_explain.models.ForestSurrogate(space, forest).",
        )
    direction = check_direction(subject.direction if subject else direction)
    model = PredictedObjective(accepted_surrogate(forest, "forest"), direction)
    return Explained(model, True, direction).completed(subject)


def _counted_positions(
    parameter: Parameter, kept: Intervals, share: float
) -> Array:
    """Return the positions of a counted number, or some of them where there are many."""
    if (parameter.size or 0) <= GRID:
        grid = parameter.grid()
        return np.zeros(1) if grid is None else grid[0]
    latent = stretch((np.arange(GRID) + 0.5) / GRID, kept) / share
    return np.unique(parameter.from_latent(latent))


def _distill(
    model: Surrogate, n_trees: int, seed: int
) -> tuple[ForestSurrogate, float]:
    """Return a forest fitted to a model's mean, and its R² on other configurations."""
    seeds = np.random.default_rng(seed).integers(2**31, size=2)
    space = model.space
    X = space.sample(DISTILLED_ROWS, seed=int(seeds[0]))
    forest = ForestSurrogate.fit(
        space, X, model.predict(X)[0], n_trees=n_trees, seed=seed
    )
    fresh = space.sample(DISTILLED_ROWS, seed=int(seeds[1]))
    truth = model.predict(fresh)[0]
    found = r_squared(truth, forest.predict(fresh)[0])
    return forest, 1.0 if math.isnan(found) else found
