"""Regional partial dependence: brute-force splits, disjoint regions, users' units."""

import itertools
import re

import numpy as np
import optuna
import pytest
from scipy.stats import norm

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.base.subject import Subject
from hpo_explain.methods.effects.regional_partial_dependence import (
    RegionalPartialDependenceExplainer,
    best_split,
)
from tests.analytic import AnalyticSurrogate, Known, nested_space, space_of, unit_cube

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


@pytest.mark.parametrize("criterion", ["l2", "std", "area", "variance", "mean"])
def test_the_split_is_the_one_that_brute_force_finds(criterion):
    explainer = RegionalPartialDependenceExplainer(
        surrogate(), sample=60, grid_size=5, criterion=criterion
    )
    effect, rows, _ = explainer._explainer.effect_and_rows("lr")
    X = SPACE.project(rows)
    target = explainer._target(effect, X)
    own_mean, own_std = surrogate().predict(X)
    expected = {
        "l2": effect.ice_std**2,
        "std": effect.ice_std,
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
    sizes = [len(region.rows) for region in result.regions]
    whole = np.average([r.effect.mean_confidence for r in result.regions], weights=sizes)
    assert gain.loc[2, "gain"] == pytest.approx(100 * (1 - whole / result.whole.mean_confidence))
    assert gain["gain"].is_monotonic_increasing


def test_measures_of_the_incumbents_region_and_its_l1_neighbourhood_by_hand():
    """Moosbauer et al. (2021), Tables 1, 2 and 11: δMC, δOC and δNLL, by scipy's densities."""
    incumbent = {"lr": 0.01, "batch_size": 20, "optimizer": "adam", "momentum": 0.3}
    subject = Subject(SPACE, incumbent=incumbent)
    result = explained(max_depth=2, min_improvement=0.0, subject=subject).explain("lr")
    X = explained()._explainer.effect_and_rows("lr")[1]
    grid = np.linspace(0.0, 1.0, 6)  # of lr; the incumbent is at 0.5

    def true(rows):
        return rows[:, 0] + 2.0 * rows[:, 3] + 0.1 * rows[:, 1]

    def measures(rows):
        """MC, OC and NLL of the average over some rows."""
        at = np.repeat(X[rows][:, None], 6, axis=1)
        at[:, :, 0] = grid
        mean = (at[:, :, 0] + at[:, :, 3]).mean(axis=0)
        std = np.sqrt((uncertain(at.reshape(-1, 4)).reshape(-1, 6) ** 2).mean(axis=0))
        right = true(at.reshape(-1, 4)).reshape(-1, 6).mean(axis=0)
        return np.array([std.mean(), std[2:4], -norm(mean, std).logpdf(right).mean()], object)

    x = SPACE.encode([incumbent])[0]
    away = np.abs(X[:, [1, 3]] - x[[1, 3]]).sum(axis=1) + (X[:, 2] != x[2])
    gain = result.gain(true)
    whole = measures(np.arange(400))
    for depth in range(3):
        (node,) = [n for n in result.tree if n.depth == depth and n.holds(incumbent)]
        near = np.argsort(away, kind="stable")[: len(node.rows)]
        for kind, rows in (("incumbent", node.rows), ("l1", near)):
            found = measures(rows)
            place = 2 if abs(grid[2] - x[0]) < abs(grid[3] - x[0]) else 3
            after = [found[0], found[1][place - 2], found[2]]
            before = [whole[0], whole[1][place - 2], whole[2]]
            expected = [100.0 * (b - a) / abs(b) for b, a in zip(before, after, strict=True)]
            columns = [f"{kind}_{name}" for name in ("gain", "oc", "nll")]
            np.testing.assert_allclose(gain.loc[depth, columns].astype(float), expected, atol=1e-8)
    assert result.gain()[["incumbent_nll", "l1_nll"]].isna().all(axis=None)
    unknown = explained(max_depth=1).explain("lr").gain(true)
    assert unknown.filter(regex="^(incumbent|l1)_").isna().all(axis=None)
    with pytest.raises(InputError, match="true must return one value per row"):
        result.gain(lambda rows: rows)


@pytest.mark.parametrize("kind", ["gp", "belief"])
def test_eq_4_in_a_region_is_the_variance_of_its_average_by_brute_force(kind):
    space = unit_cube(3)
    X = space.sample(25, seed=2)
    y = X[:, 0] + X[:, 1] * X[:, 2]
    run = hx.Run(space, X, y, "minimize")
    model = run.surrogate(kind="gp") if kind == "gp" else run.belief()
    # Draws of a belief are in single precision. That rounds their values, by a share of the
    # objective's spread, however little their average varies: it is no fixed share of a variance.
    rounding = 0.0 if kind == "gp" else 1e-5 * y.std()
    options = {"sample": 60, "grid_size": 4, "max_depth": 2, "min_improvement": 0.0}
    result, pointwise = (
        RegionalPartialDependenceExplainer(model, variance=variance, **options).explain("x1")
        for variance in ("covariance", "average")
    )
    assert len(result.regions) > 1
    for region, other in zip(result.regions, pointwise.regions, strict=True):
        # both split by Eq. 5's ŝ²
        np.testing.assert_array_equal(region.rows, other.rows)
        for g, value in enumerate(region.effect.grid):
            rows = result.sample[region.rows].copy()
            rows[:, 0] = value
            ones = np.full(len(rows), 1.0 / len(rows))
            variance = ones @ model.posterior_covariance(rows) @ ones
            assert region.effect.std[g] == pytest.approx(np.sqrt(variance), rel=1e-9, abs=rounding)
    asked = hx.partial_dependence(
        run,
        "x1",
        regions=True,
        variance="covariance",
        sample=60,
        grid_size=4,
        min_leaf=25,
        min_improvement=0.0,
    )
    assert {region.effect.variance for region in asked.regions} == {"covariance"}
    assert min(len(region.rows) for region in asked.regions) >= 25


def test_eq_4_in_regions_asks_for_a_joint_posterior():
    X = SPACE.sample(30, seed=0)
    forest = hx.models.ForestSurrogate.fit(SPACE, X, X[:, 0], n_trees=4)
    for model in (forest, surrogate()):
        with pytest.raises(InputError, match="variance is 'covariance'") as caught:
            RegionalPartialDependenceExplainer(model, variance="covariance")
        assert caught.value.value == "covariance"
        assert caught.value.remedy


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
    assert number.conditions[0].up_to == pytest.approx(0.4)
    assert number.improvement == pytest.approx(1.0)  # 4 rows of variance 1/4, of which none is left
    count = best_split(space, X, target, rows, [1], 1)
    assert count.conditions[0].up_to == 2
    assert count.sides[0].tolist() == [True, True, False, False]
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


# ---------------------------------------------------------------------- regions of another shape


def square(*names):
    """Hyperparameters from -1 to 1."""
    return hx.SearchSpace([hx.FloatParameter(n, -1.0, 1.0) for n in names])


def values_of(X):
    return 2.0 * X - 1.0


def by_shape(model, names="a", **options):
    options = {"sample": 1000, "grid_size": 11, "max_depth": 1, **options}
    return RegionalPartialDependenceExplainer(model, criterion="interaction", **options).explain(
        names
    )


def product(X):
    a, b = values_of(X)[:, :2].T
    return a * b


def tuned(sampler, function, n=60):
    """A study of the three hyperparameters a, b and c from -1 to 1."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=sampler(seed=1))
    study.optimize(
        lambda trial: function(*(trial.suggest_float(name, -1.0, 1.0) for name in "abc")),
        n_trials=n,
    )
    return study


def test_of_a_product_the_shape_changes_at_the_sign_of_the_other_one():
    """Of a·b the effect of a is ±½a on average, by the sign of b: .75 of the variance of a·b."""
    space = square("a", "b", "c")
    found = by_shape(Known(space, [product, product]))
    low, high = found.tree[1:]
    (condition,) = low.conditions
    assert condition.name == "b"
    assert abs(condition.up_to) < 0.01
    for region, slope in ((low, -0.5), (high, 0.5)):
        np.testing.assert_allclose(
            region.effect.mean, slope * np.array(found.whole.grid), atol=0.01
        )
    assert found.tree[0].gain.estimate == pytest.approx(0.75, abs=0.01)
    assert found.interaction.estimate == pytest.approx(1.0)
    table = found.gain()
    assert table["explained"].tolist() == [0, found.tree[0].gain.estimate]
    deep = by_shape(Known(space, [product, product]), max_depth=2)
    gains = [node.gain.estimate for node in deep.tree if node.depth < 2]
    assert deep.gain().loc[2, "explained"] == pytest.approx(sum(gains))
    # of b's variance the four quarters explain 15/16
    assert sum(gains) == pytest.approx(15 / 16, abs=0.01)


def test_of_what_evaluations_vary_by_noise_is_a_part():
    draws = Known(square("a", "b"), [product] * 2)
    draws.noise_std = 1.0
    variance = float(product(draws.space.sample(4000)).var())
    gain = by_shape(draws).tree[0].gain
    assert gain.estimate == pytest.approx(0.75 * variance / (variance + 1.0), rel=0.25)
    draws.noise_std = 10.0  # the same shapes, but next to noise they do not count
    assert len(by_shape(draws).regions) == 1


@pytest.mark.parametrize("unit", [1e-200, 1e150])
def test_shapes_are_the_same_in_any_unit(unit):
    functions = [lambda X, s=s: s * product(X) for s in (1.0, 1.5)]
    scaled = [lambda X, f=f: unit * f(X) for f in functions]
    one, other = (by_shape(Known(square("a", "b"), some)) for some in (functions, scaled))
    assert [r.label for r in one.tree] == [r.label for r in other.tree]
    assert other.tree[0].gain.estimate == pytest.approx(one.tree[0].gain.estimate)


def test_effects_that_add_up_have_one_shape_everywhere():
    def added(weight):
        return lambda X: np.sin(3 * X[:, 0]) + weight * X[:, 1] ** 2

    draws = Known(square("a", "b"), [added(w) for w in (0.5, 1.0, 3.0)])
    found = by_shape(draws, max_depth=3)
    assert len(found.regions) == 1
    (claim,) = found.claims
    assert (claim.side, claim.certain) == ("below", True)
    assert found.sentence == (
        "The effect of a has the same shape everywhere: differences explain less than 1% of the "
        "variation of the objective."
    )


@pytest.mark.parametrize("names", ["a", ("a", "c")])
def test_what_the_other_hyperparameters_add_alone_does_not_matter(names):
    """An axiom: curves are centred, so splits are those without it, and so is what differs."""
    space = square("a", "b", "c", "d")

    def bent(X):
        a, b, c, d = values_of(X).T
        return a * np.maximum(b, -0.3) + 0.5 * c * d * a

    def shifted(X):
        a, b, c, d = values_of(X).T
        others = 10.0 * np.exp(d) + (5.0 * b * d if names != "a" else b * c)
        return bent(X) + others + 7.0 * np.cos(a)

    one, other = (
        by_shape(AnalyticSurrogate(space, f), names, grid_size=5, max_depth=3)
        for f in (bent, shifted)
    )
    assert len(one.regions) > 2
    assert [r.label for r in one.tree] == [r.label for r in other.tree]


def test_the_split_by_shape_is_the_one_that_brute_force_finds():
    def waves(X):
        return np.sin(4 * X[:, 0] * (1 + X[:, 1])) * (1 + (X[:, 2] == 3.0))

    model = AnalyticSurrogate(SPACE, waves)
    explainer = RegionalPartialDependenceExplainer(
        model, sample=60, grid_size=5, criterion="interaction"
    )
    effect, rows, _ = explainer._explainer.effect_and_rows("lr")
    X = SPACE.project(rows)
    target = explainer._target(effect, X)
    curves = []
    for row in X:
        along = [[x, *row[1:]] for x in np.linspace(0.0, 1.0, 5)]
        curve = waves(np.array(along))
        curves.append(curve - curve.mean())
    unit = np.abs(curves).max() / np.abs(target).max()
    np.testing.assert_allclose(unit * target, curves, atol=1e-12)
    members = np.arange(60)
    found = best_split(SPACE, X, target, members, [1, 2, 3], 3)
    reached = sum(np.sum((target[side] - target[side].mean(axis=0)) ** 2) for side in found.sides)
    assert reached == pytest.approx(brute_force(X, target, members, [1, 2, 3], 3), rel=1e-9)


def test_a_gain_is_what_each_function_says_of_the_difference_that_is_told():
    """By loops over functions: how far each differs the way the mean does, by its square."""
    space = square("a", "b")
    slopes = [*np.linspace(0.5, 1.5, 19), -0.5]
    draws = Known(space, [lambda X, s=s: s * product(X) for s in slopes])
    found = by_shape(draws, sample=200)
    low, high = (region.rows for region in found.tree[1:])
    expected = []
    for s in slopes:
        X = found.sample
        curves = s * np.outer(values_of(X)[:, 1], np.linspace(-1, 1, 11))
        size = curves[high].mean(axis=0) - curves[low].mean(axis=0)
        weight = len(low) * len(high) / 200**2
        expected.append(np.sign(s) * weight * (size**2).mean() / curves.var())
    assert found.tree[0].gain.estimate == pytest.approx(np.mean(expected))
    assert found.tree[0].gain.probability == 0.95


def test_no_split_is_made_where_functions_disagree_about_it():
    """The mean is a·b, and one function in six differs the other way."""
    slopes = [1.6, 1.4, 1.2, 1.4, 1.4, -1.0]
    draws = Known(square("a", "b"), [lambda X, s=s: s * product(X) for s in slopes])
    found = by_shape(draws)
    assert len(found.regions) == 1
    assert not found.tree[0].gain.certain
    (claim,) = found.claims
    assert not claim.certain
    assert re.fullmatch(
        r"The effect of a may have a different shape where b ≤ -?0\.00\d+ than elsewhere "
        r"\(83% sure\)\.",
        found.sentence,
    )
    half = Known(draws.space, [lambda X, s=s: s * product(X) for s in (1.5, -1.0)])
    assert by_shape(half).sentence == (
        "No region certainly has a different shape of the effect of a."
    )


def test_without_draws_the_sentence_says_that_shapes_seem_to_differ():
    found = by_shape(AnalyticSurrogate(square("a", "b"), product))
    assert len(found.regions) == 2
    assert found.interaction is None
    (claim,) = found.claims
    assert not claim.certain
    assert "seems to have a different shape where b ≤ " in found.sentence
    assert found.gain()["explained"].isna().all()


def run_of_product():
    """Trials of a·b, to which c adds."""
    space = square("a", "b", "c")
    X = space.sample(60, seed=1)
    a, b, c = values_of(X).T
    return hx.Run(space, X, a * b + 0.3 * c, "minimize")


def by_shape_of(source, names):
    """The effect in at most two parts of another shape."""
    options = {"regions": True, "criterion": "interaction", "max_depth": 1}
    return hx.partial_dependence(source, names, **options)


@pytest.mark.thorough
def test_of_a_pair_there_are_rows_enough_to_part():
    """The grid of a pair is large: of a belief 25 rows would fit, too few for two regions."""
    found = by_shape_of(run_of_product(), ("a", "c"))
    assert [len(region.conditions) for region in found.regions] == [1, 1]
    assert found.tree[0].part.name == "b"


@pytest.mark.thorough
@pytest.mark.usefixtures("few_draws_here")
def test_a_pair_that_acts_on_no_other_one_has_one_shape():
    alone = by_shape_of(run_of_product(), ("a", "b"))
    assert len(alone.regions) == 1
    assert alone.claims[0].certain


@pytest.mark.merge
@pytest.mark.parametrize(
    "sampler",
    [
        pytest.param(optuna.samplers.RandomSampler, marks=pytest.mark.thorough),
        optuna.samplers.TPESampler,
    ],
)
def test_of_a_study_the_shape_changes_with_what_multiplies_it(sampler):
    study = tuned(sampler, lambda a, b, c: a * b + 0.3 * c)
    found = by_shape_of(study, "a")
    (claim,) = found.claims
    (condition,) = claim.values
    assert (condition.name, claim.certain) == ("b", True)
    low, high = claim.interval
    of_a = np.linspace(-1.0, 1.0, 20).var()  # on the grid, ends included
    assert low <= 0.75 * of_a / 3 / (of_a / 3 + 0.03) <= high
    assert len(by_shape_of(study, "c").regions) == 1
    study = tuned(sampler, lambda a, b, c: a**2 + b + 0.3 * c)
    assert len(by_shape_of(study, "a").regions) == 1


def test_conditional_hyperparameters_have_shapes_where_they_are_active():
    space = nested_space()
    X = space.sample(60, seed=2)
    y = np.nan_to_num(X[:, 7]) * (X[:, 0] == 1) + np.nan_to_num(X[:, 1])
    run = hx.Run(space, X, y, "minimize")
    for name in ("lr", "optimizer", "momentum", "n_layers"):
        found = hx.partial_dependence(run, name, regions=True, criterion="interaction", sample=100)
        rows = np.concatenate([region.rows for region in found.regions])
        assert len(set(rows)) == len(rows) == len(found.sample)


def test_regions_by_shape_are_called_so():
    found = by_shape(Known(square("a", "b"), [product] * 2))
    assert found.sentence.startswith("The effect of a has a different shape where b ≤ ")
    assert found.alike == "shape"
    assert [two_regions().alike] == ["uncertainty"]


# ---------------------------------------------------------------------- words and figures


def two_regions(*, depth=1, incumbent=(0.25, 0.75, 0.5)):
    """The effect of x1 where ŝ is 0.1 below the middle of x2, and 1 above; more by x3."""
    space = unit_cube(3)
    model = AnalyticSurrogate(
        space, lambda X: X[:, 0], lambda X: 0.1 + 0.9 * (X[:, 1] > 0.5) + 0.05 * (X[:, 2] > 0.5)
    )
    config = {} if incumbent is None else dict(zip(space.names, incumbent, strict=True))
    explainer = RegionalPartialDependenceExplainer(
        model,
        sample=400,
        grid_size=5,
        max_depth=depth,
        min_improvement=0.0,
        min_leaf=20,
        subject=Subject(space, incumbent=config),
    )
    return explainer.explain("x1")


def test_the_sentence_says_where_the_effect_is_known_best():
    told = two_regions().sentence
    assert re.search(r"x1 is known best where x2 ≤ 0\.50\d*: its band is 8\d% narrower", told)
    assert two_regions(depth=0).sentence == (
        "The effect of x1 is known equally well in all parts of the space."
    )
    assert two_regions(depth=0).regions[0].label == "everywhere"


def test_the_gain_of_every_split_is_drawn():
    found = two_regions()
    X = found.sample
    std = 0.1 + 0.9 * (X[:, 1] > 0.5) + 0.05 * (X[:, 2] > 0.5)
    upper = X[:, 1] > 0.5

    def confidence(rows):
        return np.sqrt(np.mean(std[rows] ** 2))

    whole = confidence(np.full(len(X), True))
    parted = upper.mean() * confidence(upper) + (~upper).mean() * confidence(~upper)
    every, mine = found.described("gain").lines
    np.testing.assert_array_equal(every.x, [0, 1])
    np.testing.assert_allclose(every.y, [0.0, 100.0 * (1.0 - parted / whole)])
    # the incumbent is where less is known
    np.testing.assert_allclose(mine.y, [0.0, 100.0 * (1.0 - confidence(upper) / whole)])
    assert len(two_regions(incumbent=None).described("gain").lines) == 1


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
