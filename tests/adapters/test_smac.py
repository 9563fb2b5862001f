import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.configspace import read_configspace
from hpo_explain.adapters.sources import as_runs

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
    for condition in conditions:
        space.add(condition(space))
    for clause in forbidden:
        space.add(clause(space))
    return space


def equals(child, parent, value):
    return lambda space: CS.EqualsCondition(space[child], space[parent], value)


# ---------------------------------------------------------------------- ConfigSpace


def test_a_space_of_configspace_keeps_ranges_scales_and_choices():
    space = hx.SearchSpace.from_configspace(space_of())
    expected = [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.CategoricalParameter("kernel", ["rbf", "poly", "linear"]),
        hx.IntParameter("degree", 1, 5),
        hx.CategoricalParameter("size", ["s", "m", "l"]),
        hx.CategoricalParameter("version", [3]),
        hx.FloatParameter("x", 0.0, 1.0),
    ]
    assert {p.name: p for p in space} == {p.name: p for p in expected}


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
            lambda s: CS.AndConjunction(
                CS.EqualsCondition(s["x"], s["kernel"], "rbf"),
                CS.GreaterThanCondition(s["x"], s["degree"], 2),
            ),
            {"kernel": ("rbf",), "degree": (3, 4, 5)},
        ),
        (
            lambda s: CS.OrConjunction(
                CS.EqualsCondition(s["x"], s["kernel"], "rbf"),
                CS.EqualsCondition(s["x"], s["kernel"], "linear"),
            ),
            {"kernel": ("rbf", "linear")},
        ),
    ],
)
def test_a_condition_is_values_of_parents_and_holds_for_what_configspace_draws(
    condition, active_when
):
    given = space_of(condition)
    space, notes = read_configspace(given)
    assert dict(space["x"].active_when) == active_when
    assert "condition_as_frequency" not in [note.kind for note in notes]
    drawn = given.sample_configuration(100)
    assert 0 < sum("x" in config for config in drawn) < 100
    assert space.is_valid(space.encode([dict(config) for config in drawn])).all()


def test_a_condition_over_several_parents_is_a_frequency():
    given = space_of(
        lambda s: CS.OrConjunction(
            CS.EqualsCondition(s["x"], s["kernel"], "rbf"),
            CS.EqualsCondition(s["x"], s["size"], "s"),
        )
    )
    space, notes = read_configspace(given)
    assert space["x"].optional == pytest.approx(1 - (2 / 3) ** 2, abs=0.05)
    assert "condition_as_frequency" in [note.kind for note in notes]
    untouched = space_of()
    untouched.seed(0)
    read = space_of()
    read.seed(0)
    read_configspace(read)
    assert read.sample_configuration(3) == untouched.sample_configuration(3)


def test_forbidden_clauses_and_lost_order_are_said():
    clause = lambda s: CS.ForbiddenEqualsClause(s["kernel"], "linear")  # noqa: E731
    _, notes = read_configspace(space_of(forbidden=[clause]))
    assert {note.kind for note in notes} == {"forbidden_clauses", "order_left_out"}


def test_only_a_space_of_configspace_is_one():
    with pytest.raises(hx.InputError, match="ConfigurationSpace"):
        hx.SearchSpace.from_configspace({"x": (0.0, 1.0)})


# ---------------------------------------------------------------------- SMAC


@pytest.fixture
def history_of():
    """Makes a run history of (configuration, options of its result)."""
    pytest.importorskip("smac", reason="smac is not installed")
    from smac.runhistory.runhistory import RunHistory

    def make(results):
        history = RunHistory()
        for config, cost, options in results:
            history.add(config, cost, **{"starttime": 1.0, "endtime": 2.0, **options})
        return history

    return make


@pytest.fixture
def statuses():
    pytest.importorskip("smac", reason="smac is not installed")
    from smac.runhistory.enumerations import StatusType

    return StatusType


@pytest.fixture(scope="module")
def optimized(tmp_path_factory):
    smac = pytest.importorskip("smac", reason="smac is not installed")
    space = space_of(equals("x", "kernel", "rbf"))

    def cost(config, seed=0):
        return float(abs(np.log10(config["lr"]) + 2.0) + config.get("x", 0.5))

    scenario = smac.Scenario(
        space,
        n_trials=12,
        deterministic=True,
        seed=0,
        output_directory=tmp_path_factory.mktemp("smac"),
    )
    facade = smac.HyperparameterOptimizationFacade(scenario, cost, logging_level=False)
    facade.optimize()
    return facade


