"""Tables that are known by their columns: what framework writes each, and what its columns are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._cells import is_empty, word_set
from hpo_explain.adapters.frame._settings import HYPEROPT_VALUES, Spread
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import Direction
from hpo_explain.run import FAILED, PRUNED, RUNNING, WAITING

if TYPE_CHECKING:
    import pandas as pd

_FINISHED = word_set(
    "complete completed finished success successful succeeded ok done terminated true"
)
_WORDS: dict[Fact, frozenset[str]] = {
    FAILED: word_set(
        "fail failed failure error errored crash crashed killed timeout timed_out memout oom "
        "out_of_memory diverged nan preempted preempting abandoned false"
    ),
    PRUNED: word_set("pruned stopped early_stopped"),
    RUNNING: word_set("running staged intermediate"),
    WAITING: word_set("waiting pending queued scheduled candidate"),
}
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words}


def _word(cell: Any) -> str:
    """Return the state that a cell names, such as "complete" of "TrialState.COMPLETE"."""
    words = "" if is_empty(cell) else str(cell).lower().replace("-", " ").replace("_", " ")
    return "_".join(words.split()).rpartition(".")[2]


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
            problem = f"{name!r} must say whether a trial finished, but is {cell!r} in row {row}"
            raise InputError("status", problem, cell, "Write finished, failed, pruned or running.")
    return stopped


@dataclass(frozen=True)
class Layout:
    """The columns of a table that a framework writes.

    Attributes
    ----------
    source : str
        What wrote it, as in "Optuna's trials_dataframe".
    settings, metrics : str
        The prefixes of the columns of hyperparameters and of metrics; empty where there is none.
    marks : tuple of str
        Columns that are all there, as patterns.
    own : tuple of str
        Columns that are no hyperparameters, where these have no prefix, as patterns.
    objective : str
        The column of the objective, as a pattern that one column fits.
    direction : {"minimize", "maximize"}, optional
        Which way it is always better.
    number, state, fidelity, duration : str
        Their columns.
    times : tuple of str
        The column of a time, or of start and finish.
    optimizer : str
        What ran the optimization.
    """

    source: str
    settings: str = ""
    metrics: str = ""
    marks: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    objective: str = ""
    direction: Direction | None = None
    number: str = ""
    state: str = ""
    fidelity: str = ""
    duration: str = ""
    times: tuple[str, ...] = ()
    optimizer: str = "the optimizer"

    def fits(self, columns: Sequence[str]) -> bool:
        """Say whether columns are those of such a table."""
        wanted = [*self.marks, *filter(None, [self.settings and f"{self.settings}?*"])]
        return all(_fitting(one, columns) for one in wanted)


def _fitting(pattern: str, columns: Sequence[str]) -> list[str]:
    """Return the columns that fit a pattern; brackets stand for themselves."""
    return [c for c in columns if fnmatch(c, pattern.replace("[", "[[]"))]


_WANDB = "a table of Weights & Biases"
_AX_BY = ("generation_node", "generation_method")
_AX_WITHOUT_MODEL = ("sobol", "centerofsearchspace", "manual", "uniform", "custom", "none", "nan")
LAYOUTS = (
    Layout(
        "Optuna's trials_dataframe",
        "params_",
        marks=("state", "number"),
        objective="value",
        number="number",
        state="state",
        duration="duration",
        optimizer="Optuna",
    ),
    Layout(
        "scikit-learn's cv_results_",
        "param_",
        "mean_test_",
        marks=("mean_test_*",),
        objective="mean_test_*",
        direction="maximize",
        fidelity="n_resources",
        duration="mean_fit_time",
        optimizer="a search of scikit-learn",
    ),
    Layout(
        "Ray Tune's table of results",
        "config/",
        marks=("training_iteration",),
        fidelity="training_iteration",
        duration="time_total_s",
        optimizer="Ray Tune",
    ),
    Layout(
        "MLflow's table of runs",
        "params.",
        "metrics.",
        marks=("run_id",),
        objective="metrics.*",
        state="status",
        times=("start_time", "end_time"),
    ),
    Layout(
        "Hyperopt's trials",
        HYPEROPT_VALUES,
        "result.",
        marks=("tid", "result.loss"),
        objective="result.loss",
        direction="minimize",
        number="tid",
        state="result.status",
        optimizer="Hyperopt",
    ),
    Layout(
        "a log of bayesian-optimization",
        "params.",
        marks=("target", "datetime.datetime", "datetime.elapsed"),
        objective="target",
        direction="maximize",
        optimizer="bayesian-optimization",
    ),
    Layout(
        "DeepHyper's results",
        "p:",
        "m:",
        marks=("objective", "job_id"),
        objective="objective",
        direction="maximize",
        optimizer="DeepHyper",
    ),
    Layout("Syne Tune's results", "config_", marks=("st_*", "trial_id"), optimizer="Syne Tune"),
    Layout(
        "Nevergrad's log of parameters",
        marks=("#loss", "#num-tell"),
        own=("#*",),
        objective="#loss",
        direction="minimize",
        optimizer="Nevergrad",
    ),
    Layout(
        "Sherpa's results",
        marks=("Trial-ID", "Status", "Iteration", "Objective"),
        objective="Objective",
        number="Trial-ID",
        state="Status",
        fidelity="Iteration",
        optimizer="Sherpa",
    ),
    Layout("W&B's config and summary", "config.", "summary.", marks=("summary.*",), state="state"),
    Layout(
        _WANDB,
        marks=("Name", "State"),
        own=(
            *word_set(
                "_* Name ID State Notes User Tags Created Updated Runtime Sweep Group Commit "
                "Github Git Host Hostname Python OS Agent"
            ),
            *("GPU *", "CPU *", "End Time", "Start Time", "Job Type", "Relative Time *"),
        ),
        state="State",
        times=("Created",),
        duration="Runtime",
    ),
    Layout(
        "a table of Ax",
        marks=("trial_index", "arm_name"),
        own=("trial_status", *_AX_BY, "arm_name", "fail_reason", "reason", "n", "frac_nonnull"),
        number="trial_index",
        state="trial_status",
        optimizer="Ax",
    ),
)
"""What is known, in the order in which it is looked for: a new one is an entry."""
_NO_HYPERPARAMETERS = (
    (("model", "score_val", "pred_time_val"), "a leaderboard of AutoGluon"),
    (("model_id", "mean_residual_deviance"), "a leaderboard of H2O"),
    (("model_id", "auc", "logloss"), "a leaderboard of H2O"),
    (("*__MIN", "*__MAX"), "the export of a chart of W&B"),
)
_REMEDIES = {"the export of a chart of W&B": "Export the table of runs instead."}
OF_SETTINGS = re.compile(
    r"(configs?|configurations?|params?|parameters?|hparams?|hyperparameters?|hp|args?)[./:|_ ]",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a table: its layout, and what of it is there.

    Attributes
    ----------
    layout : Layout
        The layout; one without a framework where a prefix or a column of dictionaries tells the
        hyperparameters.
    names : mapping of str to str
        The columns that are hyperparameters by their prefix, and what these are called without it.
    metrics : mapping of str to str
        Short names of metrics, and their columns.
    objective : str
        The column of the objective, where it is one; else empty.
    settings : sequence of dict
        The configuration of each row as the framework had it: what it lacks is inactive, and None
        is a value. Empty where it is not recorded.
    proposed : sequence of bool
        Whether a model chose each row; empty where it is not recorded.
    """

    layout: Layout
    names: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    objective: str = ""
    settings: Sequence[Mapping[str, Any]] = ()
    proposed: Sequence[bool] = ()

    def column(self, name: str) -> str:
        """Return the column that a name without its prefix stands for, else the name itself."""
        columns = {short: column for column, short in self.names.items()}
        return columns.get(name) or self.metrics.get(name, name)

    def owns(self, column: str) -> bool:
        """Say whether a column is one of the framework's, and no hyperparameter."""
        return any(fnmatch(column, pattern) for pattern in self.layout.own)

    def direction(self, objective: str) -> Direction | None:
        """Return which way a column is better, where its framework says it."""
        fits = fnmatch(objective, self.layout.objective)
        return self.layout.direction if fits else None

    def folds(self, objective: str, columns: Sequence[str]) -> list[str]:
        """Return the columns with the scores on each fold of a mean of scikit-learn's."""
        metric = objective.removeprefix("mean_test_")
        found = _fitting(f"split*_test_{metric}", columns)
        is_mean = objective in self.metrics.values() and metric != objective
        return sorted(found, key=lambda n: int(re.sub(r"\D", "", n[:8]))) if is_mean else []


