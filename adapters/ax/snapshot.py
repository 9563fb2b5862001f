"""A snapshot of Ax, as ``Client.save_to_json_file`` and ``AxClient.save_to_json_file`` write it.

Every object in it names its class, of whatever release. So it is read without Ax, into objects with
the attributes that Ax's own have.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters.formats import Opened
from hpo_explain.base.errors import InputError
from hpo_explain.base.regular_files import text_of

if TYPE_CHECKING:
    import pandas as pd

_TYPE = "__type"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """An experiment of Ax, with the attributes of ``ax.Experiment`` that the adapter reads."""

    optimization_config: Any
    search_space: Any
    trials: Mapping[int, Any]
    metrics: Mapping[str, Any]
    data: pd.DataFrame

    def lookup_data(self) -> Any:
        """Return the results, as a table in `df`."""
        return SimpleNamespace(df=self.data)


@contextmanager
def opened(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open a snapshot.

    Raises
    ------
    InputError
        If it has no objective.
    """
    text = text_of(Path(path))
    content = json.loads(text, object_hook=_as_object)
    experiment = content["experiment"] if isinstance(content, dict) else content
    data = _data(experiment)
    config = experiment.optimization_config
    if config is None:
        raise InputError(
            "run",
            f"{path!r} is a snapshot of Ax without an objective",
            path,
            "Call configure_optimization, and save it again.",
        )
    expression = _expression(config.objective)
    names = [
        str(name)
        for name in data["metric_name"].unique()
        if re.search(rf"(?<![\w.]){re.escape(str(name))}(?![\w.])", expression)
    ]
    experiment.search_space.parameters = {p.name: p for p in experiment.search_space.parameters}
    yield Opened(
        Snapshot(
            SimpleNamespace(
                objective=SimpleNamespace(
                    metric_names=names or [expression.strip("- ")], expression=expression
                )
            ),
            experiment.search_space,
            {int(i): _trial(t) for i, t in experiment.trials.items()},
            {name: SimpleNamespace(signature=name) for name in names},
            data,
        )
    )


def _as_object(content: dict[str, Any]) -> Any:
    """Return what has a class as an object with its attributes, times and tables as such."""
    if _TYPE not in content:
        return content
    kind = content.pop(_TYPE)
    if kind == "datetime":
        return datetime.fromisoformat(content["value"])
    if kind == "DataFrame":
        import pandas as pd

        return pd.read_json(io.StringIO(content["value"]))
    if kind == "OrderedDict":
        return content["value"]
    return SimpleNamespace(**content)


def _data(experiment: Any) -> pd.DataFrame:
    """Return the results of all trials, of each trial the latest that were attached."""
    import pandas as pd

    tables = []
    for attached in experiment.data_by_trial.values():
        latest = _pairs(attached)[-1][1]
        tables.append(latest.df)
    if not tables:
        columns = ["trial_index", "metric_name", "mean", "sem"]
        return pd.DataFrame(columns=columns)
    joined: pd.DataFrame = pd.concat([table for table in tables if len(table)], ignore_index=True)
    return joined


def _pairs(attached: Any) -> Sequence[Any]:
    """Return pairs of a time and what was attached then."""
    if isinstance(attached, Mapping):
        return sorted(attached.items())
    pairs: Sequence[Any] = attached
    return pairs


def _expression(objective: Any) -> str:
    """Return what is maximized, as later releases write it."""
    if hasattr(objective, "expression"):
        return str(objective.expression)
    if hasattr(objective, "objectives"):
        return ", ".join(map(_expression, objective.objectives))
    name = objective.metric.name
    return f"-{name}" if objective.minimize else str(name)


def _trial(trial: Any) -> Any:
    """Return a trial with the attributes of Ax's; of a batch the first configuration counts."""
    made = getattr(trial, "generator_run", None)
    if not made and getattr(trial, "generator_run_structs", None):
        made = trial.generator_run_structs[0].generator_run
    arms = made.arms if made else ()
    return SimpleNamespace(
        status=trial.status,
        arm=arms[0] if arms else None,
        generation_method_str=_maker(made),
        time_run_started=trial.time_run_started,
        time_completed=trial.time_completed,
    )


def _maker(made: Any) -> str:
    """Return what generated a trial."""
    if not made:
        return ""
    for name in ("generator_key", "model_key", "_model_key"):
        key = getattr(made, name, None)
        if key:
            return str(key)
    kind = getattr(made, "generator_run_type", None)
    return str(getattr(kind, "name", kind) or "").capitalize()
