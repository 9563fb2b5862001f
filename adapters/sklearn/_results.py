"""The table `cv_results_` of a search: scores, folds, times and resources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.options import Direction
from hpo_explain.space import Array

TIMES = ("mean_fit_time", "mean_score_time")
"""What may be explained beside scores: seconds, shorter is better."""
_MEAN = "mean_test_"


@dataclass(frozen=True)
class Target:
    """The column that is explained.

    Attributes
    ----------
    column : str
        Its name, such as "mean_test_score".
    direction : {"minimize", "maximize"}
        Which way it is better: scores are larger, times shorter.
    """

    column: str

    @property
    def direction(self) -> Direction:
        return "minimize" if self.column in TIMES else "maximize"

    @property
    def metric(self) -> str:
        """The name of the metric; empty for a time."""
        return self.column.removeprefix(_MEAN) if self.column.startswith(_MEAN) else ""


def metrics_of(results: Mapping[str, Any]) -> list[str]:
    """Return the names of the metrics, "score" where there is a single one without a name."""
    return [name.removeprefix(_MEAN) for name in results if name.startswith(_MEAN)]


def read_target(results: Mapping[str, Any], asked: object, refit: object) -> Target:
    """Return the column that is explained: the one asked for, that of `refit`, or the only one.

    Raises
    ------
    InputError
        If there is no such column, or several metrics and none of them was chosen.
    """
    metrics = metrics_of(results)
    if asked is None:
        if isinstance(refit, str) and refit in metrics:
            return Target(_MEAN + refit)
        if len(metrics) == 1:
            return Target(_MEAN + metrics[0])
        raise InputError(
            "objective",
            f"is missing: the search has the metrics {', '.join(metrics)} and refit names none",
            remedy=(
                "Choose one, as in ",
                Option("objective", metrics[0] if metrics else "..."),
                ".",
            ),
        )
    if isinstance(asked, str) and asked in (*metrics, *TIMES):
        return Target(asked if asked in TIMES else _MEAN + asked)
    if isinstance(asked, str) and asked in results and asked.startswith(_MEAN):
        return Target(asked)
    raise unknown_name("objective", asked, [*metrics, *TIMES], "metric")


def folds(results: Mapping[str, Any], metric: str) -> Array:
    """Return the scores of each configuration on each fold, (n, k)."""
    found = {
        int(match[1]): np.asarray(results[name], dtype=float)
        for name in results
        if (match := re.fullmatch(rf"split(\d+)_test_{re.escape(metric)}", name))
    }
    n = len(results["params"])
    return np.column_stack([found[k] for k in sorted(found)]) if found else np.empty((n, 0))