def known_of(table: pd.DataFrame, spread: Spread, objective: object = None) -> Known:
    """Return what is known of a table whose columns have text for names.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    spread : Spread
        The configurations that a column of it held.
    objective : object, optional
        The column of the objective, if the user named it.

    Raises
    ------
    NothingToExplain
        If it is known to have no hyperparameters.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"trial_id": ["a_1"], "config/lr": [0.1], "logdir": ["x"], "acc": [1]})
    >>> known_of(table, Spread(table)).names
    {'config/lr': 'lr'}
    """
    columns = [*table.columns]
    for marks, source in _NO_HYPERPARAMETERS:
        if all(_fitting(mark, columns) for mark in marks):
            usual = "Give the table of its trials."
            remedy = _REMEDIES.get(source, usual)
            text = f"frame is {source}, which has no hyperparameters. {remedy}"
            raise NothingToExplain(fact(text))
    layout = next((one for one in LAYOUTS if one.fits(columns)), None)
    column = spread.column
    if not layout and column:
        layout = Layout(f"column {column!r}", f"{column}.")
    if not layout:
        prefix = _prefix_of_settings(columns, str(objective))
        layout = Layout(f"columns {prefix}*" if prefix else "", prefix)
    names, metrics = (_without(layout.settings, columns), _without(layout.metrics, columns))
    objectives = _fitting(layout.objective, columns)
    settings = _settings(layout, table, names)
    if column and layout.settings == f"{column}.":
        settings = spread.rows
    return Known(
        layout,
        names,
        {short: name for name, short in metrics.items()},
        objectives[0] if len(objectives) == 1 else "",
        settings,
        _proposed(layout, table),
    )


