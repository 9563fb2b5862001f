"""What only skopt knows: the models that chose the trials, and the criterion they served."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from skopt.utils import has_gradients

from hpo_explain.adapters.skopt._criterion import HEDGE, Criterion, infer_criterion
from hpo_explain.adapters.skopt._dimensions import ModelColumns
from hpo_explain.adapters.skopt._models import StoredModels, as_surrogate
from hpo_explain.facts import Fact, fact
from hpo_explain.options import Direction
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import Array, SearchSpace
from hpo_explain.surrogates import Surrogate


@dataclass(frozen=True, eq=False)
class SkoptRecord:
    """skopt's own models and acquisition, for a Run.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        All trials, those left out of the run included, encoded.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.
    direction : {"minimize", "maximize"}
        Its direction; skopt itself minimizes.
    stored : StoredModels
        The models.
    columns : sequence of ModelColumns
        Columns they may have been fitted on, the likeliest first.
    criterion : Criterion
        The criterion on record.
    """

    space: SearchSpace
    X: Array
    objective: Array
    direction: Direction
    stored: StoredModels
    columns: Sequence[ModelColumns]
    criterion: Criterion
    _surrogates: dict[int, Surrogate | None] = field(default_factory=dict, init=False, repr=False)

    def _next(self, before: int | None) -> int | None:
        """Return the number of the trial, that of the next one for None, if models know it."""
        trial = len(self.X) if before is None else before
        return trial if 0 <= trial <= len(self.X) else None

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the model that chose trial `before`, None where it is not stored."""
        trial = self._next(before)
        found = None if trial is None else self.stored.of(trial)
        if found is None or (before is None and found[1] < len(self.X)):
            return None
        model, seen = found
        if seen not in self._surrogates:
            self._surrogates[seen] = as_surrogate(
                model,
                self.space,
                self.columns,
                self.X[:seen],
                self.objective[:seen],
                negated=self.direction == "maximize",
            )
        return self._surrogates[seen]

    def is_readable(self) -> bool:
        """Return whether there is a model, and the latest can be read."""
        return bool(self.stored.seen) and self.surrogate(self.stored.seen[-1]) is not None

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return the acquisition under which trial `before` was chosen, None if unknown."""
        surrogate, trial = self.surrogate(before), self._next(before)
        found = None if trial is None else self.stored.of(trial)
        if surrogate is None or trial is None or found is None or self.criterion.unknown:
            return None
        seen = found[1]
        sign = 1.0 if self.direction == "minimize" else -1.0
        best = sign * float(np.min(sign * self.objective[:seen]))
        criterion, notes = self.criterion, list[Fact]()
        if criterion.name == HEDGE:
            row = self.X[trial] if trial < len(self.X) else np.array([np.nan])
            if np.isnan(row).any():
                return None  # only a proposal tells which of them it was
            local = not criterion.sampled and bool(has_gradients(found[0]))
            criterion, note = infer_criterion(
                criterion, surrogate, row, best, self.direction, local=local
            )
            notes.append(note)
        if seen < trial:
            notes.append(fact("asked_together", trials=range(seen, trial + 1)))
        return OwnAcquisition(criterion.on(surrogate, best, self.direction), tuple(notes))
