from functools import partial
from types import SimpleNamespace as Ns

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.hyperopt._space import read_graph
from tests.noted import noted, the_note

hyperopt = pytest.importorskip("hyperopt", reason="hyperopt is not installed")
hp = hyperopt.hp

POWER = {"name": hp.randint("power", 2, 5)}
FOREST = {
    "type": "forest",
    "trees": hp.uniformint("trees", 1, 9),
    "criterion": hp.choice("criterion", ["gini", POWER]),
}
UNKNOWN = "Hyperopt does not record the algorithm that chose the trials"
SPACE = {
    "lr": hp.loguniform("lr", np.log(1e-4), np.log(1.0)),
    "model": hp.choice("model", [{"type": "svm", "C": hp.uniform("C", 0.5, 2.0)}, FOREST]),
}


def loss(config):
    if config["model"]["type"] == "svm":
        return abs(np.log(config["lr"]) + 4.0) + config["model"]["C"]
    return abs(np.log(config["lr"]) + 4.0) + 0.1 * config["model"]["trees"]


def trials_of(n, algo=hyperopt.tpe.suggest, objective=loss, space=SPACE, trials=None, **options):
    trials = hyperopt.Trials() if trials is None else trials
    options |= {"rstate": np.random.default_rng(0), "show_progressbar": False}
    hyperopt.fmin(objective, space, algo=algo, max_evals=n, trials=trials, **options)
    return trials


@pytest.fixture(scope="module")
def searched():
    return trials_of(26)


# ---------------------------------------------------------------------- trials


def test_trials_are_read_as_fmin_evaluated_them(searched):
    run = as_run(searched, space=SPACE)
    assert run.objective.tolist() == searched.losses()
    assert run.direction == "minimize"
    assert run.incumbent_trial == searched.best_trial["tid"]
    for trial, document in zip(run.trials, searched.trials, strict=True):
        values = {k: v[0] for k, v in document["misc"]["vals"].items() if v}
        given = hyperopt.space_eval(SPACE, values)
        config = run.config(int(trial))
        assert config.pop("lr") == pytest.approx(given["lr"])
        assert config.pop("model") == given["model"]["type"]
        inside = {k: v for k, v in given["model"].items() if k != "type"}
        criterion = inside.get("criterion")
        if criterion == "gini":
            assert config.pop("criterion") == 0
        elif criterion:
            assert (config.pop("criterion"), config.pop("power")) == (1, criterion["name"])
        inside.pop("criterion", None)
        assert config == pytest.approx(inside)


def test_what_stands_below_a_choice_is_active_under_it(searched):
    space = hx.from_hyperopt(searched, space=SPACE).space
    assert space["C"] == hx.FloatParameter("C", 0.5, 2.0, active_when={"model": ["svm"]})
    assert space["trees"] == hx.IntParameter("trees", 1, 9, active_when={"model": ["forest"]})
    power = {"model": ["forest"], "criterion": [1]}
    assert space["power"] == hx.IntParameter("power", 2, 4, active_when=power)
    assert space["lr"].log
    assert (space["lr"].low, space["lr"].high) == pytest.approx((1e-4, 1.0))


@pytest.mark.parametrize("raised", [False, True])
def test_failed_trials_are_left_out_and_remembered(raised):
    def sometimes(config):
        if config["model"]["type"] == "svm":
            if raised:
                raise ArithmeticError
            return {"status": hyperopt.STATUS_FAIL}
        return {"status": hyperopt.STATUS_OK, "loss": loss(config)}

    trials = trials_of(8, objective=sometimes, catch_eval_exceptions=raised)
    run = hx.from_hyperopt(trials, space=SPACE)
    assert 0 < len(run) < 8
    assert len(run) + len(run.excluded) == 8
    assert {why.kind for why in run.excluded.values()} == {"failed"}
    assert {given.state for given in run.without_result.values()} == {"failed"}
    if not raised:  # Hyperopt keeps none of those that raised
        failed = [d["tid"] for d in trials.trials if d["result"]["status"] == "fail"]
        assert [*run.excluded] == failed


# ---------------------------------------------------------------------- who chose them


