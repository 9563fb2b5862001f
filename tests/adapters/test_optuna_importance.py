import math

import matplotlib as mpl
import numpy as np
import optuna
import pytest
from optuna.exceptions import ExperimentalWarning
from optuna.importance import BaseImportanceEvaluator, get_param_importances
from sklearn.ensemble import RandomForestRegressor

import hpo_explain as hx
from hpo_explain.adapters.optuna import FanovaImportanceEvaluator
from tests.adapters.studies import finished, optimized, study_of


def linear(trial):
    """x explains 36 / 37 of the variance, y 1 / 37."""
    return 6.0 * trial.suggest_float("x", 0.0, 1.0) + trial.suggest_float("y", 0.0, 1.0)


def shares(study, **options):
    return FanovaImportanceEvaluator().evaluate(study, **options)


@pytest.fixture(scope="module")
def study():
    return optimized(linear, 80)


# ---------------------------------------------------------------------- Optuna's entry points


def test_it_is_an_evaluator_of_optuna():
    assert isinstance(FanovaImportanceEvaluator(), BaseImportanceEvaluator)


def test_get_param_importances_takes_it(study):
    found = get_param_importances(study, evaluator=FanovaImportanceEvaluator())
    assert list(found) == ["x", "y"]
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["x"] == pytest.approx(36 / 37, abs=0.02)
    assert all(type(value) is float for value in found.values())


def test_without_normalizing_the_shares_are_those_of_the_facade(study):
    with pytest.warns(ExperimentalWarning):
        found = get_param_importances(study, evaluator=FanovaImportanceEvaluator(), normalize=False)
    expected = hx.importance(study)
    # The mean over trees of one column is summed in another order than that of all.
    assert found == pytest.approx({name: expected.share(name) for name in ("x", "y")}, rel=1e-12)


def test_the_shares_of_one_forest_are_those_of_optunas_own_evaluator(study):
    options = {"n_trees": 16, "max_depth": 64, "seed": 0}
    theirs = optuna.importance.FanovaImportanceEvaluator(**options).evaluate(study)
    # Optuna fits this forest, to hyperparameters in their own units: both range from 0 to 1
    forest = RandomForestRegressor(n_estimators=16, max_depth=64, random_state=0)
    run = hx.from_optuna(study)
    forest.fit(run.X, run.objective)
    ours = hx.FanovaExplainer(hx.ForestSurrogate(run.space, forest)).explain()
    assert theirs == pytest.approx({name: ours.share(name) for name in ("x", "y")}, rel=1e-9)


def bars(study, **options):
    """The bars of Optuna's plot, by name."""
    with mpl.rc_context(), pytest.warns(ExperimentalWarning):
        ax = optuna.visualization.matplotlib.plot_param_importances(
            study, evaluator=FanovaImportanceEvaluator(), **options
        )
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    (drawn,) = ax.containers
    mpl.pyplot.close(ax.figure)
    return dict(zip(names, [patch.get_width() for patch in drawn], strict=True))


def test_plot_param_importances_draws_it(study):
    expected = get_param_importances(study, evaluator=FanovaImportanceEvaluator())
    assert bars(study) == expected


def test_plotly_draws_it(study):
    pytest.importorskip("plotly")
    evaluator = FanovaImportanceEvaluator()
    figure = optuna.visualization.plot_param_importances(study, evaluator=evaluator)
    assert list(figure.data[0].y) == ["y", "x"]


def two_objectives(trial):
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    return x, -y


@pytest.mark.parametrize(("objective", "name"), [(0, "x"), (1, "y")])
def test_each_of_several_objectives_has_its_own_importance(objective, name):
    study = optimized(two_objectives, 30, directions=["minimize", "maximize"])
    options = {"target": lambda trial: trial.values[objective]}
    evaluator = FanovaImportanceEvaluator()
    assert get_param_importances(study, evaluator=evaluator, **options)[name] > 0.95
    assert bars(study, target_name=name, **options)[name] > 0.95


def test_several_objectives_without_a_target_are_refused():
    study = optimized(two_objectives, 5, directions=["minimize", "maximize"])
    with pytest.raises(ValueError, match="target must be given, as study has 2 objectives"):
        get_param_importances(study, evaluator=FanovaImportanceEvaluator())


def test_any_number_of_a_trial_can_be_the_target(study):
    found = shares(study, target=lambda trial: trial.params["y"] ** 2)
    assert found["y"] > 0.95


# ---------------------------------------------------------------------- objectives


def test_a_maximized_objective_has_the_importance_of_its_negative():
    lower = optimized(linear, 40)
    higher = optimized(lambda trial: -linear(trial), 40, direction="maximize")
    assert shares(higher) == pytest.approx(shares(lower), rel=1e-9)


def test_a_constant_objective_gives_zeros():
    study = optimized(lambda trial: 0.0 * linear(trial) + 1.0, 12)
    assert shares(study) == {"x": 0.0, "y": 0.0}


def test_infinite_trials_do_not_count(study):
    values = dict(enumerate([math.inf, -math.inf, math.nan]))
    marred = optimized(linear, 40)
    clean = shares(marred)
    marred.add_trials(
        [finished(value, x=0.5, y=0.5) for value in values.values() if not math.isnan(value)]
    )
    assert shares(marred) == clean


def pruning(trial):
    value = linear(trial)
    trial.report(value, 0)
    if trial.number % 3 == 0:
        raise optuna.TrialPruned
    return value


@pytest.mark.parametrize("target", [None, lambda trial: trial.values[0]])
def test_pruned_trials_count_with_their_last_value_if_asked(target):
    whole, pruned = optimized(linear, 30), optimized(pruning, 30)
    last = FanovaImportanceEvaluator(pruned="last").evaluate(pruned, target=target)
    assert last == shares(whole)
    assert shares(pruned, target=target) != last


