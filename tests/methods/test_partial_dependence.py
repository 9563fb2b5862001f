"""Partial dependence: closed forms, scikit-learn's, brute force, and hierarchical spaces."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, DotProduct
from sklearn.inspection import partial_dependence as sklearn_partial_dependence

import hpo_explain as hx
from hpo_explain.base import format_value
from hpo_explain.base.claim import UNKNOWN
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.subject import Subject
from hpo_explain.methods._engines.effect_ranges import never_tried
from hpo_explain.methods._engines.effect_show import band_caption
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube
from tests.models.as_sklearn import regressor_of

few_draws = pytest.mark.usefixtures("few_draws_here")


def test_the_curve_of_an_additive_function_is_its_own_term():
    space = unit_cube(3)
    surrogate = AnalyticSurrogate(
        space, lambda X: X[:, 0] ** 2 + X[:, 1] + 3.0 * X[:, 2], lambda X: 0.5 + 0.0 * X[:, 0]
    )
    name = space.names[0]
    effect = PartialDependenceExplainer(surrogate, sample=500, grid_size=11).explain(name)
    x = np.linspace(0, 1, 11)
    # a Latin hypercube's mean is within 1/(2n) of the integral: 1/2 + 3/2
    np.testing.assert_allclose(effect.mean, x**2 + 2.0, atol=4 / 1000)
    np.testing.assert_allclose(effect.std, 0.5)
    lower, upper = effect.band(0.95)
    np.testing.assert_allclose(upper - lower, 2 * 1.959963984540054 * 0.5, rtol=1e-12)


def gaussian_process(space, n=40):
    X = space.sample(n, seed=1)
    y = 50.0 + np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
    return hx.models.GaussianProcessSurrogate.fit(space, X, y)


@pytest.mark.parametrize("splits", [True, False])
def test_the_mean_is_scikit_learns(splits):
    """Also of a kernel that is no product over hyperparameters."""
    space = unit_cube(3)
    surrogate = gaussian_process(space)
    if not splits:
        gp = GaussianProcessRegressor(DotProduct() + RBF(), alpha=1e-3, optimizer=None)
        X = space.sample(40, seed=1)
        surrogate = hx.models.GaussianProcessSurrogate(space, gp.fit(X, X[:, 0] * X[:, 1]))
    sample = space.sample(80, seed=4)
    effect = PartialDependenceExplainer(surrogate, sample=sample, grid_size=7).explain(
        space.names[1]
    )
    theirs = sklearn_partial_dependence(
        regressor_of(surrogate.gp),
        sample,
        [1],
        custom_values={1: np.linspace(0, 1, 7)},
        kind="both",
    )
    np.testing.assert_allclose(effect.mean, theirs["average"][0], rtol=1e-10)
    np.testing.assert_allclose(effect.ice_mean, theirs["individual"][0], rtol=1e-10)


def test_covariance_is_the_variance_of_the_average_by_brute_force():
    space = unit_cube(3)
    surrogate = gaussian_process(space)
    sample = space.sample(60, seed=4)
    effect = PartialDependenceExplainer(
        surrogate, sample=sample, grid_size=5, variance="covariance"
    ).explain(space.names[0])
    for g, x in enumerate(np.linspace(0, 1, 5)):
        rows = sample.copy()
        rows[:, 0] = x
        covariance = surrogate.posterior_covariance(rows)
        prior = float(surrogate.gp.kernel_.diag(np.zeros((1, 3)))[0]) * surrogate._scale**2
        assert abs(effect.std[g] ** 2 - covariance.mean()) < 1e-9 * prior


def test_the_average_band_averages_pointwise_variances():
    space = unit_cube(3)
    surrogate = gaussian_process(space)
    sample = space.sample(30, seed=4)
    effect = PartialDependenceExplainer(surrogate, sample=sample, grid_size=4).explain(
        space.names[2]
    )
    np.testing.assert_allclose(effect.std**2, (effect.ice_std**2).mean(axis=0))
    rows = sample.copy()
    rows[:, 2] = 1.0
    mean, std = surrogate.predict(rows)
    np.testing.assert_allclose(effect.ice_mean[:, -1], mean)
    np.testing.assert_allclose(effect.ice_std[:, -1], std)


def test_a_pair_is_a_surface_over_both_axes():
    space = unit_cube(3)
    surrogate = AnalyticSurrogate(
        space, lambda X: X[:, 0] * X[:, 2] + X[:, 1], lambda X: 0.0 * X[:, 0]
    )
    sample = space.sample(40, seed=2)
    effect = PartialDependenceExplainer(surrogate, sample=sample, grid_size=3).explain(
        (space.names[2], space.names[0])
    )
    x = np.linspace(0, 1, 3)
    np.testing.assert_allclose(effect.mean, np.outer(x, x) + sample[:, 1].mean())
    assert effect.grid == (tuple(x), tuple(x))
    assert effect.ice_mean.shape == (40, 3, 3)


def test_a_forests_mean_is_exact_and_its_covariance_is_over_trees():
    space = space_of(x=(0.0, 1.0), c=list("abc"), k=range(1, 5))
    X = space.sample(40, seed=1)
    forest = hx.models.ForestSurrogate.fit(space, X, X[:, 0] * (X[:, 1] == 1) + X[:, 2], n_trees=5)
    # every configuration once, with x at the middle of each interval between thresholds
    cuts = np.unique(
        np.concatenate(
            [[0.0, 1.0]]
            + [t.tree_.threshold[t.tree_.feature == 0] for t in forest.forest.estimators_]
        )
    )
    middle, width = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)
    by_tree = np.zeros((5, 3))
    columns = forest._columns
    for code in range(3):
        for k in range(4):
            rows = np.column_stack(
                [middle, np.full(len(middle), code), np.full(len(middle), k / 3)]
            )
            for t, tree in enumerate(forest.forest.estimators_):
                by_tree[t, code] += width @ tree.predict(columns(rows)) / 4
    for variance in ("average", "covariance"):
        effect = PartialDependenceExplainer(forest, sample=50, variance=variance).explain("c")
        np.testing.assert_allclose(effect.mean, by_tree.mean(axis=0), rtol=1e-10)
        assert effect.exact
    np.testing.assert_allclose(effect.std, by_tree.std(axis=0), rtol=1e-8)


def test_a_conditional_hyperparameter_averages_only_where_it_is_active():
    space = space_of(
        booster=["tree", "dart"], drop=(0.0, 1.0), when={"drop": {"booster": ["dart"]}}
    )
    surrogate = AnalyticSurrogate(
        space,
        lambda X: np.where(X[:, 0] == 1, 10.0 + np.nan_to_num(X[:, 1]), 0.0),
        lambda X: 0.0 * X[:, 0],
    )
    explainer = PartialDependenceExplainer(surrogate, sample=100, grid_size=3)
    np.testing.assert_allclose(explainer.explain("drop").mean, [10.0, 10.5, 11.0])
    # the parent: each value with what is valid under it; drop is uniform where it is active
    np.testing.assert_allclose(explainer.explain("booster").mean, [0.0, 10.5], atol=0.01)
    pair = explainer.explain(("booster", "drop"))
    assert np.isnan(pair.mean[0]).all()
    np.testing.assert_allclose(pair.mean[1], [10.0, 10.5, 11.0])
    band, where, never = map(str, pair.notes)
    assert band.startswith("the band is ")
    assert where == "only where drop is active (booster is dart)" or where.startswith(
        "only where drop is "
    )
    assert never == "NaN: values without a valid configuration"
    assert pair.notes[1].names == ("drop",)


def test_the_nested_space_of_figure_9_by_hand():
    """Appendix B: one hyperparameter of xgboost, and the parent, from a nested block matrix."""
    space = space_of(
        k=range(1, 6),
        algorithm=["svm", "xgboost"],
        C=(0.0, 10.0),
        kernel=["rbf", "poly"],
        eta=(0.0, 1.0),
        nrounds=range(1, 4),
        when={
            "C": {"algorithm": ["svm"]},
            "kernel": {"algorithm": ["svm"]},
            "eta": {"algorithm": ["xgboost"]},
            "nrounds": {"algorithm": ["xgboost"]},
        },
    )
    sample = space.encode(
        [
            {"k": 1, "algorithm": "svm", "C": 2.0, "kernel": "rbf"},
            {"k": 5, "algorithm": "svm", "C": 6.0, "kernel": "poly"},
            {"k": 3, "algorithm": "xgboost", "eta": 0.1, "nrounds": 1},
            {"k": 2, "algorithm": "xgboost", "eta": 0.5, "nrounds": 3},
            {"k": 5, "algorithm": "xgboost", "eta": 0.9, "nrounds": 2},
        ]
    )

    def mean(X):
        """100 k + C + 10 [poly] of an SVM, and 100 k + eta + 10 nrounds of xgboost."""
        k, C, nrounds = 1 + 4 * X[:, 0], 10 * X[:, 2], 1 + 2 * X[:, 5]
        return 100 * k + np.where(X[:, 1] == 0, C + 10 * X[:, 3], X[:, 4] + 10 * nrounds)

    surrogate = AnalyticSurrogate(space, mean, lambda X: 1 + 4 * X[:, 0])
    explainer = PartialDependenceExplainer(surrogate, sample=sample)
    nrounds = explainer.explain("nrounds")  # the three rows of xgboost
    assert nrounds.grid == (1, 2, 3)
    by_hand = 100 * (3 + 2 + 5) / 3 + (0.1 + 0.5 + 0.9) / 3 + 10 * np.array([1, 2, 3])
    np.testing.assert_allclose(nrounds.mean, by_hand)
    np.testing.assert_allclose(nrounds.std**2, (9 + 4 + 25) / 3)
    # each value with the rows that are valid with it
    algorithm = explainer.explain("algorithm")
    svm = ((100 + 2) + (500 + 6 + 10)) / 2
    xgboost = ((300 + 0.1 + 10) + (200 + 0.5 + 30) + (500 + 0.9 + 20)) / 3
    assert algorithm.grid == ("svm", "xgboost")
    np.testing.assert_allclose(algorithm.mean, [svm, xgboost])
    np.testing.assert_allclose(algorithm.std**2, [(1 + 25) / 2, (9 + 4 + 25) / 3])
    assert np.isnan(algorithm.ice_mean).tolist() == [[False, True]] * 2 + [[True, False]] * 3


def test_a_configuration_with_a_child_too_many_is_left_out():
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("booster", ["tree", "dart"]),
            hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
            hx.FloatParameter("lr", 0.0, 1.0),
        ]
    )
    surrogate = AnalyticSurrogate(
        space, lambda X: X[:, 2] + np.where(np.isnan(X[:, 1]), 0.0, X[:, 1])
    )
    configurations = [
        {"booster": "tree", "lr": 0.2},
        {"booster": "tree", "lr": 0.4},
        {"booster": "dart", "drop": 0.5, "lr": 0.9},
        {"booster": "dart", "drop": 0.7, "lr": 0.7},
    ]
    sample = space.encode(configurations)
    effect = PartialDependenceExplainer(surrogate, sample=sample).explain("booster")
    # Eq. 8: with a tree there is no drop, so only those without one are valid
    np.testing.assert_allclose(effect.mean, [0.3, 1.4])
    assert np.isnan(effect.ice_mean).tolist() == [[False, True]] * 2 + [[True, False]] * 2
    # a latent row has a value of everything, which does not count where it is inactive
    latent = sample.copy()
    latent[:2, 1] = 0.1
    everywhere = PartialDependenceExplainer(surrogate, sample=latent).explain("booster")
    np.testing.assert_allclose(everywhere.mean, [0.55, 0.55 + 0.35])


@pytest.mark.parametrize("n", [100, 400])
def test_the_band_of_a_forest_says_that_noise_is_in_it(n):
    rng = np.random.default_rng(0)
    space = unit_cube(2)
    X = space.sample(n, seed=0)
    y = 4.0 * X[:, 0] + rng.normal(size=n)
    forest = hx.models.ForestSurrogate.fit(space, X, y)
    process = hx.models.GaussianProcessSurrogate.fit(space, X, y)
    rows = space.sample(500, seed=1)
    # however many trials there are, it is that of an observation
    mean, std = forest.predict(rows)
    rmse = np.sqrt(np.mean((mean - 4.0 * rows[:, 0]) ** 2))
    assert std.mean() > 1.3 * rmse
    assert process.predict(rows)[1].mean() < 0.5
    words = {}
    for model in (forest, process):
        explainer = PartialDependenceExplainer(model, sample=50)
        effect = explainer.explain("x1")
        words[model.label] = band_caption(effect)
    assert "observation noise included" in words["a forest"]
    assert "without observation noise" in words[process.label]


def test_a_forest_averages_a_conditional_hyperparameter_exactly_where_it_is_active():
    space = nested_space()
    X = space.sample(80, seed=2)
    y = np.where(np.isnan(X), 0.3, X) @ np.arange(1.0, len(space) + 1)
    forest = hx.models.ForestSurrogate.fit(space, X, y, n_trees=8)
    for name in space.names:
        effect = PartialDependenceExplainer(forest, sample=3000, grid_size=4).explain(name)
        sampled = np.nanmean(effect.ice_mean, axis=0)
        spread = np.nanstd(effect.ice_mean, axis=0) / np.sqrt((~np.isnan(effect.ice_mean)).sum(0))
        assert (np.abs(effect.mean - sampled) < 5 * spread + 1e-9).all()


def test_the_confidence_at_a_configuration_is_that_of_the_closest_ratio_on_a_log_scale():
    space = hx.SearchSpace([hx.FloatParameter("lr", 1e-4, 1.0, log=True)])
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0], lambda X: 1.0 + X[:, 0])
    effect = PartialDependenceExplainer(surrogate, sample=20, grid_size=3).explain("lr")
    # 0.2 is closer to 0.01 than to 1, and a factor of 5 from 1 and of 20 from 0.01
    assert effect.confidence_at({"lr": 0.2}) == pytest.approx(2.0)


def test_confidence_and_likelihood_by_hand():
    space = unit_cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0], lambda X: 1.0 + X[:, 0])
    effect = PartialDependenceExplainer(surrogate, sample=20, grid_size=3).explain(space.names[0])
    assert effect.mean_confidence == pytest.approx(1.5)
    config = dict.fromkeys(space.names, 0.9)
    assert effect.confidence_at(config) == pytest.approx(2.0)
    s = np.array([1.0, 1.5, 2.0])
    expected = np.mean(0.5 * np.log(2 * np.pi) + np.log(s) + 0.5 * (1.0 / s) ** 2)
    assert effect.negative_log_likelihood(effect.mean + 1.0) == pytest.approx(expected)
    assert effect.negative_log_likelihood(lambda x: x + 1.0) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["x1", ("x1", "x2")])
def test_of_a_maximized_objective_the_highest_value_is_the_best(name):
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: X[:, 0] + X[:, 1], 0.01)
    (lowest,) = PartialDependenceExplainer(surrogate).explain(name).claims
    (highest,) = PartialDependenceExplainer(surrogate, direction="maximize").explain(name).claims
    assert (lowest.kind, highest.kind) == ("best", "best")
    # half of the grid's first and last step
    assert np.ravel(lowest.values) == pytest.approx([0.0, 0.5 / 19] * len(lowest.values))
    assert np.ravel(highest.values) == pytest.approx([1 - 0.5 / 19, 1.0] * len(lowest.values))
    assert highest.estimate > lowest.estimate
    subject = Subject(surrogate.space, "maximize")
    again = PartialDependenceExplainer(surrogate, subject=subject).explain(name)
    assert again.claims == (highest,)


def test_a_model_without_a_joint_posterior_compares_nothing_with_certainty():
    surrogate = AnalyticSurrogate(unit_cube(1), lambda X: X[:, 0], 0.01)
    effect = PartialDependenceExplainer(surrogate, sample=5, grid_size=21).explain("x1")
    (claim,) = effect.claims
    assert not claim.certain
    assert claim.because == (UNKNOWN,)
    assert effect.best.sum() == 1


def quadratic_run(low=0.0, high=1.0, n=40, noise=0.05, seed=0):
    """(x1 - 0.3)² and a little of x2, with trials between `low` and `high` of x1."""
    space = unit_cube(3)
    X = space.sample(n, seed=seed)
    X[:, 0] = low + (high - low) * X[:, 0]
    rng = np.random.default_rng(seed)
    y = 4 * (X[:, 0] - 0.3) ** 2 + 0.2 * X[:, 1] + noise * rng.standard_normal(n)
    return hx.Run(space, X, y, "minimize")


@pytest.mark.parametrize("kind", ["auto", "gp"])
def test_the_values_that_may_be_best_hold_the_best_one_and_rule_out_others(kind):
    quick = {"surrogate": kind, "sample": 100, "attainable": False}
    claim, contrast = hx.partial_dependence(quadratic_run(), "x1", **quick).claims
    ((low, high),) = claim.values
    assert claim.certain
    assert 0.0 <= low < 0.3 < high < 0.7
    assert (contrast.kind, contrast.certain) == ("difference", True)
    ((best, worst),) = contrast.values
    true = 4 * (best - 0.3) ** 2 - 4 * (worst - 0.3) ** 2
    assert contrast.interval[0] <= true <= contrast.interval[1] < 0.0


def test_where_nothing_was_tried_the_draws_know_less():
    run = quadratic_run(low=0.3, high=0.6)
    effect = hx.partial_dependence(run, "x1", sample=100)
    lower, upper = effect.band()
    assert not effect.supported[-1]
    assert (upper - lower)[-1] > 3.0 * (upper - lower)[8]


@few_draws
def test_the_curve_of_each_function_is_its_average():
    run = quadratic_run(n=12)
    rows = run.space.sample(30, seed=4)
    belief = run.belief()
    explainer = PartialDependenceExplainer(
        belief, sample=rows, grid_size=5, variance="covariance", subject=Subject.of(run)
    )
    effect = explainer.explain("x1")
    ends = [np.where(np.arange(3) == 0, value, rows) for value in (0.25, 0.75)]
    of_each = [belief.draws(z).mean(axis=1) for z in ends]
    # of a thousand waves, in single precision, all values of the curve at once
    np.testing.assert_allclose(effect.draws[[1, 3]], of_each, rtol=0, atol=1e-4)
    np.testing.assert_allclose(effect.std[[1, 3]], np.std(of_each, axis=1), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("pair", "ancestor", "first", "second"),
    [
        (("C", "depth"), "model", ("svm",), ("rf",)),
        (("degree", "depth"), "model", ("svm",), ("rf",)),
        (("deep", "C"), "model", ("rf",), ("svm",)),
        (("wide", "units"), "layers", (1,), (2, 3)),
    ],
)
def test_a_pair_that_is_never_active_together_says_why(pair, ancestor, first, second):
    svm, rf = ({"active_when": {"model": ["svm"]}}, {"active_when": {"model": ["rf"]}})
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("model", ["svm", "rf"]),
            hx.FloatParameter("C", 0.0, 1.0, **svm),
            hx.CategoricalParameter("kernel", ["poly", "rbf"], **svm),
            hx.IntParameter("degree", 1, 5, active_when={"kernel": ["poly"]}),
            hx.IntParameter("depth", 1, 9, **rf),
            hx.FloatParameter("deep", 0.0, 1.0, active_when={"depth": [8, 9]}),
            hx.IntParameter("layers", 1, 3),
            hx.FloatParameter("wide", 0.0, 1.0, active_when={"layers": [1]}),
            hx.FloatParameter("units", 0.0, 1.0, active_when={"layers": [2, 3]}),
        ]
    )
    surrogate = AnalyticSurrogate(space, lambda X: np.zeros(len(X)), lambda X: np.zeros(len(X)))
    for call in (
        PartialDependenceExplainer(surrogate, sample=50).explain,
        hx.methods.RegionalPartialDependenceExplainer(surrogate, sample=50).explain,
    ):
        with pytest.raises(NothingToExplain) as raised:
            call(pair)
        reason = raised.value.reason
        assert reason.names == pair
        for name, values in zip(pair, (first, second), strict=True):
            assert f"{name} when {ancestor} = {' or '.join(map(format_value, values))}" in str(
                reason
            )


def test_covariance_of_trees_without_exact_marginals_is_an_error():
    space = nested_space()
    X = space.sample(40, seed=2)
    forest = hx.models.ForestSurrogate.fit(space, X, np.arange(40.0), n_trees=3)
    given = PartialDependenceExplainer(forest, sample=X, variance="covariance")
    drawn = PartialDependenceExplainer(forest, sample=20, variance="covariance")
    for explainer, names in ((given, "lr"), (drawn, ("optimizer", "momentum"))):
        with pytest.raises(InputError, match="needs their exact marginals") as raised:
            explainer.explain(names)
        assert raised.value.remedy == "Use variance='average', or sample=1000."


@pytest.mark.parametrize("kind", ["auto", "forest"])
@few_draws
def test_a_value_at_which_nothing_is_feasible_is_not_called_the_best(kind):
    space = hx.SearchSpace([hx.IntParameter("trees", 1, 60), hx.FloatParameter("lr", 0.0, 1.0)])
    X = space.sample(60, seed=0)
    trees = np.array([config["trees"] for config in space.decode(X)])
    y = (X[:, 1] - 0.3) ** 2 - trees / 60  # the more trees the better, but 40 do not fit
    run = hx.Run(space, X, y, "minimize", feasible=trees < 40)
    effect = hx.partial_dependence(run, "trees", surrogate=kind, sample=100)
    assert np.nanargmin(effect.mean) == len(effect.grid) - 1
    for claim in (c for c in effect.claims if c.kind == "best"):
        ((low, high),) = claim.values
        assert low > 20
        assert high <= 45  # halfway to the next value of the grid
        # what may fail beyond the border is left out of what is attainable, and may be better
        assert claim.certain == (kind == "auto" and not claim.term)
    assert np.isnan(effect.attainable.mean[-1])
    assert not effect.shown[-1]
    assert "Probably infeasible, so not the best: trees = " in effect.sentence
    without = hx.Run(space, X, y, "minimize")
    assert hx.partial_dependence(without, "trees", surrogate=kind, sample=100).feasible is None


# ---------------------------------------------------------------------- in words


CUBE = unit_cube(2)


def effect(*, error=None, scale=1.0, noise=0.0, of=lambda X: X[:, 0], direction="minimize"):
    """Of 2 + scale · x1, with draws whose means have independent errors."""
    surrogate = AnalyticSurrogate(CUBE, lambda X: 2.0 + scale * of(X))
    explainer = hx.methods.PartialDependenceExplainer(
        surrogate, sample=10, grid_size=5, direction=direction
    )
    found = explainer.explain("x1")
    if error is None:
        return found
    errors = error * np.random.default_rng(0).standard_normal((5, 200))
    drawn = found.mean[:, None] + errors - errors.mean(axis=1, keepdims=True)
    return replace(found, draws=drawn, noise_std=noise, variance="covariance")


ON, BEST = ("On average the objective is", "On average the objective is best at x1 between")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, f"{BEST} 0 and 0.125: 2. Not certain: the model gives no intervals"),
        ({"error": 0.1}, f"{BEST} 0 and 0.125: 2.0 ± 0.3."),
        ({"error": 0.3}, f"{BEST} 0 and 0.625: 2.0 ± 0.8."),
        ({"error": 1e-3, "direction": "maximize"}, f"{BEST} 0.875 and 1: 3.000 ± 0.003."),
        (
            {"error": 1e-3, "of": lambda X: -((X[:, 0] - 0.5) ** 2)},
            f"{BEST} 0 and 0.125 or between 0.875 and 1: 1.750 ± 0.003.",
        ),
        ({"error": 9.0}, f"{ON} 0 ± 20 at best; no value of x1 is ruled out."),
        ({"scale": 0.0, "error": 0.0}, f"{ON} the same for every value of x1."),
        (
            {"scale": 0.01, "error": 0.02, "noise": 0.1},
            f"{ON} the same for every value of x1: differences are below 0.1, the noise of one",
        ),
    ],
)
def test_which_values_may_be_best(options, sentence):
    assert effect(**options).sentence.startswith(sentence)


# ---------------------------------------------------------------------- values of one's own

MIXED = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.IntParameter("layers", 1, 200),
        hx.CategoricalParameter("kind", ["a", "b", "c"]),
    ]
)


def mixed_run():
    configs = [
        {"lr": lr, "layers": layers, "kind": kind}
        for lr, layers, kind in [(1e-3, 7, "c"), (0.5, 190, "a"), (1e-3, 9, "a"), (0.02, 7, "c")]
    ]
    return hx.Run(MIXED, MIXED.encode(configs), [3.0, 1.0, 2.0, 0.5], "minimize")


@pytest.mark.parametrize(
    ("name", "values"), [("lr", (1e-3, 0.02, 0.5)), ("layers", (7, 9, 190)), ("kind", ("a", "c"))]
)
@few_draws
def test_the_grid_of_values_tried_holds_each_once(name, values):
    effect = hx.partial_dependence(mixed_run(), name, grid="tried", sample=40)
    assert effect.grid == pytest.approx(values) if name == "lr" else effect.grid == values
    assert effect.mean.shape == (3 - (name == "kind"),)


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_at_values_of_ones_own_the_effect_is_the_average_there(kind):
    run, sample = mixed_run(), MIXED.sample(30, seed=1)
    model = run.surrogate(kind=kind)
    grid = {"lr": [0.3, 1e-4], "layers": [50]}
    explainer = PartialDependenceExplainer(model, sample=sample, grid=grid)
    effect = explainer.explain(["lr", "layers"])
    assert effect.grid[0] == pytest.approx((1e-4, 0.3))
    assert effect.grid[1] == (50,)
    for g, lr in enumerate([1e-4, 0.3]):
        rows = sample.copy()
        rows[:, :2] = MIXED.encode([{"lr": lr, "layers": 50, "kind": "a"}])[0, :2]
        assert effect.mean[g, 0] == pytest.approx(model.predict(rows)[0].mean(), rel=1e-9)
    assert len(explainer.explain("kind").grid) == 3  # not named: as ever
    given = hx.partial_dependence(run, "lr", grid={"lr": [0.3]}, sample=40, regions=True)
    assert given.whole.grid == pytest.approx((0.3,))


@pytest.mark.parametrize("regions", [False, True])
def test_one_value_is_drawn_as_a_point_of_the_whole_range(regions):
    effect = hx.partial_dependence(
        mixed_run(), "lr", grid={"lr": [0.3]}, sample=40, regions=regions
    )
    figure = effect.described()
    panel = figure.panels[0] if regions else figure
    assert panel.x.limits == (1e-4, 1.0)
    own = [
        dots.x.tolist()
        for dots in panel.dots
        if dots.look not in ("second", "behind")  # the average, and trials
    ]
    assert own == [pytest.approx([0.3])]
    effect.plot()
    effect.to_plotly()


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ("observed", "grid must be one of"),
        ([0.1], "grid must be 'tried', or map"),
        ({"lrr": [0.1]}, "grid must be a hyperparameter, but 'lrr' is unknown"),
        ({"lr": [3.0]}, "grid holds an impossible value"),
        ({"lr": 0.1}, "grid holds an impossible value"),
        ({"lr": []}, "grid has no value of lr"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(grid, words):
    with pytest.raises(InputError, match=words) as caught:
        hx.partial_dependence(mixed_run(), "lr", grid=grid)
    assert caught.value.argument == "grid"
    assert caught.value.remedy
    with pytest.raises(InputError, match="has no meaning for these effects"):
        hx.partial_dependence(mixed_run(), "lr", kind="accumulated", grid="tried")


def test_values_tried_that_are_not_known_are_refused():
    surrogate = AnalyticSurrogate(MIXED, 1.0)
    with pytest.raises(InputError, match="grid has no value of lr"):
        PartialDependenceExplainer(surrogate, grid="tried").explain("lr")


# ---------------------------------------------------------------------- what nobody tried


def untried_run(tried, slope):
    """A run whose first hyperparameter has these values only, and matters by a slope."""
    space = unit_cube(2)
    X = space.sample(60, seed=0)
    X[:, 0] = np.random.default_rng(0).choice(tried, 60)
    return hx.Run(space, X, slope(X[:, 0]) + 0.1 * X[:, 1], "minimize")


def best_of(run, name="x1"):
    effect = hx.partial_dependence(run, name)
    return [claim for claim in effect.claims if claim.kind == "best"]


@few_draws
def test_a_value_that_nobody_tried_is_not_told_as_the_best_for_certain():
    """The slope leads on to where no trial is: below .4 there may be anything."""
    beyond = untried_run(np.linspace(0.4, 1.0, 30), lambda x: x)
    for claim in best_of(beyond):
        assert not claim.certain
    claim, _ = best_of(beyond)
    (doubt,) = claim.because
    assert (doubt.names, str(doubt)) == (("x1",), "no trial lies between 0 and 0.4 of x1")
    assert "no trial lies between 0 and 0.4 of x1" in hx.partial_dependence(beyond, "x1").sentence
    everywhere = untried_run(np.linspace(0.0, 1.0, 30), lambda x: x)
    assert all(claim.certain for claim in best_of(everywhere))


def test_between_the_four_values_of_a_coarse_grid_nothing_is_known():
    grid = np.array([0.05, 0.35, 0.65, 0.95])
    claim, _ = best_of(untried_run(grid, lambda x: 5.0 * (x - 0.5) ** 2))
    assert not claim.certain
    (doubt,) = claim.because
    assert str(doubt) == "no trial lies between 0.35 and 0.65 of x1"


def test_a_category_that_nobody_tried_is_not_the_best_for_certain():
    """Few trials that are bad make a belief that what was not tried is better."""
    category = hx.CategoricalParameter("c", ["a", "b", "z"])
    space = hx.SearchSpace([category, hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(40, seed=0)
    X[:, 0] = np.arange(40) % 2
    y = X[:, 0] + 0.1 * X[:, 1]
    effect = hx.partial_dependence(hx.Run(space, X, y, "minimize"), "c")
    grid = category, effect.positions[0], effect.tried[0]
    assert never_tried(*grid, 0, effect.best) == ()
    assert never_tried(*grid, 2, effect.best) == ("z",)
