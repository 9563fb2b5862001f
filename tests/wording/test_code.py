"""Code to paste is executed, for every kind of action and every framework."""

import optuna
import pytest
import skopt
from skopt.space import Categorical, Integer, Real

import hpo_explain as hx
from hpo_explain.explanations.advice import changed_to

PARAMETERS = [
    hx.FloatParameter("lr", 1e-4, 0.01234567, log=True),
    hx.IntParameter("depth", 2, 8, step=2),
    hx.CategoricalParameter("kind", ["a", None, True]),
    hx.FloatParameter("a name", 0.0, 0.5),
]
FIXED = [
    hx.FloatParameter("lr", 0.0123456789, 0.0123456789),
    hx.CategoricalParameter("kind", ["a"]),
]
CONFIG = {"lr": 0.001, "kind": None}


def executed(action, framework, **given):
    known = {"hpo_explain": hx, "optuna": optuna, "skopt": skopt, **given}
    exec(hx.Action(**{**action.__dict__, "framework": framework}).code, known)
    return known


@pytest.mark.parametrize("kind", ["narrow", "widen", "rescale", "branch", "beware"])
def test_optuna_searches_what_was_advised(kind):
    def objective(trial):
        found = executed(changed_to(kind, PARAMETERS), "optuna", trial=trial)
        assert (found["lr"], found["depth"]) == (trial.params["lr"], trial.params["depth"])
        return 0.0

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=1)
    found = study.trials[0].distributions
    assert found["lr"] == optuna.distributions.FloatDistribution(1e-4, 0.01235, log=True)
    assert found["depth"] == optuna.distributions.IntDistribution(2, 8, step=2)
    assert found["kind"].choices == ("a", None, True)
    assert found["a name"].high == 0.5


def test_optuna_fixes_and_enqueues():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    with pytest.warns(optuna.exceptions.ExperimentalWarning):  # PartialFixedSampler
        executed(changed_to("fix", FIXED), "optuna", study=study)
    executed(hx.Action("try", configurations=(CONFIG,)), "optuna", study=study)
    executed(hx.Action("repeat", configurations=(CONFIG, CONFIG), times=2), "optuna", study=study)

    def objective(trial):
        trial.suggest_categorical("kind", ["a", None])
        return trial.suggest_float("lr", 1e-4, 1.0)

    study.optimize(objective, n_trials=6)
    assert [trial.params["lr"] for trial in study.trials] == [0.001] * 5 + [0.0123456789]
    assert [trial.params["kind"] for trial in study.trials] == [None] * 5 + ["a"]


def test_skopt_searches_fixes_and_evaluates():
    found = executed(changed_to("narrow", [PARAMETERS[0], PARAMETERS[2]]), "skopt")
    assert found["lr"] == Real(1e-4, 0.01235, prior="log-uniform", name="lr")
    assert found["kind"] == Categorical(["a", None, True], name="kind")
    integer = executed(changed_to("widen", [hx.IntParameter("depth", 1, 20)]), "skopt")["depth"]
    assert integer == Integer(1, 20, name="depth")
    fixed = executed(changed_to("fix", FIXED), "skopt")
    assert fixed["lr"].categories == (0.0123456789,)
    point = executed(hx.Action("try", configurations=(CONFIG,)), "skopt")["x"]
    assert point == [0.001, None]


def test_any_other_run_gets_hyperparameters_and_values():
    found = executed(changed_to("narrow", PARAMETERS), "")
    assert found["lr"] == hx.FloatParameter("lr", 1e-4, 0.01235, log=True)
    assert [found["depth"], found["kind"], found["parameter"]] == PARAMETERS[1:]
    assert executed(changed_to("fix", FIXED), "")["fixed"] == {"lr": 0.0123456789, "kind": "a"}
    several = hx.Action("repeat", configurations=(CONFIG, {"lr": 1.0}), times=2)
    assert executed(several, "")["configs"] == [CONFIG, {"lr": 1.0}] * 2
    assert hx.Action("stop").code == ""
