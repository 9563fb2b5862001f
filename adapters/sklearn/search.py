"""A search of scikit-learn, turned into a Run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from hpo_explain.adapters._evaluations import Encoded, Evaluation, Source, run_of
from hpo_explain.adapters._reading import instances_of, with_default
from hpo_explain.adapters.sklearn._space import grids_of, read_space
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.run import FAILED, Run
from hpo_explain.space import Array, SearchSpace

_TIMES = ("mean_fit_time", "mean_score_time")  # in seconds: shorter is better
_MEAN = "mean_test_"
_SPACES = ("param_grid", "param_distributions")
_PACKAGES = {"sklearn": "scikit-learn", "skopt": "skopt"}


def from_sklearn(
    search: Any,
    *,
    objective: str | None = None,
    level: float | None = None,
    space: SearchSpace | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read a fitted search of scikit-learn, or one with the same interface.

    Trial numbers are the rows of ``cv_results_``. No model chooses the configurations of a grid or
    random search, so none of them is a proposal. A BayesSearchCV over a single space keeps skopt's
    models, and an OptunaSearchCV is read as its study; both keep the scores of the folds.

    Parameters
    ----------
    search : GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV, HalvingRandomSearchCV, ...
        A fitted search with ``cv_results_``, also BayesSearchCV (skopt) and OptunaSearchCV
        (optuna-integration).
    objective : str, optional
        The metric to explain, if the search has several, such as "f1" or "mean_test_f1", or the
        time "mean_fit_time" or "mean_score_time", in seconds. By default the metric of `refit`, or
        the only one.
    level : float, optional
        The resource of a halving search at which results are compared; by default the highest.
        Results at other resources are excluded.
    space : SearchSpace, optional
        The search space; by default that of the search. Lists of numbers become ranges and other
        lists choices, ``loguniform`` is logarithmic, and a hyperparameter of only some of several
        grids is conditional.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric.

    Returns
    -------
    Run
        The run. Scores are maximized, times minimized. Failed fits (NaN) are excluded, and
        ``run.instances`` holds the score of every fold.

    Raises
    ------
    InputError
        If the search is not fitted, or the `objective` or `level` does not exist.
    NothingToExplain
        If every fit failed.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import RandomizedSearchCV
    >>> import hpo_explain as hx
    >>> X, y = make_classification(60, random_state=0)
    >>> distributions = {"C": loguniform(1e-3, 1e3), "class_weight": [None, "balanced"]}
    >>> search = RandomizedSearchCV(
    ...     LogisticRegression(), distributions, n_iter=6, cv=3, random_state=0
    ... ).fit(X, y)
    >>> run = hx.from_sklearn(search)
    >>> run.space["C"].log, run.space["class_weight"].choices, run.proposals
    (True, (None, 'balanced'), ())
    >>> run.incumbent_trial == int(search.best_index_)
    True
    """
    kind = _kind(search)
    if kind == "OptunaSearchCV":
        return _of_study(search, objective, space, bounds)
    results = getattr(search, "cv_results_", None)
    if results is None or "params" not in results:
        problem = f"must be fitted, but was a {kind!r} without cv_results_"
        raise InputError("search", problem, kind, "Call its fit first.")
    given = _read_target(results, objective, getattr(search, "refit", None))
    if kind == "BayesSearchCV" and _is_default(search, given) and space is None:
        return _of_optimizer(search, given, bounds)
    run = _of_results(search, given, level, space, bounds)
    return with_default(run, search.estimator.get_params())


def _called(search: Any, target: _Target) -> str:
    """Return what the target is called: its scorer, else its column."""
    if target.metric != "score":
        return target.metric if target.column.startswith(_MEAN) else target.column
    scoring = getattr(search, "scoring", None)
    if scoring is None:
        scoring = "accuracy" if is_classifier(search.estimator) else "r2"
    return scoring if isinstance(scoring, str) else target.column


def _kind(search: Any) -> str:
    return type(search).__name__


def several_metrics(search: Any) -> list[str]:
    """Return the metrics of a search that has several and chose none of them, else nothing."""
    metrics = _metrics_of(getattr(search, "cv_results_", None) or {})
    chosen = isinstance(getattr(search, "refit", None), str)
    return metrics if len(metrics) > 1 and not chosen else []


