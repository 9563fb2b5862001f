"""The table `cv_results_` of a search of scikit-learn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts.layout import Layout, varies, without
from hpo_explain.base.options import Direction

if TYPE_CHECKING:
    import pandas as pd

_SCORE = re.compile(r"(mean|split\d+)_(test|train)_.+")
_TIME = re.compile(r"mean_(fit|score)_time")
_MEAN = "mean_test_"


def read_sklearn(table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table with settings `param_...` and scores `mean_test_...`."""
    names = without("param_", table)
    means = without(_MEAN, table)
    if not names or not means:
        return None
    columns = [str(name) for name in table.columns]

    def folds(objective: str) -> tuple[str, ...]:
        metric = means.get(objective)
        pattern = re.compile(rf"split\d+_test_{re.escape(metric or '')}")
        found = [name for name in columns if metric is not None and pattern.fullmatch(name)]
        return tuple(sorted(found, key=lambda name: int(name[5 : name.index("_")])))

    settings = table["params"].tolist() if "params" in columns else []
    known = bool(settings) and all(isinstance(row, Mapping) for row in settings)
    return Layout(
        "scikit-learn's cv_results_",
        names,
        [name for name in columns if name not in names],
        {metric: name for name, metric in means.items()},
        fidelity="n_resources" if varies(table, "n_resources") else "",
        duration="mean_fit_time",
        objective=next(iter(means)) if len(means) == 1 else "",
        direction=_direction,
        folds=folds,
        settings=settings if known else None,
        optimizer="a search of scikit-learn",
    )


def _direction(objective: str) -> Direction | None:
    """Return that scores are maximized, and times minimized."""
    if _SCORE.fullmatch(objective):
        return "maximize"
    return "minimize" if _TIME.fullmatch(objective) else None
