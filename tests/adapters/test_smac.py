import copy
import pickle

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.configspace import read_configspace
from hpo_explain.adapters.sources import as_runs
from hpo_explain.space import Range
from tests.all_orders import by_all_orders
from tests.noted import noted, the_note

pytestmark = pytest.mark.merge

CS = pytest.importorskip("ConfigSpace", reason="ConfigSpace is not installed")


def space_of(*conditions, forbidden=()):
    space = CS.ConfigurationSpace(seed=0)
    space.add(
        CS.Float("lr", (1e-4, 1.0), log=True),
        CS.Categorical("kernel", ["rbf", "poly", "linear"]),
        CS.Integer("degree", (1, 5)),
        CS.OrdinalHyperparameter("size", ["s", "m", "l"]),
        CS.Constant("version", 3),
        CS.Float("x", (0.0, 1.0)),
    )
    for clause in (*conditions, *forbidden):
        space.add(clause(space))
    return space


def equals(child, parent, value):
    return lambda space: CS.EqualsCondition(space[child], space[parent], value)


def joined(conjunction, *conditions):
    return lambda space: conjunction(*(condition(space) for condition in conditions))


# ---------------------------------------------------------------------- ConfigSpace


@pytest.mark.parametrize(
    ("condition", "active_when"),
    [
        (equals("x", "kernel", "rbf"), {"kernel": ("rbf",)}),
        (
            lambda s: CS.InCondition(s["x"], s["kernel"], ["rbf", "poly"]),
            {"kernel": ("rbf", "poly")},
        ),
        (
            lambda s: CS.NotEqualsCondition(s["x"], s["kernel"], "rbf"),
            {"kernel": ("poly", "linear")},
        ),
        (lambda s: CS.GreaterThanCondition(s["x"], s["degree"], 3), {"degree": (4, 5)}),
        (lambda s: CS.LessThanCondition(s["x"], s["size"], "l"), {"size": ("s", "m")}),
        (
            joined(
                CS.AndConjunction,
                equals("x", "kernel", "rbf"),
                lambda s: CS.GreaterThanCondition(s["x"], s["degree"], 2),
            ),
            {"kernel": ("rbf",), "degree": (3, 4, 5)},
        ),
        (
            joined(CS.OrConjunction, equals("x", "kernel", "rbf"), equals("x", "kernel", "linear")),
            {"kernel": ("rbf", "linear")},
        ),
        (lambda s: CS.LessThanCondition(s["x"], s["lr"], 0.01), {"lr": Range(high=0.01)}),
        (
            joined(
                CS.AndConjunction,
                lambda s: CS.GreaterThanCondition(s["x"], s["lr"], 0.001),
                lambda s: CS.LessThanCondition(s["x"], s["lr"], 0.1),
            ),
            {"lr": Range(np.nextafter(0.001, 1.0), 0.1)},
        ),
    ],
)
def test_a_condition_is_values_of_parents_and_holds_for_what_configspace_draws(
    condition, active_when
):
    given = space_of(condition)
    space, notes = read_configspace(given)
    assert dict(space["x"].active_when) == active_when
    assert not noted(notes, "cannot be said by values of single hyperparameters")
    drawn = given.sample_configuration(100)
    assert 0 < sum("x" in config for config in drawn) < 100
    assert space.is_valid(space.encode([dict(config) for config in drawn])).all()


def test_a_condition_over_several_parents_is_a_frequency():
    several = equals("x", "kernel", "rbf"), equals("x", "size", "s")
    space, notes = read_configspace(space_of(joined(CS.OrConjunction, *several)))
    assert space["x"].optional == pytest.approx(1 - (2 / 3) ** 2, abs=0.05)
    assert the_note(notes, "when x is active cannot be said by values of single hyperparameters")
    untouched, read = space_of(), space_of()
    read_configspace(read)
    assert read.sample_configuration(3) == untouched.sample_configuration(3)


def test_forbidden_clauses_and_lost_order_are_said():
    clause = lambda s: CS.ForbiddenEqualsClause(s["kernel"], "linear")  # noqa: E731
    _, notes = read_configspace(space_of(forbidden=[clause]))
    assert len(notes) == 2
    assert the_note(notes, "forbidden: the space rules out ")
    assert the_note(notes, "size: ordinal; read as choices, without their order")
    assert noted(notes, "kernel == 'linear'")


