"""Formulas of effects whose formula is known, and of effects that have none."""

from itertools import combinations

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.explainers.symbolic import _best_sum
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.noted import kinds

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-5, 1e-1, log=True),
        hx.IntParameter("depth", 1, 8),
        hx.CategoricalParameter("opt", ["sgd", "adam", "lion"]),
        hx.FloatParameter("x", -1.0, 1.0),
    ]
)


def decoded(name):
    return lambda X: np.array(SPACE[name].decode(X[:, SPACE.index(name)]))


LR, DEPTH, OPT, XS = map(decoded, SPACE.names)


class Sure(AnalyticSurrogate):
    """A model that knows the function everywhere."""

    def posterior_covariance(self, X):
        return np.zeros((len(X), len(X)))

    def covariance_of_sums(self, X, weights):
        return np.zeros((len(weights), len(weights)))

    def std_of_mean(self, X, members, values):
        return np.zeros(len(values))

    def covariance_with(self, X, others):
        return np.zeros((len(X), len(others)))

    def covariance_of_means(self, groups):
        return np.zeros((len(groups), len(groups)))


# ---------------------------------------------------------------------- closed forms


@pytest.mark.parametrize(
    ("names", "function", "expected"),
    [
        (
            "lr",
            lambda X: 3.0 + 0.5 * np.log10(LR(X)) ** 2 + XS(X),
            {"log10(lr)²": 0.5},
        ),
        ("depth", lambda X: 4.0 / DEPTH(X) - 1.0, {"1/depth": 4.0}),
        ("x", lambda X: 2.0 * XS(X) ** 2 + DEPTH(X), {"x²": 2.0}),
        (["x", "depth"], lambda X: XS(X) * DEPTH(X) + 7.0, {"depth · x": 1.0}),
        ("opt", lambda X: 5.0 * (OPT(X) == "adam"), {"[opt = adam]": 5.0}),
        (
            ["opt", "x", "lr"],
            lambda X: 2.0 * (OPT(X) == "lion") * XS(X) - np.log10(LR(X)),
            {"[opt = lion] · x": 2.0, "log10(lr)": -1.0},
        ),
    ],
    ids=["log squared", "inverse", "square", "product", "category", "three"],
)
def test_a_function_of_such_terms_is_found_as_it_is(names, function, expected):
    found = hx.SymbolicExplainer(Sure(SPACE, function)).explain(names)
    terms = {" · ".join(sorted(t.label.split(" · "))): t.coefficient for t in found.terms}
    assert terms == pytest.approx(expected, rel=1e-6)
    assert found.r2 == pytest.approx(1.0)
    assert found.formula
    for point, value in zip(found.points[:5], found.mean, strict=False):
        assert found.predict(point) == pytest.approx(value)


def test_the_constant_is_the_average_over_all_others():
    surrogate = Sure(unit_cube(2), lambda X: 3.0 * X[:, 0] + 4.0 * X[:, 1])
    found = hx.SymbolicExplainer(surrogate, sample=400).explain("x1")
    assert found.terms[0].label == "x1"
    assert found.intercept == pytest.approx(2.0, rel=1e-3)


# ---------------------------------------------------------------------- independent, axioms


def test_the_sum_is_the_best_of_all_sums_of_its_size():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((80, 9))
    effect = values @ rng.standard_normal(9)
    part = np.arange(80) % 4
    train = part < 2
    chosen, weights = _best_sum(values, effect, part, 3)
    errors = {}
    for columns in combinations(range(9), 3):
        design = np.column_stack([np.ones(train.sum()), values[train][:, columns]])
        fit = np.linalg.lstsq(design, effect[train], rcond=None)[0]
        errors[columns] = ((design @ fit - effect[train]) ** 2).sum(), fit
    best = min(errors, key=lambda columns: errors[columns][0])
    assert tuple(chosen) == best
    np.testing.assert_allclose(weights, errors[best][1])


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_formula_moves_with_the_objective(direction):
    """Of 3 f + 1, the formula is 3 times that of f, plus 1; whatever is better."""
    f = lambda X: XS(X) + 0.3 * XS(X) ** 2  # noqa: E731
    once = hx.SymbolicExplainer(Sure(SPACE, f), direction=direction).explain("x")
    moved = hx.SymbolicExplainer(Sure(SPACE, lambda X: 3.0 * f(X) + 1.0)).explain("x")
    assert [t.label for t in moved.terms] == [t.label for t in once.terms]
    np.testing.assert_allclose(
        [t.coefficient for t in moved.terms], [3.0 * t.coefficient for t in once.terms]
    )
    assert moved.intercept == pytest.approx(3.0 * once.intercept + 1.0)
    assert moved.r2 == pytest.approx(once.r2)


