"""A metric's natural range is known by its name or given, and no prediction leaves it."""

import inspect
import json
import math

import numpy as np
import optuna
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris
from sklearn.model_selection import RandomizedSearchCV
from sklearn.tree import DecisionTreeClassifier

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.base.errors import InputError
from hpo_explain.cli import main
from hpo_explain.run.metrics import bounds_of

pytestmark = pytest.mark.usefixtures("few_draws")

SPACE = hx.SearchSpace(
    [hx.FloatParameter("lr", 1e-4, 1.0, log=True), hx.CategoricalParameter("optimizer", ["a", "b"])]
)


def _table(n=40, name="val_accuracy"):
    """Return trials near the largest accuracy that there is, on a plateau of 0.99."""
    X = SPACE.sample(n, seed=3)
    noise = np.random.default_rng(0).normal(0.0, 0.004, n)
    accuracy = np.clip(0.99 - 0.5 * np.maximum(0.4 - X[:, 0], 0.0) + noise, 0.0, 1.0)
    return pd.DataFrame(SPACE.decode(X)).assign(**{name: accuracy})


@pytest.fixture(scope="module")
def run():
    return hx.from_frame(_table(), "val_accuracy", "maximize", SPACE)


@pytest.mark.parametrize(
    ("name", "values", "bounds"),
    [
        ("accuracy", [0.2, 0.99], (0.0, 1.0)),
        ("valAcc", [0.2, 0.99], (0.0, 1.0)),
        ("test_accuracy_top5", [20.0, 99.0], (0.0, 100.0)),
        ("mean_test_roc_auc", [0.5], (0.0, 1.0)),
        ("f1_macro", [0.5], (0.0, 1.0)),
        ("error_rate", [0.5], (0.0, 1.0)),
        ("r2", [-3.0, 0.9], (-math.inf, 1.0)),
        ("val_rmse", [0.0, 7.0], (0.0, math.inf)),
        ("neg_mean_squared_error", [-3.0], (-math.inf, 0.0)),
        ("accuracy", [-0.9, -0.5], None),  # negated by hand
        ("accuracy", [101.0], None),
        ("error", [0.5], None),  # a rate, or a distance
        ("loss", [0.5], None),
        ("mean_test_score", [0.5], None),
        ("learning_rate_of_accuracy", [0.5], None),
        ("objective", [0.5], None),
    ],
)
def test_a_range_is_known_by_name_where_it_is_unambiguous(name, values, bounds):
    assert bounds_of(name, np.array(values)) == bounds


def test_a_range_by_name_is_said(run):
    assert run.bounds == (0.0, 1.0)
    assert "val_accuracy lies between 0 and 1" in str(run)


def test_given_bounds_come_before_the_name():
    run = hx.from_frame(_table(), "val_accuracy", "maximize", SPACE, bounds=(0.5, 1.0))
    assert run.bounds == (0.5, 1.0)
    assert "as its name says" not in str(run)


def test_without_bounds_predictions_would_leave_the_range():
    X = SPACE.sample(40, seed=3)
    # nothing was tried where the accuracy would go on to rise
    X = X[X[:, 0] < 0.8]
    runs = [
        hx.Run(SPACE, X, 0.6 + 0.48 * X[:, 0], "maximize", objective_name="accuracy", bounds=bounds)
        for bounds in (None, (-np.inf, np.inf))
    ]
    assert "as its name says" not in str(runs[1])
    rows = SPACE.sample(500, seed=1)
    bounded, free = (run.belief().draws(rows).max() for run in runs)
    assert bounded <= 1.0 < free


def test_the_range_of_one_objective_is_none_of_another():
    table = _table().assign(took=np.arange(40.0) + 30.0)
    options = {"objective": "val_accuracy", "direction": "maximize", "duration": "took"}
    took = as_run(table, target="duration", **options)
    assert took.bounds == (0.0, math.inf)
    assert "val_accuracy lies" not in str(took)
    assert as_run(table, target="duration", bounds=(0, 99), **options).bounds == (0.0, 99.0)


def test_draws_and_predictions_stay_within(run):
    belief, X = run.belief(), SPACE.sample(2000, seed=1)
    drawn = belief.draws(X)
    assert drawn.min() >= 0.0
    assert drawn.max() <= 1.0
    assert belief.predict(X)[0].max() <= 1.0
    assert belief.landscape.least.min() >= -1.0  # of costs: no optimum is beyond


@pytest.mark.parametrize("name", ["lr", "optimizer"])
def test_bands_and_intervals_stay_within(run, name):
    found = hx.partial_dependence(run, name, attainable=True)
    for effect in (found, found.reached):
        lower, upper = effect.band()
        assert (0.0 <= lower).all()
        assert (lower <= effect.mean).all()
        assert (effect.mean <= upper).all()
        assert (upper <= 1.0).all()
    best = [claim for claim in found.claims if claim.kind == "best"]
    assert best
    assert all(claim.interval[1] <= 1.0 for claim in best)


def test_a_drawn_band_ends_at_the_bound(run):
    axes = hx.partial_dependence(run, "lr", attainable=True).plot()
    ends = [
        path.vertices[:, 1].max()
        for c in axes.collections
        for path in c.get_paths()
        if len(path.vertices) > 20
    ]
    assert max(ends) <= 1.0 + 1e-12


def test_every_reader_takes_bounds():
    readers = [
        name for name in hx.__all__ if name.startswith("from_") and name != "from_configspace"
    ]
    assert len(readers) >= 10
    for name in readers:
        assert "bounds" in inspect.signature(getattr(hx, name)).parameters, name


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_functions_take_bounds_of_a_study():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0), direction="maximize")
    study.optimize(lambda trial: 1.0 - trial.suggest_float("x", 0.0, 1.0) ** 2, n_trials=20)
    effect = hx.partial_dependence(study, "x", bounds=(0, 1))
    assert effect.band()[1].max() <= 1.0
    study.set_metric_names(["accuracy"])
    assert hx.from_optuna(study).bounds == (0.0, 1.0)


def test_the_command_takes_bounds(tmp_path):
    place = tmp_path / "trials.csv"
    _table(name="score_of_mine").to_csv(place, index=False)
    options = ["--objective", "score_of_mine", "--direction", "maximize", "--bounds", "0", "1"]
    shown = CliRunner().invoke(main, ["partial-dependence", str(place), "lr", *options, "--json"])
    assert shown.exit_code == 0, shown.output
    assert max(json.loads(shown.stdout)["mean"]) <= 1.0


def test_a_search_keeps_them_with_its_folds():
    X, y = load_iris(return_X_y=True)
    search = RandomizedSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3]},
        n_iter=3,
        cv=3,
        random_state=0,
    ).fit(X, y)
    assert hx.from_sklearn(search, bounds=(0, 1)).bounds == (0.0, 1.0)


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0.5), (0, 1, 2), "01", (0, math.nan), 1.0])
def test_wrong_bounds_name_argument_value_and_remedy(bounds):
    with pytest.raises(InputError, match="bounds must") as error:
        hx.from_frame(_table(), "val_accuracy", "maximize", SPACE, bounds=bounds)
    assert error.value.argument == "bounds"
    assert error.value.value == bounds or bounds != bounds
    assert error.value.remedy
