import warnings

import optuna
import pytest
from optuna.exceptions import ExperimentalWarning
from optuna.importance import get_param_importances
from sklearn.ensemble import RandomForestRegressor

import hpo_explain as hx
from hpo_explain.adapters.optuna import FanovaImportanceEvaluator, TopImportanceEvaluator
from tests.adapters.studies import optimized


def linear(trial):
    """x explains 36 / 37 of the variance, y 1 / 37."""
    return 6.0 * trial.suggest_float("x", 0.0, 1.0) + trial.suggest_float("y", 0.0, 1.0)


def shares(study, **options):
    return FanovaImportanceEvaluator().evaluate(study, **options)


@pytest.fixture(scope="module")
def study():
    return optimized(linear, 80)


# ---------------------------------------------------------------------- Optuna's entry points


def test_get_param_importances_takes_it(study):
    found = get_param_importances(study, evaluator=FanovaImportanceEvaluator())
    assert list(found) == ["x", "y"]
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["x"] == pytest.approx(36 / 37, abs=0.005)
    assert all(type(value) is float for value in found.values())


@pytest.mark.parametrize("n_trees", [None, 16])
def test_without_normalizing_the_shares_are_those_of_the_facade(study, n_trees):
    evaluator = FanovaImportanceEvaluator(n_trees=n_trees)
    with pytest.warns(ExperimentalWarning):
        found = get_param_importances(study, evaluator=evaluator, normalize=False)
    expected = hx.importance(study, n_trees=n_trees)
    # The mean over trees of one column is summed in another order than that of all.
    assert found == pytest.approx({name: expected.share(name) for name in ("x", "y")}, rel=1e-12)


def test_the_shares_of_one_forest_are_those_of_optunas_own_evaluator(study):
    options = {"n_trees": 16, "max_depth": 64, "seed": 0}
    theirs = optuna.importance.FanovaImportanceEvaluator(**options).evaluate(study)
    # Optuna fits this forest, to hyperparameters in their own units: both range from 0 to 1
    forest = RandomForestRegressor(n_estimators=16, max_depth=64, random_state=0)
    run = hx.from_optuna(study)
    forest.fit(run.X, run.objective)
    ours = hx.methods.FanovaExplainer(hx.models.ForestSurrogate(run.space, forest)).explain()
    assert theirs == pytest.approx({name: ours.share(name) for name in ("x", "y")}, rel=1e-9)


def two_objectives(trial):
    x, y = (trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0))
    return x, -y


@pytest.mark.parametrize(("objective", "name"), [(0, "x"), (1, "y")])
def test_each_of_several_objectives_has_its_own_importance(objective, name):
    study = optimized(two_objectives, 30, directions=["minimize", "maximize"])
    options = {"target": lambda trial: trial.values[objective]}
    evaluator = FanovaImportanceEvaluator()
    assert get_param_importances(study, evaluator=evaluator, **options)[name] > 0.95


def test_several_objectives_without_a_target_are_refused():
    study = optimized(two_objectives, 5, directions=["minimize", "maximize"])
    with pytest.raises(ValueError, match="target must be given, as study has 2 objectives"):
        get_param_importances(study, evaluator=FanovaImportanceEvaluator())


# ---------------------------------------------------------------------- objectives


def test_a_constant_objective_gives_zeros():
    study = optimized(lambda trial: 0.0 * linear(trial) + 1.0, 12)
    assert shares(study) == {"x": 0.0, "y": 0.0}


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


# ---------------------------------------------------------------------- the best


@pytest.mark.merge
def test_optuna_plots_what_decides_the_best(study):
    found = get_param_importances(study, evaluator=TopImportanceEvaluator(top=0.2))
    expected = hx.importance(study, top=0.2).importance["normalized"]
    assert found == pytest.approx(expected.to_dict())
    pytest.importorskip("plotly")
    plot = optuna.visualization.plot_param_importances
    figure = plot(study, evaluator=TopImportanceEvaluator(top=0.2))
    assert dict(zip(figure.data[0].y, figure.data[0].x, strict=True)) == pytest.approx(found)


@pytest.mark.thorough
def test_of_many_random_trials_ped_anova_says_the_same():
    def bowl(trial):
        x, y, z = (trial.suggest_float(name, 0.0, 1.0) for name in "xyz")
        return (x - 0.2) ** 2 + 0.3 * (y - 0.6) ** 2 + 0.1 * z

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        theirs = optuna.importance.PedAnovaImportanceEvaluator()
    many = get_param_importances(optimized(bowl, 1500), evaluator=theirs)
    ours = get_param_importances(optimized(bowl, 100), evaluator=TopImportanceEvaluator())
    assert ours == pytest.approx(many, abs=0.06)


def test_a_share_that_is_none_is_told():
    with pytest.raises(ValueError, match="top must lie between 0 and 1"):
        TopImportanceEvaluator(top=1.0)


@pytest.mark.thorough
def test_params_choose_what_is_returned_and_change_no_share(study):
    found = shares(study)
    assert shares(study, params=["y"]) == {"y": found["y"]}
    assert list(shares(study, params=["y", "x"])) == ["x", "y"]
    assert shares(study, params=[]) == {}


# ---------------------------------------------------------------------- seeds and bad input


def test_bad_params_are_told(study):
    unknown = r"params must be a hyperparameter, but 'z' is unknown\. There are: x, y"
    with pytest.raises(ValueError, match=unknown):
        shares(study, params=["x", "z"])
    with pytest.raises(ValueError, match="params must be a list of names, but was 'x'"):
        shares(study, params="x")


def test_where_too_few_trials_count_it_answers_as_optunas_own():
    theirs = optuna.importance.FanovaImportanceEvaluator()
    for n in (0, 1):
        found = optimized(linear, n)
        assert shares(found) == theirs.evaluate(found)
    with pytest.raises(ValueError, match="study has no trials yet"):
        shares(optimized(linear, 0), params=["x"])
