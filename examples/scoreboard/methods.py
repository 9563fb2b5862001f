"""The methods: each is a function from a study to a number per hyperparameter, by name.

All have their authors' defaults. Add yours, with what it estimates::

    from examples.scoreboard.methods import METHODS, Method

    METHODS["mine"] = Method(lambda study: my_importances(study), "variance explained alone")

`ESTIMANDS` lists what there is to estimate. `rival` says which of ours it is compared with.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, IntDistribution
from optuna.importance import (
    BaseImportanceEvaluator,
    FanovaImportanceEvaluator,
    MeanDecreaseImpurityImportanceEvaluator,
    PedAnovaImportanceEvaluator,
    get_param_importances,
)
from scipy.stats import pearsonr
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance

import hpo_explain as hx
from tests.claims.problem import Problem

Shares = dict[str, float]
ALONE, TOTAL, TOP = "ours, alone", "ours, with interactions", "ours, best 10 %"


class Method(NamedTuple):
    """A method of importance.

    Attributes
    ----------
    shares : callable
        From a study to a number per hyperparameter; one that is missing counts 0.
    estimand : str
        What it estimates, a key of `ESTIMANDS`.
    rival : str
        Which of ours it is compared with; empty of our own.
    needs : str
        A package that it needs.
    asks : callable
        Whether it can be asked of a problem.
    is_slow : bool
        Whether it is asked of the smallest runs of the first seed alone.
    """

    shares: Callable[[optuna.Study], Shares]
    estimand: str
    rival: str = ALONE
    needs: str = ""
    asks: Callable[[Problem], bool] = lambda problem: True
    is_slow: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether what it needs is there."""
        return not self.needs or find_spec(self.needs) is not None


@lru_cache(maxsize=2)  # two numbers are of one answer, whose claims are asked afterwards
def answer(study: optuna.Study, top: float | None = None) -> Any:
    """Return our importance of a study."""
    return hx.importance(study, top=top)


def _ours(column: str, top: float | None = None) -> Callable[[optuna.Study], Shares]:
    return lambda study: answer(study, top).importance[column].to_dict()


def _optuna(make: Callable[[], BaseImportanceEvaluator]) -> Callable[[optuna.Study], Shares]:
    return lambda study: get_param_importances(study, evaluator=make())


def _ranges(study: optuna.Study) -> dict[str, Any]:
    """Return every hyperparameter of a study and its distribution."""
    return {k: d for trial in study.trials for k, d in trial.distributions.items()}


def _table(study: optuna.Study) -> tuple[np.ndarray, np.ndarray]:
    """Return values and objectives; categories are numbered, what is inactive lies below all."""
    ranges, X = _ranges(study), []
    for trial in study.trials:
        row = []
        for name, kind in ranges.items():
            if name not in trial.params:
                row.append(2.0 * kind.low - kind.high)
            else:
                row.append(float(kind.to_internal_repr(trial.params[name])))
        X.append(row)
    return np.array(X), np.array([trial.value for trial in study.trials])


@lru_cache(maxsize=1)
def _forest(study: optuna.Study) -> RandomForestRegressor:
    return RandomForestRegressor(random_state=0).fit(*_table(study))


def mean_abs_shap(study: optuna.Study) -> Shares:
    """Mean |shap| of the trials, by TreeExplainer of scikit-learn's forest."""
    import shap

    found = shap.TreeExplainer(_forest(study)).shap_values(_table(study)[0])
    return dict(zip(_ranges(study), np.abs(found).mean(axis=0), strict=True))


def permutation(study: optuna.Study) -> Shares:
    """Permutation importance of scikit-learn's forest on the trials; negative ones count 0."""
    found = permutation_importance(_forest(study), *_table(study), random_state=0)
    return dict(zip(_ranges(study), np.maximum(found.importances_mean, 0.0), strict=True))


def correlation(study: optuna.Study) -> Shares:
    """Return the absolute linear correlation with the objective, where it is active, as W&B."""
    found = {}
    for name, kind in _ranges(study).items():
        trials = [trial for trial in study.trials if name in trial.params]
        values = [float(kind.to_internal_repr(trial.params[name])) for trial in trials]
        objectives = [trial.value for trial in trials]
        varies = len(set(values)) > 1 and len(set(objectives)) > 1
        found[name] = abs(pearsonr(values, objectives)[0]) if varies else 0.0
    return found


