"""What frameworks say of their tables: formats known by their columns, states, a sweep of W&B."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._domain import Domain, listed, normal, parameter_of
from hpo_explain.adapters.frame._cells import is_empty
from hpo_explain.adapters.frame._configurations import (
    HYPEROPT_VALUES,
    Spread,
)
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Direction
from hpo_explain.run import FAILED, RUNNING, WAITING, WAS_PRUNED
from hpo_explain.space import Parameter

if TYPE_CHECKING:
    import pandas as pd

_FINISHED = (
    "complete",
    "completed",
    "finished",
    "success",
    "successful",
    "succeeded",
    "ok",
    "done",
    "terminated",
    "true",
)
_WORDS: dict[Fact, tuple[str, ...]] = {
    FAILED: (
        "fail",
        "failed",
        "failure",
        "error",
        "errored",
        "crash",
        "crashed",
        "killed",
        "timeout",
        "timed_out",
        "memout",
        "oom",
        "out_of_memory",
        "diverged",
        "nan",
        "preempted",
        "preempting",
        "abandoned",
        "false",
    ),
    WAS_PRUNED(readable=False): ("pruned", "stopped", "early_stopped"),
    RUNNING: ("running", "staged"),
    WAITING: ("waiting", "pending", "queued", "scheduled", "candidate"),
}
_YES_OR_NO = ("true", "false", "nan", "ok")
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words}


def _word(cell: Any) -> str:
    """Return the state that a cell names, such as "complete" of "TrialState.COMPLETE"."""
    words = (
        ""
        if is_empty(cell)
        else str(cell).lower().replace("-", " ").replace("_", " ")
    )
    return "_".join(words.split()).rpartition(".")[2]


def is_state_text(cell: Any, *, plain: bool) -> bool:
    """Say whether a cell is a word for what became of a trial; a `plain` one is no yes or no."""
    word = _word(cell)
    if plain and (not isinstance(cell, str) or word in _YES_OR_NO):
        return False
    return word in _REASONS or word in _FINISHED


def read_status(column: pd.Series[Any], name: str) -> dict[int, Fact]:
    """Return the rows that did not finish, and what became of them.

    Raises
    ------
    InputError
        If a cell says neither; the text names the words that are known.
    """
    stopped: dict[int, Fact] = {}
    for row, cell in enumerate(column.tolist()):
        word = _word(cell)
        if word in _REASONS:
            stopped[row] = _REASONS[word]
        elif word not in _FINISHED:
            known = ", ".join(
                words[0] for words in (_FINISHED, *_WORDS.values())
            )
            problem = f"{name!r} must say whether a trial finished, but is {cell!r} in row {row}"
            raise InputError(
                "status", problem, cell, f"Write one of: {known}."
            )
    return stopped


# ---------------------------------------------------------------------- formats


@dataclass(frozen=True)
class _Format:
    """The columns of a table that a framework writes.

    Attributes
    ----------
    source : str
        What wrote it, as in "Optuna's trials_dataframe".
    settings, metrics : str
        The prefixes of the columns of hyperparameters and of metrics; empty where there is none.
    marks, some : tuple of str
        Columns that are all there, and such of which one is.
    own : tuple of str
        Columns that are no hyperparameters, where these have no prefix.
    number, state, fidelity, duration : str
        Their columns.
    times : tuple of str
        The column of a time, or of start and finish.
    finished : str
        The state of a trial with a result, where the other states must be known.
    optimizer : str
        What ran the optimization.
    objective : str
        The column of the objective.
    direction : {"minimize", "maximize"}, optional
        Which way its objective is always better.
    is_generic : bool
        Whether no framework writes it: what the other columns are is open.
    """

    source: str
    settings: str = ""
    metrics: str = ""
    marks: tuple[str, ...] = ()
    some: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    number: str = ""
    state: str = ""
    fidelity: str = ""
    duration: str = ""
    times: tuple[str, ...] = ()
    finished: str = ""
    optimizer: str = ""
    objective: str = ""
    direction: Direction | None = None
    is_generic: bool = False


_EXPORT_OF_WANDB = "a table of Weights & Biases"
OF_SETTINGS = re.compile(
    r"(configs?|configurations?|params?|parameters?|hparams?|hyperparameters?|hp|args?)[./:|_ ]",
    re.IGNORECASE,
)
_OF_METRICS = re.compile(
    r"(metrics?|summary|results?|scores?|user_attrs?)[./:|_]"
)
_SKLEARN, _MLFLOW, _AX = "param_", "params.", "trial_index"
_AX_BY = ("generation_node", "generation_method")
_AX_WITHOUT_MODEL = (
    "sobol",
    "centerofsearchspace",
    "manual",
    "uniform",
    "custom",
    "none",
    "nan",
)
_FORMATS = (
    _Format(
        "Optuna's trials_dataframe",
        "params_",
        marks=("state", "number"),
        number="number",
        state="state",
        finished="complete",
        duration="duration",
        optimizer="Optuna",
    ),
    _Format(
        "scikit-learn's cv_results_",
        _SKLEARN,
        "mean_test_",
        fidelity="n_resources",
        duration="mean_fit_time",
        optimizer="a search of scikit-learn",
    ),
    _Format(
        "Ray Tune's table of results",
        "config/",
        fidelity="training_iteration",
        some=(
            "trial_id",
            "logdir",
            "training_iteration",
            "time_total_s",
            "experiment_tag",
            "node_ip",
        ),
        duration="time_total_s",
        optimizer="Ray Tune",
    ),
    _Format(
        "MLflow's table of runs",
        _MLFLOW,
        "metrics.",
        marks=("run_id",),
        state="status",
        times=("start_time", "end_time"),
    ),
    _Format(
        "Hyperopt's trials",
        HYPEROPT_VALUES,
        "result.",
        marks=("tid", "result.loss"),
        number="tid",
        state="result.status",
        finished="ok",
        optimizer="Hyperopt",
        objective="result.loss",
        direction="minimize",
    ),
    _Format(
        "a log of bayesian-optimization",
        "params.",
        marks=("target", "datetime.datetime", "datetime.elapsed"),
        optimizer="bayesian-optimization",
        objective="target",
        direction="maximize",
    ),
    _Format("W&B's config and summary", "config.", "summary.", state="state"),
    _Format(
        _EXPORT_OF_WANDB,
        marks=("Name", "State"),
        state="State",
        finished="finished",
        times=("Created",),
        duration="Runtime",
        own=(
            "Name",
            "ID",
            "State",
            "Notes",
            "User",
            "Tags",
            "Created",
            "Updated",
            "End Time",
            "Runtime",
            "Sweep",
            "Group",
            "Job Type",
            "Commit",
            "Github",
            "Git",
            "Host",
            "Hostname",
            "GPU Count",
            "GPU Type",
            "CPU Count",
            "Python",
            "OS",
            "Agent",
            "Start Time",
            "Relative Time (Process)",
        ),
    ),
    _Format(
        "a table of Ax",
        marks=(_AX, "arm_name"),
        number=_AX,
        state="trial_status",
        optimizer="Ax",
        own=(
            _AX,
            "trial_status",
            *_AX_BY,
            "arm_name",
            "fail_reason",
            "reason",
            "n",
            "frac_nonnull",
        ),
    ),
)
_METRICS_NEEDED = (_SKLEARN, "config.")


@dataclass(frozen=True, eq=False)
class Layout:
    """What the columns of a framework's table are.

    Attributes
    ----------
    source : str
        What wrote the table.
    names : mapping of str to str, optional
        The columns of the hyperparameters, and what these are called without their prefix; None
        where nothing tells them from the columns of metrics.
    others : collection of str
        Columns that are no hyperparameters.
    metrics : mapping of str to str
        Short names of metrics, and their columns.
    number, state, fidelity, duration : str
        Their columns; empty if there is none.
    times : tuple of str
        The column of a time that orders the rows, or those of start and finish.
    stopped : mapping of int to Fact
        The rows without a result, and why.
    objective : str
        The column of the objective, where there is only one; else empty.
    settings : list of dict, optional
        The configuration of each row as the framework had it: what it lacks is inactive, and None
        is a value.
    proposed : list of bool, optional
        Whether a model chose each row, if that is recorded.
    optimizer : str
        What ran the optimization; empty where that is not known.
    is_generic : bool
        Whether no framework writes it: what the other columns are is open.
    always : {"minimize", "maximize"}, optional
        Which way the objective is always better.
    """

    source: str
    names: Mapping[str, str] | None
    others: Collection[str]
    metrics: Mapping[str, str]
    number: str
    state: str
    fidelity: str
    duration: str
    times: tuple[str, ...]
    optimizer: str
    stopped: Mapping[int, Fact] = field(default_factory=dict)
    objective: str = ""
    settings: Sequence[Mapping[str, Any]] | None = None
    proposed: list[bool] | None = None
    is_generic: bool = False
    always: Direction | None = None

    def column(self, name: str) -> str:
        """Return the column that a name without its prefix stands for, else the name itself."""
        for column, short in (self.names or {}).items():
            if short == name:
                return column
        return self.metrics.get(name, name)

    def direction(self, objective: str) -> Direction | None:
        """Return which way a column is better: scores of scikit-learn are maximized, times not."""
        if self.always is not None and objective == self.objective:
            return self.always
        if self.names is None or not self.optimizer.endswith("scikit-learn"):
            return None
        if re.fullmatch(r"(mean|split\d+)_(test|train)_.+", objective):
            return "maximize"
        return (
            "minimize"
            if re.fullmatch(r"mean_(fit|score)_time", objective)
            else None
        )

    def folds(self, objective: str) -> list[str]:
        """Return the columns with the scores on each fold of a mean of scikit-learn's."""
        if objective not in self.metrics.values() or not self.direction(
            objective
        ):
            return []
        metric = re.escape(objective.removeprefix("mean_test_"))
        found = {
            int(match[1]): name
            for name in self.others
            if (match := re.fullmatch(rf"split(\d+)_test_{metric}", name))
        }
        return [found[fold] for fold in sorted(found)]


