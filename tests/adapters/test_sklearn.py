import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from skopt import BayesSearchCV

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.sources import as_runs
from tests.noted import noted, the_note

X = np.arange(24.0)[:, None]


class Known(BaseEstimator):
    """A model whose score is a known function of its settings, and of the fold."""

    def __init__(self, C=1.0, kernel="rbf", gamma=0.1, weight=None, trees=1):
        self.C, self.kernel, self.gamma, self.weight = C, kernel, gamma, weight
        self.trees = trees

    def fit(self, X, y=None):
        if self.kernel == "broken":
            raise ArithmeticError
        self.n_ = len(X)
        return self

    def truth(self, X):
        score = -(np.log10(self.C) ** 2)
        score -= 0.5 if self.weight is None else 0.0
        if self.kernel == "rbf":
            score -= 0.1 * np.log10(self.gamma) ** 2
        return score + 0.01 * float(X[0, 0])

    def score(self, X, y=None):
        return self.truth(X)


def grid(values, search=GridSearchCV, **options):
    return search(Known(), values, cv=KFold(3), **options).fit(X)


# ---------------------------------------------------------------------- grids


def test_a_grid_search_is_read_row_by_row():
    search = grid({"C": [0.01, 1.0, 100.0], "weight": [None, "balanced"]})
    run, results = as_run(search), search.cv_results_
    assert run.objective.tolist() == results["mean_test_score"].tolist()
    assert (run.direction, run.optimizer) == ("maximize", "scikit-learn's GridSearchCV")
    assert run.incumbent_trial == search.best_index_
    assert run.incumbent == search.best_params_
    for trial, params in enumerate(results["params"]):
        assert run.config(trial) == pytest.approx(params)
    assert run.space["C"].log
    assert run.space["weight"].choices == (None, "balanced")
    found = run.instances  # the folds
    for k in range(3):
        scores = results[f"split{k}_test_score"]
        assert found.objective[found.index == k].tolist() == scores.tolist()
    # nobody proposed what was listed
    assert (run.proposals, run.origin(2)) == ((), hx.base.Origin.INITIAL)
    with pytest.raises(hx.base.NothingToExplain, match="no proposal"):
        hx.explain_proposal(run)
    with pytest.raises(hx.base.InputError, match="Call its fit first"):
        as_run(GridSearchCV(Known(), {"C": [1.0]}))


def test_conditions_are_those_of_the_grids_or_inferred_from_the_trials():
    values = [0.1, 1, 10]
    run = as_run(
        grid(
            [
                {"kernel": ["linear"], "C": values},
                {"kernel": ["rbf"], "C": values, "gamma": [0.01, 0.1, 1.0]},
            ]
        )
    )
    assert dict(run.space["gamma"].active_when) == {"kernel": ("rbf",)}
    assert not run.space["C"].active_when
    assert not noted(run.notes, "active")
    assert run.config(0) == pytest.approx({"kernel": "linear", "C": 0.1})
    grids = [{"C": stats.uniform(1, 2)}, {"C": stats.uniform(1, 2), "gamma": [0.1, 0.2]}]
    run = as_run(RandomizedSearchCV(Known(), grids, n_iter=12, cv=KFold(2), random_state=0).fit(X))
    assert run.space["gamma"].optional < 1.0
    assert the_note(run.notes, "counts as active at its observed frequency")


def test_the_incumbent_sets_the_parameters_of_a_pipeline():
    data = make_classification(60, random_state=0)
    pipe = Pipeline([("scale", StandardScaler()), ("svc", SVC())])
    values = {"scale": [StandardScaler(), MinMaxScaler()], "svc__C": [0.1, 1.0, 10.0]}
    search = GridSearchCV(pipe, values, cv=3).fit(*data)
    best = as_run(search).incumbent
    assert pipe.set_params(**best).get_params()["svc__C"] == pytest.approx(
        search.best_params_["svc__C"]
    )
    assert best["scale"] is search.best_params_["scale"]
    assert "scale" in hx.importance(search).to_frame().index


# ---------------------------------------------------------------------- random searches


def test_distributions_are_the_true_space():
    values = {"C": stats.loguniform(1e-3, 1e3), "gamma": stats.uniform(0.5, 2.0)}
    values["trees"] = stats.randint(2, 9)
    run = as_run(grid(values, RandomizedSearchCV, n_iter=5, random_state=0))
    assert run.space["C"] == hx.FloatParameter("C", 1e-3, 1e3, log=True)
    assert run.space["gamma"] == hx.FloatParameter("gamma", 0.5, 2.5)
    assert run.space["trees"] == hx.IntParameter("trees", 2, 8)
    assert not run.ranges_from


# ---------------------------------------------------------------------- fidelity


def halving():
    values = {"max_depth": stats.randint(1, 8), "min_samples_leaf": stats.randint(1, 20)}
    search = HalvingRandomSearchCV(DecisionTreeClassifier(random_state=0), values, random_state=0)
    return search.set_params(cv=3).fit(*make_classification(240, random_state=0))


def test_a_halving_search_is_read_at_its_highest_resource():
    search = halving()
    run, results = as_run(search), search.cv_results_
    highest = results["n_resources"].max()
    assert run.trials.tolist() == np.flatnonzero(results["n_resources"] == highest).tolist()
    assert run.incumbent_trial == search.best_index_
    assert {why.kind for why in run.excluded.values()} == {"another_fidelity"}
    pairs = zip(*np.unique(results["n_resources"], return_counts=True), strict=True)
    others = ", ".join(f"{n} at {level}" for level, n in pairs if level != highest)
    assert the_note(run.notes, f"as they are not comparable with these: {others}; level= chooses")