def test_only_a_space_of_configspace_is_one():
    with pytest.raises(hx.base.InputError, match="ConfigurationSpace"):
        hx.SearchSpace.from_configspace({"x": (0.0, 1.0)})


# ---------------------------------------------------------------------- SMAC


@pytest.fixture
def history_of():
    """Makes a run history of configurations that are drawn; of (which of them, cost, options)."""
    pytest.importorskip("smac", reason="smac is not installed")
    from smac.runhistory.runhistory import RunHistory

    def make(*results):
        history, drawn = RunHistory(), space_of().sample_configuration(3)
        for which, cost, *options in results:
            given = {"starttime": 1.0, "endtime": 2.0, "seed": 0, **dict(*options)}
            history.add(drawn["abc".index(which)], cost, **given)
        return history

    return make


def optimize(tmp_path, facade, n_trials, cost, *, space=None, **options):
    """Run a facade, and return it with what it did as it chose each configuration."""
    smac = pytest.importorskip("smac", reason="smac is not installed")
    from smac.callback import Callback
    from smac.utils.configspace import convert_configurations_to_array

    space = space_of(equals("x", "kernel", "rbf")) if space is None else space
    looked_at = copy.deepcopy(space).sample_configuration(40)
    vectors = convert_configurations_to_array(looked_at)

    class Watch(Callback):
        chosen = []  # noqa: RUF012

        def on_next_configurations_end(self, config_selector, config):
            seen = None
            if config_selector._previous_entries > 0:
                mean, variance = config_selector._model.predict_marginalized(vectors)
                value = config_selector._acquisition_function._compute(vectors)
                seen = mean.ravel(), np.sqrt(variance.ravel()), value.ravel()
            self.chosen.append((config, config.origin, seen))

    watch = Watch()
    watch.chosen = []
    options = {"deterministic": True, "seed": 0, "output_directory": tmp_path, **options}
    scenario = smac.Scenario(space, n_trials=n_trials, **options)
    facade = getattr(smac, facade)
    model, fewer = facade.get_model(scenario), {}
    if hasattr(model, "_rf_opts"):  # memory for fewer leaves, and fewer candidates: it takes long
        model._rf_opts["max_leaf_nodes"] = 64
        fewer = {"challengers": 500} if "Hyperparameter" in facade.__name__ else {}
    maximizer = facade.get_acquisition_maximizer(scenario, **fewer)
    made = facade(
        scenario,
        cost,
        model=model,
        acquisition_maximizer=maximizer,
        logging_level=False,
        callbacks=[watch],
    )
    made.optimize()
    return made, watch.chosen, [dict(config) for config in looked_at]


def cost_of(config, seed=0):
    return float(abs(np.log10(config["lr"]) + 2.0) + config.get("x", 0.5))


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smac")
    return optimize(folder, "HyperparameterOptimizationFacade", 24, cost_of)


def chosen_of(facade, chosen):
    """What SMAC did as it chose each trial, by its number."""
    ids = facade.runhistory.config_ids
    return {ids[config] - 1: seen for config, *seen in chosen if config in ids}


@pytest.mark.filterwarnings("ignore")
def test_a_facade_is_read_with_who_chose_each_trial(watched):
    optimized, chosen, _ = watched
    run = as_run(optimized)
    history = optimized.runhistory
    assert len(run) == 24
    assert run.optimizer == "SMAC3's HyperparameterOptimizationFacade"
    at_the_time = chosen_of(optimized, chosen)
    overwritten = mistaken = 0
    for trial in np.asarray(run.trials).tolist():
        config = history.ids_config[trial + 1]
        assert run.config(trial) == pytest.approx(dict(config))
        origin, _ = at_the_time[trial]
        overwritten += origin != config.origin
        searched = origin.endswith(("Local Search", "(sorted)"))
        assert (run.origin(trial) is hx.base.Origin.MODEL) == (trial in run.proposals)
        mistaken += (trial in run.proposals) != searched
    assert overwritten  # so that this is not what the run history says
    # SMAC's runs differ with the order of sets; one drawn at random may promise as much as a search
    assert mistaken <= 1
    assert 0 < len(run.proposals) < 24
    costs = [value.cost for value in history.values()]
    assert run.objective.tolist() == costs
    assert (run.finished > run.started).all()
    best = optimized.intensifier.get_incumbent()
    assert run.incumbent == pytest.approx(dict(best))


