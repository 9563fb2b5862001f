import math

import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run

tune = pytest.importorskip("flaml.tune", reason="flaml is not installed")

SPACE = {
    "lr": tune.loguniform(1e-4, 1e-1),
    "n": tune.randint(1, 10),
    "k": tune.choice(["a", "b"]),
    "q": tune.quniform(0.0, 1.0, 0.25),
    "fixed": 7,
}


def train(config):
    return {"loss": (math.log10(config["lr"]) + 2) ** 2 + config["n"] / 10 + (config["k"] == "b")}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_an_analysis_is_read_with_its_space():
    analysis = tune.run(train, config=SPACE, metric="loss", mode="min", num_samples=12, verbose=0)
    run = as_run(analysis)
    assert [*run.space] == [
        hx.FloatParameter("lr", 1e-4, 1e-1, log=True),
        hx.IntParameter("n", 1, 9),
        hx.CategoricalParameter("k", ["a", "b"]),
        hx.FloatParameter("q", 0.0, 1.0, step=0.25),
    ]
    assert run.objective.tolist() == [trial.last_result["loss"] for trial in analysis.trials]
    best = {name: analysis.best_config[name] for name in run.space.names}
    assert run.incumbent == pytest.approx(best)
    assert (run.direction, run.proposals) == ("minimize", ())
    assert len(as_run(analysis, optimizer="Optuna's TPE").proposals) == 12
    with pytest.raises(hx.base.InputError, match="Reported: "):
        hx.from_flaml(analysis, objective="accuracy")
