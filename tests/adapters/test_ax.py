import pickle

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from tests.noted import the_note

ax = pytest.importorskip("ax", reason="ax-platform is not installed")
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]


def client_of(*parameters, **options):
    client = ax.Client(random_seed=0)
    client.configure_experiment(parameters=[*parameters], **options)
    client.configure_optimization(objective="-loss")
    return client


def number(name, low=0.0, high=1.0, kind="float", **options):
    return ax.RangeParameterConfig(name=name, bounds=(low, high), parameter_type=kind, **options)


def choice(name, *values, **options):
    return ax.ChoiceParameterConfig(name=name, values=[*values], parameter_type="str", **options)


def test_a_client_is_read_with_its_space_and_what_generated_each_trial():
    client = client_of(
        number("lr", 1e-4, 1.0, scaling="log"), number("n", 1, 5, "int"), choice("k", "a", "b")
    )
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


def test_constraints_of_the_space_are_named():
    constraints = ["u + 2*v <= 1.5"]
    client = client_of(number("u"), number("v"), parameter_constraints=constraints)
    for _ in range(3):
        for trial, values in client.get_next_trials(max_trials=1).items():
            client.complete_trial(trial, raw_data={"loss": values["u"]})
    assert the_note(hx.from_ax(client).notes, "constraints: Ax keeps to 1·u + 2·v <= 1.5, and")


@pytest.fixture(scope="module")
def tuned():
    """Return a client that was told ten trials with standard errors, and then asked for two."""
    client = client_of(number("u", 1e-3, 1.0, scaling="log"), number("v"))
    space = hx.SearchSpace(
        [hx.FloatParameter("u", 1e-3, 1.0, log=True), hx.FloatParameter("v", 0.0, 1.0)]
    )
    for config in space.decode(space.sample(10, seed=0)):
        trial = client.attach_trial(config)
        client.complete_trial(trial, raw_data={"loss": (_loss(config), 0.05)})
    while len(list(hx.from_ax(client).proposals)) < 2:
        for trial, config in client.get_next_trials(max_trials=1).items():
            client.complete_trial(trial, raw_data={"loss": (_loss(config), 0.05)})
    return client


def _loss(config):
    return (np.log10(config["u"]) + 1.0) ** 2 + config["v"]


def test_the_model_behind_a_proposal_is_the_one_that_ax_predicts_with(tuned):
    run = hx.from_ax(tuned)
    # Ax keeps the model that generated the last trial
    own, X = (run.surrogate(before=run.proposals[-1]), run.space.sample(50, seed=1))
    found = [found["loss"] for found in tuned.predict(run.space.decode(X))]
    np.testing.assert_allclose(np.transpose(own.predict(X)), found, rtol=1e-6)
    assert own.learned_from(run.X).tolist() == [True] * (len(run) - 1) + [False]
    shown = hx.explain_proposal(run, run.proposals[-1], background=50)
    assert (shown.subject.model, shown.subject.assumed) == ("Ax's GP", True)


def test_the_model_of_all_trials_knows_their_standard_errors(tuned):
    run = pickle.loads(pickle.dumps(hx.from_ax(tuned)))
    model = run.surrogate()
    assert model.noise_std == pytest.approx(0.05)
    assert model.learned_from(run.X).all()
    assert the_note(run.notes, "the standard errors that loss was told with are known to Ax's own")


def test_a_process_over_unordered_choices_is_not_taken_for_one_over_numbers():
    client = client_of(number("u"), choice("k", "a", "b", "c", is_ordered=False))
    for i in range(6):
        trial = client.attach_trial({"u": i / 5, "k": "abc"[i % 3]})
        client.complete_trial(trial, raw_data={"loss": (i / 5 + (i % 3 == 1), 0.1)})
    while not hx.from_ax(client).proposals:
        for trial, values in client.get_next_trials(max_trials=1).items():
            client.complete_trial(trial, raw_data={"loss": (values["u"], 0.1)})
    run = hx.from_ax(client)
    assert run.record is None
    assert run.surrogate().label == "a GP"
    assert the_note(run.notes, "the standard errors that loss was told with are left out")