def test_proposals_of_tpe_are_known_by_its_marks(searched):
    run = hx.from_hyperopt(searched, space=SPACE)
    assert run.optimizer == "Hyperopt's TPE"
    assert run.proposals == tuple(range(20, 26))
    assert run.origin(3) is hx.base.Origin.INITIAL
    assert not noted(run.notes, UNKNOWN)
    early = trials_of(9, algo=partial(hyperopt.tpe.suggest, n_startup_jobs=5))
    assert hx.from_hyperopt(early, space=SPACE).proposals == (5, 6, 7, 8)


@pytest.mark.parametrize("algo", [hyperopt.rand.suggest, hyperopt.anneal.suggest])
def test_random_and_annealed_trials_are_no_proposals(algo):
    trials = trials_of(24, algo=algo)
    run = hx.from_hyperopt(trials, space=SPACE)
    assert run.proposals == ()
    assert the_note(run.notes, UNKNOWN)
    known = hx.from_hyperopt(trials, space=SPACE, algo=algo)
    assert known.proposals == ()
    assert known.origin(23) is hx.base.Origin.INITIAL
    assert not noted(known.notes, UNKNOWN)


def test_points_that_a_user_gave_are_not_proposals():
    from hyperopt.fmin import generate_trials_to_calculate

    # TPE wants values of the inactive ones, too
    points = [
        {"lr": 10.0**-i, "model": 0, "C": float(i), "trees": 3, "criterion": 1, "power": 2}
        for i in (1, 2)
    ]
    trials = generate_trials_to_calculate(points)
    trials_of(24, trials=trials)
    run = hx.from_hyperopt(trials, space=SPACE)
    assert run.config(1) == pytest.approx({"lr": 0.01, "model": "svm", "C": 2.0})
    assert run.origin(0) is run.origin(1) is hx.base.Origin.ENQUEUED
    assert run.proposals == tuple(range(20, len(run)))


def test_marks_that_a_database_has_removed_are_not_guessed(searched):
    def without_marks(misc):
        """NumPy's numbers have become Python's own."""
        return {
            part: {k: np.array(v).tolist() for k, v in misc[part].items()}
            for part in ("vals", "idxs")
        }

    documents = [{**d, "misc": without_marks(d["misc"])} for d in searched.trials]
    stored = Ns(miscs=searched.miscs, trials=documents)
    run = hx.from_hyperopt(stored, space=SPACE)
    assert run.proposals == ()
    assert the_note(run.notes, UNKNOWN)
    known = hx.from_hyperopt(stored, space=SPACE, algo=hyperopt.tpe.suggest)
    assert known.proposals == tuple(range(20, 26))
    assert the_note(known.notes, "the first 20 trials count as drawn at random")


# ---------------------------------------------------------------------- the space


def test_one_that_stands_below_several_choices_is_active_under_each():
    shared = hp.uniform("x", 0.0, 1.0)
    several = {"m": hp.choice("m", [{"t": "a", "x": shared}, {"t": "b", "x": shared}, "c"])}
    found = read_graph(several, {}).space["x"]
    # the third option has no key "t", so that options are called by their numbers
    assert dict(found.active_when) == {"m": (0, 1)}
    always = {"x": shared, "m": hp.choice("m", [shared, 0])}
    assert not read_graph(always, {}).space["x"].active_when
    two = {"a": hp.choice("a", [shared, 0]), "b": hp.choice("b", [shared, 0])}
    graph = read_graph(two, {})
    assert graph.space["x"].optional == pytest.approx(0.75)
    assert the_note(graph.notes, "x: stands below several choices")


def test_without_a_space_it_is_inferred_and_said(searched):
    run = hx.from_hyperopt(searched)
    assert run.objective.tolist() == searched.losses()
    assert the_note(run.notes, "space: not on record")
    assert dict(run.space["C"].active_when) == {"model": (0,)}


def test_a_space_that_does_not_fit_is_refused(searched):
    with pytest.raises(hx.base.InputError, match="lacks lr") as error:
        hx.from_hyperopt(searched, space={"C": hp.uniform("C", 0, 1)})
    assert error.value.argument == "space"
    with pytest.raises(hx.base.NothingToExplain):
        hx.from_hyperopt(hyperopt.Trials())
