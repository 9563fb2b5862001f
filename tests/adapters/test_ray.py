import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from tests.noted import the_note

tune = pytest.importorskip("ray.tune", reason="ray[tune] is not installed")

SPACE = {
    "lr": tune.loguniform(1e-4, 1.0),
    "kind": tune.choice(["a", None]),
    "layer": {"width": tune.randint(1, 5), "grid": tune.grid_search([1, 2, 4])},
    "constant": 7,
}


def train(config):
    if config["layer"]["width"] == 4:
        raise ArithmeticError
    for i in range(3 if config["lr"] < 0.1 else 2):
        tune.report({"loss": np.log10(config["lr"]) ** 2 + 1.0 / (i + 1)})


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    import ray

    ray.init(num_cpus=1, include_dashboard=False, logging_level=50, log_to_driver=False)
    tuner = tune.Tuner(
        train,
        param_space=SPACE,
        tune_config=tune.TuneConfig(metric="loss", mode="min", num_samples=4),
        run_config=tune.RunConfig(verbose=0, storage_path=str(tmp_path_factory.mktemp("ray"))),
    )
    yield tuner.fit()
    ray.shutdown()


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_a_result_grid_is_read_with_its_space_and_its_iterations(results):
    run = as_run(results, space=SPACE)
    assert run.space.names == ("lr", "kind", "layer/width", "layer/grid")
    assert run.space["lr"] == hx.FloatParameter("lr", 1e-4, 1.0, log=True)
    assert run.space["kind"] == hx.CategoricalParameter("kind", ["a", None])
    assert run.space["layer/width"] == hx.IntParameter("layer/width", 1, 4)
    listed = list(results)
    for trial, value in zip(run.trials.tolist(), run.objective.tolist(), strict=True):
        config = listed[trial].config
        assert value == listed[trial].metrics["loss"]
        assert run.config(trial) == pytest.approx(
            {
                "lr": config["lr"],
                "kind": config["kind"],
                "layer/width": config["layer"]["width"],
                "layer/grid": config["layer"]["grid"],
            }
        )
    failed = {i for i, result in enumerate(listed) if result.error is not None}
    assert {t for t, why in run.excluded.items() if why.kind == "failed"} == failed
    reached = {
        i for i, r in enumerate(listed) if not r.error and r.metrics["training_iteration"] == 3
    }
    assert {*run.trials.tolist()} == reached
    assert run.proposals == ()
    assert run.origin(run.trials[0]) is hx.base.Origin.INITIAL
    assert hx.from_ray(results, space=SPACE, optimizer="BOHB").proposals == tuple(run.trials)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_without_a_space_it_is_inferred_and_said(results):
    run = as_run(results)
    assert "constant" not in run.space.names
    assert the_note(run.notes, "space: not on record")
    with pytest.raises(hx.base.InputError, match="a metric that trials reported"):
        hx.from_ray(results, objective="accuracy")
