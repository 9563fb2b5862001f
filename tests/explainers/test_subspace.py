"""The important subspace: against brute force over all sets, and inside Optuna."""

import json
from itertools import combinations

import numpy as np
import optuna
import pytest
from matplotlib.container import BarContainer

import hpo_explain as hx
from hpo_explain.explanations import Subject
from hpo_explain.surrogates.box_sums import closed_variance, mean_and_variance
from tests.analytic import unit_cube


def fitted(space, mean, n=300):
    X = space.sample(n, seed=1)
    return hx.Run(space, X, mean(X), "minimize")


def subspace_of(run, share=0.9, **options):
    return hx.subspace(run, share, n_trees=8, **options)


def without_incumbent(run, **known):
    """The explainer of the run's forest, which knows no incumbent, or another one."""
    forest = run.surrogate(kind="forest", n_trees=8)
    return hx.SubspaceExplainer(forest, subject=Subject(run.space, **known))


def brute_force(run, names):
    """The share of the variance that a set explains, by the exact integral of each tree."""
    members = [run.space.index(name) for name in names]
    trees = run.surrogate(kind="forest", n_trees=8).boxes()
    shares = [closed_variance(b, members) / mean_and_variance(b)[1] for b in trees]
    return np.mean(shares), np.std(shares)


def products(X):
    return X[:, 0] * X[:, 1] * X[:, 2] + 0.2 * X[:, 4]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8, 0.9, 0.99, 1.0])
def test_no_smaller_set_explains_the_share_and_no_set_of_the_size_explains_more(share):
    run = fitted(unit_cube(6), products)
    subspace = subspace_of(run, share)
    assert subspace.exhaustive
    size = len(subspace.names)
    best = max(brute_force(run, names)[0] for names in combinations(run.space.names, size))
    assert subspace.explained[-1] == pytest.approx(best, rel=1e-9)
    assert best >= share - 1e-9
    for names in combinations(run.space.names, size - 1):
        assert brute_force(run, names)[0] < share - 1e-9


def test_each_step_is_what_its_hyperparameters_explain_together():
    run = fitted(unit_cube(5), products)
    subspace = subspace_of(run, 0.97)
    assert len(subspace.names) > 2
    for k in range(1, len(subspace.names) + 1):
        mean, std = brute_force(run, subspace.names[:k])
        assert subspace.explained[k - 1] == pytest.approx(mean, rel=1e-9)
        assert subspace.std[k - 1] == pytest.approx(std, rel=1e-6, abs=1e-12)


def test_interactions_count_for_those_that_take_part_in_them():
    def either(X):
        return (X[:, 1] > 0.4) ^ (X[:, 2] > 0.6)

    run = fitted(unit_cube(4), either, n=1000)
    result = hx.importance(run, n_trees=8)
    assert result.share("x2") + result.share("x3") < 0.3
    assert set(subspace_of(run, 0.8).names) == {"x2", "x3"}


def test_all_others_are_fixed_at_the_incumbent():
    run = fitted(unit_cube(3), lambda X: X[:, 1] ** 2)
    subspace = subspace_of(run)
    assert subspace.names == ("x2",)
    assert subspace.fixed == {name: run.incumbent[name] for name in ("x1", "x3")}
    explains, fix = subspace.claims
    assert (explains.kind, explains.hyperparameters) == ("importance", ("x2",))
    assert (explains.estimate, explains.half) == pytest.approx(
        (subspace.explained[-1], subspace.std[-1])
    )
    assert (fix.kind, dict(zip(fix.hyperparameters, fix.values, strict=True))) == (
        "fix",
        subspace.fixed,
    )


def test_of_a_maximized_objective_the_others_are_fixed_at_the_best_values():
    run = fitted(unit_cube(2), lambda X: X[:, 1])
    higher = hx.Run(run.space, run.X, run.objective, "maximize")
    forest = run.surrogate(kind="forest", n_trees=8)
    subspace = hx.SubspaceExplainer(forest, subject=Subject.of(higher)).explain()
    best = run.X[np.argmax(run.objective)]
    assert subspace.fixed == {"x1": pytest.approx(best[0])}


def test_of_a_set_of_all_it_is_said_that_none_can_stay_fixed():
    subspace = subspace_of(fitted(unit_cube(2), lambda X: X[:, 0] + X[:, 1]))
    assert set(subspace.names) == {"x1", "x2"}
    assert subspace.whole
    assert [claim.kind for claim in subspace.claims] == ["importance"]


