import math
import os

import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run

if "KERAS_BACKEND" not in os.environ:
    os.environ["KERAS_BACKEND"] = "jax"  # the smallest that KerasTuner goes with
kt = pytest.importorskip("keras_tuner", reason="keras-tuner is not installed", exc_type=ImportError)

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]


def build(hp):
    rate = hp.Float("lr", 1e-4, 1e-1, sampling="log")
    hp.Fixed("version", 3)
    units = hp.Int("units", 16, 100, step=16)
    kind, gain = hp.Choice("act", ["relu", "tanh"]), 0.0
    hp.Boolean("bias")
    with hp.conditional_scope("act", ["tanh"]):
        if kind == "tanh":
            gain = hp.Float("gain", 0.0, 1.0, step=0.25)
    return (math.log10(rate) + 2.0) ** 2 + units / 100 + gain


def tuned(tuner, tmp_path, *, fails=lambda hp: False, **options):
    class Mine(tuner):
        def run_trial(self, trial, *args, **kwargs):
            if fails(trial.hyperparameters):
                raise kt.errors.FailedTrialError
            return {"loss": build(trial.hyperparameters)}

    made = Mine(
        objective=kt.Objective("loss", "min"),
        directory=tmp_path,
        project_name="p",
        overwrite=True,
        seed=0,
        **options,
    )
    made.search(verbose=0)
    return made


def test_a_tuner_is_read_with_its_space_and_who_chose_each_trial(tmp_path):
    tuner = tuned(kt.BayesianOptimization, tmp_path, max_trials=9, num_initial_points=4)
    run = as_run(tuner)
    assert {p.name: p for p in run.space} == {
        "lr": hx.FloatParameter("lr", 1e-4, 1e-1, log=True),
        "units": hx.IntParameter("units", 16, 96, step=16),
        "act": hx.CategoricalParameter("act", ["relu", "tanh"]),
        "bias": hx.CategoricalParameter("bias", [True, False]),
        "gain": hx.FloatParameter("gain", 0.0, 1.0, step=0.25, active_when={"act": ["tanh"]}),
    }
    trials = list(tuner.oracle.trials.values())
    assert run.objective.tolist() == [trial.score for trial in trials]
    for number, trial in enumerate(trials):
        values = trial.hyperparameters.values
        active = {n: values[n] for n in run.space.names if n != "gain" or values["act"] == "tanh"}
        assert run.config(number) == pytest.approx(active)
    assert (run.direction, run.optimizer) == ("minimize", "KerasTuner's BayesianOptimization")
    assert run.proposals == tuple(range(4, 9))
    best = tuner.get_best_hyperparameters()[0].values
    assert run.incumbent["lr"] == pytest.approx(best["lr"])


def test_random_and_failed_trials(tmp_path):
    tuner = tuned(
        kt.RandomSearch,
        tmp_path,
        max_trials=8,
        max_consecutive_failed_trials=8,
        fails=lambda hp: hp.values.get("act") == "tanh",
    )
    run = as_run(tuner.oracle)
    failed = [i for i, trial in enumerate(tuner.oracle.trials.values()) if trial.status == "FAILED"]
    assert sorted(run.excluded) == failed
    assert len(run) + len(failed) == 8
    assert run.proposals == ()
