"""Accumulated local effects: closed forms, PyALE's numbers, axioms, and trials that crowd."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.belief.draws import as_draws
from hpo_explain.methods.effects.accumulated_local_effects import accumulated_local_effects
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube


def effects(space, of, sample, names, **options):
    return accumulated_local_effects(AnalyticSurrogate(space, of), names, sample=sample, **options)


def order_told(found):
    """In which order its note says that categories were accumulated."""
    (told,) = [str(note) for note in found.notes if str(note).startswith("the categories of ")]
    return told.rpartition("(")[2].removesuffix(")").split(", ")


# ---------------------------------------------------------------------- closed forms


def test_of_a_product_along_the_diagonal_it_is_half_the_square():
    """f = x1 · x2 where x1 = x2: ∫ x2 dx1 = x²/2 (Apley and Zhu, section 2); its mean is 1/6."""
    diagonal = np.repeat((np.arange(2000)[:, None] + 0.5) / 2000, 2, axis=1)[::2]
    found = effects(unit_cube(2), lambda X: X[:, 0] * X[:, 1], diagonal, "x1", grid_size=41)
    x = np.array(found.grid)
    np.testing.assert_allclose(found.mean, x**2 / 2 - 1 / 6, atol=1e-3)
    # the partial dependence is x · E[x2]
    np.testing.assert_allclose(found.partial, x / 2 - 1 / 4, atol=1e-3)


def test_of_an_additive_function_it_is_its_own_term_however_the_others_are_distributed():
    rng = np.random.default_rng(0)
    sample = np.clip(rng.random((90, 1)) + 0.05 * rng.standard_normal((90, 3)), 0, 1)
    found = effects(unit_cube(3), lambda X: X[:, 0] ** 2 + np.exp(X[:, 1]) - X[:, 2], sample, "x1")
    x = np.array(found.grid)
    np.testing.assert_allclose(np.diff(found.mean), np.diff(x**2), atol=1e-12)


# ---------------------------------------------------------------------- independent implementations


@pytest.fixture(scope="module")
def mixed():
    """A space with a number, its companion, an integer and a category; trials and models of it."""
    space = space_of(x=(0.0, 1.0), y=(0.0, 1.0), k=range(1, 6), c=list("abcd"))
    rng = np.random.default_rng(0)
    x = rng.random(208)
    y = np.clip(x + 0.1 * rng.standard_normal(208), 0.0, 1.0)
    near = np.floor(4 * np.clip(x + 0.2 * rng.standard_normal(208), 0.0, 0.999)).astype(int)
    X = np.stack([x, y, rng.integers(0, 5, 208) / 4, np.array([2, 0, 3, 1])[near]], axis=1)
    values = X[:, 0] * X[:, 1] + X[:, 2] ** 2 * X[:, 0] + np.sin(X[:, 3]) * X[:, 1]
    return {
        "space": space,
        "X": X,
        "gp": hx.models.GaussianProcessSurrogate.fit(space, X, values),
        "forest": hx.models.ForestSurrogate.fit(space, X, values, n_trees=8),
    }


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_the_numbers_are_pyales(mixed, kind):
    ale = pytest.importorskip("PyALE").ale
    X, model = mixed["X"], mixed[kind]
    columns = ["x", "y", "k", "c"]

    class Theirs:
        def predict(self, table):
            return model.predict(table[columns].to_numpy(dtype=float))[0]

    def codes(table):
        return pd.DataFrame({"c": table["c"].astype(str).map("abcd".index)}, index=table.index)

    table = pd.DataFrame(X, columns=columns)
    named = table.assign(c=[*map("abcd".__getitem__, X[:, 3].astype(int))])

    def ours(name):
        return accumulated_local_effects(model, name, sample=X, grid_size=17)

    options = {"plot": False, "include_CI": False}
    x = ale(table, Theirs(), ["x"], feature_type="continuous", grid_size=16, **options)
    np.testing.assert_allclose(ours("x").positions[0], x.index)
    np.testing.assert_allclose(ours("x").mean, x["eff"], atol=1e-12)
    k = ale(table, Theirs(), ["k"], feature_type="discrete", **options)
    np.testing.assert_allclose(ours("k").mean, k["eff"], atol=1e-12)
    c = ale(
        named,
        Theirs(),
        ["c"],
        feature_type="categorical",
        encode_fun=codes,
        predictors=columns,
        **options,
    )
    found = ours("c")
    np.testing.assert_allclose(found.mean, c["eff"].loc[list(found.grid)], atol=1e-12)
    assert order_told(found) in (list(c.index), list(c.index)[::-1])


@pytest.mark.parametrize("name", ["x", "c"])
def test_the_band_is_that_of_the_differences_by_the_whole_posterior_covariance(mixed, name):
    """Each row on both ends of each of its steps, one after the other, and their covariance."""
    model, X = mixed["gp"], mixed["X"][:60]
    found = accumulated_local_effects(model, name, sample=X, grid_size=5)
    j = mixed["space"].index(name)
    places = found.positions[0]
    if name == "c":
        places = mixed["space"]["c"].encode(order_told(found))
    rows, weights = [], []
    for k in range(len(places) - 1):
        low, high = places[k], places[k + 1]
        if name == "c":
            inside = np.isin(X[:, j], [low, high])
        else:
            inside = (X[:, j] > low) & (X[:, j] <= high) | ((k == 0) & (X[:, j] == low))
        for row in X[inside]:
            for value, sign in ((low, -1.0), (high, 1.0)):
                rows.append(np.where(np.arange(4) == j, value, row))
                weight = np.zeros(len(places))
                weight[k + 1 :] = sign / inside.sum()
                weights.append(weight)
    weights = np.array(weights).T
    if name == "c":
        shares = [(X[:, j] == place).mean() for place in places]
    else:
        inside = np.maximum(np.searchsorted(places, X[:, j]), 1)
        steps = np.bincount(inside, minlength=len(places)) / len(X)
        shares = (steps + np.append(steps[1:], 0.0)) / 2.0
    weights -= np.array(shares) @ weights
    order = np.argsort(places)
    np.testing.assert_allclose(found.mean, (weights @ model.predict(np.array(rows))[0])[order])
    drawn = weights @ as_draws(model, "minimize").draws(np.array(rows)).T
    apart = drawn - drawn.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(found.draws, (found.mean + apart[order].T).T, atol=1e-9)


# ---------------------------------------------------------------------- axioms


@pytest.fixture(scope="module")
def factorial():
    """All combinations of three values of x1, of x2 and of a category."""
    space = hx.SearchSpace([*unit_cube(2), hx.CategoricalParameter("c", ["a", "b", "d"])])
    values = [0.0, 0.4, 1.0], [0.1, 0.5, 0.9], [0.0, 1.0, 2.0]
    rows = np.array(list(itertools.product(*values)))
    table = np.random.default_rng(1).standard_normal((3, 3, 3))

    def of(X):
        places = (np.argmin(abs(X[:, [j]] - values[j]), axis=1) for j in range(3))
        return table[tuple(places)]

    return space, of, rows, table


def test_where_all_combinations_were_tried_it_is_the_centred_mean_over_the_others(factorial):
    space, of, rows, table = factorial
    for j, name in enumerate(space.names):
        means = table.mean(axis=tuple(k for k in range(3) if k != j))
        np.testing.assert_allclose(effects(space, of, rows, name).mean, means - means.mean())


def test_its_mean_over_the_sample_is_zero_and_it_is_linear_in_the_function():
    space, rng = unit_cube(2), np.random.default_rng(2)
    sample = rng.beta(0.5, 2.0, (70, 2))

    def first(X):
        return np.sin(5 * X[:, 0]) * X[:, 1]

    def second(X):
        return np.abs(X[:, 0] - X[:, 1])

    f, g = (effects(space, of, sample, "x1").mean for of in (first, second))
    both = effects(space, lambda X: 3.0 * first(X) - second(X), sample, "x1")
    np.testing.assert_allclose(both.mean, 3.0 * f - g, atol=1e-12)
    found = effects(space, first, sample, "x1")
    middles = (found.mean[1:] + found.mean[:-1]) / 2.0
    steps = np.maximum(np.searchsorted(found.grid, sample[:, 0]), 1) - 1
    assert abs(middles[steps].mean()) < 1e-12


# ---------------------------------------------------------------------- where trials are


def test_what_the_model_says_of_combinations_nobody_tried_does_not_matter():
    """x1 and x2 were always chosen alike; far from the diagonal the model says anything."""
    rng = np.random.default_rng(0)
    x = rng.random(80)
    tried = np.clip(np.stack([x, x + 0.03 * rng.standard_normal(80)], axis=1), 0.0, 1.0)

    def of(wrong):
        return lambda X: X[:, 0] + wrong * X[:, 0] * (np.abs(X[:, 0] - X[:, 1]) > 0.4)

    subject = Subject(unit_cube(2), tried=tried)
    right, wrong = (effects(unit_cube(2), of(w), None, "x1", subject=subject) for w in (0, 20))
    np.testing.assert_allclose(wrong.mean, right.mean)
    assert np.ptp(wrong.partial) > 3.0 * np.ptp(right.partial)


def test_only_configurations_in_which_it_is_active_count_and_all_asked_about_are_valid():
    """`AnalyticSurrogate` refuses what is no configuration."""
    space = nested_space()
    X = space.sample(120, seed=1)
    for name in space.names:
        found = effects(space, lambda X: np.nansum(X, axis=1), X, name)
        active = ~np.isnan(X[:, space.index(name)])
        assert found.sample_size == active.sum()
        assert np.isfinite(found.mean).all()
    # momentum alone: what depends on it does not
    found = effects(space, lambda X: np.nan_to_num(X[:, 1]), X, "momentum")
    np.testing.assert_allclose(np.diff(found.mean), np.diff(found.positions[0]))


def test_what_a_category_activates_takes_its_value_from_the_nearest_trial_that_has_one():
    space = space_of(
        booster=["tree", "dart"], rate=(0.0, 1.0), when={"rate": {"booster": ["dart"]}}
    )
    X = np.array([[0.0, np.nan]] * 3 + [[1.0, 0.9], [1.0, 0.7]])
    found = effects(space, lambda X: np.nan_to_num(X[:, 1]), X, "booster")
    # the nearest one that has a rate, for all three: 0.9; of the others their own
    np.testing.assert_allclose(np.diff(found.mean), (3 * 0.9 + 0.9 + 0.7) / 5)


def test_the_best_is_claimed_where_the_trials_carry_it_and_nothing_more():
    space = unit_cube(2)
    X = space.sample(60, seed=0)
    rng = np.random.default_rng(0)
    run = hx.Run(space, X, (X[:, 0] - 0.3) ** 2 + 0.01 * rng.standard_normal(60), "minimize")
    (best, contrast) = hx.partial_dependence(run, "x1", kind="accumulated").claims
    assert best.kind == "best"
    assert best.certain
    low, high = best.values[0]
    assert low <= 0.3 <= high
    assert contrast.certain
    # mean of (x - 0.3)² over [0, 1] is 0.37 / 3
    assert best.interval[0] <= -0.37 / 3 <= best.interval[1]
    assert not any(c.certain for c in hx.partial_dependence(run, "x2", kind="accumulated").claims)
    with pytest.raises(hx.base.InputError, match="along one hyperparameter"):
        hx.partial_dependence(run, ["x1", "x2"], kind="accumulated")


# ---------------------------------------------------------------------- what there is none of


def test_one_value_has_no_effect_and_a_model_without_uncertainty_no_band():
    space = unit_cube(2)
    same = np.column_stack([np.full(9, 0.5), np.linspace(0, 1, 9)])
    with pytest.raises(hx.base.NothingToExplain, match="fewer than two values of x1"):
        effects(space, lambda X: X[:, 0], same, "x1")
    found = effects(space, lambda X: X[:, 1], same, "x2")
    assert found.draws.shape == (9, 1)
    assert np.isnan(found.std).all()
    assert not any(claim.certain for claim in found.claims)


# ---------------------------------------------------------------------- in words


CUBE = unit_cube(2)


def effect(names, of, *, error):
    """Of a function at a lattice, with independent errors of the places."""
    lattice = np.array([(a, b) for a in np.linspace(0, 1, 5) for b in np.linspace(0, 1, 5)])
    subject = Subject(CUBE, tried=CUBE.sample(300, seed=0))
    found = accumulated_local_effects(
        AnalyticSurrogate(CUBE, of), names, sample=lattice, subject=subject
    )
    errors = error * np.random.default_rng(0).standard_normal((*found.mean.shape, 200))
    return replace(found, draws=found.mean[..., None] + errors)


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            effect("x1", lambda X: 4.0 * X[:, 0], error=0.1),
            "Along the trials, relative to their average, the objective is best at x1 between 0 "
            "and 0.125: -2.0 ± 0.3.",
        ),
        (
            effect("x1", lambda X: 0.1 * X[:, 0], error=2.0),
            "Along the trials, relative to their average, the objective is 0 ± 6 at best; no value "
            "of x1 is ruled out.",
        ),
    ],
)
def test_the_sentence_says_what_changes_along_the_trials(result, sentence):
    assert result.sentence == sentence
