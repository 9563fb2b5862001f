"""What trials of a study reported step by step, and the study's own pruner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import optuna
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters.optuna.quiet import quiet_optuna
from hpo_explain.base.checks import check_direction
from hpo_explain.base.options import Direction
from hpo_explain.run import Curves
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class OwnPruner:
    """A pruner of Optuna, asked again in a study in memory.

    Examples
    --------
    >>> import numpy as np
    >>> own = OwnPruner(optuna.pruners.ThresholdPruner(upper=1.0))
    >>> costs = np.array([[0.5, 0.4], [2.0, 0.1]])
    >>> own.label, own.stopped(np.array([1.0, 2.0]), costs, np.array([True, True]), 0).tolist()
    ("Optuna's ThresholdPruner", [2, 0])
    """

    pruner: optuna.pruners.BasePruner
    direction: Direction = "minimize"

    @property
    def label(self) -> str:
        """What it is called."""
        return f"Optuna's {type(self.pruner).__name__}"

    def stopped(
        self, steps: Array, costs: Array, finished: npt.NDArray[np.bool_], seed: int
    ) -> npt.NDArray[np.int64]:
        """Return at which step trials would have been stopped, as of `run.Pruner`."""
        sign = 1.0 if self.direction == "minimize" else -1.0
        found = np.full(len(costs), len(steps), dtype=np.int64)
        with quiet_optuna():
            study = optuna.create_study(
                direction=self.direction,
                sampler=optuna.samplers.RandomSampler(seed=seed),
                pruner=deepcopy(self.pruner),
                study_name=f"replay-{seed}",  # by which Hyperband chooses brackets
            )
            for i, curve in enumerate(costs):
                trial = study.ask()
                for j in np.flatnonzero(~np.isnan(curve)).tolist():
                    trial.report(sign * curve[j], int(steps[j]))
                    if trial.should_prune():
                        found[i] = j
                        break
                if found[i] < len(steps) or not finished[i]:
                    study.tell(trial, state=TrialState.PRUNED)
                else:
                    study.tell(trial, sign * curve[~np.isnan(curve)][-1])
        return found


def read_curves(
    study: optuna.Study, trials: Iterable[FrozenTrial], rows: Mapping[int, Array]
) -> Curves | None:
    """Return what trials reported, by their encoded configurations; None where none did."""
    reported = {
        trial.number: {float(step): value for step, value in trial.intermediate_values.items()}
        for trial in trials
    }
    pruner: optuna.pruners.BasePruner | None = study.pruner
    own = None
    if pruner is not None and not isinstance(pruner, optuna.pruners.NopPruner):
        own = OwnPruner(pruner, check_direction(study.direction.name.lower()))
    return Curves.of(reported, rows, pruner=own)
