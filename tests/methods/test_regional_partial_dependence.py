"""Regional partial dependence: brute-force splits, disjoint regions, users' units."""

import itertools
import re

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods.effects.regional_partial_dependence import (
    RegionalPartialDependenceExplainer,
    best_split,
)
from tests.analytic import AnalyticSurrogate, space_of, unit_cube

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.IntParameter("batch_size", 16, 256, log=True),
        hx.CategoricalParameter("optimizer", ["adam", "sgd", "rms", "lion"]),
        hx.FloatParameter("momentum", 0.0, 1.0),
    ]
)


def uncertain(X):
    wide = (X[:, 1] > 0.5) & (X[:, 2] >= 2)
    return np.where(wide, 2.0, 0.5) + 0.3 * X[:, 0] * X[:, 3]


def surrogate():
    return AnalyticSurrogate(SPACE, lambda X: X[:, 0] + X[:, 3], uncertain)


def brute_force(X, target, rows, candidates, least):
    """Return the least impurity that any split leaves, by trying each."""
    best = np.inf

    def impurity(part):
        return np.sum((part - part.mean(axis=0)) ** 2)

    for j in candidates:
        column = X[rows, j]
        values = np.unique(column)
        if j == 2:
            sides = [
                np.isin(column, subset)
                for size in range(1, len(values))
                for subset in itertools.combinations(values, size)
            ]
        else:
            sides = [column <= value for value in values[:-1]]
        for left in sides:
            if left.sum() >= least and (~left).sum() >= least:
                best = min(best, impurity(target[rows[left]]) + impurity(target[rows[~left]]))
    return best


@pytest.mark.parametrize("criterion", ["l2", "area", "variance", "mean"])
def test_the_split_is_the_one_that_brute_force_finds(criterion):
    explainer = RegionalPartialDependenceExplainer(
        surrogate(), sample=60, grid_size=5, criterion=criterion
    )
    effect, rows = explainer._explainer.effect_and_rows("lr")
    X = SPACE.project(rows)
    target = explainer._target(effect, X)
    own_mean, own_std = surrogate().predict(X)
    expected = {
        "l2": effect.ice_std**2,
        "area": (effect.ice_std**2).mean(axis=1, keepdims=True),
        "variance": own_std[:, None] ** 2,
        "mean": own_mean[:, None],
    }[criterion]
    # in a unit of its own, and the mean from a point of its own: splits are the same
    shift = expected[0] if criterion == "mean" else 0.0
    unit = np.abs(expected - shift).max() / np.abs(target).max()
    np.testing.assert_allclose(unit * target, expected - shift, atol=1e-12 * np.abs(expected).max())
    assert np.log2(unit) == pytest.approx(round(np.log2(unit)), abs=1e-9)
    members = np.arange(60)
    found = best_split(SPACE, X, target, members, [1, 2, 3], 3)
    left, right = (target[members[side]] for side in found.sides)
    reached = sum(np.sum((part - part.mean(axis=0)) ** 2) for part in (left, right))
    assert reached == pytest.approx(brute_force(X, target, members, [1, 2, 3], 3), rel=1e-9)
    whole = np.sum((target - target.mean(axis=0)) ** 2)
    assert found.improvement == pytest.approx(whole - reached, rel=1e-9)


def explained(**options):
    return RegionalPartialDependenceExplainer(surrogate(), sample=400, grid_size=6, **options)


def test_regions_part_the_sample_and_their_weighted_mean_is_the_whole():
    result = explained(max_depth=3).explain("lr")
    rows = np.sort(np.concatenate([region.rows for region in result.regions]))
    np.testing.assert_array_equal(rows, np.arange(400))
    assert sum(region.weight for region in result.regions) == pytest.approx(1.0)
    mean = sum(region.weight * region.effect.mean for region in result.regions)
    variance = sum(region.weight * region.effect.std**2 for region in result.regions)
    np.testing.assert_allclose(mean, result.whole.mean, rtol=1e-10)
    np.testing.assert_allclose(variance, result.whole.std**2, rtol=1e-10)


def test_every_configuration_lies_in_the_one_region_its_row_was_put_in():
    result = explained(max_depth=3).explain("lr")
    X = explained()._explainer.effect_and_rows("lr")[1]
    configs = SPACE.decode(SPACE.project(X))
    for region in result.regions:
        for i in region.rows:
            assert result.region_of(configs[i]) is region
            assert [r.holds(configs[i]) for r in result.regions].count(True) == 1


def test_conditions_are_in_the_users_units():
    result = explained(max_depth=2, min_improvement=0.0).explain("lr")
    labels = " | ".join(node.label for node in result.tree)
    assert "optimizer in {rms, lion}" in labels or "optimizer in {adam, sgd}" in labels
    assert "batch_size ≤ " in labels
    threshold = next(
        c.up_to for n in result.tree for c in n.conditions if c.name == "batch_size" and c.up_to
    )
    assert isinstance(threshold, int)
    assert threshold == pytest.approx(np.sqrt(16 * 256), abs=3)  # the middle of the log axis


def test_the_incumbents_region_comes_first_and_splits_are_on_others_only():
    incumbent = {"lr": 0.01, "batch_size": 200, "optimizer": "lion", "momentum": 0.3}
    result = explained(max_depth=3, subject=Subject(SPACE, incumbent=incumbent)).explain("lr")
    assert result.regions[0].holds(incumbent)
    assert all(c.name != "lr" for node in result.tree for c in node.conditions)


