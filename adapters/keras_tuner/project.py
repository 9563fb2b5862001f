"""The project that a tuner of KerasTuner leaves in a folder: oracle.json, and a file a trial.

Neither says what the objective was: it is the metric whose values are the scores. Which tuner it
was, oracle.json shows by what only one of them writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain.adapters._json import json_of
from hpo_explain.adapters.formats import Opened
from hpo_explain.adapters.keras_tuner._search import Entry, Search, Trial
from hpo_explain.base.errors import InputError

_TUNERS = {
    "brackets": "Hyperband",
    "num_initial_points": "BayesianOptimization",
    "ordered_ids": "GridSearch",
}
_SAME = 1e-9


@contextmanager
def opened(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open a project of KerasTuner.

    Raises
    ------
    InputError
        If a file is broken, or no metric has the scores.
    """
    folder = Path(path)
    oracle = json_of(folder / "oracle.json", {})
    trials = {
        file.parent.name.removeprefix("trial_"): json_of(file)
        for file in sorted(folder.glob("trial_*/trial.json"))
    }
    order = oracle.get("start_order") or [*trials]
    ordered = [trials[i] for i in order if i in trials]
    given = oracle.get("hyperparameters", ordered[-1]["hyperparameters"])
    objective, direction = _objective(path, ordered)
    tuner = [name for key, name in _TUNERS.items() if key in oracle]
    yield Opened(
        Search(
            tuner[0] if tuner else "",
            objective,
            direction,
            [_entry(entry) for entry in given["space"]],
            [_trial(trial) for trial in ordered],
            oracle.get("num_initial_points"),
        )
    )


def _entry(entry: Mapping[str, Any]) -> Entry:
    about = entry["config"]
    conditions = [
        (str(c["config"]["name"]), tuple(c["config"]["values"]))
        for c in about.get("conditions") or ()
    ]
    return Entry(entry["class_name"], str(about["name"]), about, conditions)


def _trial(trial: Mapping[str, Any]) -> Trial:
    return Trial(trial["hyperparameters"]["values"], trial["score"], trial["status"])


def _objective(path: str, trials: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the metric whose values are the scores of trials, and its direction."""
    scored = [trial for trial in trials if trial["score"] is not None]
    metrics = dict.fromkeys(name for trial in scored for name in trial["metrics"]["metrics"])
    # of two with the same values, a score is that of the validation data
    for name in sorted(metrics, key=lambda name: not name.startswith("val_")):
        about = [trial["metrics"]["metrics"].get(name) for trial in scored]
        if all(
            metric is not None and _has(metric, trial["score"])
            for metric, trial in zip(about, scored, strict=True)
        ):
            return name, str(about[0]["direction"])
    if not scored:
        return "score", "min"
    raise InputError(
        "run",
        f"{path!r} is a KerasTuner project of which no single metric has the scores: those of "
        "several objectives are added up",
        path,
        "Give a table of its trials to from_frame.",
    )


def _has(metric: Mapping[str, Any], score: float) -> bool:
    """Say whether a score is the value of a metric at one of its steps."""
    values = [np.nanmean(o["value"]) for o in metric["observations"]]
    return bool(np.isclose(values, score, rtol=_SAME, equal_nan=True).any())
