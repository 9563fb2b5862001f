"""Ablation: Table 2 of the thesis, every order by hand, conditions, posteriors, and bad input."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.claim import UNKNOWN
from hpo_explain.methods.around.ablation import AblationExplainer
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")

HALF = {"x1": 0.5, "x2": 0.5, "x3": 0.5}
ZERO = {"x1": 0.0, "x2": 0.0, "x3": 0.0}


def kinds(found):
    return [claim.kind for claim in found.claims]


def table_2():
    return AnalyticSurrogate(unit_cube(3), lambda X: X[:, 0] + X[:, 1] * X[:, 2])


def test_ablation_is_unfair_to_the_last_of_two_that_interact_and_shapley_is_not():
    found = AblationExplainer(table_2()).explain(HALF, ZERO)
    assert found.steps == (("x1",), ("x2",), ("x3",))
    np.testing.assert_allclose(found.alone, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(found.gains, [0.5, 0.25, 0.0], atol=1e-15)
    np.testing.assert_allclose(found.shapley, [0.5, 0.125, 0.125])
    assert found.total_gain == pytest.approx(0.75)
    assert found.order_matters
    assert found.to_frame().loc["x1", ["source", "target"]].tolist() == [0.5, 0.0]
    total, *steps, order = found.claims
    assert (total.kind, total.estimate) == ("difference", pytest.approx(0.75))
    assert [(c.kind, c.hyperparameters, c.values) for c in steps] == [
        ("contribution", ("x1",), ((0.5, 0.0),)),
        ("contribution", ("x2",), ((0.5, 0.0),)),
    ]
    assert [c.estimate for c in steps] == pytest.approx([0.5, 0.25])
    assert (order.kind, order.hyperparameters) == ("order", ("x2",))
    assert order.estimate == pytest.approx(0.125)


def smooth(space, n=60, seed=1):
    X = space.sample(n, seed=seed)
    L = np.nan_to_num(X, nan=0.3)
    y = L @ np.arange(1.0, len(space) + 1) + 5.0 * L[:, 0] * L[:, -2]
    return X, y


@pytest.mark.parametrize("kind", [hx.models.GaussianProcessSurrogate, hx.models.ForestSurrogate])
def test_shapley_values_are_the_mean_gain_over_all_orders_in_any_space(kind):
    space = nested_space()
    X, y = smooth(space)
    surrogate = kind.fit(space, X, y)
    followed = 0
    for i in range(0, 16, 2):
        direction, sign = ("minimize", 1.0) if i % 4 else ("maximize", -1.0)
        pair = space.decode(X[i : i + 2])
        found = AblationExplainer(surrogate, direction=direction).explain(*pair)
        ends = sign * surrogate.predict(X[i : i + 2])[0]
        assert found.total_gain == pytest.approx(ends[0] - ends[1], rel=1e-9)
        assert found.shapley.sum() == pytest.approx(found.total_gain, rel=1e-8)
        followed += sum(map(len, found.along))
        if len(found.steps) > 4:
            continue
        orders = [orders_gain(surrogate, sign, *pair, order) for order in permutations(found.steps)]
        if all(order is not None for order in orders):
            expected = [np.mean([order[step] for order in orders]) for step in found.steps]
            np.testing.assert_allclose(found.shapley, expected, rtol=1e-6, atol=1e-9)
    assert followed > 3


def orders_gain(surrogate, sign, source, target, order):
    """The gain of each step in one order, by dicts; None where a step is impossible."""
    space, config, gains = surrogate.space, dict(source), {}
    for step in order:
        wanted = {name: (target if name in step else config).get(name) for name in space.names}
        for name in step:
            wanted[name] = target.get(name)
        row = space.encode(source)[0] * np.nan
        for j in space.parents_first:
            name = space.names[j]
            if space.allowed(row[None], j)[0]:
                value = wanted[name]
                if value is None and (name,) not in order:
                    value = target.get(name)
                if value is None:
                    if space[name].optional == 1.0:
                        return None
                    continue
                row[j] = space[name].encode([value])[0]
        (after,) = space.decode(row[None])
        costs = sign * surrogate.predict(space.encode([config, after]))[0]
        gains[step] = costs[0] - costs[1]
        config = after
    return gains


def branches():
    return space_of(
        booster=["tree", "dart"],
        drop=(0.0, 1.0),
        depth=(0.0, 1.0),
        lr=(0.0, 1.0),
        when={"drop": {"booster": ["dart"]}, "depth": {"booster": ["tree"]}},
    )


def test_children_follow_their_parent_out_and_in():
    space = branches()
    surrogate = AnalyticSurrogate(
        space, lambda X: np.where(X[:, 0] == 1, 1.0 - X[:, 1], 2.0 + X[:, 2]) + X[:, 3] * X[:, 0]
    )
    found = AblationExplainer(surrogate).explain(
        {"booster": "tree", "depth": 0.5, "lr": 0.5}, {"booster": "dart", "drop": 0.75, "lr": 0.1}
    )
    assert found.steps == (("booster",), ("lr",))
    assert found.along == (("drop", "depth"), ())
    np.testing.assert_allclose(found.values, [2.5, 0.75, 0.35])
    np.testing.assert_allclose(found.gains, [1.75, 0.4])
    # lr counts only with dart: half of the orders
    np.testing.assert_allclose(found.shapley, [1.95, 0.2])
    assert found.to_frame()["along"].tolist() == ["drop, depth", ""]


def test_flips_that_wait_for_each_other_are_made_at_once():
    space = space_of(
        a=[0, 1],
        b=[0, 1],
        up=(0.0, 1.0),
        down=(0.0, 1.0),
        when={"up": {"a": [1], "b": [1]}, "down": {"a": [0], "b": [0]}},
    )
    surrogate = AnalyticSurrogate(space, lambda X: -5.0 * X[:, 0] + X[:, 1])
    found = AblationExplainer(surrogate).explain({"a": 0, "b": 1}, {"a": 1, "b": 0})
    assert found.steps == (("a", "b"),)
    np.testing.assert_allclose(found.gains, [6.0])
    np.testing.assert_allclose(found.shapley, [6.0])
    (note,) = found.notes
    assert note.names == ("a", "b")
    assert str(note).startswith("a and b change at once")
    assert found.to_frame()["source"].tolist() == [(0, 1)]
    assert found.labels == ("a + b",)


def learned():
    space = unit_cube(3)
    X, y = smooth(space, 25)
    noise = 0.2 * np.random.default_rng(0).standard_normal(25)
    return hx.Run(space, X, y + noise, "minimize").belief()


@few_draws
def test_gains_and_shapley_values_of_each_function_are_those_of_its_corners():
    belief = learned()
    found = AblationExplainer(belief).explain(HALF, ZERO)
    corners = np.array([[a, b, c] for a in (0.5, 0.0) for b in (0.5, 0.0) for c in (0.5, 0.0)])
    at = dict(zip(map(tuple, corners == 0.0), belief.draws(corners).T, strict=True))

    def gains(order):
        done = np.zeros(3, dtype=bool)
        for j in order:
            before = at[tuple(done)]
            done[j] = True
            yield j, before - at[tuple(done)]

    steps = [belief.space.index(step[0]) for step in found.steps]
    path, fair = (dict(gains(steps)), [dict(gains(order)) for order in permutations(range(3))])
    for i, j in enumerate(steps):
        np.testing.assert_allclose(found.gains_drawn[i], path[j], atol=1e-4)
        mean = np.mean([gain[j] for gain in fair], axis=0)
        np.testing.assert_allclose(found.shapley_drawn[i], mean, atol=1e-4)
    np.testing.assert_allclose(found.gains, found.gains_drawn.mean(axis=1), atol=1e-4)
    total = found.claims[0]
    assert total.probability == pytest.approx((found.gains_drawn.sum(axis=0) > 0.0).mean())
    told = {c.hyperparameters: c for c in found.claims if c.kind == "contribution"}
    assert all(claim.certain for claim in told.values())


def test_of_a_forest_nothing_is_certain():
    space = unit_cube(3)
    X, y = smooth(space, 40)
    found = AblationExplainer(hx.models.ForestSurrogate.fit(space, X, y, n_trees=7)).explain(
        HALF, ZERO
    )
    np.testing.assert_array_equal(found.draws[:, 0], found.values)
    assert not any(claim.certain for claim in found.claims)
    assert {reason for c in found.claims for reason in c.because} == {UNKNOWN}


def told(found):
    return [c.hyperparameters for c in found.claims if c.kind == "contribution"]


def known(found, error, **changes):
    """An ablation with draws whose predictions along the path have independent errors."""
    errors = error * np.random.default_rng(0).standard_normal((len(found.values), 200))
    drawn = found.values[:, None] + errors - errors.mean(axis=1, keepdims=True)
    shapley = np.tile(found.shapley[:, None], 200)
    return replace(found, draws=drawn, shapley_drawn=shapley, **changes)


@pytest.mark.parametrize(("error", "names"), [(0.05, ["x1", "x2"]), (0.1, ["x1"]), (0.9, [])])
def test_only_steps_that_the_draws_agree_on_are_told(error, names):
    found = known(AblationExplainer(table_2()).explain(HALF, ZERO), error)
    assert told(found) == [(name,) for name in names]


def test_no_difference_is_claimed_only_where_it_is_below_noise():
    found = known(AblationExplainer(table_2()).explain(HALF, ZERO), 0.1)
    assert found.claims[0].side == "above"
    (claim,) = replace(found, noise_std=2.0).claims
    assert (claim.kind, claim.side, claim.certain) == ("difference", "below", True)
    assert replace(found, noise_std=0.7).claims[0].side == "above"


def test_an_acquisition_is_explained_in_its_own_units():
    space = unit_cube(3)
    X, y = smooth(space, 25)
    surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, y)
    for acquisition in (
        hx.models.LowerConfidenceBound(surrogate, kappa=1.0),
        hx.models.ExpectedImprovement(surrogate, best=float(y.min())),
    ):
        found = AblationExplainer(acquisition).explain(HALF, ZERO)
        terms = acquisition.terms(space.encode([HALF, ZERO]))
        utility = sum(terms.values())
        assert found.total_gain == pytest.approx(utility[1] - utility[0])
        assert found.shapley.sum() == pytest.approx(found.total_gain)
        baseline = hx.methods.baseline_background(space, HALF)
        shapley = hx.methods.ShapleyExplainer(acquisition, background=baseline).explain(ZERO)
        by_name = dict(zip(shapley.names, shapley.total, strict=True))
        np.testing.assert_allclose(found.shapley, [by_name[s] for (s,) in found.steps])
        assert found.subject.acquisition == acquisition.label
        assert not found.subject.lower_is_better
        assert found.draws.shape[1] == 1
        assert all(claim.certain for claim in found.claims)


def test_more_than_11_changes_are_divided_by_sampled_coalitions():
    space = unit_cube(14)
    surrogate = AnalyticSurrogate(space, lambda X: X @ np.arange(1.0, 15.0))
    source, target = space.decode(np.vstack([np.ones(14), np.zeros(14)]))
    found = AblationExplainer(surrogate).explain(source, target)
    np.testing.assert_allclose(found.gains, np.arange(14.0, 0.0, -1.0))
    np.testing.assert_allclose(found.shapley, found.gains, rtol=1e-6)
    (note,) = found.notes
    assert str(note) == "Shapley values are estimated from sampled coalitions"


def test_the_figure_is_a_staircase_from_source_to_target():
    found = AblationExplainer(table_2()).explain(HALF, ZERO)
    figure = found.described()
    assert [(bar.begin, bar.end) for bar in figure.bars] == [
        *zip(found.values[:-1], found.values[1:], strict=True)
    ]
    assert [label[0] for label in figure.labels] == ["source", "x1", "x2", "x3", "target"]
    np.testing.assert_array_equal(figure.dots[0].x, found.values[[0, -1]])
    shares = found.described("shares")
    assert [bar.end for bar in shares.bars if bar.place == 1] == pytest.approx(
        sorted(found.shapley / found.total_gain, reverse=True)
    )


# ---------------------------------------------------------------------- in words


ONES, ZEROS = {"x1": 1.0, "x2": 1.0}, {"x1": 0.0, "x2": 0.0}


def ablation(mean=lambda X: 3.0 * X[:, 0] + X[:, 1], direction="minimize"):
    explainer = AblationExplainer(AnalyticSurrogate(unit_cube(2), mean), direction=direction)
    return explainer.explain(ONES, ZEROS)


PATH = "From source to target the predicted objective"


def test_the_path_and_what_its_order_changes_are_told():
    assert known(ablation(), 9.0).sentence.startswith(f"{PATH} may not change at all (0 ± 30).")
    found = known(ablation(direction="maximize"), 0.1, source_trial=3)
    assert found.sentence.startswith(
        "From trial 3 to target the predicted objective gets worse by 4.0 ± 0.4, from 4 to 0. "
        "x1 = 0 (was 1) brings -3.0 ± 0.4"
    )
    together = known(ablation(lambda X: X[:, 0] * X[:, 1]), 1e-3)
    assert together.sentence.endswith(
        "Over all orders x1 brings 0.5 on average, not 1.000 ± 0.004."
    )
    assert known(ablation(), 0.1, noise_std=9.0).sentence == (
        f"{PATH} changes by less than 9, the noise of one evaluation."
    )
    assert ablation(lambda X: 4.0 + 0.0 * X[:, 0]).sentence.startswith(f"{PATH} does not change.")