def test_where_one_candidate_is_left_the_resources_of_more_are_named():
    table = pd.DataFrame({"x": np.linspace(0.1, 0.9, 9), "loss": np.arange(9.0)})
    table["epochs"] = [1, 1, 1, 1, 1, 1, 3, 3, 9]
    options = {"objective": "loss", "fidelity": "epochs"}
    with pytest.raises(hx.base.NothingToExplain, match=r"There are 2 at 3 and 6 at 1: level=3\.0"):
        hx.importance(table, **options)
    assert len(as_run(table, level=1, **options)) == 6
    assert hx.importance(table, level=1, **options).importance.loc["x", "importance"] > 0.9


def test_a_resource_that_is_a_hyperparameter_is_none_where_all_have_the_same():
    options = {"resource": "trees", "min_resources": 1, "max_resources": 4, "factor": 2, "cv": 3}
    search = HalvingGridSearchCV(Known(), {"C": [0.1, 0.5, 1.0, 10.0]}, **options)
    run = as_run(search.fit(make_classification(60, random_state=0)[0]))
    assert run.space.names == ("C",)
    assert run.incumbent["C"] == pytest.approx(1.0)


# ---------------------------------------------------------------------- scores


def test_failed_fits_are_left_out_with_their_reason():
    with pytest.warns(match="non-finite"), pytest.warns(match="fits failed"):
        search = grid({"kernel": ["rbf", "broken", "linear"]}, refit=False)
    run = as_run(search)
    assert {t: why.kind for t, why in run.excluded.items()} == {1: "failed"}
    assert run.config(1) == {"kernel": "broken"}
    assert run.without_result[1].state == "failed"


def two_scores(refit):
    scoring = {"a": lambda e, X, y=None: e.truth(X), "b": lambda e, X, y=None: -e.truth(X)}
    return grid({"C": [0.1, 0.5, 1.0]}, scoring=scoring, refit=refit)


def test_of_several_metrics_the_one_of_refit_is_explained_unless_another_is_asked_for():
    search = two_scores("b")
    assert as_run(search).objective_name == "b"
    assert as_run(search).incumbent["C"] == pytest.approx(search.best_params_["C"])
    assert as_run(search).attributes["a"].tolist() == search.cv_results_["mean_test_a"].tolist()
    for name in ("a", "mean_test_a"):
        run = as_run(search, objective=name)
        assert run.objective.tolist() == search.cv_results_["mean_test_a"].tolist()
    assert list(as_runs(search)) == ["b"]


def test_several_metrics_of_which_none_was_chosen_are_runs_of_their_own():
    search = two_scores(False)
    assert list(as_runs(search)) == ["a", "b"]
    with pytest.raises(hx.base.InputError, match=r"a, b.*objective='a'"):
        as_run(search)
    with pytest.raises(hx.base.InputError, match="mean_fit_time"):
        as_run(search, objective="c")


def test_a_rule_that_refits_another_trial_than_the_best_is_noted():
    search = grid({"C": [0.1, 0.5, 1.0]}, refit=lambda results: 0)
    text = (
        "own rule chose trial 0; the best mean_test_score is that of trial 2, which is called the"
    )
    assert the_note(as_run(search).notes, text)


# ---------------------------------------------------------------------- other optimizers


@pytest.mark.merge
def test_a_bayesian_search_has_the_models_of_skopt_and_the_folds():
    search = BayesSearchCV(
        Known(), {"C": (1e-3, 1e3, "log-uniform")}, n_iter=12, cv=KFold(3), random_state=0
    ).fit(X)
    run, own = as_run(search), hx.from_skopt(search)
    assert run.proposals == own.proposals == (10, 11)
    assert run.own_acquisition(11).acquisition.label == own.own_acquisition(11).acquisition.label
    found = run.instances
    for k in range(3):
        scores = search.cv_results_[f"split{k}_test_score"]
        assert found.objective[found.index == k].tolist() == list(scores)


def test_a_bayesian_search_over_several_spaces_is_one_conditional_space():
    linear = {"kernel": ["linear"], "C": (1e-3, 1e3, "log-uniform")}
    rbf = {**linear, "kernel": ["rbf"], "gamma": (0.01, 10.0)}
    options = {"n_iter": 3, "cv": KFold(2), "random_state": 0}
    run = as_run(BayesSearchCV(Known(), [linear, rbf], **options).fit(X))
    assert run.space["C"] == hx.FloatParameter("C", 1e-3, 1e3, log=True)
    assert dict(run.space["gamma"].active_when) == {"kernel": ("rbf",)}
    assert run.origin(0) is hx.base.Origin.UNKNOWN


def test_the_score_of_a_search_has_the_range_of_what_it_is():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    for made, low, high in (
        (DecisionTreeClassifier(), 0.0, 1.0),
        (DecisionTreeRegressor(), -np.inf, 1.0),
    ):
        search = GridSearchCV(made, {"max_depth": [1, 2, 3]}).fit(X, y)
        run = hx.from_sklearn(search)
        assert run.bounds == (low, high)
        assert the_note(run.notes, "bounds_by_name")
    assert hx.from_sklearn(search, bounds=(-2.0, 1.0)).bounds == (-2.0, 1.0)