def layout_of(
    table: pd.DataFrame, spread: Spread | None = None, objective: object = None
) -> Layout | None:
    """Return the layout of a table whose columns have text for names; None if it is none of these.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    spread : Spread, optional
        The configurations that a column of it held.
    objective : object, optional
        The column of the objective, if the user named it.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"trial_id": ["a_1"], "config/lr": [0.1], "logdir": ["x"], "acc": [1]})
    >>> layout_of(table).names
    {'config/lr': 'lr'}
    >>> table = pd.DataFrame({"number": [0], "params_x": [0.5], "state": ["Bavaria"]})
    >>> layout_of(table) is None
    True
    """
    for form in _FORMATS:
        found = _layout(form, table)
        if found is None:
            continue
        if spread is not None and form.settings == f"{spread.column}.":
            found = replace(found, settings=spread.rows)
        return _without_summary(found, table, objective)
    if spread is not None and spread.column:
        prefix = f"{spread.column}."
        form = _Format(f"column {spread.column!r}", prefix, is_generic=True)
        found = _layout(form, table)
        return found and replace(found, settings=spread.rows)
    prefix = _prefix_of_settings([*table.columns], str(objective))
    if not prefix:
        return None
    metrics = _prefix([*table.columns], _OF_METRICS)
    form = _Format(f"columns {prefix}*", prefix, metrics, is_generic=True)
    return _layout(form, table)


