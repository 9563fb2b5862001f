"""The important subspace: against brute force over all sets, and inside Optuna."""

import json
from itertools import combinations

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.surrogates.box_sums import closed_variance, mean_and_variance
from tests.analytic import unit_cube


def fitted(space, mean, n=300, **options):
    X = space.sample(n, seed=1)
    return hx.importance(hx.Run(space, X, mean(X), "minimize"), n_trees=8, **options)


def brute_force(result, names):
    """The share of the variance that a set explains, by the exact integral of each tree."""
    members = [result.names.index(name) for name in names]
    shares = [closed_variance(b, members) / mean_and_variance(b)[1] for b in result.boxes]
    return np.mean(shares), np.std(shares)


def products(X):
    return X[:, 0] * X[:, 1] * X[:, 2] + 0.2 * X[:, 4]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8, 0.9, 0.99, 1.0])
def test_no_smaller_set_explains_the_share_and_no_set_of_the_size_explains_more(share):
    result = fitted(unit_cube(6), products)
    subspace = result.subspace(share)
    assert subspace.exhaustive
    size = len(subspace.names)
    best = max(brute_force(result, names)[0] for names in combinations(result.names, size))
    assert subspace.explained[-1] == pytest.approx(best, rel=1e-9)
    assert best >= share - 1e-9
    for names in combinations(result.names, size - 1):
        assert brute_force(result, names)[0] < share - 1e-9


def test_each_step_is_what_its_hyperparameters_explain_together():
    result = fitted(unit_cube(5), products)
    subspace = result.subspace(0.97)
    assert len(subspace.names) > 2
    for k in range(1, len(subspace.names) + 1):
        mean, std = brute_force(result, subspace.names[:k])
        assert subspace.explained[k - 1] == pytest.approx(mean, rel=1e-9)
        assert subspace.std[k - 1] == pytest.approx(std, rel=1e-6, abs=1e-12)


def test_interactions_count_for_those_that_take_part_in_them():
    def either(X):
        return (X[:, 1] > 0.4) ^ (X[:, 2] > 0.6)

    result = fitted(unit_cube(4), either, n=1000, order=2)
    assert result.share("x2") + result.share("x3") < 0.3
    assert set(result.subspace(0.8).names) == {"x2", "x3"}


def test_all_others_are_fixed_at_the_incumbent():
    result = fitted(unit_cube(3), lambda X: X[:, 1] ** 2)
    subspace = result.subspace()
    assert subspace.names == ("x2",)
    assert subspace.fixed == {name: result.incumbent[name] for name in ("x1", "x3")}
    assert subspace.sentence.endswith("; 2 others can stay fixed.")


def test_of_a_set_of_all_it_is_said_that_none_can_stay_fixed():
    subspace = fitted(unit_cube(2), lambda X: X[:, 0] + X[:, 1]).subspace()
    assert set(subspace.names) == {"x1", "x2"}
    assert subspace.whole
    assert subspace.sentence.endswith("; no hyperparameter can stay fixed.")


def test_where_no_incumbent_is_known_nothing_is_said_of_what_can_stay_fixed():
    result = fitted(unit_cube(3), lambda X: X[:, 1] ** 2)
    object.__setattr__(result, "incumbent", {})
    subspace = result.subspace()
    assert not subspace.fixed
    assert not subspace.whole
    assert "fixed" not in subspace.sentence


def test_many_hyperparameters_are_grown_greedily_and_it_is_said(monkeypatch):
    result = fitted(unit_cube(8), products)
    exhaustive = result.subspace(0.95)
    monkeypatch.setattr("hpo_explain.explanations.subspace._MOST_SETS", 3)
    greedy = result.subspace(0.95)
    assert not greedy.exhaustive
    assert any("greedily" in note for note in greedy.notes)
    assert greedy.explained[-1] >= 0.95
    assert len(greedy.names) >= len(exhaustive.names)
    assert set(greedy.names) >= {"x1", "x2", "x3"}


def test_a_constant_objective_leaves_everything_fixed():
    subspace = fitted(unit_cube(2), lambda X: np.ones(len(X))).subspace()
    assert subspace.names == ()
    assert set(subspace.fixed) == {"x1", "x2"}
    assert "constant" in subspace.sentence


def conditional():
    return hx.SearchSpace(
        [
            hx.CategoricalParameter("booster", ["tree", "dart", "linear"]),
            hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
            hx.FloatParameter("lr", 0.0, 1.0),
        ]
    )


def test_what_is_inactive_in_the_incumbent_is_not_fixed():
    result = fitted(conditional(), lambda X: X[:, 2] + 0.2 * (X[:, 0] == 1))
    subspace = result.subspace(0.8)
    assert subspace.names == ("lr",)
    assert result.incumbent["booster"] != "dart"
    assert list(subspace.fixed) == ["booster"]
    assert subspace.sentence.endswith("; 1 other can stay fixed.")
    assert any("drop" in note for note in subspace.notes)


def test_the_parent_of_what_is_inactive_in_the_incumbent_comes_along():
    result = fitted(
        conditional(), lambda X: np.where(X[:, 0] == 1, 0.5 + 3.0 * np.abs(X[:, 1] - 0.5), 0.9)
    )
    object.__setattr__(result, "incumbent", {"booster": "tree", "lr": 0.5})
    subspace = result.subspace(0.6)
    assert set(subspace.names) == {"booster", "drop"}
    assert subspace.fixed == {"lr": 0.5}


def test_a_sub_space_that_was_asked_for_has_an_incumbent_of_its_own():
    space = conditional()
    X = space.sample(300, seed=1)
    run = hx.Run(space, X, np.where(X[:, 0] == 1, 1.0 + np.nan_to_num(X[:, 1]), 0.0), "minimize")
    result = hx.importance(run, n_trees=8, given={"booster": ["dart"]})
    assert result.subspace().fixed["booster"] == "dart"
    assert result.subspace().names == ("drop",)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.1, float("nan"), "90%"])
def test_a_share_outside_its_range_is_refused(share):
    result = fitted(unit_cube(2), lambda X: X[:, 0], n=20)
    with pytest.raises(ValueError, match="share"):
        result.subspace(share)


def test_an_optuna_study_goes_on_in_the_subspace():
    def objective(trial):
        x = trial.suggest_float("x", -5.0, 5.0)
        kind = trial.suggest_categorical("kind", ["a", None])
        n = trial.suggest_int("n", 1, 64, log=True)
        return x**2 + 0.01 * n + 0.001 * (kind == "a")

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=40)
    subspace = hx.importance(study, n_trees=16).subspace(share=0.8)
    assert subspace.names == ("x",)
    base = optuna.samplers.TPESampler(seed=0)
    with pytest.warns(optuna.exceptions.ExperimentalWarning):
        study.sampler = optuna.samplers.PartialFixedSampler(subspace.fixed, base)
    study.optimize(objective, n_trials=20)
    for trial in study.trials[40:]:
        assert {name: trial.params[name] for name in subspace.fixed} == subspace.fixed
    assert study.best_value <= min(trial.value for trial in study.trials[:40])


def test_table_plot_and_dictionary_show_the_steps():
    subspace = fitted(unit_cube(5), products).subspace(0.97)
    table = subspace.to_frame()
    assert table["hyperparameter"].tolist() == list(subspace.names)
    ax = subspace.plot()
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, subspace.explained)
    assert json.loads(json.dumps(subspace.to_dict()))["explained"] == subspace.explained.tolist()
    assert "<svg" in subspace._repr_html_()