def test_gain_is_the_confidence_won_with_depth():
    incumbent = {"lr": 0.01, "batch_size": 20, "optimizer": "adam", "momentum": 0.3}
    subject = Subject(SPACE, incumbent=incumbent)
    result = explained(max_depth=2, min_improvement=0.0, subject=subject).explain("lr")
    gain = result.gain()
    assert gain.loc[0, "gain"] == 0.0
    assert gain.loc[2, "regions"] == len(result.regions)
    mine = result.region_of(incumbent).effect.mean_confidence
    expected = 100 * (1 - mine / result.whole.mean_confidence)
    assert gain.loc[2, "incumbent_gain"] == pytest.approx(expected)
    assert gain["gain"].is_monotonic_increasing


def test_the_claim_is_the_region_of_the_narrowest_band():
    result = explained(max_depth=2).explain("lr")
    best = min(result.regions, key=lambda region: region.effect.mean_confidence)
    (claim,) = result.claims
    assert (claim.kind, claim.hyperparameters) == ("form", ("lr",))
    assert claim.values == best.conditions
    gain = 1.0 - best.effect.mean_confidence / result.whole.mean_confidence
    assert claim.estimate == pytest.approx(gain)
    (claim,) = explained(max_depth=0).explain("lr").claims
    assert (claim.kind, claim.side, claim.values) == ("form", "below", ())


def test_depth_leaf_size_and_improvement_stop_the_splitting():
    assert len(explained(max_depth=0).explain("lr").regions) == 1
    small = explained(max_depth=6, min_leaf=50, min_improvement=0.0).explain("lr")
    assert min(len(region.rows) for region in small.regions) >= 50
    assert len(explained(min_improvement=0.99).explain("lr").regions) == 1


def test_many_categories_are_ordered_by_their_mean():
    space = space_of(x=(0.0, 1.0), c=list(range(30)))
    odd = AnalyticSurrogate(space, lambda X: X[:, 0], lambda X: 1.0 + X[:, 1] % 2)
    result = RegionalPartialDependenceExplainer(odd, sample=300, max_depth=1).explain("x")
    sides = sorted(sorted(r.conditions[0].categories) for r in result.regions)
    assert sides == [list(range(0, 30, 2)), list(range(1, 30, 2))]


def test_numbers_are_split_half_way_between_trials_and_counts_at_the_last_one_below():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.IntParameter("n", 1, 4)])
    X = np.array([[0.1, 1], [0.2, 2], [0.6, 3], [0.7, 4]]) * [1.0, 0.25] - [0.0, 0.125]
    target = np.array([[0.0], [0.0], [1.0], [1.0]])
    rows = np.arange(4)
    number = best_split(space, X, target, rows, [0], 1)
    assert number.threshold == pytest.approx(0.4)
    assert number.improvement == pytest.approx(1.0)  # 4 rows of variance 1/4, of which none is left
    count = best_split(space, X, target, rows, [1], 1)
    assert count.conditions(space)[0].up_to == 2
    assert count.threshold == X[1, 1]
    assert best_split(space, X, target, rows, [0, 1], 3) is None


def test_inactive_hyperparameters_are_not_split_on_until_they_are_active():
    space = space_of(
        x=(0.0, 1.0),
        booster=["tree", "dart"],
        drop=(0.0, 1.0),
        when={"drop": {"booster": ["dart"]}},
    )
    model = AnalyticSurrogate(
        space, lambda X: X[:, 0], lambda X: 1.0 + 5.0 * (np.nan_to_num(X[:, 2]) > 0.5)
    )
    result = RegionalPartialDependenceExplainer(model, sample=400, max_depth=2).explain("x")
    for node in result.tree:
        names = [condition.name for condition in node.conditions]
        if "drop" in names:
            assert names[0] == "booster"
            assert node.conditions[0].categories == ("dart",)
    assert any("drop" in node.label for node in result.tree)


# ---------------------------------------------------------------------- words and figures


def two_regions(*, depth=1, incumbent=(0.25, 0.75, 0.5)):
    """The effect of x1 where ŝ is 0.1 below the middle of x2, and 1 above; more by x3."""
    space = unit_cube(3)
    model = AnalyticSurrogate(
        space, lambda X: X[:, 0], lambda X: 0.1 + 0.9 * (X[:, 1] > 0.5) + 0.05 * (X[:, 2] > 0.5)
    )
    config = {} if incumbent is None else dict(zip(space.names, incumbent, strict=True))
    explainer = RegionalPartialDependenceExplainer(
        model, sample=400, grid_size=5, max_depth=depth, min_improvement=0.0, min_leaf=20,
        subject=Subject(space, incumbent=config),
    )  # fmt: skip
    return explainer.explain("x1")


def test_the_sentence_says_where_the_effect_is_known_best():
    told = two_regions().sentence
    assert re.search(r"x1 is known best where x2 ≤ 0\.50\d*: its band is 8\d% narrower", told)
    assert two_regions(depth=0).sentence == (
        "The effect of x1 is known equally well in all parts of the space."
    )
    assert two_regions(depth=0).regions[0].label == "everywhere"


def test_each_region_has_a_panel_with_its_own_band_the_incumbents_first():
    found = two_regions()
    figure = found.described()
    assert [panel.emphasis for panel in figure.panels] == [True, False]
    assert figure.panels[0].heading.startswith("Incumbent's region: x2 > 0.")
    assert all(panel.heading.endswith("50% of the space") for panel in figure.panels)
    for panel, region in zip(figure.panels, found.regions, strict=True):
        (line,) = panel.lines
        np.testing.assert_array_equal(line.y, region.effect.mean)
        np.testing.assert_allclose(line.half, [1.959964 * region.effect.std] * 2, rtol=1e-6)
    assert not any(panel.emphasis for panel in two_regions(incumbent=None).described().panels)
