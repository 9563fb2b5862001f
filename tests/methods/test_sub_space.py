"""Effects in a part of the space: closed forms, and the same rows picked by hand."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.base.subject import Subject
from hpo_explain.methods._engines.sub_space import SubSpace
from hpo_explain.methods.effects.accumulated_local_effects import accumulated_local_effects
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer
from tests.analytic import AnalyticSurrogate, nested_space, space_of

few_draws = pytest.mark.usefixtures("few_draws_here")

SPACE = space_of(x=(0.0, 1.0), c=["a", "b"], y=(0.0, 1.0))
# x where c is a
SWITCHED = AnalyticSurrogate(SPACE, lambda X: X[:, 0] * (X[:, 1] == 0))


@pytest.mark.parametrize(
    "effect_of",
    [
        lambda model, name, **options: PartialDependenceExplainer(model, **options).explain(name),
        accumulated_local_effects,
    ],
    ids=["partial", "accumulated"],
)
@pytest.mark.parametrize(("given", "slope"), [("a", 1.0), ("b", 0.0)])
def test_the_effect_of_x_is_x_where_c_switches_it_on_and_none_elsewhere(effect_of, given, slope):
    effect = effect_of(SWITCHED, "x", sample=40, grid_size=5, given={"c": [given]})
    rises = np.diff(effect.mean) / np.diff(effect.grid)
    np.testing.assert_allclose(rises, slope, atol=1e-12)
    assert effect.given == {"c": [given]}
    assert effect.lead.startswith(f"Given c in {{{given}}}, ")


def test_the_average_is_that_over_the_part():
    # the average of y over y in [0.2, 0.6] is 0.4, whatever x is
    model = AnalyticSurrogate(SPACE, lambda X: X[:, 0] + X[:, 2])
    given = {"y": (0.2, 0.6), "x": (0.5, 1.0)}
    effect = PartialDependenceExplainer(model, sample=500, grid_size=3, given=given).explain("x")
    assert effect.grid == (0.5, 0.75, 1.0)
    np.testing.assert_allclose(effect.mean, [0.9, 1.15, 1.4], atol=1e-3)


def test_a_forest_is_averaged_over_the_part_exactly():
    X = SPACE.sample(300, seed=1)
    forest = hx.models.ForestSurrogate.fit(SPACE, X, SWITCHED.predict(X)[0] + X[:, 2])
    given = {"c": ["a"], "y": (0.3, 0.7)}
    effect = PartialDependenceExplainer(forest, grid_size=4, given=given).explain("x")
    assert effect.exact
    for x, mean in zip(effect.grid, effect.mean, strict=True):
        y = np.linspace(0.3, 0.7, 4001)
        rows = np.column_stack([np.full_like(y, min(x, 1 - 1e-9)), np.zeros_like(y), y])
        assert mean == pytest.approx(forest.predict(rows)[0].mean(), abs=1e-3)


def test_the_best_of_the_others_is_searched_in_the_part():
    rng = np.random.default_rng(0)
    X = SPACE.sample(60, seed=1)
    run = hx.Run(SPACE, X, X[:, 0] + X[:, 2] + 0.01 * rng.standard_normal(60), "minimize")
    effect = hx.partial_dependence(run, "x", given={"y": (0.5, 1.0)}, grid_size=3)
    assert all(config["y"] >= 0.5 for config in effect.attainable.configurations)
    np.testing.assert_allclose(effect.attainable.mean, [0.5, 1.0, 1.5], atol=0.15)


def test_trials_and_the_incumbent_are_those_of_the_part():
    X = np.array([[0.1, 1.0, 0.5], [0.6, 0.0, 0.5], [0.8, 0.0, 0.5]])
    subject = Subject(SPACE, tried=X, costs=X[:, 0], incumbent=SPACE.decode(X[:1])[0])
    effect = PartialDependenceExplainer(
        SWITCHED, sample=20, subject=subject, given={"c": ["a"]}
    ).explain("x")
    assert effect.tried == ((0.6, 0.8),)
    assert effect.subject.incumbent["x"] == 0.6
    nowhere = PartialDependenceExplainer(
        SWITCHED, sample=20, subject=subject, given={"y": (0.8, 0.9)}
    ).explain("x")
    assert not nowhere.supported.any()
    assert nowhere.subject.incumbent == {}


def test_rows_of_ones_own_count_where_they_lie_in_the_part():
    rows = SPACE.sample(50, seed=3)
    of_b = rows[rows[:, 1] == 1.0]
    model = AnalyticSurrogate(SPACE, lambda X: X[:, 0] * X[:, 2] + X[:, 1])
    found = PartialDependenceExplainer(model, sample=rows, given={"c": ["b"]}).explain("x")
    wanted = PartialDependenceExplainer(model, sample=of_b).explain("x")
    np.testing.assert_array_equal(found.mean, wanted.mean)


def test_what_is_conditional_is_active_where_it_is_named():
    model = AnalyticSurrogate(nested_space(), lambda X: X[:, 7])
    within = PartialDependenceExplainer(model, sample=30, given={"momentum": (0.3, 0.9)})
    assert within.explain("optimizer").grid == ("sgd",)
    part = SubSpace.of(nested_space(), {"momentum": (0.3, 0.9), "n_layers": [2, 3]})
    rows = nested_space().project(part.sample(60))
    assert {row["optimizer"] for row in nested_space().decode(rows)} == {"sgd"}
    assert {row["n_layers"] for row in nested_space().decode(rows)} == {2, 3}
    assert {round(row["momentum"], 9) for row in nested_space().decode(rows)} == {0.3, 0.6, 0.9}
    assert part.holds(rows).all()
    adam = PartialDependenceExplainer(model, given={"optimizer": ["adam"]})
    with pytest.raises(InputError, match="leaves nothing of the space: 'momentum' is active"):
        adam.explain("momentum")


@few_draws
def test_what_has_an_effect_in_the_part_is_what_is_shown_of_it():
    rng = np.random.default_rng(0)
    space = nested_space()
    X = space.sample(80, seed=1)
    run = hx.Run(space, X, X[:, 7] + 0.01 * rng.standard_normal(80), "minimize")
    found = hx.partial_dependence(run, given={"optimizer": ["adam"]}, most=9, sample=20)
    names = {name for (name,) in found.names}
    assert names == {*space.names} - {"optimizer", "momentum", "nesterov"}
    assert found.names[0] == ("lr",)
    assert found.effects[0].given == {"optimizer": ["adam"]}


@pytest.mark.parametrize("options", [{}, {"kind": "accumulated"}, {"regions": True}])
def test_an_unknown_name_is_an_error(options):
    X = SPACE.sample(20, seed=1)
    run = hx.Run(SPACE, X, X[:, 0], "minimize")
    with pytest.raises(InputError, match="must be a hyperparameter, but 'booster' is unknown"):
        hx.partial_dependence(run, "x", given={"booster": ["dart"]}, **options)


def test_a_part_has_the_given_category_in_whichever_order_they_were_tried():
    space = nested_space()
    for first in ("adam", "sgd", "lion"):
        X = space.sample(30, seed=1)
        X = X[np.argsort(X[:, 0] != space["optimizer"].encode([first])[0])]
        own = space.in_order_of(X, np.arange(30.0))
        for name in ("adam", "sgd", "lion"):
            part = SubSpace.of(own, {"optimizer": [name]})
            rows = own.decode(own.project(part.sample(20)))
            assert {row["optimizer"] for row in rows} == {name}
            assert part.holds(part.sample(20)).all()