@pytest.mark.filterwarnings("ignore")
def test_each_proposal_has_the_forest_and_the_improvement_that_smac_had(watched):
    optimized, chosen, looked_at = watched
    run = pickle.loads(pickle.dumps(as_run(optimized)))
    X = run.space.encode(looked_at)
    at_the_time = chosen_of(optimized, chosen)
    for trial in run.proposals:
        mean, std, value = at_the_time[trial][1]
        own = run.own_acquisition(trial).acquisition
        np.testing.assert_allclose(own.on_log_scale.predict(X), [mean, std], rtol=1e-6, atol=1e-9)
        (improvement,) = own.terms(X).values()
        np.testing.assert_allclose(improvement, value, rtol=1e-6, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_the_forest_predicts_the_cost_as_its_trees_do(watched):
    optimized, _, looked_at = watched
    run = as_run(optimized)
    encoder, model = (optimized._runhistory_encoder, optimized._config_selector._model)
    last = run.record.batches[-1]
    assert len(last.known) == optimized._config_selector._previous_entries
    X = run.space.encode(looked_at)
    surrogate = run.surrogate(before=last.trials[0])
    Z = np.array([config.get_array() for config in configs_of(optimized, looked_at)])
    by_tree = [tree.predict(model._impute_inactive(Z)) for tree in model._rf.estimators_]
    # what SMAC's encoder does is undone
    low = encoder._min_y - (encoder._percentile - encoder._min_y) - 1e-10
    costs = low + (encoder._max_y - low) * np.exp(by_tree)
    mean, std = surrogate.predict(X)
    np.testing.assert_allclose(mean, costs.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(std, costs.std(axis=0), rtol=1e-6, atol=1e-9)
    assert hx.trust(run).level  # trials can be held out


def configs_of(facade, configs):
    space = facade.scenario.configspace
    return [CS.Configuration(space, values=config) for config in configs]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_a_log_normal_improvement_by_coalitions_is_that_of_composed_rows(watched):
    run = as_run(watched[0])
    last = run.proposals[-1]
    own = run.own_acquisition(last).acquisition
    from hpo_explain.adapters.smac._forest import log_normal_improvement

    class Composed:
        space, label, term_names, terms = (own.space, own.label, own.term_names, own.terms)

    found = [
        hx.methods.ShapleyExplainer(acquisition, background=60, seed=0).explain(run.config(last))
        for acquisition in (own, Composed())
    ]
    np.testing.assert_allclose(found[0].total, found[1].total, rtol=1e-6, atol=1e-12)
    # on SMAC's scale the criterion is one of mean and standard deviation
    background = run.space.sample(7, seed=1, latent=True)
    split = hx.methods.ShapleyExplainer(own, background=background).explain(run.config(last))
    x = run.X[run.row(last)]
    expected = by_all_orders(
        lambda m, s: log_normal_improvement(m, s, own.best - own.xi),
        own.on_log_scale,
        x,
        background,
    )
    assert np.abs(expected).max() > 0.0
    np.testing.assert_allclose(split.phi, expected, rtol=1e-6, atol=1e-12)
    assert split.own_terms == ("expected improvement",)


@pytest.mark.filterwarnings("ignore")
def test_models_that_are_not_those_of_smac_are_not_taken_for_them(watched):
    facade = copy.copy(watched[0])
    facade._config_selector = copy.copy(facade._config_selector)
    facade._config_selector._retrain_after = 3
    run = as_run(facade)
    trial = run.proposals[-1]
    why = "SMAC's model, trained again, is not the one that SMAC trained last"
    assert the_note(
        run.notes, f"models: those of SMAC are not rebuilt (checked with SMAC 2.4): {why}"
    )
    assert the_note(run.notes, "configuration may count as a proposal")
    assert run.own_acquisition(trial) is None
    assert run.chosen_acquisition(trial).assumed
    assert run.own_acquisition() is not None  # of all results


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_of_algorithm_configuration_a_plain_forest_with_ei(tmp_path):
    """Its initial design is one configuration, of which a model tells nothing."""
    made, chosen, looked_at = optimize(tmp_path, "AlgorithmConfigurationFacade", 20, cost_of)
    run = as_run(made)
    X = run.space.encode(looked_at)
    at_the_time = chosen_of(made, chosen)
    searched = [
        t for t, (origin, _) in at_the_time.items() if "Search (" in origin or "Local" in origin
    ]
    assert {*run.proposals} == {t for t in searched if t > 8}
    for trial in run.proposals:
        mean, std, value = at_the_time[trial][1]
        own = run.own_acquisition(trial).acquisition
        np.testing.assert_allclose(run.surrogate(trial).predict(X), [mean, std], rtol=1e-6)
        np.testing.assert_allclose(sum(own.terms(X).values()), value, rtol=1e-6, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_a_random_facade_has_no_model(tmp_path):
    made, *_ = optimize(tmp_path, "RandomFacade", 8, cost_of)
    run = as_run(made)
    assert (run.proposals, run.record) == ((), None)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_the_latest_process_of_a_black_box_facade_is_its_own(tmp_path):
    space = CS.ConfigurationSpace({"lr": (0.01, 1.0), "x": (0.0, 1.0)}, seed=0)
    cost = lambda config, seed=0: config["lr"] + config["x"]  # noqa: E731
    made, *_ = optimize(tmp_path, "BlackBoxFacade", 8, cost, space=space)
    run = as_run(made)
    last = run.record.batches[-1].trials[0]
    vectors = np.array([config.get_array() for config in space.sample_configuration(30)])
    mean, variance = made._config_selector._model.predict_marginalized(vectors)
    X = run.space.encode([dict(CS.Configuration(space, vector=v)) for v in vectors])
    np.testing.assert_allclose(run.surrogate(last).predict(X)[0], mean.ravel(), rtol=1e-6)
    np.testing.assert_allclose(run.surrogate(last).predict(X)[1] ** 2, variance.ravel(), rtol=1e-4)
    assert run.own_acquisition(last).acquisition.label == "EI"


def test_the_mean_over_instances_and_seeds_is_the_objective(history_of):
    i, j = {"instance": "i"}, {"instance": "j"}
    run = as_run(history_of(("a", 1.0, i), ("a", 3.0, j), ("b", 5.0, i)))
    # j adds 2 to what a configuration costs on i: b is told as if it had been tried on both
    assert run.objective.tolist() == [2.0, 6.0]
    assert run.instances.names == ("i", "j")
    assert run.instances.objective.tolist() == [1.0, 3.0, 5.0]
    assert the_note(run.notes, "instances_missing").trials == (1,)


def test_results_of_the_highest_budget_count(history_of):
    low, high = {"budget": 3.0}, {"budget": 9.0}
    at_first = ("a", 1.0, low), ("b", 2.0, low), ("c", 3.0, low)
    history = history_of(*at_first, ("a", 0.5, high), ("b", 0.7, high))
    run = as_run(history)
    assert (run.trials.tolist(), run.objective.tolist()) == ([0, 1], [0.5, 0.7])
    assert run.excluded[2].kind == "another_fidelity"
    assert hx.from_smac(history, level=3.0).objective.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(hx.base.InputError, match="level"):
        hx.from_smac(history, level=4.0)


def test_crashed_and_running_trials_are_left_out(history_of):
    from smac.runhistory.enumerations import StatusType

    crashed, running = ({"status": StatusType.CRASHED}, {"status": StatusType.RUNNING})
    run = as_run(history_of(("a", 1.0), ("b", np.inf, crashed), ("c", 0.0, running)))
    assert run.trials.tolist() == [0]
    states = {t: given.state for t, given in run.without_result.items()}
    assert states == {1: "failed", 2: "running"}
    assert run.proposals == ()  # no origin


def test_of_several_objectives_one_is_chosen(history_of):
    history = history_of(("a", [1.0, 4.0]), ("b", [2.0, 3.0]))
    found = {name: run.objective.tolist() for name, run in as_runs(history).items()}
    assert found == {"objective 0": [1.0, 2.0], "objective 1": [4.0, 3.0]}
    with pytest.raises(hx.base.InputError, match="objective"):
        as_run(history)
    with pytest.raises(hx.base.NothingToExplain):
        as_run(history_of())