def _prefix_of_settings(columns: Sequence[str], objective: str) -> str:
    """Return what the names of hyperparameters begin with; empty where nothing tells.

    One column may be called so by chance (param_count), unless a sign of punctuation separates.
    """
    prefix = _prefix(columns, OF_SETTINGS)
    named = [name for name in columns if name.startswith(prefix)]
    several = len(named) > 1 or prefix[-1:] not in ("_", " ")
    return prefix if several and objective not in named else ""


def _prefix(columns: Sequence[str], pattern: re.Pattern[str]) -> str:
    """Return the most frequent prefix of names that a pattern matches."""
    found = [match[0] for name in columns if (match := pattern.match(name))]
    return max(found, key=found.count, default="")


def _without_summary(
    layout: Layout, table: pd.DataFrame, objective: object
) -> Layout:
    """Return the layout of an export of W&B: first the configuration, then the summary.

    Each is in alphabetical order: where that restarts once, the rest came out.
    """
    if layout.source != _EXPORT_OF_WANDB:
        return layout
    rest = [name for name in table.columns if name not in layout.others]
    for key in (str, str.casefold):
        sorted_by = [key(name) for name in rest]
        restarts = [
            i for i in range(1, len(rest)) if sorted_by[i] < sorted_by[i - 1]
        ]
        if len(restarts) == 1 and str(objective) in rest[restarts[0] :]:
            summary = rest[restarts[0] :]
            return replace(layout, others=[*layout.others, *summary])
    return layout


