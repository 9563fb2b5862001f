"""What only Ax knows: the models that generated its trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import encoded
from hpo_explain.adapters.ax._process import AxFit
from hpo_explain.base.facts import Fact, fact
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import Array, SearchSpace

_KEPT = 16


@dataclass(frozen=True, eq=False)
class AxRecord:
    """Ax's own models, for a Run.

    Attributes
    ----------
    fit : AxFit
        What fits them.
    rows : mapping of int to ndarray of shape (d,)
        The trials with a value, encoded, by number.
    known : mapping of int to tuple of int
        For each trial that the model generated those of `rows` that were completed by then.
    """

    fit: AxFit
    rows: Mapping[int, Array]
    known: Mapping[int, tuple[int, ...]]
    _found: dict[tuple[int, ...], Surrogate | None] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(
        cls, client: Any, space: SearchSpace, data: Any, metric: str, valued: set[int]
    ) -> AxRecord | None:
        """Return the record of a client, None where its current node has no model that is read.

        Parameters
        ----------
        client : ax.Client
            The client.
        space : SearchSpace
            The space that was read from it.
        data : ax.core.data.Data
            What the trials were told.
        metric : str
            Ax's signature of the metric.
        valued : set of int
            The trials that have a value.
        """
        strategy = getattr(client, "_maybe_generation_strategy", None)
        if strategy is None:
            return None
        node = strategy.current_node
        specs = node.generator_specs
        if len(specs) != 1 or specs[0].generator_key != "BoTorch":
            return None
        experiment = client._experiment
        trials = {t: trial for t, trial in sorted(experiment.trials.items()) if t in valued}
        X, outside = encoded(space, [trial.arm.parameters for trial in trials.values()])
        if outside or np.isnan(X).any() or not trials:
            return None
        known = {}
        for number, trial in experiment.trials.items():
            by = trial.generator_run
            if by is not None and by._generation_node_name == node.name:
                done = {t: other.time_completed for t, other in trials.items()}
                known[number] = tuple(t for t, at in done.items() if at and at < by.time_created)
        fit = AxFit(space, specs[0].copy(), experiment, data, metric)
        record = cls(fit, dict(zip(trials, X, strict=True)), known)
        return None if record.surrogate(None) is None else record

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_found": {}}  # fitted again where it is needed

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the model that generated trial `before`; for None one of all trials."""
        trials = tuple(self.rows) if before is None else self.known.get(before)
        if not trials:
            return None
        if trials not in self._found:
            while len(self._found) >= _KEPT:
                self._found.pop(next(iter(self._found)))
            X = np.array([self.rows[trial] for trial in trials])
            self._found[trials] = self.fit.surrogate(trials, X)
        return self._found[trials]

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return None: Ax averages its acquisition over draws, and it is not rebuilt."""
        return None

    def why_not(self, before: int | None) -> Fact | None:
        """Return why trial `before` has no acquisition."""
        return fact("ax_acquisition")
