"""Ablation: Table 2 of the thesis, every order by hand, conditions, posteriors, acquisitions."""

from itertools import permutations

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.claim import UNKNOWN
from hpo_explain.methods.around.changes import AblationExplainer
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")

HALF = {"x1": 0.5, "x2": 0.5, "x3": 0.5}
ZERO = {"x1": 0.0, "x2": 0.0, "x3": 0.0}


def names_of(found):
    return [step.names for step in found.steps]


def shapley(found):
    """The contributions in the order of the steps."""
    by_name = dict(zip(found.names, found.contributions, strict=True))
    return [sum(by_name[name] for name in step.names) for step in found.steps]


def table_2():
    return AnalyticSurrogate(unit_cube(3), lambda X: X[:, 0] + X[:, 1] * X[:, 2])


def test_ablation_is_unfair_to_the_last_of_two_that_interact_and_shapley_is_not():
    found = AblationExplainer(table_2()).explain(HALF, ZERO)
    assert names_of(found) == [("x1",), ("x2",), ("x3",)]
    np.testing.assert_allclose([step.alone for step in found.steps], [0.5, 0.25, 0.25])
    np.testing.assert_allclose(found.gains, [0.5, 0.25, 0.0], atol=1e-15)
    np.testing.assert_allclose(shapley(found), [0.5, 0.125, 0.125])
    total = found.claims[0]
    assert (total.kind, total.estimate) == ("difference", pytest.approx(0.75))


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
        assert found.gains.sum() == pytest.approx(ends[0] - ends[1], rel=1e-9)
        assert sum(shapley(found)) == pytest.approx(ends[0] - ends[1], rel=1e-8)
        followed += sum(len(step.along) for step in found.steps)
        if len(found.steps) > 4:
            continue
        every = permutations(names_of(found))
        orders = [orders_gain(surrogate, sign, *pair, order) for order in every]
        if all(order is not None for order in orders):
            expected = [np.mean([order[step] for order in orders]) for step in names_of(found)]
            np.testing.assert_allclose(shapley(found), expected, rtol=1e-6, atol=1e-9)
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
    assert names_of(found) == [("booster",), ("lr",)]
    assert [step.along for step in found.steps] == [("drop", "depth"), ()]
    np.testing.assert_allclose(found.values, [2.5, 0.75, 0.35])
    np.testing.assert_allclose(found.gains, [1.75, 0.4])
    # lr counts only with dart: half of the orders
    contributions = found.to_frame()["contribution"]
    assert contributions.dropna().to_dict() == pytest.approx({"booster": 1.95, "lr": 0.2})
    assert found.described("path").labels[1] == ("booster", "= dart (was tree) (+ drop, depth)")


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
    assert names_of(found) == [("a", "b")]
    np.testing.assert_allclose(found.gains, [6.0])
    np.testing.assert_allclose(sum(shapley(found)), 6.0)
    assert found.described("path").labels[1][0] == "a + b"


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

    steps = [belief.space.index(step.names[0]) for step in found.steps]
    path, fair = (dict(gains(steps)), [dict(gains(order)) for order in permutations(range(3))])
    along = -np.diff(found.path_drawn, axis=1)
    for i, j in enumerate(steps):
        np.testing.assert_allclose(along[:, i], path[j], atol=1e-4)
        mean = np.mean([gain[j] for gain in fair], axis=0)
        place = found.names.index(belief.space.names[j])
        np.testing.assert_allclose(found.contributions_drawn[place], mean, atol=1e-4)


def test_of_a_forest_nothing_is_certain():
    space = unit_cube(3)
    X, y = smooth(space, 40)
    found = AblationExplainer(hx.models.ForestSurrogate.fit(space, X, y, n_trees=7)).explain(
        HALF, ZERO
    )
    assert not any(claim.certain for claim in found.claims)
    assert {reason for c in found.claims for reason in c.because} == {UNKNOWN}


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
        assert found.whole_drawn == pytest.approx([utility[1] - utility[0]])
        assert sum(shapley(found)) == pytest.approx(utility[1] - utility[0])
        baseline = hx.methods.baseline_background(space, HALF)
        payout = hx.methods.ShapleyExplainer(acquisition, background=baseline).explain(ZERO)
        by_name = dict(zip(payout.names, payout.total, strict=True))
        np.testing.assert_allclose(found.contributions, [by_name[name] for name in found.names])
        assert found.subject.acquisition == acquisition.label
        assert not found.subject.lower_is_better
        assert all(claim.certain for claim in found.claims)


def test_more_than_11_changes_are_divided_by_orders_that_are_drawn():
    space = unit_cube(14)
    surrogate = AnalyticSurrogate(space, lambda X: X @ np.arange(1.0, 15.0))
    source, target = space.decode(np.vstack([np.ones(14), np.zeros(14)]))
    found = AblationExplainer(surrogate).explain(source, target)
    np.testing.assert_allclose(found.gains, np.arange(14.0, 0.0, -1.0))
    np.testing.assert_allclose(shapley(found), found.gains, rtol=1e-6)
    (note,) = found.notes
    assert str(note) == "contributions are averages over 60 orders of the changes"


def test_the_figure_is_a_staircase_from_source_to_target():
    found = AblationExplainer(table_2()).explain(HALF, ZERO)
    figure = found.described("path")
    assert [(bar.begin, bar.end) for bar in figure.bars] == [
        *zip(found.values[:-1], found.values[1:], strict=True)
    ]
    assert [label[0] for label in figure.labels[1:-1]] == ["x1", "x2", "x3"]
    np.testing.assert_array_equal(figure.dots[0].x, found.values[[0, -1]])
    up = AblationExplainer(table_2(), direction="maximize").explain(HALF, ZERO).described("path")
    assert {bar.fill for bar in figure.bars[:2]} == {0}
    assert {bar.fill for bar in up.bars if bar.begin != bar.end} == {1}