def _layout(form: _Format, table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table if it has a format."""
    columns = [*table.columns]
    names, metrics = (
        _without(form.settings, columns),
        _without(form.metrics, columns),
    )
    words = (
        [_word(cell) for cell in table[form.state].tolist()]
        if form.state in columns
        else []
    )
    needs_metrics = form.settings in _METRICS_NEEDED and not form.is_generic
    if (
        (form.settings and not names)
        or (needs_metrics and not metrics)
        or not {*form.marks} <= {*columns}
        or (form.some and not {*form.some} & {*columns})
        or (form.finished and not {*words} <= {*_REASONS, form.finished})
    ):
        return None
    means = (
        [*metrics]
        if form.settings == _SKLEARN
        else _means_of_optuna(form, columns)
    )
    if form.settings:
        others = [name for name in columns if name not in names]
    else:
        others = [
            c
            for c in columns
            if c in form.own or (c.startswith("_") and form.number == "")
        ]
    varies = form.fidelity in columns and table[form.fidelity].nunique() > 1
    # not those of several studies
    numbered = form.number and table[form.number].is_unique
    return Layout(
        form.source,
        names if form.settings else None,
        others,
        {short: name for name, short in metrics.items()},
        form.number if numbered else "",
        form.state,
        form.fidelity if varies else "",
        form.duration,
        form.times,
        form.optimizer,
        {
            row: _REASONS[word]
            for row, word in enumerate(words)
            if word in _REASONS
        },
        form.objective or (means[0] if len(means) == 1 else ""),
        _settings(form, table, names),
        _proposed(form, table),
        form.is_generic,
        form.direction,
    )


def _without(prefix: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that have a prefix, and their names without it; none for no prefix."""
    return {
        name: name.removeprefix(prefix)
        for name in columns
        if prefix and name.startswith(prefix) and name != prefix
    }


def _means_of_optuna(form: _Format, columns: Sequence[str]) -> list[str]:
    values = [
        name
        for name in columns
        if name == "value" or name.startswith("values_")
    ]
    return values if form.settings == "params_" else []


def _proposed(form: _Format, table: pd.DataFrame) -> list[bool] | None:
    by = next((name for name in _AX_BY if name in table.columns), None)
    if form.number != _AX or by is None:
        return None
    makers = [
        str(maker).lower().replace("_", "") for maker in table[by].tolist()
    ]
    return [not maker.startswith(_AX_WITHOUT_MODEL) for maker in makers]


def _settings(
    form: _Format, table: pd.DataFrame, names: Mapping[str, str]
) -> Sequence[Mapping[str, Any]] | None:
    """Return the settings of each row: MLflow keeps them as text, and lacks those not logged."""
    if form.settings == _SKLEARN and "params" in table.columns:
        given = table["params"].tolist()
        return (
            given
            if given and all(isinstance(row, Mapping) for row in given)
            else None
        )
    if form.settings != _MLFLOW:
        return None
    known = {"None": None, "True": True, "False": False}
    rows: list[Mapping[str, Any]] = []
    for cells in zip(
        *(table[column].tolist() for column in names), strict=True
    ):
        pairs = zip(names.values(), cells, strict=True)
        full = [(name, cell) for name, cell in pairs if not is_empty(cell)]
        rows.append(
            {n: known.get(c, c) if isinstance(c, str) else c for n, c in full}
        )
    return rows


def table_of_mlflow(runs: Sequence[Any]) -> pd.DataFrame:
    """Return a list of MLflow's runs as the table that ``mlflow.search_runs()`` makes of it.

    Parameters
    ----------
    runs : sequence of mlflow.entities.Run
        What ``MlflowClient().search_runs([...])`` returns.
    """
    import pandas as pd

    return pd.DataFrame(
        {
            "run_id": run.info.run_id,
            "status": run.info.status,
            "start_time": pd.to_datetime(
                run.info.start_time, unit="ms", utc=True
            ),
            "end_time": pd.to_datetime(run.info.end_time, unit="ms", utc=True),
            **{
                f"metrics.{name}": value
                for name, value in run.data.metrics.items()
            },
            **{
                f"params.{name}": value
                for name, value in run.data.params.items()
            },
        }
        for run in runs
    )


# ---------------------------------------------------------------------- sweeps of W&B


@dataclass(frozen=True)
class Sweep:
    """What the configuration of a sweep says.

    Attributes
    ----------
    parameters : tuple of hyperparameters
        The hyperparameters that vary.
    objective : str or None
        The metric.
    direction : {"minimize", "maximize"}
        Its goal.
    notes : tuple of Fact
        What was assumed.
    """

    parameters: tuple[Parameter, ...]
    objective: str | None
    direction: Direction
    notes: tuple[Fact, ...]


def read_sweep(
    config: Mapping[str, Any], tried: Mapping[str, Sequence[Any]]
) -> Sweep:
    """Return what the configuration of a sweep says, or its `parameters` alone.

    Parameters
    ----------
    config : mapping
        As in ``wandb.sweep(config)`` or the YAML file of a sweep.
    tried : mapping of str to sequence
        The values of the trials by hyperparameter: those of distributions without bounds are in
        the range.

    Raises
    ------
    InputError
        If a hyperparameter has a distribution that is not known, or none varies.

    Examples
    --------
    >>> sweep = read_sweep(
    ...     {
    ...         "metric": {"name": "acc", "goal": "maximize"},
    ...         "parameters": {
    ...             "lr": {"distribution": "log_uniform_values", "min": 1e-4, "max": 0.1},
    ...             "layers": {"min": 1, "max": 5},
    ...             "seed": {"value": 7},
    ...         },
    ...     },
    ...     {},
    ... )
    >>> [parameter.name for parameter in sweep.parameters], sweep.parameters[0].log
    (['lr', 'layers'], True)
    """
    metric = config.get("metric")
    metric = metric if isinstance(metric, Mapping) else {}
    whole = "parameters" in config and isinstance(
        config["parameters"], Mapping
    )
    found: list[Parameter] = []
    notes: list[Fact] = []
    for name, entry in _flat(
        config["parameters"] if whole else config
    ).items():
        if (domain := _domain(name, entry, tried.get(name, ()))) is not None:
            parameter, about = parameter_of(name, domain)
            found.append(parameter)
            notes += about
    if not found:
        problem = "is a mapping in which no hyperparameter varies"
        remedy = (
            "Give the configuration of a sweep of W&B, or SearchSpace([...])."
        )
        raise InputError("space", problem, dict(config), remedy)
    goal: Direction = (
        "maximize" if metric.get("goal") == "maximize" else "minimize"
    )
    return Sweep(tuple(found), metric.get("name"), goal, tuple(notes))


def _flat(
    entries: Mapping[str, Any], prefix: str = ""
) -> dict[str, Mapping[str, Any]]:
    """Return nested parameters by their path, as W&B names them."""
    found: dict[str, Mapping[str, Any]] = {}
    for name, entry in entries.items():
        if not isinstance(entry, Mapping):
            problem = (
                "must be a SearchSpace or the configuration of a sweep, "
                f"but says of {name!r} only {entry!r}"
            )
            remedy = (
                "Make one: hpo_explain.SearchSpace([FloatParameter(...), ...]); in a sweep each "
                'has {"values": [...]} or {"min": ..., "max": ...}.'
            )
            raise InputError("space", problem, entry, remedy)
        if isinstance(entry.get("parameters"), Mapping):
            found |= _flat(entry["parameters"], f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = entry
    return found


def _domain(
    name: str, entry: Mapping[str, Any], tried: Sequence[Any]
) -> Domain | None:
    """Return the domain of a hyperparameter; None for one that does not vary."""
    law = str(entry.get("distribution") or _law(entry))
    if law == "constant":
        return None
    if law in ("categorical", "categorical_w_probabilities"):
        return listed(entry["values"]) if len(entry["values"]) > 1 else None
    step = float(entry.get("q", 1.0)) if law.startswith("q_") else None
    law = law.removeprefix("q_").removeprefix("inv_")
    if law in ("normal", "log_normal"):
        log = law == "log_normal"
        mean, sd = float(entry.get("mu", 0.0)), float(entry.get("sigma", 1.0))
        return Domain(
            *normal(mean, sd, tried, log=log), log, law=law.replace("_", "-")
        )
    if law == "beta":
        return Domain(0.0, 1.0, law=law)
    if law not in (
        "int_uniform",
        "uniform",
        "log_uniform",
        "log_uniform_values",
    ):
        problem = (
            f"has the distribution {law!r} for {name!r}, which is not known"
        )
        raise InputError("space", problem, law, "Give SearchSpace([...]).")
    low, high, log = (
        float(entry["min"]),
        float(entry["max"]),
        law.startswith("log"),
    )
    if law == "log_uniform":
        low, high = math.exp(low), math.exp(high)
    if step is None:
        return Domain(low, high, log, law == "int_uniform")
    low, high = (round(end / step) * step for end in (low, high))
    if log and step.is_integer():
        low = low if low >= 1 else step
    return Domain(low, high, log, step.is_integer(), step)


def _law(entry: Mapping[str, Any]) -> str:
    """Return the distribution that W&B takes where none is named."""
    if "values" in entry:
        return "categorical"
    if "value" in entry:
        return "constant"
    if "mu" in entry or "sigma" in entry:
        return "normal"
    ends = [entry.get("min"), entry.get("max")]
    return (
        "int_uniform"
        if all(isinstance(end, int) for end in ends)
        else "uniform"
    )
