"""LIME: linear surrogates are recovered, trees too, what is certain, words and figure."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_predict

import hpo_explain as hx
from tests.analytic import AnalyticSurrogate, nested_space, unit_cube

CENTRE = {"x1": 0.3, "x2": 0.6, "x3": 0.1}


def effects(found):
    return {s.text: s.effect for s in found.statements}


def mixed_space(most=4):
    return hx.SearchSpace(
        [
            hx.FloatParameter("lr", 1e-4, 1.0, log=True),
            hx.CategoricalParameter("c", list("abc")),
            hx.IntParameter("k", 1, most),
        ]
    )


@pytest.mark.parametrize("sampling", ["uniform", "local"])
@pytest.mark.parametrize("width", [None, 0.2, 5.0])
def test_a_linear_surrogate_is_recovered_exactly(sampling, width):
    level = np.array([0.0, 2.0, -1.0])
    surrogate = AnalyticSurrogate(
        mixed_space(41), lambda X: 5.0 + 3.0 * X[:, 0] + level[X[:, 1].astype(int)] - 0.01 * X[:, 2]
    )
    found = hx.methods.LimeExplainer(
        surrogate, sampling=sampling, kernel_width=width, sample=400
    ).explain({"lr": 0.01, "c": "b", "k": 2})
    expected = {
        "lr from 0.0001 to 1": 3.0,
        "c = a, not b": -2.0,
        "c = c, not b": -3.0,
        "k from 1 to 41": -0.01,
    }
    assert effects(found) == pytest.approx(expected, rel=1e-9)
    assert found.fidelity == pytest.approx(1.0, abs=1e-12)
    assert (
        found.local_prediction == pytest.approx(found.prediction) == pytest.approx(8.5 - 1e-2 / 40)
    )
    assert found.remarks == ()
    assert max(s.std for s in found.statements) < 1e-9


def test_coefficients_and_fidelity_are_those_of_weighted_least_squares():
    space = unit_cube(3)
    surrogate = AnalyticSurrogate(space, lambda X: np.sin(4 * X[:, 0]) + X[:, 1] * X[:, 2])
    X = space.sample(200, seed=5)
    found = hx.methods.LimeExplainer(surrogate, sample=X, kernel_width=0.4).explain(CENTRE)
    x = np.array(list(CENTRE.values()))
    weights = np.exp(-((X - x) ** 2).sum(axis=1) / 0.4**2)
    y, _ = surrogate.predict(X)
    line = LinearRegression().fit(X - x, y, sample_weight=weights)
    expected = {f"x{j + 1} from 0 to 1": line.coef_[j] for j in range(3)}
    assert effects(found) == pytest.approx(expected)
    assert found.fidelity == pytest.approx(line.score(X - x, y, sample_weight=weights))
    assert found.local_prediction == pytest.approx(line.intercept_)
    assert found.effective_size == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_the_std_of_a_coefficient_is_how_much_it_varies_between_samples():
    space = unit_cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0] ** 2 + np.sin(6 * X[:, 1]))
    drawn = []
    for seed in range(60):
        X = space.sample(150, seed=seed, method="uniform")
        found = hx.methods.LimeExplainer(surrogate, sample=X).explain({"x1": 0.4, "x2": 0.5})
        drawn.append([s.effect for s in sorted(found.statements, key=lambda s: s.names)])
    told = [s.std for s in sorted(found.statements, key=lambda s: s.names)]
    np.testing.assert_allclose(told, np.std(drawn, axis=0), rtol=0.35)


@pytest.mark.parametrize("model", ["linear", "tree"])
def test_what_fits_the_sample_only_is_told_by_the_part_held_out(model):
    values = {}

    def noise(X):
        for row in X:
            values.setdefault(row.tobytes(), np.random.default_rng(len(values)).standard_normal())
        return np.array([values[row.tobytes()] for row in X])

    surrogate = AnalyticSurrogate(unit_cube(3), noise)
    found = hx.methods.LimeExplainer(surrogate, model=model, sample=60, kernel_width=3.0).explain(
        CENTRE
    )
    assert found.held_out < found.fidelity
    assert found.held_out < 0.1
    (remark,) = found.remarks
    assert "misses most of what the surrogate does here" in str(remark)


def test_the_held_out_fidelity_is_that_of_a_cross_validation():
    space = unit_cube(3)
    surrogate = AnalyticSurrogate(space, lambda X: np.sin(4 * X[:, 0]) + X[:, 1] * X[:, 2])
    X = space.sample(600, seed=5)
    found = hx.methods.LimeExplainer(surrogate, sample=X, kernel_width=50.0).explain(CENTRE)
    y, _ = surrogate.predict(X)
    folds = KFold(5, shuffle=True, random_state=0)
    theirs = cross_val_predict(LinearRegression(), X, y, cv=folds)
    # other folds: R² of both varies by some thousandths
    assert found.held_out == pytest.approx(r2_score(y, theirs), abs=0.01)


def test_a_tree_finds_the_step_and_its_own_leaf():
    surrogate = AnalyticSurrogate(
        mixed_space(),
        lambda X: np.where(X[:, 1] == 2, 5.0, 0.0) + np.where(X[:, 2] > 0.5, 2.0, 0.0),
    )
    found = hx.methods.LimeExplainer(surrogate, model="tree", max_depth=2).explain(
        {"lr": 0.1, "c": "a", "k": 4}
    )
    assert found.fidelity == pytest.approx(1.0)
    assert effects(found) == pytest.approx(
        {
            "c in {a, b} and k > 2": 0.0,
            "c = c and k > 2": 5.0,
            "c = c and k ≤ 2": 3.0,
            "c in {a, b} and k ≤ 2": -2.0,
        }
    )
    assert found.statements[0].own
    claim = found.claims[0]
    assert (claim.kind, claim.hyperparameters) == ("difference", ("c", "k"))
    assert claim.estimate == pytest.approx(5.0)
    assert [str(condition) for condition in claim.values] == ["c = c", "k > 2"]
    assert sum(s.weight for s in found.statements) == pytest.approx(1.0)
    assert found.prediction == found.local_prediction == 2.0


def test_a_low_fidelity_is_warned_of():
    surrogate = AnalyticSurrogate(unit_cube(3), lambda X: np.sin(40 * X[:, 0]))
    found = hx.methods.LimeExplainer(surrogate).explain(CENTRE)
    assert found.fidelity < 0.2
    (remark,) = found.remarks
    assert f"(held-out R² = {found.held_out:.2f})" in str(remark)
    assert found.held_out < found.fidelity
    assert not any(claim.certain for claim in found.claims)
    assert all(claim.because[-1] == remark for claim in found.claims)
    assert "Caution: the linear model misses most" in found.described().subtitle
    assert found.sentence.endswith("Try a smaller kernel_width, sampling='local', or a tree.")
    near = hx.methods.LimeExplainer(surrogate, kernel_width=0.01, sample=3000).explain(CENTRE)
    assert near.fidelity > 0.9
    slope = 40 * np.cos(40 * 0.3)
    assert near.statements[0].effect == pytest.approx(slope, rel=0.05)


@pytest.mark.parametrize("model", ["linear", "tree"])
@pytest.mark.parametrize("kind", [hx.models.GaussianProcessSurrogate, hx.models.ForestSurrogate])
def test_every_kind_of_hyperparameter_can_be_told(kind, model):
    space = nested_space()
    X = space.sample(40, seed=1)
    surrogate = kind.fit(space, X, np.nan_to_num(X, nan=0.3).sum(axis=1))
    for config in space.decode(X[:4]):
        found = hx.methods.LimeExplainer(surrogate, model=model, sample=200).explain(config)
        assert found.fidelity <= 1.0 + 1e-12
        assert np.isfinite([[s.effect, s.std, s.weight] for s in found.statements]).all()
        told = {name for s in found.statements for name in s.names}
        assert told <= {*config, "warmup"}
        json.dumps(found.to_dict(), allow_nan=False)


def test_presence_of_an_optional_hyperparameter_is_a_coordinate():
    space = hx.SearchSpace(
        [hx.IntParameter("warmup", 1, 3, optional=0.5), hx.FloatParameter("lr", 0.0, 1.0)]
    )
    surrogate = AnalyticSurrogate(space, lambda X: np.where(np.isnan(X[:, 0]), 4.0, X[:, 0]))
    absent = hx.methods.LimeExplainer(surrogate).explain({"lr": 0.5})
    assert absent.statements[0].text == "warmup present"
    assert absent.statements[0].effect == pytest.approx(-3.5, abs=0.05)
    present = hx.methods.LimeExplainer(surrogate).explain({"warmup": 2, "lr": 0.5})
    assert effects(present) == pytest.approx(
        {"warmup absent": 3.5, "warmup from 1 to 3": 1.0, "lr from 0 to 1": 0.0}
    )
    tree = hx.methods.LimeExplainer(surrogate, model="tree", max_depth=1).explain({"lr": 0.5})
    assert [s.text for s in tree.statements] == ["warmup absent", "warmup present"]


def test_an_acquisition_and_any_scale():
    space = unit_cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0], lambda X: X[:, 1])
    acquisition = hx.models.LowerConfidenceBound(surrogate, kappa=2.0)
    found = hx.methods.LimeExplainer(acquisition).explain({"x1": 0.5, "x2": 0.5})
    assert effects(found) == pytest.approx({"x2 from 0 to 1": 2.0, "x1 from 0 to 1": -1.0})
    assert found.subject.acquisition == acquisition.label
    assert not found.subject.lower_is_better
    for unit in (1e-200, 1e200):
        scaled = AnalyticSurrogate(space, lambda X, unit=unit: unit * X[:, 0])
        found = hx.methods.LimeExplainer(scaled).explain({"x1": 0.5, "x2": 0.5})
        assert found.statements[0].effect == pytest.approx(unit)


def test_a_maximized_objective_is_told_in_its_direction():
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: X[:, 0] - 2.0 * X[:, 1])
    config = {"x1": 0.5, "x2": 0.5}
    found = hx.methods.LimeExplainer(surrogate, direction="maximize").explain(config)
    assert (found.subject.direction, found.subject.lower_is_better) == ("maximize", False)
    assert [claim.hyperparameters for claim in found.claims] == [("x2",), ("x1",)]
    assert [claim.estimate for claim in found.claims] == pytest.approx([-2.0, 1.0])
    assert [bar.fill for bar in found.described().bars] == [1, 0]  # 2 less is worse


@pytest.mark.parametrize("model", ["linear", "tree"])
def test_nothing_changes_a_constant(model):
    found = hx.methods.LimeExplainer(AnalyticSurrogate(unit_cube(3), 4.0), model=model).explain(
        CENTRE
    )
    assert found.fidelity == 1.0
    assert not any(s.effect for s in found.statements)
    assert [(claim.kind, claim.certain) for claim in found.claims] == [("difference", False)]
    assert found.described().fills == {}
    assert "no hyperparameter changes the predicted objective, which is 4." in found.sentence


# ---------------------------------------------------------------------- the model's uncertainty


@pytest.mark.thorough
def test_the_effects_in_each_function_are_those_of_the_same_fit():
    space = mixed_space(9)
    X = space.sample(25, seed=3)
    noise = 0.1 * np.random.default_rng(0).standard_normal(25)
    y = X[:, 0] + 0.3 * (X[:, 1] == 2) + X[:, 2] ** 2 + noise
    belief, config = (hx.Run(space, X, y, "minimize").belief(), {"lr": 0.02, "c": "b", "k": 4})
    X, x = space.sample(150, seed=5), space.encode(config)[0]
    found = hx.methods.LimeExplainer(belief, sample=X, kernel_width=0.8).explain(config)
    differs = (X[:, 1] != x[1]).astype(float)
    squares = (X[:, 0] - x[0]) ** 2 + differs + (X[:, 2] - x[2]) ** 2
    design = np.column_stack([X[:, 0], X[:, 1] == 0, X[:, 1] == 2, X[:, 2]])
    weights = np.exp(-squares / 0.8**2)
    fitted = LinearRegression().fit(design, belief.draws(X).T, sample_weight=weights)
    names = ["lr from 0.0001 to 1", "c = a, not b", "c = c, not b", "k from 1 to 9"]
    for text, drawn in zip(found.texts, found.draws, strict=True):
        np.testing.assert_allclose(drawn, fitted.coef_[:, names.index(text)], atol=1e-4)
    # a leaf beside its own one
    found = hx.methods.LimeExplainer(belief, model="tree", sample=X, kernel_width=0.8).explain(
        config
    )
    configs, values = space.decode(X), belief.draws(X).T

    def mean(leaf):
        inside = np.array([leaf.holds(config) for config in configs])
        return np.average(values[inside], axis=0, weights=weights[inside])

    for leaf, drawn in zip(found.statements, found.draws, strict=True):
        np.testing.assert_allclose(drawn, mean(leaf) - mean(found.statements[0]), atol=1e-4)


def unsure(error):
    """A linear surrogate explained, each of whose effects has this std over the functions."""
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: 3.0 * X[:, 0] - X[:, 1])
    found = hx.methods.LimeExplainer(surrogate, sample=50).explain({"x1": 0.5, "x2": 0.5})
    errors = np.random.default_rng(1).standard_normal((2, 200))
    drawn = np.array([[3.0], [-1.0]]) + error * (errors - errors.mean(axis=1, keepdims=True))
    return replace(found, draws=drawn)


def test_an_effect_is_certain_where_the_functions_agree_on_its_sign():
    assert [claim.certain for claim in unsure(0.4).claims] == [True, True]
    assert [claim.certain for claim in unsure(0.9).claims] == [True, False]
    assert [reason.kind for reason in unsure(0.9).claims[1].because] == ["not_settled"]
    alone = replace(unsure(0.1), draws=unsure(0.1).draws[:, :1])
    assert not any(claim.certain for claim in alone.claims)


# ---------------------------------------------------------------------- words and figure


def test_effects_are_told_with_their_sign_and_why_one_is_not_certain():
    found = unsure(0.9)
    start = "In a linear model around this configuration (held-out R² = 1.00) the predicted "
    assert found.sentence.startswith(
        f"{start}objective changes by +3 ± 2 for x1 from 0 to 1 and by "
    )
    assert "Not certain: it holds with 92% probability" in found.sentence
    assert found.described().footer.endswith("and the uncertainty of the objective.")


def test_the_figure_has_a_bar_per_statement_and_a_line_per_condition():
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: np.where(X > 0.5, 1.0, 0.0) @ [3.0, 1.0])
    config = {"x1": 0.2, "x2": 0.2}
    found = hx.methods.LimeExplainer(surrogate, model="tree", max_depth=2).explain(config)
    figure = found.described()
    assert figure.labels[0][-1] == "(its own leaf)"
    assert all(label[1].startswith("and ") for label in figure.labels)
    assert [bar.end for bar in figure.bars] == [s.effect for s in found.statements]
    assert [bar.half for bar in figure.bars] == [s.half for s in found.statements]
    assert figure.fills == {1: "worse"}
    assert "weighted R² = 1.00" in figure.subtitle
