"""Ask what the objective depends on, how, and where to search on.

python examples/what_matters.py --trials 40
"""

from __future__ import annotations

import argparse

import optuna

import hpo_explain as hx
from hpo_explain.adapters.optuna import FanovaImportanceEvaluator
from hpo_explain.methods.runs.sampling_bias import sampling_bias


def loss(trial: optuna.Trial) -> float:
    """Return the loss of one configuration; stands for a training."""
    kernel = trial.suggest_categorical("kernel", ["rbf", "sigmoid"])
    c = trial.suggest_float("C", 1e-3, 1e3, log=True)
    gamma = trial.suggest_float("gamma", 1e-5, 1e1, log=True)
    return float((c**0.1 - 1.0) ** 2 + (gamma**0.1 * c**0.05 - 0.6) ** 2 + 0.1 * (kernel != "rbf"))


def main() -> None:
    """Run a study and look at the whole space."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=40)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(loss, n_trials=parser.parse_args().trials)
    run = hx.from_optuna(study)

    # by the better model, with 95 % intervals
    importance = hx.importance(run, order=2)
    print(importance)
    importance.plot()
    importance.marginal("C", "gamma").plot()
    # within the better half: what is worse counts as the median
    hx.importance(run, cap="50%")
    hx.importance(run, given={"kernel": ["rbf"]})  # within a sub-space
    optuna.importance.get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))

    effect = hx.partial_dependence(run, "C")
    print(effect.sentence)
    hx.partial_dependence(run, "C", regions=True).plot()  # where the model is certain of the effect
    hx.methods.h_statistic(run).plot()  # which hyperparameters act together
    print(sampling_bias(run))  # how far the trials are from a uniform sample

    # values that can be left out, and what can stay fixed
    recommendation = hx.recommended_space(run)
    print(recommendation.to_frame())
    print(recommendation.space)
    study = hx.advise(run).apply(study)  # begins with what is advised


if __name__ == "__main__":
    main()