def _prefix_of_settings(columns: Sequence[str], objective: str) -> str:
    """Return what the names of hyperparameters begin with; empty where nothing tells.

    One column may be called so by chance (param_count), unless a sign of punctuation separates.
    """
    found = [match[0] for c in columns if (match := OF_SETTINGS.match(c))]
    prefix = max(found, key=found.count, default="")
    named = [name for name in columns if name.startswith(prefix)]
    several = len(named) > 1 or prefix[-1:] not in ("_", " ")
    return prefix if several and objective not in named else ""


def _without(prefix: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that have a prefix, and their names without it; none for no prefix."""
    return {
        name: name.removeprefix(prefix)
        for name in columns
        if prefix and name.startswith(prefix) and name != prefix
    }


def summary_of_wandb(known: Known, table: pd.DataFrame, objective: str) -> list[str]:
    """Return the columns of an export of W&B that came out: first stands the configuration.

    It is in alphabetical order, and so is what came out: where that restarts once, the rest did.
    """
    if known.layout.source != _WANDB:
        return []
    rest = [name for name in table.columns if not known.owns(name)]
    for key in (str, str.casefold):
        order = [key(name) for name in rest]
        restarts = [i for i in range(1, len(rest)) if order[i] < order[i - 1]]
        if len(restarts) == 1 and objective in rest[restarts[0] :]:
            return rest[restarts[0] :]
    return []


def _proposed(layout: Layout, table: pd.DataFrame) -> list[bool]:
    by = next((name for name in _AX_BY if name in table.columns), "")
    if layout.optimizer != "Ax" or not by:
        return []
    makers = [str(maker).lower().replace("_", "") for maker in table[by].tolist()]
    return [not maker.startswith(_AX_WITHOUT_MODEL) for maker in makers]


def _settings(
    layout: Layout, table: pd.DataFrame, names: Mapping[str, str]
) -> Sequence[Mapping[str, Any]]:
    """Return the settings of each row: MLflow keeps them as text, and lacks those not logged."""
    if layout.settings == "param_" and "params" in table.columns:
        given = table["params"].tolist()
        whole = bool(given) and all(isinstance(row, Mapping) for row in given)
        return given if whole else []
    if layout.metrics != "metrics.":
        return []
    known = {"None": None, "True": True, "False": False}
    rows: list[Mapping[str, Any]] = []
    for cells in zip(*(table[column].tolist() for column in names), strict=True):
        pairs = zip(names.values(), cells, strict=True)
        full = [(name, cell) for name, cell in pairs if not is_empty(cell)]
        rows.append({n: known.get(c, c) if isinstance(c, str) else c for n, c in full})
    return rows
