"""SMAC's model as it was trained at a time, by SMAC's own code, and what was known then."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.adapters.smac._forest import Scale, scale_of
from hpo_explain.space import Array


@dataclass(frozen=True)
class Batch:
    """Trials that were chosen one after the other by the same model.

    Attributes
    ----------
    trials : tuple of int
        Their numbers.
    known : tuple of smac.runhistory.TrialKey
        The results that were known when the first was chosen.
    """

    trials: tuple[int, ...]
    known: tuple[Any, ...]


def batches_of(
    results: Mapping[Any, Any], chosen: Sequence[int], retrained_after: int
) -> tuple[Batch, ...]:
    """Return the batches of trials, in their order.

    Parameters
    ----------
    results : mapping of smac.runhistory.TrialKey to smac.runhistory.TrialValue
        All results, in the order in which their evaluations began.
    chosen : sequence of int
        The trials after the initial design, in their order.
    retrained_after : int
        After how many configurations SMAC trains its model again.
    """
    first: dict[int, int] = {}
    for place, key in enumerate(results):
        first.setdefault(int(key.config_id) - 1, place)
    keys, found = [*results], []
    for start in range(0, len(chosen), retrained_after):
        trials = tuple(chosen[start : start + retrained_after])
        place = first[trials[0]]
        asked = float(results[keys[place]].starttime)
        known = (k for k in keys[:place] if not asked or float(results[k].endtime) <= asked)
        found.append(Batch(trials, tuple(known)))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Trained:
    """A model of SMAC, and what it was trained on.

    Attributes
    ----------
    model : smac.model.AbstractModel
        The model.
    scale : Scale or None
        The scale of the costs that it was trained on, if it is known.
    keys : list of smac.runhistory.TrialKey
        The results that it was trained on.
    cost : ndarray of shape (n,)
        Their costs.
    best : float
        The best prediction for a configuration, on the model's scale.
    budget : float or None
        The budget of the results.
    """

    model: Any
    scale: Scale | None
    keys: Sequence[Any]
    cost: Array
    best: float
    budget: float | None


@dataclass(frozen=True, eq=False)
class Trainer:
    """What trains SMAC's model: copies, which SMAC does not change as it goes on.

    Attributes
    ----------
    selector : smac.main.config_selector.ConfigSelector
        Chooses the results and trains.
    model : smac.model.AbstractModel
        The model as it was trained last.
    encoder : smac.runhistory.encoder.AbstractRunHistoryEncoder
        Turns results into vectors.
    history : smac.runhistory.RunHistory
        The results; only the first of them are looked at.
    results : dict
        All results, in their order.
    """

    selector: Any
    model: Any
    encoder: Any
    history: Any
    results: Mapping[Any, Any]

    @classmethod
    def of(cls, facade: Any) -> Trainer:
        """Return that of a facade.

        Raises
        ------
        AttributeError
            If this release of SMAC has other parts.
        """
        selector = copy.copy(facade._config_selector)
        selector._callbacks = []
        selector._acquisition_maximizer = selector._acquisition_function = None
        selector._random_design = selector._runhistory = selector._runhistory_encoder = None
        selector._model = selector._scenario = None
        history = copy.copy(facade.runhistory)
        results = dict(history._data)
        history._data = {}
        encoder = copy.copy(facade._runhistory_encoder)
        model = copy.deepcopy(facade._config_selector._model)
        return cls(selector, model, encoder, history, results)

    @property
    def trained_on(self) -> int:
        """How many results the model was trained on last; -1 where it was not."""
        return int(self.selector._previous_entries)

    def vectors(self, keys: Sequence[Any]) -> Array:
        """Return the vectors of the configurations of some results."""
        configurations = [self.history.ids_config[key.config_id] for key in keys]
        return np.array([config.get_array() for config in configurations], dtype=float)

    def known(self, keys: Sequence[Any], *, stored: bool = False) -> Trained | None:
        """Return the model trained on some of the results, if there are enough.

        Parameters
        ----------
        keys : sequence of smac.runhistory.TrialKey
            The results that were known.
        stored : bool, default False
            Whether to take the model as it was trained last.
        """
        history = copy.copy(self.history)
        history._data = {key: self.results[key] for key in keys}
        encoder = copy.copy(self.encoder)
        encoder._runhistory = history
        selector = copy.copy(self.selector)
        selector._runhistory, selector._runhistory_encoder = history, encoder
        X, y, configurations = selector._collect_data()
        if not len(X):
            return None
        model = self.model if stored else copy.deepcopy(self.model)
        if not stored:
            if hasattr(model, "_rf_opts"):
                model._rf_opts |= _small(model._rf_opts, len(X))
            model.train(X, y)
        best = np.min(model.predict_marginalized(configurations)[0])
        used = encoder._get_considered_trials(selector._considered_budgets)
        used |= encoder._get_timeout_trials(selector._considered_budgets)
        cost = np.array([float(result.cost) for result in used.values()])
        budget = selector._considered_budgets[0]
        return Trained(model, scale_of(encoder, cost), [*used], cost, float(best), budget)


def _small(options: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return options by which the same trees grow faster, without memory for 2^20 leaves."""
    return {"n_jobs": 1, "max_leaf_nodes": min(options["max_leaf_nodes"] or n, max(2, n))}
