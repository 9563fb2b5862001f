"""What the adapter knows of a search of KerasTuner, from its oracle or from its files alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import Domain


@dataclass(frozen=True)
class Entry:
    """A hyperparameter as KerasTuner has it.

    Attributes
    ----------
    kind : str
        "Float", "Int", "Choice", "Boolean" or "Fixed".
    name : str
        What it is called.
    about : mapping of str to object
        Its attributes: `values`, `min_value`, `max_value`, `step`, `sampling`, `default`.
    conditions : sequence of (str, tuple)
        The parents that are on record, and the values for which it is active.
    """

    kind: str
    name: str
    about: Mapping[str, Any]
    conditions: Sequence[tuple[str, tuple[Any, ...]]] = ()

    def domain(self) -> Domain:
        """Return its range or its choices."""
        if self.kind == "Boolean":
            return Domain(choices=[True, False])
        if self.kind == "Choice":
            values = list(self.about["values"])
            ordered = bool(self.about.get("ordered")) and len(values) > 2
            return Domain(choices=values, ordered=ordered)
        log = self.sampling == "log"  # its steps are factors then
        low, high = self.about["min_value"], self.about["max_value"]
        step = None if log else self.about.get("step")
        if step is not None:
            high = low + np.floor((high - low) / step + 1e-9) * step
        return Domain(low, high, log, self.kind == "Int", step)

    @property
    def sampling(self) -> str | None:
        """How its values are drawn: "linear" and "log" are scales."""
        return self.about.get("sampling")


@dataclass(frozen=True)
class Trial:
    """A trial: its values, those that were not used included, and what became of it."""

    values: Mapping[str, Any]
    score: float | None
    status: str


@dataclass(frozen=True)
class Search:
    """A search: its tuner, objective, hyperparameters, and trials in the order of their start.

    Attributes
    ----------
    tuner : str
        Such as "BayesianOptimization"; empty where it is not on record.
    objective : str
        The metric.
    direction : str
        "min" or "max".
    entries : sequence of Entry
        The hyperparameters.
    trials : sequence of Trial
        The trials.
    initial : int or None
        How many results a model waits for, where that was given.
    """

    tuner: str
    objective: str
    direction: str
    entries: Sequence[Entry]
    trials: Sequence[Trial]
    initial: int | None = None
