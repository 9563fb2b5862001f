"""What the adapter knows of an experiment of Ray Tune, from its results or its files alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import is_number, number
from hpo_explain.adapters._evaluations import Evaluation
from hpo_explain.adapters.ray.space import flat
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Option, Origin
from hpo_explain.base.options import Direction
from hpo_explain.run import FAILED, RUNNING, WAITING
from hpo_explain.run.metrics import direction_of

ITERATION = "training_iteration"
DIRECTIONS: dict[str, Direction] = {"min": "minimize", "max": "maximize"}
REASONS = {"PENDING": WAITING, "RUNNING": RUNNING, "PAUSED": RUNNING, "ERROR": FAILED}
_OWN = frozenset(
    (
        "checkpoint_dir_name",
        "config",
        "date",
        "done",
        "episodes_total",
        "experiment_id",
        "experiment_tag",
        "hostname",
        "iterations_since_restore",
        "node_ip",
        "pid",
        "should_checkpoint",
        "time_since_restore",
        "time_this_iter_s",
        "time_total_s",
        "timestamp",
        "timesteps_since_restore",
        "timesteps_total",
        "trial_id",
        "warmup_time",
        ITERATION,
    )
)


@dataclass(frozen=True, eq=False)
class Trial:
    """A trial of Ray Tune.

    Attributes
    ----------
    config : mapping of str to object
        Its settings, nested as they were given.
    status : str
        In Ray's words; "ERROR" for one that failed.
    metrics : mapping of str to object
        What it reported last.
    curve : sequence of mapping
        What it reported on the way.
    varied : collection of str, optional
        Which of its settings vary among trials; None where that is not on record.
    """

    config: Mapping[str, Any]
    status: str
    metrics: Mapping[str, Any]
    curve: Sequence[Mapping[str, Any]] = ()
    varied: Mapping[str, Any] | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The hyperparameters: what varies among its settings, where Ray knows it."""
        settings = flat(self.config)
        if not self.varied:
            return settings
        return {k: v for k, v in settings.items() if k in self.varied}

    def evaluation(self, config: Mapping[str, Any], objective: str, origin: Origin) -> Evaluation:
        """Return it with its configuration and one of its metrics."""
        end = float(self.metrics.get("timestamp", np.nan))
        steps = [row for row in self.curve if is_number(row.get(objective))]
        return Evaluation(
            config,
            number(self.metrics.get(objective)),
            REASONS.get(self.status),
            origin,
            end - float(self.metrics.get("time_total_s", np.nan)),
            end,
            float(self.metrics.get(ITERATION, np.nan)),
            {float(row[ITERATION]): float(row[objective]) for row in steps},
        )


@dataclass(frozen=True, eq=False)
class Experiment:
    """The trials of an experiment.

    Attributes
    ----------
    trials : sequence of Trial
        The trials.
    metric, mode : str or None
        The objective, and whether "min" or "max" is better, where they are on record.
    drawn : bool
        Whether Ray drew the trials itself, at random or from a grid.
    """

    trials: Sequence[Trial]
    metric: str | None = None
    mode: str | None = None
    drawn: bool = field(default=False)

    def objective(self, wanted: str | None) -> str:
        """Return the metric that is meant.

        Raises
        ------
        InputError
            If no trial reported it, or several and none is chosen.
        """
        reported = reported_by([trial.metrics for trial in self.trials])
        only_one = reported[0] if len(reported) == 1 else ""
        return checked_objective(wanted or self.metric or only_one, reported)

    def direction(self, wanted: Direction | None, objective: str) -> Direction:
        """Return which way the objective is better.

        Raises
        ------
        InputError
            If it is neither given, on record, nor known by the name.
        """
        on_record = DIRECTIONS.get(self.mode or "")
        found = wanted or on_record or direction_of(objective)
        if not found:
            raise InputError(
                "direction",
                f"was not given, and the name {objective!r} does not say which way is better",
                None,
                (
                    "Give ",
                    Option("direction", "minimize"),
                    " or ",
                    Option("direction", "maximize"),
                    ".",
                ),
            )
        return found


def reported_by(results: Sequence[Mapping[str, Any] | None]) -> list[str]:
    """Return the metrics that trials reported, without what Ray itself adds."""
    return sorted(
        {
            key
            for metrics in results
            for key, value in (metrics or {}).items()
            if key not in _OWN and is_number(value)
        }
    )


def checked_objective(name: str, reported: Sequence[str]) -> str:
    """Return a metric.

    Raises
    ------
    InputError
        If no trial reported it.
    """
    if name not in reported:
        problem = f"must be a metric that trials reported, but was {name or None!r}"
        raise InputError("objective", problem, name, f"Reported: {', '.join(reported)}.")
    return name
