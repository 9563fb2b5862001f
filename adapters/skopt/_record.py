"""What only skopt knows: the models that chose the trials, and the criterion they served."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from skopt.utils import has_gradients

from hpo_explain.adapters.skopt._criterion import HEDGE, Criterion, infer_criterion
from hpo_explain.adapters.skopt._dimensions import ModelColumns
from hpo_explain.adapters.skopt._models import StoredModels, as_surrogate, trials_seen
from hpo_explain.adapters.skopt._pending import AskedPoint
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import Direction
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import Array, SearchSpace


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
    asked : mapping of int to AskedPoint
        Points that were asked for and not told, by the numbers that they get in their order.
    asked_rows : mapping of int to ndarray of shape (d,)
        The same, encoded.
    """

    space: SearchSpace
    X: Array
    objective: Array
    direction: Direction
    stored: StoredModels
    columns: Sequence[ModelColumns]
    criterion: Criterion
    asked: Mapping[int, AskedPoint] = field(default_factory=dict)
    asked_rows: Mapping[int, Array] = field(default_factory=dict)
    _surrogates: dict[int, Surrogate | None] = field(default_factory=dict, init=False, repr=False)

    def _next(self, before: int | None) -> int | None:
        """Return the number of the trial, that of the next one for None, if models know it."""
        trial = len(self.X) if before is None else before
        return trial if 0 <= trial <= len(self.X) else None

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the model that chose trial `before`, None where it is not stored."""
        if before is not None and before in self.asked:
            return self._of_asked(self.asked[before], before)
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

    def _of_asked(self, asked: AskedPoint, trial: int) -> Surrogate | None:
        """Return the model that chose a point without a result, which may have been told lies."""
        if asked.model is None:
            return None
        if -trial not in self._surrogates:
            model = asked.model.fitted()
            first = trial - len(asked.beside)
            beside = [self.asked_rows[first + k][None, :] for k in range(len(asked.beside))]
            n = trials_seen(model)
            seen = len(self.X) if n is None else n - len(beside)
            self._surrogates[-trial] = as_surrogate(
                model,
                self.space,
                self.columns,
                np.vstack([self.X[:seen], *beside]),
                np.concatenate([self.objective[:seen], asked.lies]),
                negated=False,
            )
        return self._surrogates[-trial]

    def _acquisition_of_asked(self, trial: int) -> OwnAcquisition | None:
        asked, surrogate = self.asked[trial], self.surrogate(trial)
        if surrogate is None or self.criterion.unknown:
            return None
        best = float(np.min([*self.objective, *asked.lies]))
        criterion, notes = self.criterion, list(asked.notes)
        if criterion.name == HEDGE:
            criterion, note = self._of_hedge(asked, surrogate, self.asked_rows[trial], best)
            notes += note
        return OwnAcquisition(criterion.on(surrogate, best, self.direction), tuple(notes))

    def _of_hedge(
        self, asked: AskedPoint, surrogate: Surrogate, row: Array, best: float
    ) -> tuple[Criterion, list[Fact]]:
        """Return which of its criteria a hedge chose a point by, as recorded or inferred."""
        hedge = self.criterion
        if asked.criterion:
            return replace(hedge, name=asked.criterion), []
        local = not hedge.sampled and asked.model is not None and asked.model.follows_gradients
        criterion, note = infer_criterion(hedge, surrogate, row, best, self.direction, local=local)
        return criterion, [note]

    def is_readable(self) -> bool:
        """Return whether there is a model, and the latest can be read."""
        return bool(self.stored.seen) and self.surrogate(self.stored.seen[-1]) is not None

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return the acquisition under which trial `before` was chosen, None if unknown."""
        if before is not None and before in self.asked:
            return self._acquisition_of_asked(before)
        if before is None and len(self.asked) == 1 and self.criterion.name == HEDGE:
            return self._acquisition_of_asked(len(self.X))  # what chose the next point is known
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
