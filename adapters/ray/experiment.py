"""The folder of an experiment of Ray Tune: one folder a trial, and a file about all of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hpo_explain.adapters._json import half_written, json_lines, json_of
from hpo_explain.adapters.formats import Opened
from hpo_explain.adapters.ray._experiment import ITERATION, Experiment, Trial
from hpo_explain.adapters.ray.results import DRAWN
from hpo_explain.base.regular_files import text_of

_STATE = "experiment_state-*.json"
_ERRORS = ("error.txt", "error.pkl")


@contextmanager
def opened(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open the folder of an experiment; what is pickled in it is left alone."""
    folder = Path(path)
    states = sorted(folder.glob(_STATE))
    about = json_of(states[-1]) if states else {}
    of_trials = {str(trial.get("trial_id")): trial for trial in _states(about)}
    places = sorted(file.parent for file in folder.glob("*/params.json"))
    curves = [_reported(place) for place in places]
    trials = [
        _trial(place, curve, of_trials) for place, (curve, _) in zip(places, curves, strict=True)
    ]
    numbers = [*of_trials]
    trials.sort(key=lambda t: _rank(str(t.metrics.get("trial_id")), numbers))
    runner = about.get("runner_data", {})
    yield Opened(
        Experiment(
            trials,
            runner.get("_metric"),
            runner.get("_mode"),
            any(folder.glob(DRAWN)),
        ),
        half_written(sum(is_half for _, is_half in curves)),
    )


def _states(about: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what an experiment keeps of each trial, JSON in a string of JSON."""
    for entry in about.get("trial_data", about.get("checkpoints", ())):
        text = entry[0] if isinstance(entry, list) else entry
        yield json.loads(text) if isinstance(text, str) else text


def _rank(trial: str, numbers: list[str]) -> tuple[int, str]:
    """Return where a trial stands: as the experiment lists them, else by its name."""
    place = numbers.index(trial) if trial in numbers else len(numbers)
    return place, trial


def _trial(
    place: Path, curve: list[dict[str, Any]], of_trials: Mapping[str, Mapping[str, Any]]
) -> Trial:
    metrics = curve[-1] if curve else {}
    about = of_trials.get(str(metrics.get("trial_id")), {})
    status = str(about.get("status", "TERMINATED"))
    if any((place / name).exists() for name in _ERRORS):
        status = "ERROR"
    return Trial(
        json_of(place / "params.json"),
        status,
        metrics,
        [row for row in curve if ITERATION in row],
        about.get("evaluated_params"),
    )


def _reported(place: Path) -> tuple[list[dict[str, Any]], bool]:
    """Return what a trial reported, and whether a last line of it is half-written."""
    results, progress = place / "result.json", place / "progress.csv"
    if results.is_file():
        return json_lines(text_of(results))
    if not progress.is_file():
        return [], False
    rows = [*csv.DictReader(io.StringIO(text_of(progress), newline=""))]
    is_half = bool(rows) and None in rows[-1].values()
    whole = rows[:-1] if is_half else rows
    return [{name: _value(text) for name, text in row.items()} for row in whole], is_half


def _value(text: str) -> Any:
    """Return a cell as a number where it is one."""
    try:
        return float(text)
    except ValueError:
        return text
