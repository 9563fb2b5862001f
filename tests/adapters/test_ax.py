import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run

ax = pytest.importorskip("ax", reason="ax-platform is not installed")


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_a_client_is_read_with_its_space_and_what_generated_each_trial():
    client = ax.Client(random_seed=0)
    client.configure_experiment(
        parameters=[
            ax.RangeParameterConfig(
                name="lr", parameter_type="float", bounds=(1e-4, 1.0), scaling="log"
            ),
            ax.RangeParameterConfig(name="n", parameter_type="int", bounds=(1, 5)),
            ax.ChoiceParameterConfig(name="k", parameter_type="str", values=["a", "b"]),
        ]
    )
    client.configure_optimization(objective="-loss")
    losses = {}
    for i in range(7):
        for trial, config in client.get_next_trials(1).items():
            if i == 2:
                client.mark_trial_failed(trial)
                continue
            losses[trial] = (config["lr"] - 0.1) ** 2 + config["n"]
            client.complete_trial(trial, raw_data={"loss": losses[trial]})
    run = as_run(client)
    assert list(run.space) == [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.IntParameter("n", 1, 5),
        hx.CategoricalParameter("k", ["a", "b"]),
    ]
    assert (run.direction, run.objective_name) == ("minimize", "loss")
    assert dict(zip(run.trials.tolist(), run.objective.tolist(), strict=True)) == losses
    table = client.summarize()
    for row in table.itertuples():
        if row.trial_index in losses:
            config = {"lr": row.lr, "n": row.n, "k": row.k}
            assert run.config(row.trial_index) == pytest.approx(config)
            assert (row.trial_index in run.proposals) == (row.generation_node == "MBM")
    assert run.proposals
    assert {t: why.kind for t, why in run.excluded.items()} == {2: "failed"}
    assert (run.finished >= run.started).all()


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_constraints_of_the_space_are_named():
    client = ax.Client(random_seed=0)
    client.configure_experiment(
        [ax.RangeParameterConfig(name=n, bounds=(0.0, 1.0), parameter_type="float") for n in "uv"],
        parameter_constraints=["u + 2*v <= 1.5"],
    )
    client.configure_optimization(objective="-loss")
    for _ in range(3):
        for trial, values in client.get_next_trials(max_trials=1).items():
            client.complete_trial(trial, raw_data={"loss": values["u"]})
    (note,) = [n for n in hx.from_ax(client).notes if n.kind == "parameter_constraints"]
    assert "1·u + 2·v <= 1.5" in str(note)