def test_a_trial_that_was_pruned_before_it_reported_never_counts():
    def objective(trial):
        value = linear(trial)
        if trial.number == 3:
            raise optuna.TrialPruned
        return value

    study = optimized(objective, 20)
    last = FanovaImportanceEvaluator(pruned="last")
    target = {"target": lambda trial: trial.values[0]}
    assert last.evaluate(study, **target) == shares(study) == last.evaluate(study)


def test_infeasible_trials_count_unless_they_are_dropped():
    with_constraints = optuna.samplers.RandomSampler(seed=0)
    study = optimized(linear, 30, with_constraints)
    marked = study_of(
        *[
            optuna.trial.create_trial(
                params=t.params, distributions=t.distributions, value=t.value,
                system_attrs={"constraints": [1.0 if t.number % 3 == 0 else -1.0]},
            )
            for t in study.trials
        ]
    )  # fmt: skip
    assert shares(marked) == shares(study)
    assert FanovaImportanceEvaluator(infeasible="drop").evaluate(marked) != shares(study)


# ---------------------------------------------------------------------- hyperparameters


def test_conditional_hyperparameters_are_present():
    def objective(trial):
        if trial.suggest_categorical("booster", ["gbtree", "dart"]) == "dart":
            return 3.0 * trial.suggest_float("rate_drop", 0.0, 1.0)
        return 0.1

    study = optimized(objective, 40)
    own = optuna.importance.FanovaImportanceEvaluator(seed=0)
    assert "rate_drop" not in get_param_importances(study, evaluator=own)
    found = get_param_importances(study, evaluator=FanovaImportanceEvaluator())
    assert set(found) == {"booster", "rate_drop"}
    assert found["rate_drop"] > 0.05


def test_single_valued_hyperparameters_get_zero():
    def objective(trial):
        trial.suggest_float("float", 2.0, 2.0)
        trial.suggest_int("int", 3, 3)
        trial.suggest_categorical("category", ["only"])
        return trial.suggest_float("x", 0.0, 1.0)

    found = shares(optimized(objective, 20))
    assert next(iter(found)) == "x"
    assert {name: found[name] for name in ("float", "int", "category")} == {
        "float": 0.0,
        "int": 0.0,
        "category": 0.0,
    }


def test_a_study_of_single_valued_hyperparameters_gets_zeros():
    assert shares(optimized(lambda t: t.suggest_float("x", 1.0, 1.0) + t.number, 9)) == {"x": 0.0}


def test_categories_of_any_type_are_assessed():
    def objective(trial):
        kind = trial.suggest_categorical("kind", [None, True, 1, 1.5, "a"])
        return {None: 0.0, 1.5: 2.0, "a": 3.0}.get(kind, 1.0) + 0.1 * trial.suggest_int("n", 1, 3)

    assert shares(optimized(objective, 40))["kind"] > 0.9


def test_list_categories_are_assessed():
    def objective(trial):
        return float(len(trial.suggest_categorical("layers", [[8], [8, 8], [8, 8, 8]])))

    with pytest.warns(UserWarning, match="Choices for a categorical distribution"):
        study = optimized(objective, 20)
    assert shares(study)["layers"] == pytest.approx(1.0)


def test_ranges_that_change_are_assessed_on_all_of_them():
    def objective(trial):
        high = 1.0 if trial.number < 15 else 10.0
        return trial.suggest_float("x", 0.0, high) + 0.1 * trial.suggest_float("y", 0.0, 1.0)

    study = optimized(objective, 40)
    assert shares(study)["x"] > 0.9
    assert shares(study, params=["x"]) == {"x": shares(study)["x"]}


@pytest.mark.thorough
def test_params_choose_what_is_returned_and_change_no_share(study):
    found = shares(study)
    assert shares(study, params=["y"]) == {"y": found["y"]}
    assert list(shares(study, params=["y", "x"])) == ["x", "y"]
    assert shares(study, params=[]) == {}


def test_the_largest_comes_first():
    rng = np.random.default_rng(0)
    weights = dict(zip("abcdef", rng.permutation(6) + 1.0, strict=True))

    def objective(trial):
        return sum(w * trial.suggest_float(name, 0.0, 1.0) for name, w in weights.items())

    found = list(shares(optimized(objective, 60)).values())
    assert found == sorted(found, reverse=True)


# ---------------------------------------------------------------------- seeds and bad input


def test_the_same_seed_gives_the_same_result(study):
    assert shares(study) == shares(study)
    assert FanovaImportanceEvaluator(seed=1).evaluate(study) != shares(study)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_trees": 0}, "n_trees must be at least 1, but was 0"),
        ({"seed": None}, "seed must be a whole number, but was None"),
        ({"pruned": "keep"}, "pruned must be one of 'drop', 'last', but was 'keep'"),
        ({"infeasible": "last"}, "infeasible must be one of 'drop', 'keep', but was 'last'"),
    ],
)
def test_bad_options_are_told(options, message):
    with pytest.raises(ValueError, match=message):
        FanovaImportanceEvaluator(**options)


def test_bad_params_are_told(study):
    with pytest.raises(
        ValueError, match=r"params must be a hyperparameter, but 'z' is unknown\. There are: x, y"
    ):
        shares(study, params=["x", "z"])
    with pytest.raises(ValueError, match="params must be a list of names, but was 'x'"):
        shares(study, params="x")


@pytest.mark.parametrize(
    ("n", "message"), [(0, "study has no trials yet"), (1, "needs at least 2. Run more trials")]
)
def test_too_few_trials_are_told(n, message):
    with pytest.raises(ValueError, match=message):
        shares(optimized(linear, n))