# ---------------------------------------------------------------------- where there is none


def test_an_effect_that_no_sum_describes_has_no_formula():
    found = hx.SymbolicExplainer(Sure(SPACE, lambda X: np.sin(14.0 * XS(X)))).explain("x")
    (claim,) = found.claims
    assert (claim.kind, found.formula, found.fits) == ("no_formula", "", False)
    assert claim.estimate < 0.9


def test_a_constant_has_no_formula():
    found = hx.SymbolicExplainer(Sure(SPACE, 4.0)).explain("x")
    assert (found.terms, found.formula, found.told) == ((), "", False)
    assert found.intercept == pytest.approx(4.0)


def test_a_model_without_an_uncertainty_of_effects_gives_none():
    found = hx.SymbolicExplainer(AnalyticSurrogate(SPACE, XS, 0.1)).explain("x")
    assert found.r2 > 0.99
    assert kinds(found.claims[0].because) == {"uncertainty_unknown"}
    assert found.formula == ""


@pytest.mark.parametrize("n", [2, pytest.param(40, marks=pytest.mark.thorough)])
def test_noise_gets_no_formula(n):
    space, said = unit_cube(2), 0
    for seed in range(n):
        X = space.sample(30, seed=seed)
        y = np.random.default_rng(seed).standard_normal(30)
        said += hx.symbolic(hx.Run(space, X, y, "minimize"), "x1", sample=30).formula != ""
    assert said <= 0.05 * n


@pytest.mark.parametrize("n", [2, pytest.param(40, marks=pytest.mark.thorough)])
def test_the_r2_with_the_true_effect_is_not_below_the_interval(n):
    space, below = unit_cube(2), 0
    for seed in range(n):
        X = space.sample(40, seed=seed)
        noise = 0.3 * np.random.default_rng(seed).standard_normal(40)
        run = hx.Run(space, X, 4.0 * (X[:, 0] - 0.3) ** 2 + X[:, 1] + noise, "minimize")
        found = hx.symbolic(run, "x1", sample=50)
        true = np.array([4.0 * (point["x1"] - 0.3) ** 2 for point in found.points])
        below += 1.0 - np.var(true - found.fitted) / np.var(true) < found.r2_interval[0]
    assert below <= 0.05 * n


# ---------------------------------------------------------------------- real runs


def test_a_study_gets_its_formula_and_a_forest_one_with_an_interval():
    def objective(trial):
        lr = trial.suggest_float("lr", 1e-4, 1.0, log=True)
        return (np.log10(lr) + 2.0) ** 2 + trial.suggest_float("x", 0.0, 1.0)

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=60)
    found = hx.symbolic(study, "lr")
    (claim,) = found.claims
    assert claim.kind == "formula"
    assert claim.certain
    assert {t.label: round(t.coefficient, 1) for t in found.terms} == {
        "log10(lr)": 4.0, "log10(lr)²": 1.0,
    }  # fmt: skip
    assert hx.symbolic(study, "lr", kind="forest", sample=50).r2_interval is not None


def test_names_that_are_too_many_or_never_active_together_are_refused():
    table = pd.DataFrame(np.random.default_rng(0).random((12, 5)), columns=[*"abcde"])
    with pytest.raises(hx.InputError) as wrong:
        hx.symbolic(table, [*"abcd"], objective="e")
    assert wrong.value.argument == "names"
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("c", ["a", "b"]),
            hx.FloatParameter("x", 0.0, 1.0, active_when={"c": ["a"]}),
            hx.FloatParameter("y", 0.0, 1.0, active_when={"c": ["b"]}),
        ]
    )
    with pytest.raises(hx.NothingToExplain, match="x and y are hardly ever active together"):
        hx.SymbolicExplainer(Sure(space, 1.0)).explain(["x", "y"])
