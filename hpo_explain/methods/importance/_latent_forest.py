"""A forest as boxes over the latent values of its space, or of a part of it.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
u_j        latent value of hyperparameter j, uniform on [0, 1)
intervals  latent intervals of a sub-space; its boxes are stretched to fill the cube again
=========  ============================================================================
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hpo_explain.base import (
    Direction,
    Fact,
    Subject,
    check_count,
    check_number,
    declared_fact,
    r_squared,
)
from hpo_explain.methods._engines.sub_space import Given, SubSpace
from hpo_explain.methods.importance.fanova_result import capped
from hpo_explain.models import ForestSurrogate, SupportsBoxes, Surrogate, TreeBoxes
from hpo_explain.models.box_sums import Intervals, clip_worse, restrict
from hpo_explain.question import accepted_surrogate, subject_of_surrogate
from hpo_explain.space import Array, SearchSpace

_DISTILLED = declared_fact(
    "forest_distilled",
    "the model was distilled into a forest with R² = {r2}",
    r2=lambda fact: f"{fact['fidelity']:.3f}",
)
_CAPPED = declared_fact(
    "predictions_capped", "{what}", what=lambda fact: capped(fact["cap"], fact["direction"])
)
DISTILLED_ROWS = 2000


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
    intervals : dict of int to list of tuple
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
    intervals: dict[int, Intervals] = field(default_factory=dict)
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
        completed = subject_of_surrogate(forest, direction, subject)
        forest = accepted_surrogate(forest)
        if isinstance(forest, SupportsBoxes) and (boxes := forest.boxes()) is not None:
            return cls(completed, boxes, forest.category_ranks())
        distilled, fidelity = _distill(forest, n_trees, seed)
        return cls(completed, distilled.boxes() or (), distilled.category_ranks(), fidelity)

    @property
    def space(self) -> SearchSpace:
        """The whole search space."""
        return self.subject.space

    @property
    def sign(self) -> float:
        """1 where the objective is minimized, else -1: a cost is the objective times it."""
        return self.subject.sign

    @property
    def notes(self) -> tuple[Fact, ...]:
        """Assumptions behind every analysis of this forest."""
        notes = []
        if self.fidelity is not None:
            notes.append(_DISTILLED(fidelity=self.fidelity))
        if self.cap is not None:
            notes.append(_CAPPED(cap=self.cap, direction=self.subject.direction))
        return (*notes, *self.subject.notes)

    # ------------------------------------------------------------------ a part of the space

    def within(self, cap: float | None, given: Given | None) -> LatentForest:
        """Return the forest with its predictions capped, in a sub-space; see `FanovaExplainer`."""
        boxes = self.boxes
        if cap is not None:
            cap = check_number("cap", cap)
            boxes = tuple(clip_worse(b, cap, self.subject.direction) for b in boxes)
        part = SubSpace.of(self.space, given, self.ranks)
        if not part.intervals:
            return replace(self, boxes=boxes, cap=cap)
        return replace(
            self,
            subject=replace(self.subject, incumbent=part.best_of(self.subject)),
            boxes=tuple(restrict(b, part.intervals) for b in boxes),
            intervals=part.intervals,
            cap=cap,
            given=part.given,
        )


def _distill(model: Surrogate, n_trees: int, seed: int) -> tuple[ForestSurrogate, float]:
    """Return a forest fitted to a model's mean, and its R² on other configurations."""
    seeds = np.random.default_rng(seed).integers(2**31, size=2)
    space = model.space
    X = space.sample(DISTILLED_ROWS, seed=int(seeds[0]))
    forest = ForestSurrogate.fit(space, X, model.predict(X)[0], n_trees=n_trees, seed=seed)
    fresh = space.sample(DISTILLED_ROWS, seed=int(seeds[1]))
    truth = model.predict(fresh)[0]
    fidelity = r_squared(truth, forest.predict(fresh)[0])
    return forest, 1.0 if math.isnan(fidelity) else fidelity