# ---------------------------------------------------------------------- scikit-learn's own


def _of_results(
    search: Any,
    target: _Target,
    level: float | None,
    space: SearchSpace | None,
    bounds: tuple[float, float] | None,
) -> Run:
    results = search.cv_results_
    resource = _resource(search)
    configs = [_without(config, resource) for config in results["params"]]
    values = np.asarray(results[target.column], dtype=float)
    notes: list[Fact] = []
    read: SearchSpace | Encoded | None = space
    if space is None:
        own, X, notes = read_space(_grids(search), configs, range(len(configs)))
        read = Encoded(own, X, {})
    metrics = [name for name in _metrics_of(results) if name != target.metric]
    others = {name: results[f"{_MEAN}{name}"] for name in metrics}
    durations = _durations(results)
    failed = _failed(results)
    fidelity = results.get("n_resources", np.full(len(configs), np.nan))
    run = run_of(
        {
            i: Evaluation(
                config,
                float(values[i]),
                FAILED if failed[i] else None,
                _origin(search),
                fidelity=float(fidelity[i]),
                duration=float(durations[i]),
                attributes={name: float(others[name][i]) for name in others},
            )
            for i, config in enumerate(configs)
        },
        read,
        Source("search", _label(search), target.direction, _called(search, target), resource),
        level=level,
        bounds=bounds,
        notes=notes,
    )
    kept = np.asarray(run.trials)
    about = _about_refit(search, target, values, kept)
    return replace(
        run,
        notes=[*run.notes, *about],
        instances=instances_of(run.X, _folds(results, target.metric)[kept]),
    )


def _durations(results: Mapping[str, Any]) -> Array:
    """Return the mean time of fitting and scoring once, in seconds, NaN where it is not known."""
    unknown = np.full(len(results["params"]), np.nan)
    known = [np.asarray(results[n], float) for n in _TIMES if n in results]
    return np.sum(known, axis=0) if known else unknown


def _label(search: Any) -> str:
    module = type(search).__module__.partition(".")[0]
    return f"{_PACKAGES.get(module, module)}'s {_kind(search)}"


def _origin(search: Any) -> Origin:
    """Return who chose the trials: grids and random draws have no model, others may."""
    own = type(search).__module__.partition(".")[0] == "sklearn"
    return Origin.INITIAL if own else Origin.UNKNOWN


def _failed(results: Mapping[str, Any]) -> Any:
    """Return whether a fit failed: its score on a fold is missing."""
    metrics = _metrics_of(results)
    missing = [np.isnan(np.asarray(results[f"mean_test_{m}"], dtype=float)) for m in metrics]
    return np.any(missing, axis=0)


def _grids(search: Any) -> list[Mapping[str, Any]]:
    for name in _SPACES:
        given = getattr(search, name, None)
        if given is not None:
            return grids_of(given)
    spaces = [result.space for result in getattr(search, "optimizer_results_", [])]
    return [
        {d.name: list(getattr(d, "categories", ())) or d for d in space.dimensions}
        for space in spaces
    ]


def _resource(search: Any) -> str:
    """Return what a halving search gives more and more of; empty for other searches."""
    halves = "n_resources" in search.cv_results_
    return str(getattr(search, "resource", "n_resources")) if halves else ""


def _without(config: Mapping[str, Any], resource: str) -> Mapping[str, Any]:
    """Return a configuration without the resource, which is the same for all that count."""
    return {name: value for name, value in config.items() if name != resource}


def _about_refit(search: Any, target: _Target, values: Any, kept: Any) -> list[Fact]:
    """Note where the search itself chose another trial than the one of the best score."""
    chosen = getattr(search, "best_index_", None)
    if not callable(getattr(search, "refit", None)) or chosen is None or not target.metric:
        return []
    best = int(kept[np.argmax(values[kept])])
    if chosen not in kept or values[chosen] == values[best]:
        return []
    text = (
        f"refit: the search's own rule chose trial {chosen}; the best {target.column} is that of "
        f"trial {best}, which is called the best here"
    )
    return [fact(text)]