def test_where_no_incumbent_is_known_nothing_is_said_of_what_can_stay_fixed():
    subspace = without_incumbent(fitted(unit_cube(3), lambda X: X[:, 1] ** 2)).explain()
    assert not subspace.fixed
    assert not subspace.whole
    assert [note.kind for note in subspace.notes] == ["nothing_fixed"]
    assert [claim.kind for claim in subspace.claims] == ["importance"]


def test_many_hyperparameters_are_grown_greedily_and_it_is_said(monkeypatch):
    run = fitted(unit_cube(8), products)
    exhaustive = subspace_of(run, 0.95)
    monkeypatch.setattr("hpo_explain.explainers.subspace.MOST_SETS", 3)
    greedy = subspace_of(run, 0.95)
    assert not greedy.exhaustive
    assert "set_grown_greedily" in [note.kind for note in greedy.notes]
    assert greedy.explained[-1] >= 0.95
    assert len(greedy.names) >= len(exhaustive.names)
    assert set(greedy.names) >= {"x1", "x2", "x3"}


def test_a_constant_objective_leaves_everything_fixed():
    subspace = subspace_of(fitted(unit_cube(2), lambda X: np.ones(len(X))))
    assert subspace.names == ()
    assert set(subspace.fixed) == {"x1", "x2"}
    assert [claim.kind for claim in subspace.claims] == ["no_effect"]


def conditional():
    return hx.SearchSpace(
        [
            hx.CategoricalParameter("booster", ["tree", "dart", "linear"]),
            hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
            hx.FloatParameter("lr", 0.0, 1.0),
        ]
    )


def test_what_is_inactive_in_the_incumbent_is_not_fixed():
    run = fitted(conditional(), lambda X: X[:, 2] + 0.2 * (X[:, 0] == 1))
    subspace = subspace_of(run, 0.8)
    assert subspace.names == ("lr",)
    assert run.incumbent["booster"] != "dart"
    assert list(subspace.fixed) == ["booster"]
    assert [(note.kind, note.names) for note in subspace.notes] == [
        ("inactive_not_fixed", ("drop",))
    ]


def test_the_parent_of_what_is_inactive_in_the_incumbent_comes_along():
    run = fitted(
        conditional(), lambda X: np.where(X[:, 0] == 1, 0.5 + 3.0 * np.abs(X[:, 1] - 0.5), 0.9)
    )
    explainer = without_incumbent(run, incumbent={"booster": "tree", "lr": 0.5})
    subspace = explainer.explain(0.6)
    assert set(subspace.names) == {"booster", "drop"}
    assert subspace.fixed == {"lr": 0.5}


def test_a_sub_space_that_was_asked_for_has_an_incumbent_of_its_own():
    space = conditional()
    X = space.sample(300, seed=1)
    run = hx.Run(space, X, np.where(X[:, 0] == 1, 1.0 + np.nan_to_num(X[:, 1]), 0.0), "minimize")
    subspace = subspace_of(run, given={"booster": ["dart"]})
    assert subspace.fixed["booster"] == "dart"
    assert subspace.names == ("drop",)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.1, float("nan"), "90%"])
def test_a_share_outside_its_range_is_refused(share):
    run = fitted(unit_cube(2), lambda X: X[:, 0], n=20)
    with pytest.raises(ValueError, match="share"):
        subspace_of(run, share)


def test_an_optuna_study_goes_on_in_the_subspace():
    def objective(trial):
        x = trial.suggest_float("x", -5.0, 5.0)
        kind = trial.suggest_categorical("kind", ["a", None])
        n = trial.suggest_int("n", 1, 64, log=True)
        return x**2 + 0.01 * n + 0.001 * (kind == "a")

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=40)
    subspace = hx.subspace(study, share=0.8, n_trees=16)
    assert subspace.names == ("x",)
    base = optuna.samplers.TPESampler(seed=0)
    with pytest.warns(optuna.exceptions.ExperimentalWarning):
        study.sampler = optuna.samplers.PartialFixedSampler(subspace.fixed, base)
    study.optimize(objective, n_trials=20)
    for trial in study.trials[40:]:
        assert {name: trial.params[name] for name in subspace.fixed} == subspace.fixed
    assert study.best_value <= min(trial.value for trial in study.trials[:40])


def test_table_plot_and_dictionary_show_the_steps():
    subspace = subspace_of(fitted(unit_cube(5), products), 0.97)
    table = subspace.to_frame()
    assert table["hyperparameter"].tolist() == list(subspace.names)
    ax = subspace.plot()
    widths = [bar.get_width() for c in ax.containers if isinstance(c, BarContainer) for bar in c]
    np.testing.assert_allclose(widths, subspace.explained)
    assert json.loads(json.dumps(subspace.to_dict()))["explained"] == subspace.explained.tolist()
    assert "<svg" in subspace._repr_html_()
