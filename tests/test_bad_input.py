"""What users get wrong, and what they are told: the argument, what it was, and the remedy."""

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain as hx


def study_of(n_trials, objective=None, **options):
    sampler = optuna.samplers.TPESampler(seed=0)
    study = optuna.create_study(sampler=sampler, **options)
    study.optimize(objective or (lambda trial: trial.suggest_float("x", 0, 1)), n_trials=n_trials)
    return study


def with_failures():
    def sometimes(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number == 12:
            raise RuntimeError
        return x

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(sometimes, n_trials=15, catch=(RuntimeError,))
    study.ask()  # trial 15 is never told
    return study


def two_objectives():
    return study_of(
        15, lambda trial: (trial.suggest_float("x", 0, 1), 1.0), directions=["minimize", "maximize"]
    )


TABLE = pd.DataFrame({"x": np.linspace(0, 1, 12), "loss": np.linspace(1, 2, 12) ** 2})

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
RUN = hx.Run(SPACE, TABLE[["x"]].to_numpy(), TABLE["loss"].to_numpy(), "minimize")


class Model:
    """A surrogate of somebody's own, which returns what it was told to."""

    space = SPACE

    def __init__(self, *returned):
        self.returned = returned

    def predict(self, X):
        parts = [part * np.ones(len(X)) if np.isscalar(part) else part for part in self.returned]
        return parts[0] if len(parts) == 1 else tuple(parts)


def shapley_of(model):
    return hx.ShapleyExplainer(hx.LowerConfidenceBound(model), background=10)


CASES = {
    "a frozen trial": (
        lambda: hx.explain_proposal(RUN, optuna.trial.create_trial(value=1.0)),
        ["trial must be the number of a trial", "FrozenTrial", "0-11"],
    ),
    "a configuration for a trial": (
        lambda: hx.explain_proposal(RUN, {"x": 0.5}),
        ["trial must be the number of a trial", "{'x': 0.5}"],
    ),
    "no acquisition": (
        lambda: hx.explain_proposal(RUN, 11, acquisition=None),
        ["acquisition must be an acquisition function", "None", "LowerConfidenceBound"],
    ),
    "a word for a surrogate": (
        lambda: hx.explain_proposal(RUN, 11, surrogate="gp"),
        ["surrogate must be a surrogate", "'gp'", "run.surrogate()"],
    ),
    "a surrogate for an acquisition": (
        lambda: hx.ShapleyExplainer(RUN.surrogate()),
        ["acquisition must be an acquisition function", "has no terms", "LowerConfidenceBound"],
    ),
    "a number for a hyperparameter": (
        lambda: hx.partial_dependence(RUN, 0),
        ["names must be a list of names", "was 0"],
    ),
    "a number for a list of trials": (
        lambda: hx.explain_predictions(RUN, 5),
        ["trials must be a list of numbers of trials", "was 5"],
    ),
    "a number for a list of proposals": (
        lambda: hx.desirability_path(RUN, 5),
        ["trials must be a list of numbers of proposals", "was 5"],
    ),
    "a quantile at the best objective": (
        lambda: hx.importance(
            hx.Run(SPACE, RUN.X, np.r_[np.zeros(9), 1.0, 2.0, 3.0], "minimize"), cap="50%"
        ),
        ["cap = '50%'", "is the best objective itself", "larger quantile"],
    ),
    "words for sections": (
        lambda: hx.report(RUN, "never.html", sections=["importance"]),
        ["sections", "'importance'", "hpo_explain.reporting"],
    ),
    "a surrogate that predicts nothing": (
        lambda: shapley_of(Model(np.nan, 0.1)),
        ["surrogate of acquisition", "predict(X)", "mean is nan"],
    ),
    "a surrogate without uncertainty": (
        lambda: hx.PartialDependenceExplainer(Model(1.0, None)),
        ["surrogate must", "predict(X)", "standard deviation has shape ()"],
    ),
    "a surrogate of a mean alone": (
        lambda: hx.LimeExplainer(Model(1.0)),
        ["surrogate must", "mean and standard deviation", "predict(X)"],
    ),
    "a surrogate of columns": (
        lambda: hx.FanovaExplainer(Model(np.ones((3, 1)), 0.1)),
        ["forest must", "predict(X)", "the mean has shape (3, 1)"],
    ),
    "a surrogate with negative standard deviations": (
        lambda: hx.PredictionExplainer(Model(1.0, -0.1)),
        ["surrogate must", "predict(X)", "negative"],
    ),
    "an empty study": (
        lambda: hx.from_optuna(optuna.create_study()),
        ["study", "no", "trial"],
    ),
    "one trial": (
        lambda: hx.trust(study_of(1)),
        ["1 finished trial", "at least 2", "Run more trials"],
    ),
    "a trial that does not exist": (
        lambda: hx.explain_proposal(study_of(12), 99),
        ["trial 99 does not exist", "0-11"],
    ),
    "a trial that failed": (
        lambda: hx.explain_proposal(with_failures(), 12),
        ["trial 12 was left out", "fail", "0-11, 13-14"],
    ),
    "a trial that is not finished": (
        lambda: hx.explain_proposal(with_failures(), 15),
        ["trial 15 was left out", "running", "0-11, 13-14"],
    ),
    "a trial of the initial design": (
        lambda: hx.explain_proposal(study_of(14), 3),
        ["trial 3", "initial design", "Proposals: 10-13"],
    ),
    "a study of nothing but an initial design": (
        lambda: hx.explain_proposal(study_of(5)),
        ["no proposal", "5 finished trials", "Run more trials"],
    ),
    "a constant objective": (
        lambda: hx.explain_proposal(
            study_of(14, lambda trial: 0 * trial.suggest_float("x", 0, 1) + 0.5), 12
        ),
        ["constant", "0.5", "nothing to explain"],
    ),
    "an unknown hyperparameter": (
        lambda: hx.from_frame(TABLE, objective="loss").space.index("lr"),
        ["unknown hyperparameter 'lr'", "There are: x"],
    ),
    "an unknown hyperparameter in a configuration": (
        lambda: hx.from_frame(TABLE, objective="loss").space.encode({"y": 0.1}),
        ["unknown hyperparameter 'y'", "x"],
    ),
    "several objectives without target": (
        lambda: hx.explain_proposal(two_objectives()),
        ["target", "2", "target="],
    ),
    "a frame without the column": (
        lambda: hx.trust(TABLE, objective="los"),
        ["objective", "'los'", "'loss'"],
    ),
    "a frame without saying what the objective is": (
        lambda: hx.trust(TABLE),
        ["objective="],
    ),
    "an objective that is no number": (
        lambda: hx.from_frame(TABLE.assign(loss="good"), objective="loss"),
        ["objective", "'loss'", "good"],
    ),
    "an unknown direction": (
        lambda: hx.from_frame(TABLE, objective="loss", direction="min"),
        ["direction must be one of 'minimize', 'maximize'", "'min'"],
    ),
    "an unknown acquisition": (
        lambda: hx.explain_proposal(study_of(12), 11, acquisition="ucb"),
        ["acquisition must be one of", "'ucb'"],
    ),
    "an unknown word for a trial": (
        lambda: hx.explain_proposal(study_of(12), "last"),
        ["trial must be one of 'latest', 'best'", "'last'"],
    ),
    "an unknown word for a background": (
        lambda: hx.explain_proposal(study_of(12), 11, background="everything"),
        [
            "background must be one of 'auto', 'global', 'local', 'hybrid', 'candidates', 'thesis'",
            "'everything'",
        ],
    ),
    "something that is no run": (
        lambda: hx.trust([1, 2, 3]),
        ["list", "optuna"],
    ),
    "an unknown kind of surrogate": (
        lambda: hx.from_optuna(study_of(12)).surrogate(kind="forrest"),
        ["kind must be one of 'auto', 'gp', 'forest'", "'forrest'"],
    ),
    "a surrogate before anything was known": (
        lambda: hx.from_optuna(study_of(12)).surrogate(before=1),
        ["1 finished trial before trial 1", "at least 2"],
    ),
}


@pytest.mark.parametrize(("mistake", "words"), CASES.values(), ids=CASES.keys())
def test_a_mistake_is_named_with_what_it_was_and_the_remedy(mistake, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are checked below
        mistake()
    text = str(caught.value)
    for word in words:
        assert word in text
    assert text.strip().endswith((".", ")"))