# ---------------------------------------------------------------------- other optimizers


def _is_default(search: Any, target: _Target) -> bool:
    """Say whether the target is what the optimizers of a BayesSearchCV saw, over a single space."""
    refit = search.refit if getattr(search, "multimetric_", False) else "score"
    return target.metric == refit and len(search.optimizer_results_) == 1


def _of_optimizer(search: Any, target: _Target, bounds: tuple[float, float] | None) -> Run:
    from hpo_explain.adapters.skopt.result import from_skopt

    run = replace(from_skopt(search, bounds=bounds), objective_name=_called(search, target))
    return _with_folds(run, _folds(search.cv_results_, target.metric))


def _of_study(
    search: Any,
    objective: str | None,
    space: SearchSpace | None,
    bounds: tuple[float, float] | None,
) -> Run:
    from hpo_explain.adapters.optuna.study import from_optuna

    study = getattr(search, "study_", None)
    if study is None:
        raise InputError(
            "search", "is an OptunaSearchCV that is not fitted", remedy="Call its fit."
        )
    if objective not in (None, "score", "mean_test_score"):
        problem = f"must be 'score' for an OptunaSearchCV, but was {objective!r}"
        raise InputError("objective", problem, objective)
    run = from_optuna(study, space=space, bounds=bounds)
    attributes = [trial.user_attrs for trial in study.get_trials(deepcopy=False)]
    k = int(getattr(search, "n_splits_", 0))
    scores = np.array(
        [[given.get(f"split{i}_test_score", np.nan) for i in range(k)] for given in attributes]
    )
    return _with_folds(run, scores.reshape(len(attributes), k))


def _with_folds(run: Run, scores: Any) -> Run:
    """Return a run with what its trials, rows of `scores` by number, achieved on folds."""
    numbers: Sequence[int] = np.asarray(run.trials).tolist()
    return replace(run, instances=instances_of(run.X, scores[numbers]))


# ---------------------------------------------------------------------- the table cv_results_


@dataclass(frozen=True)
class _Target:
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
        return "minimize" if self.column in _TIMES else "maximize"

    @property
    def metric(self) -> str:
        """The name of the metric; empty for a time."""
        return self.column.removeprefix(_MEAN) if self.column.startswith(_MEAN) else ""


def _metrics_of(results: Mapping[str, Any]) -> list[str]:
    """Return the names of the metrics, "score" where there is a single one without a name."""
    return [name.removeprefix(_MEAN) for name in results if name.startswith(_MEAN)]


def _read_target(results: Mapping[str, Any], asked: object, refit: object) -> _Target:
    """Return the column that is explained: the one asked for, that of `refit`, or the only one.

    Raises
    ------
    InputError
        If there is no such column, or several metrics and none of them was chosen.
    """
    metrics = _metrics_of(results)
    if asked is None:
        if isinstance(refit, str) and refit in metrics:
            return _Target(_MEAN + refit)
        if len(metrics) == 1:
            return _Target(_MEAN + metrics[0])
        raise InputError(
            "objective",
            f"is missing: the search has the metrics {', '.join(metrics)} and refit names none",
            remedy=(
                "Choose one, as in ",
                Option("objective", metrics[0] if metrics else "..."),
                ".",
            ),
        )
    if isinstance(asked, str) and asked in (*metrics, *_TIMES):
        return _Target(asked if asked in _TIMES else _MEAN + asked)
    if isinstance(asked, str) and asked in results and asked.startswith(_MEAN):
        return _Target(asked)
    raise unknown_name("objective", asked, [*metrics, *_TIMES], "metric")


def _folds(results: Mapping[str, Any], metric: str) -> Array:
    """Return the scores of each configuration on each fold, (n, k)."""
    found = {
        int(match[1]): np.asarray(results[name], dtype=float)
        for name in results
        if (match := re.fullmatch(rf"split(\d+)_test_{re.escape(metric)}", name))
    }
    n = len(results["params"])
    return np.column_stack([found[k] for k in sorted(found)]) if found else np.empty((n, 0))