def hypershap(study: optuna.Study) -> Shares:
    """Tunability from the middle of the space, by HyperSHAP's forest of the trials."""
    import ConfigSpace
    from hypershap import ExplanationTask, HyperSHAP

    space = ConfigSpace.ConfigurationSpace(seed=0)
    for name, kind in _ranges(study).items():
        if isinstance(kind, CategoricalDistribution):
            space.add(ConfigSpace.Categorical(name, kind.choices, default=kind.choices[-1]))
        elif isinstance(kind, IntDistribution) or kind.step:  # it knows no steps
            levels = round((kind.high - kind.low) / kind.step)
            space.add(ConfigSpace.Integer(name, (0, levels), default=(levels + 1) // 2))
        else:
            space.add(ConfigSpace.Float(name, (kind.low, kind.high)))
    data = []
    for trial in study.trials:
        values = dict(trial.params)
        for name, kind in _ranges(study).items():
            if getattr(kind, "step", None):
                values[name] = round((values[name] - kind.low) / kind.step)
        data.append((ConfigSpace.Configuration(space, values=values), -trial.value))  # it maximizes
    task = ExplanationTask.from_data(space, data)
    found = HyperSHAP(task).tunability(index="SV", order=1)
    return {name: max(float(found[(j,)]), 0.0) for j, name in enumerate(space)}


def ax_sobol(study: optuna.Study) -> Shares:
    """Total Sobol indices of the Gaussian process that Ax fits, as its sensitivity plot shows."""
    from ax.adapter.registry import Generators
    from ax.api.client import Client
    from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
    from ax.utils.sensitivity.sobol_measures import ax_parameter_sens

    logging.getLogger("ax.api.client").setLevel(logging.ERROR)  # it tells of each trial
    client, parameters = Client(), []
    for name, kind in _ranges(study).items():
        if isinstance(kind, CategoricalDistribution):
            config = ChoiceParameterConfig(name, list(kind.choices), "str", is_ordered=True)
        else:
            of_int = isinstance(kind, IntDistribution)
            config = RangeParameterConfig(
                name, (kind.low, kind.high), "int" if of_int else "float", step_size=kind.step
            )
        parameters.append(config)
    client.configure_experiment(parameters)
    client.configure_optimization("-loss")
    for trial in study.trials:
        index = client.attach_trial(trial.params)
        client.complete_trial(index, raw_data={"loss": float(trial.value)})
    experiment = client._experiment
    adapter = Generators.BOTORCH_MODULAR(experiment=experiment, data=experiment.lookup_data())
    (found,) = ax_parameter_sens(adapter, order="total", signed=False).values()
    numbers = dict.fromkeys(_ranges(study), 0.0)
    for name, value in found.items():  # a choice has a column of its own name
        numbers[next(p for p in numbers if name.startswith(p))] += float(value)
    return numbers


def has_conditions(problem: Problem) -> bool:
    """Whether some hyperparameters are not always there."""
    return any(p.active_when for p in problem.space.parameters)


def _suits_hypershap(problem: Problem) -> bool:
    """Whether 2^d games of 10,000 configurations each take seconds."""
    return not has_conditions(problem) and len(problem.space) <= 5


METHODS: dict[str, Method] = {
    ALONE: Method(_ours("importance"), "variance explained alone", ""),
    TOTAL: Method(_ours("with_interactions"), "variance explained with interactions", ""),
    TOP: Method(_ours("importance", 0.1), "best 10 %: variance explained alone", ""),
    "fANOVA of Optuna": Method(
        _optuna(lambda: FanovaImportanceEvaluator(seed=0)), "variance explained alone"
    ),
    "MDI of Optuna": Method(
        _optuna(lambda: MeanDecreaseImpurityImportanceEvaluator(seed=0)),
        "variance explained, interactions divided",
    ),
    "PED-ANOVA of Optuna": Method(
        _optuna(PedAnovaImportanceEvaluator), "best 10 %: Pearson divergence", TOP
    ),
    "PED-ANOVA of Optuna, global": Method(
        _optuna(lambda: PedAnovaImportanceEvaluator(evaluate_on_local=False)),
        "best 10 %: Pearson divergence",
        TOP,
    ),
    "mean absolute shap": Method(mean_abs_shap, "mean absolute Shapley value"),
    "permutation": Method(permutation, "variance explained with interactions", TOTAL),
    "correlation": Method(correlation, "absolute correlation"),
    "HyperSHAP": Method(
        hypershap,
        "Shapley value of tunability",
        needs="hypershap",
        asks=_suits_hypershap,
        is_slow=True,
    ),
    "Sobol of Ax": Method(
        ax_sobol,
        "variance explained with interactions",
        TOTAL,
        needs="ax",
        asks=lambda problem: not has_conditions(problem),
        is_slow=True,
    ),
    "equal shares": Method(
        lambda study: dict.fromkeys(_ranges(study), 1.0), "variance explained alone"
    ),
}


def shares_of(method: Method, study: optuna.Study, names: tuple[str, ...]) -> np.ndarray:
    """Return what a method finds, divided by its sum; equal shares where that is 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = method.shares(study)
    numbers = np.array([found.get(name, 0.0) for name in names], float)
    return normalized(numbers)


def normalized(numbers: np.ndarray) -> np.ndarray:
    """Return numbers over their sum; equal ones where that is not above 0."""
    whole = numbers.sum()
    return numbers / whole if whole > 0.0 else np.full(len(numbers), 1.0 / len(numbers))
