"""What only SMAC knows: the models that chose its configurations, and their criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from hpo_explain.adapters.smac._forest import (
    LEAST,
    LogNormalImprovement,
    LogScaled,
    Plain,
    VectorColumns,
    with_costs,
)
from hpo_explain.adapters.smac._training import Batch, Trained, Trainer, batches_of
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.latest import Latest
from hpo_explain.base.phrases import spans
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.acquisition.surrogate_based import (
    ExpectedImprovement,
    ProbabilityOfImprovement,
)
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.own_model import ModelSurrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import Array, SearchSpace

CHECKED = "2.4"
_SAME = 1e-6
_CANDIDATES = 1000
_RANDOM = 0.05  # share of the candidates that are better than one that a model did not choose

_NO_MODEL = fact("SMAC had no model yet")
_DIFFER = fact("SMAC's model, trained again, is not the one that SMAC trained last")
_MEAN_OF_LOGS = fact("it averages logarithms of the cost over instances by their features")
_REFITTED = fact(
    "SMAC's Gaussian process is trained again by SMAC's own code, from other random starts"
)


@dataclass(frozen=True, eq=False)
class SmacRecord:
    """SMAC's own models and acquisition, for a Run.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    configspace : ConfigSpace.ConfigurationSpace
        What it was read from.
    trainer : Trainer
        What trains the model.
    batches : tuple of Batch
        The trials that were chosen by the same model; empty where this is not known.
    X : ndarray of shape (n, d)
        All configurations, encoded.
    criterion : str
        SMAC's name of the acquisition function.
    log : bool
        Whether it takes the model's predictions for logarithms.
    xi : float
        Its smallest improvement.
    budget : float or None
        The budget that the run is about.
    """

    space: SearchSpace
    configspace: Any
    trainer: Trainer
    batches: tuple[Batch, ...]
    X: Array
    criterion: str
    log: bool
    xi: float
    budget: float | None
    _found: Latest = field(default_factory=Latest, init=False, repr=False)

    @classmethod
    def of(
        cls,
        facade: Any,
        space: SearchSpace,
        configurations: Mapping[int, Array],
        chosen: Sequence[int],
        budget: float | None,
    ) -> SmacRecord:
        """Return the record of a facade.

        Parameters
        ----------
        facade : smac facade
            The facade that optimized.
        space : SearchSpace
            The space that was read from its scenario.
        configurations : mapping of int to ndarray of shape (d,)
            The encoded configurations by the numbers of their trials, 0 to n - 1.
        chosen : sequence of int
            The trials that were chosen after the initial design.
        budget : float or None
            The budget that the run is about.

        Raises
        ------
        AttributeError
            If this release of SMAC has other parts.
        """
        trainer = Trainer.of(facade)
        retrained = int(facade._config_selector._retrain_after)
        function = facade._acquisition_function
        X = np.full((max(configurations) + 1, len(space)), np.nan)
        for trial, row in configurations.items():
            X[trial] = row
        batches = batches_of(trainer.results, chosen, retrained)
        return cls(
            space,
            facade.scenario.configspace,
            trainer,
            batches if _agree(trainer, batches) else (),
            X,
            type(function).__name__,
            bool(getattr(function, "_log", False)),
            float(getattr(function, "_xi", 0.0)),
            budget,
        )

    # ------------------------------------------------------------------ what a run asks

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the model that chose trial `before`; for None one trained on all results."""
        own = self._own(before)
        if isinstance(own, Fact) or own.budget != self.budget:
            return None
        return own.surrogate

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return the acquisition under which trial `before` was chosen, None if unknown."""
        own = self._own(before)
        if isinstance(own, Fact) or not own.acquisition:
            return None
        notes = [] if own.exact else [_REFITTED]
        batch = self._batch(before)
        if batch and before != batch.trials[0]:
            chose = f"SMAC chose the trials {spans(batch.trials)} one after the other by the same"
            notes.append(fact(f"{chose} model, those it finds most promising first"))
        return OwnAcquisition(own.acquisition, tuple(notes))

    def why_not(self, before: int | None) -> Fact | None:
        """Return why trial `before` has no acquisition; None if it has one."""
        own = self._own(before)
        if isinstance(own, Fact):
            return own
        return None if own.acquisition else fact(f"{self.criterion} is not rebuilt")

    def note(self) -> Fact:
        """Return what is known of the models."""
        latest = self._latest()
        if isinstance(latest, Fact):
            checked = f"models: those of SMAC are not rebuilt (checked with SMAC {CHECKED}): "
            return fact(checked, latest)
        how = "Gaussian process is trained again on what it knew then, from other random starts"
        last = "the last one is SMAC's own"
        if self._is_forest:
            how = "model is trained again on what it knew then"
            last = "that of the last ones is the one that SMAC trained"
        return fact(f"models: for each proposal SMAC's {how}; {last}")

    def knows_who_chose(self) -> bool:
        """Say whether random configurations are told from those that a model chose."""
        latest = self._latest()
        return self._is_forest and not isinstance(latest, Fact) and bool(latest.acquisition)

    def _latest(self) -> _Own | Fact:
        """Return the model of the latest batch, which SMAC trained last; why there is none."""
        if not self.batches:
            return _DIFFER
        return self._own(self.batches[-1].trials[0])

    @property
    def _is_forest(self) -> bool:
        return hasattr(self.trainer.model, "_rf")

    def drawn_among(self, trials: Sequence[int]) -> list[int]:
        """Return those of some trials that were not chosen by a model.

        Many configurations drawn at random promised more, or all promised the same, as to a model
        of one trial. Only a forest is asked, which is trained at once.
        """
        found: list[int] = []
        asked = {*trials}
        candidates = self.space.sample(_CANDIDATES, seed=0)
        for batch in self.batches:
            here = [trial for trial in batch.trials if trial in asked]
            own = self._own(batch.trials[0]) if here and self._is_forest else None
            if not own or isinstance(own, Fact) or not own.acquisition:
                continue
            terms = own.acquisition.terms(np.vstack([self.X[here], candidates]))
            values = np.sum([*terms.values()], axis=0)
            better = (values[None, len(here) :] > values[: len(here), None]).mean(axis=1)
            better[:] = 1.0 if np.ptp(values) == 0.0 else better
            found += [trial for trial, share in zip(here, better, strict=True) if share > _RANDOM]
        return found

    # ------------------------------------------------------------------ models

    def _batch(self, before: int | None) -> Batch | None:
        return next((batch for batch in self.batches if before in batch.trials), None)

    def _own(self, before: int | None) -> _Own | Fact:
        """Return SMAC's model for a trial, or why there is none."""
        batch = self._batch(before)
        if before is not None and not batch:
            return _NO_MODEL if self.batches else _DIFFER
        key = batch.trials[0] if batch else None
        return self._found.of(key, lambda: self._trained(batch))

    def _trained(self, batch: Batch | None) -> _Own | Fact:
        keys = batch.known if batch else (*self.trainer.results,)
        stored = bool(self.batches) and len(keys) == self.trainer.trained_on
        trained = self.trainer.known(keys, stored=stored)
        if not trained:
            return _NO_MODEL
        if not trained.scale:
            scale = type(self.trainer.encoder).__name__
            return fact(f"{scale} is not a scale that is known here")
        rows = self.X[[int(key.config_id) - 1 for key in trained.keys]]
        forest = getattr(trained.model, "_rf", None)
        if hasattr(forest, "estimators_") and not trained.model._n_features:
            return self._of_forest(trained, forest, rows)
        if not isinstance(trained.scale, Plain):
            return _MEAN_OF_LOGS
        kind = type(trained.model).__name__
        gaussian = "GaussianProcess" in kind
        model = ModelSurrogate(
            self.space,
            SimpleNamespace(predict=partial(_marginalized, trained.model)),
            columns=VectorColumns(self.space, self.configspace, imputed=False),
            label="SMAC's Gaussian process" if gaussian else f"SMAC's {kind}",
        )
        exact = stored or self._is_forest
        return _Own(model, self._on(model, trained.best), exact, trained.budget)

    def _of_forest(self, trained: Trained, forest: Any, rows: Array) -> _Own:
        scale: Any = trained.scale
        columns = VectorColumns(self.space, self.configspace)
        on_scale = ForestSurrogate(
            self.space,
            with_costs(forest, Plain()),
            columns=columns,
            data=(rows, scale(trained.cost)),
            min_variance=LEAST,
        )
        if not isinstance(scale, LogScaled):
            return _Own(on_scale, self._on(on_scale, trained.best), True, trained.budget)
        own = with_costs(forest, scale)
        surrogate = ForestSurrogate(self.space, own, columns=columns, data=(rows, trained.cost))
        improvement = LogNormalImprovement(surrogate, on_scale, trained.best, self.xi)
        known = self.criterion == "EI" and self.log
        return _Own(surrogate, improvement if known else None, True, trained.budget)

    def _on(self, surrogate: Surrogate, best: float) -> Acquisition | None:
        """Return the criterion on a model of the cost itself, if it is a known one."""
        if self.criterion == "EI" and not self.log:
            return ExpectedImprovement(surrogate, best=best, xi=self.xi)
        if self.criterion == "PI":
            return ProbabilityOfImprovement(surrogate, best=best, xi=self.xi)
        return None


@dataclass(frozen=True, eq=False)
class _Own:
    """A model of SMAC as a surrogate, its acquisition, and whether it is exactly SMAC's."""

    surrogate: Surrogate
    acquisition: Acquisition | None
    exact: bool
    budget: float | None


def _marginalized(model: Any, Z: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of a model of SMAC, averaged over instances."""
    mean, variance = model.predict_marginalized(Z)
    return np.ravel(mean), np.sqrt(np.ravel(variance))


def _agree(trainer: Trainer, batches: Sequence[Batch]) -> bool:
    """Say whether training again gives what SMAC trained last: only then are these its batches."""
    for keys in ([*trainer.results], *(batch.known for batch in batches[::-1])):
        if len(keys) != trainer.trained_on:
            continue
        if not hasattr(trainer.model, "_rf"):  # of a process, that it knew as many has to do
            return True
        trained = trainer.known(keys)
        if not trained:
            return False
        vectors = trainer.vectors(keys)
        before, now = (m.predict_marginalized(vectors) for m in (trainer.model, trained.model))
        return all(np.allclose(a, b, rtol=_SAME) for a, b in zip(before, now, strict=True))
    return False