@pytest.mark.filterwarnings("ignore")
def test_a_facade_is_read_with_who_chose_each_trial(optimized):
    run = as_run(optimized)
    history = optimized.runhistory
    assert len(run) == 12
    assert run.optimizer == "SMAC3's HyperparameterOptimizationFacade"
    for trial in np.asarray(run.trials).tolist():
        config = history.ids_config[trial + 1]
        assert run.config(trial) == pytest.approx(dict(config))
        # SMAC overwrites the origin of configurations that its local search starts from
        searched = trial >= 3 and config.origin.endswith(("Local Search", "(sorted)"))
        assert (trial in run.proposals) == searched
        assert (run.origin(trial) is hx.Origin.MODEL) == searched
    assert 0 < len(run.proposals) < 12
    costs = [value.cost for value in history.values()]
    assert run.objective.tolist() == costs
    assert (run.finished > run.started).all()
    best = optimized.intensifier.get_incumbent()
    assert run.incumbent == pytest.approx(dict(best))


@pytest.mark.filterwarnings("ignore")
def test_every_function_takes_a_facade(optimized):
    assert set(hx.importance(optimized, seed=0).importance.index) == set(
        optimized.scenario.configspace
    )
    last = hx.from_smac(optimized).proposals[-1]
    assert hx.explain_proposal(optimized, last, seed=0).subject.trial == last


def test_the_mean_over_instances_and_seeds_is_the_objective(history_of):
    a, b = space_of().sample_configuration(2)
    run = as_run(
        history_of(
            [
                (a, 1.0, {"instance": "i", "seed": 0}),
                (a, 3.0, {"instance": "j", "seed": 0}),
                (b, 5.0, {"instance": "i", "seed": 0}),
            ]
        )
    )
    assert run.objective.tolist() == [2.0, 5.0]
    assert run.instances.names == ("i", "j")
    assert run.instances.objective.tolist() == [1.0, 3.0, 5.0]
    assert [note.trials for note in run.notes if note.kind == "instances_missing"] == [(1,)]


def test_results_of_the_highest_budget_count(history_of):
    a, b, c = space_of().sample_configuration(3)
    history = history_of(
        [
            (a, 1.0, {"budget": 3.0, "seed": 0}),
            (b, 2.0, {"budget": 3.0, "seed": 0}),
            (c, 3.0, {"budget": 3.0, "seed": 0}),
            (a, 0.5, {"budget": 9.0, "seed": 0}),
            (b, 0.7, {"budget": 9.0, "seed": 0}),
        ]
    )
    run = as_run(history)
    assert (run.trials.tolist(), run.objective.tolist()) == ([0, 1], [0.5, 0.7])
    assert run.excluded[2].kind == "another_fidelity"
    assert hx.from_smac(history, level=3.0).objective.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(hx.InputError, match="level"):
        hx.from_smac(history, level=4.0)


def test_crashed_and_running_trials_are_left_out(history_of, statuses):
    a, b, c = space_of().sample_configuration(3)
    run = as_run(
        history_of(
            [
                (a, 1.0, {"seed": 0}),
                (b, np.inf, {"seed": 0, "status": statuses.CRASHED}),
                (c, 0.0, {"seed": 0, "status": statuses.RUNNING}),
            ]
        )
    )
    assert run.trials.tolist() == [0]
    assert {t: given.state for t, given in run.without_result.items()} == {
        1: "failed",
        2: "running",
    }
    assert run.proposals == ()  # no origin


def test_of_several_objectives_one_is_chosen(history_of):
    a, b = space_of().sample_configuration(2)
    history = history_of([(a, [1.0, 4.0], {"seed": 0}), (b, [2.0, 3.0], {"seed": 0})])
    runs = as_runs(history)
    assert {name: run.objective.tolist() for name, run in runs.items()} == {
        "objective 0": [1.0, 2.0],
        "objective 1": [4.0, 3.0],
    }
    with pytest.raises(hx.InputError, match="objective"):
        as_run(history)


def test_a_history_without_trials_has_nothing_to_explain(history_of):
    with pytest.raises(hx.NothingToExplain):
        as_run(history_of([]))
