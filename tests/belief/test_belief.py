"""The belief: against closed forms, brute force, and functions whose truth is known."""

import numpy as np
import pytest
from scipy.stats import chi2, rankdata

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, Run, SearchSpace
from hpo_explain.base import mean_ranks
from hpo_explain.base.errors import InputError
from hpo_explain.belief import learned
from hpo_explain.belief.belief import Belief
from hpo_explain.belief.best import Best
from hpo_explain.belief.decisions import decide, interval, std_of_draws
from hpo_explain.belief.draws import DrawnSurrogate, Draws, as_draws
from hpo_explain.belief.functionals import argmin, attainable, contrasts, least_in, loss
from hpo_explain.belief.scales import SCALES, from_table
from hpo_explain.models import GaussianProcessSurrogate, Surrogate
from hpo_explain.models.pathwise import draw, valued
from hpo_explain.models.product_kernel import Pairs, Prior, chain
from hpo_explain.question.model import surrogate_of
from tests.analytic import AnalyticSurrogate

MIXED = SearchSpace(
    [
        FloatParameter("x", 0.0, 1.0),
        CategoricalParameter("kind", ["a", "b", "c"]),
        FloatParameter("width", 1e-3, 1.0, log=True, active_when={"kind": ["b"]}),
        IntParameter("k", 1, 4),
    ]
)


class Known(Draws):
    """Two draws: a known function and its double."""

    def __init__(self, space, function):
        super().__init__(space, space.sample(8, seed=5), "minimize", 0)
        self.function = function

    @property
    def noise_std(self):
        return 0.0

    def costs(self, X):
        found = self.function(X)
        return np.stack([found, 2.0 * found])


def mixed_cost(X):
    width = np.where(np.isnan(X[:, 2]), 0.3, (X[:, 2] - 0.5) ** 2)
    return np.sin(4 * X[:, 0]) + 0.4 * (X[:, 1] == 1) + width + 0.2 * X[:, 3]


@pytest.fixture(scope="module")
def belief():
    X = MIXED.sample(60, seed=1)
    y = mixed_cost(X) + np.random.default_rng(0).normal(0.0, 0.05, len(X))
    return Belief(MIXED, X, y, "minimize")


@pytest.mark.parametrize(("scale", "shift"), [(1000.0, -7.0), (-3.0, 0.0), (1e-9, 1e-9)])
def test_the_unit_of_the_objective_changes_no_draw(belief, scale, shift):
    X = MIXED.sample(60, seed=1)
    y = mixed_cost(X) + np.random.default_rng(0).normal(0.0, 0.05, len(X))
    direction = "minimize" if scale > 0.0 else "maximize"
    other = Belief(MIXED, X, scale * y + shift, direction)
    np.testing.assert_array_equal(other.scaled, belief.scaled)
    rows = MIXED.sample(50, seed=2)
    expected = scale * belief.draws(rows) + shift
    size = np.abs(expected).max()
    np.testing.assert_allclose(other.draws(rows), expected, rtol=0.0, atol=1e-12 * size)


# ------------------------------------------------------------------ kernel and likelihood


def kernel(p, X, Z, numbers):
    """K as it is written: 1 + Σ a B + s² Π ((1 - w) + w B), pair by pair."""
    K = np.empty((len(X), len(Z)))
    for i, x in enumerate(X):
        for k, z in enumerate(Z):
            total, product = 1.0, p.product
            for j, number in enumerate(numbers):
                both = np.isnan(x[j]) and np.isnan(z[j])
                r = np.sqrt(5) * abs(x[j] - z[j]) / p.length[j]
                B = (1 + r + r * r / 3) * np.exp(-r) if number else float(x[j] == z[j])
                B = 0.0 if np.isnan(x[j]) or np.isnan(z[j]) else B
                total += p.amplitude[j] * B
                product *= 1.0 if both else 1 - p.weight[j] + p.weight[j] * B
            K[i, k] = total + product
    return K


@pytest.fixture
def pairs():
    X = MIXED.sample(25, seed=2)
    z = mixed_cost(X)
    return X, Pairs(X, (z - z.mean()) / z.std(), Prior(np.array([0, 3, 0, 0]), True), 0.5)


def test_covariance_is_the_kernel_as_written(pairs):
    X, found = pairs
    p = found.prior.parameters(np.linspace(-1, 1, len(found.prior.moments[0])))
    wanted = kernel(p, X, X, found.prior.numbers) + p.noise * np.eye(len(X))
    np.testing.assert_allclose(found.gram(p)[0], np.tril(wanted), rtol=1e-5)
    np.testing.assert_allclose(found.inverse(p) @ wanted, np.eye(len(X)), atol=1e-3)


def test_gradient_is_that_of_the_tempered_posterior(pairs):
    X, found = pairs
    u = np.random.default_rng(1).normal(size=len(found.prior.moments[0])) * 0.5

    def log_posterior(u):
        p = found.prior.parameters(u)
        K = kernel(p, X, X, found.prior.numbers) + p.noise * np.eye(len(X))
        fit = found.z @ np.linalg.solve(K, found.z)
        return 0.5 * (-0.5 * fit - 0.5 * np.linalg.slogdet(K)[1]) - 0.5 * u @ u

    step = 1e-5 * np.eye(len(u))
    wanted = [(log_posterior(u + e) - log_posterior(u - e)) / 2e-5 for e in step]
    value, gradient = found.slope(u)
    assert value == pytest.approx(log_posterior(u), rel=1e-4)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-3, atol=1e-3)


def test_levels_count_as_degrees_of_freedom_in_the_prior():
    """Odds of the weight and the amplitude of L levels are L - 1 times as small as of two."""
    levels = np.array([2, 20, 0])
    parameters = Prior(levels, True).parameters(np.zeros(9))
    odds = parameters.weight / (1.0 - parameters.weight)
    np.testing.assert_allclose(odds, [1.0, 1.0 / 19.0, 1.0])
    np.testing.assert_allclose(parameters.amplitude, 0.5 / 3.0 / np.array([1.0, 19.0, 1.0]))


@pytest.mark.parametrize("idle", [True, False])
def test_a_category_of_twenty_levels_has_the_share_that_is_its(idle):
    """With noise of a third of the spread and three trials a level, idle ones have none."""
    space = SearchSpace(
        [
            FloatParameter("x", 0.0, 1.0),
            FloatParameter("y", 0.0, 1.0),
            CategoricalParameter("kind", [f"k{i}" for i in range(20)]),
        ]
    )
    rng = np.random.default_rng(3)
    effects = rng.permutation(np.linspace(-1.0, 1.0, 20)) * (not idle)
    X = space.sample(60, seed=3)

    def cost(X):
        smooth = 4.0 * (X[:, 0] - 0.4) ** 2 + X[:, 1]
        return smooth + effects[X[:, 2].astype(int)]

    y = cost(X)
    y = y + 0.33 * y.std() * rng.standard_normal(len(y))
    own = Belief(space, X, y, "minimize").anova.mains[:, 2]
    everywhere = cost(space.sample(20_000, seed=0))
    exact = effects.var() / everywhere.var()
    assert own.mean() <= 0.05 if idle else abs(own.mean() - exact) < 0.15


def test_a_chain_whose_data_do_not_count_has_the_prior(pairs):
    X, _ = pairs
    nothing = Pairs(X, X[:, 3], Prior(np.array([0, 3, 0, 0]), True), 0.0)
    size = len(nothing.prior.moments[0])
    mode = np.zeros(size)
    found = chain(nothing, mode, np.random.default_rng(0), states=400)
    assert found.proposals.shape == (400, size)
    # states are independent: of means and variances the errors are known
    np.testing.assert_allclose(found.proposals.mean(axis=0), 0.0, atol=4 / np.sqrt(400))
    np.testing.assert_allclose(found.proposals.var(axis=0), 1.0, atol=4 * np.sqrt(2 / 400))


@pytest.mark.thorough
def test_a_chain_has_the_moments_of_the_posterior():
    """Beside draws of the prior that are weighted by the likelihood."""
    x = np.random.default_rng(0).random((8, 1))
    z = 3.0 * (x[:, 0] - x.mean())
    few = Pairs(x, z, Prior(np.array([0]), True), 0.3)
    prior = np.random.default_rng(1).normal(size=(6000, 5))
    logs = np.array([few.value(u) + 0.5 * u @ u for u in prior])
    weights = np.exp(logs - logs.max())
    middle = np.average(prior, axis=0, weights=weights)
    apart = prior - middle
    spread = np.sqrt(np.average(apart**2, axis=0, weights=weights))
    assert weights.sum() ** 2 / (weights**2).sum() > 1000  # as many count
    assert np.abs(middle).max() > 0.6  # the data tell something
    walked = chain(few, np.zeros(5), np.random.default_rng(0), states=700)
    found = walked.proposals
    np.testing.assert_allclose(found.mean(axis=0), middle, atol=0.15)
    np.testing.assert_allclose(found.std(axis=0), spread, rtol=0.15)


def test_of_many_hyperparameters_fewer_are_expected_to_matter_and_as_much_in_sum():
    def amplitude(d):
        prior = Prior(np.zeros(d, int), True)
        middle, spread = (of[2 * d] for of in prior.moments)
        return middle, spread

    for d in (1, 20, 100, 500):
        middle, spread = amplitude(d)
        mean = np.exp(middle + 0.5 * spread**2)  # of a lognormal value
        assert d * mean == pytest.approx(0.5 * np.exp(0.5 * 1.5**2))
    assert amplitude(20)[1] == 1.5
    assert amplitude(500)[1] > amplitude(100)[1] > 1.5


def test_draws_have_the_posterior_of_a_gaussian_process(pairs):
    X, found = pairs
    p = found.prior.parameters(np.zeros(len(found.prior.moments[0])))
    Z, numbers = MIXED.sample(40, seed=3), found.prior.numbers
    categories = np.array([0, 3, 0, 0])
    drawn = np.concatenate(
        [valued([draw(X, found, p, categories, 40, [0, i])], Z, categories)[0] for i in range(100)],
        axis=1,
    )
    K = kernel(p, X, X, numbers) + p.noise * np.eye(len(X))
    cross = kernel(p, Z, X, numbers)
    mean = cross @ np.linalg.solve(K, found.z)
    variance = np.diag(kernel(p, Z, Z, numbers) - cross @ np.linalg.solve(K, cross.T))
    # 4000 draws: four standard errors of a mean, and of a variance
    assert (np.abs(drawn.mean(axis=1) - mean) < 4.0 * np.sqrt(variance / 4000) + 1e-3).all()
    np.testing.assert_allclose(drawn.var(axis=1), variance, rtol=0.15)


# ------------------------------------------------------------------ scales


@pytest.mark.parametrize("scale_of", SCALES)
def test_a_scale_is_ascending_and_leads_back(scale_of):
    cost = np.random.default_rng(0).lognormal(0.0, 2.0, 80)
    scale = scale_of(cost)
    assert (np.diff(scale.z[np.argsort(cost)]) >= 0.0).all()
    # the half-rank scale has 25 knots, between which it is linear
    back = scale.cost(scale.z, (cost.min() - 0.1, np.inf))
    assert np.corrcoef(np.argsort(np.argsort(back)), np.argsort(np.argsort(cost)))[0, 1] > 0.999
    np.testing.assert_allclose(back.min(), cost.min(), atol=1e-6 * np.ptp(cost))


def test_no_draw_leaves_natural_bounds():
    space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    X = np.linspace(0.0, 1.0, 30)[:, None]
    accuracy = 1.0 - 0.02 * np.abs(X[:, 0] - 0.4) - 0.001
    belief = Belief(space, X, accuracy, "maximize", bounds=(0.0, 1.0))
    found = belief.draws(space.sample(500))
    assert found.max() <= 1.0
    assert found.min() >= 0.0


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize(
    ("bounds", "ends"),
    [(None, (0.38, 0.8)), ((0.39, 0.75), (0.39, 0.75)), ((-5.0, 5.0), (0.38, 0.8))],
)
def test_draws_reach_as_far_as_they_may(direction, bounds, ends):
    """Of a slope: a fifth of median minus best below the best, the range above the worst."""
    space, sign = (SearchSpace([FloatParameter("x", 0.0, 1.0)]), 1 - 2 * (direction == "maximize"))
    # few trials in the middle: the slope itself leads beyond both ends
    X = np.linspace(0.4, 0.6, 12)[:, None]
    bounds = bounds and tuple(sorted(sign * np.array(bounds)))
    belief = Belief(space, X, sign * X[:, 0], direction, bounds=bounds)
    cost = sign * belief.draws(np.linspace(0.0, 1.0, 101)[:, None])
    np.testing.assert_allclose([cost.min(), cost.max()], ends, atol=1e-6)


def test_a_table_is_read_between_its_values():
    z = np.array([-12.5, -3.21, 0.0, 0.0101, 12.5])
    table = np.linspace(-24.0, 24.0, 1201)
    np.testing.assert_allclose(from_table(z, table), 2.0 * z.clip(-12.0, 11.99998), atol=1e-4)


# ------------------------------------------------------------------ draws


def test_draws_are_the_same_functions_whatever_is_asked(belief):
    rows = MIXED.sample(300, seed=4)
    together = belief.draws(rows)
    apart = np.concatenate([belief.draws(rows[:7]), belief.draws(rows[7:])], axis=1)
    # of some rows a value is shared by most, of others not: sums are rounded in another order
    np.testing.assert_allclose(together, apart, rtol=0, atol=3e-4)
    mean, std = belief.predict(rows)
    np.testing.assert_array_equal(mean, together.mean(axis=0))
    assert (std > 0.0).all()
    np.testing.assert_allclose(np.diag(belief.posterior_covariance(rows)), std**2)
    assert isinstance(belief, Surrogate)
    assert len(belief.processes) == len(belief.whole.weights)


def test_many_distinct_values_are_read_in_blocks_and_the_last_costs_are_kept():
    space = SearchSpace([FloatParameter("x", 0.0, 1.0), FloatParameter("y", 0.0, 1.0)])
    X, rows = space.sample(30, seed=1), space.sample(600, seed=2)
    noise = np.random.default_rng(0).normal(0.0, 0.1, len(X))
    belief = Belief(space, X, X[:, 0] ** 2 + X[:, 1] + noise, "minimize")
    apart = np.concatenate([belief.costs(some) for some in np.split(rows, 30)], axis=1)
    together = belief.costs(rows)
    # of single precision
    np.testing.assert_allclose(together, apart, rtol=0, atol=1e-4)
    assert belief.costs(rows.copy()) is together
    assert not together.flags.writeable  # others may ask for them, too
    assert belief.costs(rows[:1]).shape == (192, 1)


@pytest.mark.parametrize(
    ("members", "values"),
    [([0], [[0.1], [0.9]]), ([1], [[2.0]]), ([0, 3], [[0.2, 1.0], [0.7, 0.0]])],
)
def test_rows_that_differ_in_some_columns_are_valued_together_as_one_by_one(
    belief, members, values
):
    rows, values = MIXED.sample(300, seed=4), np.array(values)
    together = belief.costs_at(rows, members, values)
    apart = Draws.costs_at(belief, rows, members, values)
    assert together.shape == (len(values), 192, 300)
    # of single precision
    np.testing.assert_allclose(together, apart, rtol=0, atol=1e-3)


def test_draws_know_the_function_where_it_was_tried(belief):
    rows = MIXED.sample(2000, seed=6)
    mean, std = belief.predict(rows)
    error = mean - mixed_cost(rows)
    assert 1.0 - error.var() / mixed_cost(rows).var() > 0.95
    assert 0.5 < np.sqrt((error**2 / std**2).mean()) < 1.5
    assert 0.03 < belief.noise_std < 0.08  # the truth is 0.05


def test_units_and_direction_change_nothing():
    X = MIXED.sample(40, seed=1)
    y, rows = mixed_cost(X), MIXED.sample(50, seed=2)
    one = Belief(MIXED, X, y, "minimize").draws(rows)
    other = Belief(MIXED, X[::-1], -8.0 * y[::-1] + 1000.0, "maximize").draws(rows)
    np.testing.assert_allclose((1000.0 - other) / 8.0, one, atol=1e-4)


@pytest.fixture(scope="module")
def of_round_costs():
    """A belief of costs to which 2²⁰ can be added without rounding."""
    X = MIXED.sample(40, seed=1)
    y = np.round(mixed_cost(X) * 2.0**20) / 2.0**20
    return Belief(MIXED, X, y, "minimize")


@pytest.mark.parametrize(("unit", "origin"), [(1.0, 2.0**20), (2.0**990, 0.0), (2.0**-990, 0.0)])
def test_far_units_change_no_share(of_round_costs, unit, origin):
    one, X = of_round_costs, MIXED.sample(40, seed=1)
    y = np.round(mixed_cost(X) * 2.0**20) / 2.0**20
    other = Belief(MIXED, X, y * unit + origin, "minimize")
    np.testing.assert_allclose(other.anova.mains, one.anova.mains, atol=1e-6)
    np.testing.assert_allclose(other.anova.of_evaluations, one.anova.of_evaluations, atol=1e-6)
    mean = (other.predict(X)[0] - origin) / unit
    np.testing.assert_allclose(mean, one.predict(X)[0], atol=1e-6)


def test_the_order_of_hyperparameters_and_categories_changes_nothing():
    X = MIXED.sample(40, seed=1)
    configs, y = MIXED.decode(X), mixed_cost(X)
    other = SearchSpace(
        [MIXED["k"], CategoricalParameter("kind", ["c", "a", "b"]), MIXED["width"], MIXED["x"]]
    )
    rows = MIXED.decode(MIXED.sample(30, seed=2))
    found = [
        Run(space, space.encode(configs), y, "minimize").belief().draws(space.encode(rows))
        for space in (MIXED, other)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)


def test_a_seed_is_a_seed_and_a_belief_is_kept():
    run = Run(MIXED, MIXED.sample(30), mixed_cost(MIXED.sample(30)), "minimize")
    assert run.belief() is run.belief(seed=0)
    rows = MIXED.sample(5, seed=9)
    assert not np.array_equal(run.belief().draws(rows), run.belief(seed=1).draws(rows))
    assert len(run.belief(before=10).X) == 10


def test_many_trials_are_thinned_and_the_best_stay():
    X = MIXED.sample(1200, seed=1)
    y = mixed_cost(X)
    belief = Belief(MIXED, X, y, "minimize")
    assert len(belief.X) == 500
    assert belief.of_trials == 1200
    assert set(np.sort(y)[:100]) <= set(belief.cost)
    # of the other 1,100 one of each 2.75, by their order
    others = np.searchsorted(np.sort(y), np.sort(belief.cost)[100:]) - 100
    assert (np.abs(others - 2.75 * (np.arange(400) + 0.5)) < 2.75 / 2 + 1).all()


@pytest.mark.thorough
def test_with_noise_a_quarter_of_the_trials_leaves_twice_the_uncertainty(monkeypatch):
    """What is said where a belief rests on some trials: by the root of how many times fewer."""
    space = SearchSpace([FloatParameter(f"x{j}", 0.0, 1.0) for j in range(3)])
    X, rows = space.sample(480, seed=3), space.sample(100, seed=9)
    noise = np.random.default_rng(0).normal(0.0, 0.1, len(X))
    y = (X - 0.35) ** 2 @ [3.0, 1.0, 0.5] + noise

    def uncertainty(most):
        monkeypatch.setattr(learned, "MOST", most)
        belief = Belief(space, X, y, "minimize")
        return belief.predict(rows)[1].mean()

    assert 1.5 < uncertainty(120) / uncertainty(480) < 2.5


def test_where_a_belief_rests_on_some_trials_it_is_said():
    space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    X = space.sample(2000, seed=0)
    run = Run(space, X, X[:, 0], "minimize")
    _, (fact,) = surrogate_of(run, None, "auto", 0)
    assert "500 of 2,000 trials: the best ones" in str(fact)
    assert "about 2 times" in str(fact)


def test_a_surrogate_with_a_joint_posterior_gives_draws(belief):
    X = MIXED.sample(30, seed=1)
    process = GaussianProcessSurrogate.fit(MIXED, X, mixed_cost(X))
    drawn = as_draws(process, "minimize")
    assert isinstance(drawn, DrawnSurrogate)
    rows = MIXED.sample(40, seed=2)
    found = drawn.draws(rows)
    mean, std = process.predict(rows)
    assert (np.abs(found.mean(axis=0) - mean) < 4.0 * std / np.sqrt(len(found)) + 1e-6).all()
    assert 0.8 < np.median(found.std(axis=0) / std) < 1.1
    assert as_draws(belief, "minimize") is belief


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_surrogate_without_a_joint_posterior_is_one_function(direction):
    model = AnalyticSurrogate(MIXED, lambda X: 3.0 + X[:, 0], 0.5)
    found = as_draws(model, direction)
    X = MIXED.sample(20, seed=1)
    np.testing.assert_array_equal(found.draws(X), model.predict(X)[0][None])
    assert found.costs(X)[0] @ found.draws(X)[0] == pytest.approx(
        found.sign * np.sum(model.predict(X)[0] ** 2)
    )
    assert (found.joint, found.trust, found.noise_std) == (False, None, 0.0)
    assert np.isnan(found.predict(X)[1]).all()


def test_of_a_single_draw_nothing_is_decided():
    found = decide(np.array([3.0]), 1.0, side="above")
    assert (found.estimate, found.known, found.certain) == (3.0, False, False)
    assert not found.doubtful
    assert np.isnan([*found.interval, found.probability, found.half]).all()
    assert found.shown.least is None
    assert np.isnan(interval(np.array([3.0]))).all()
    assert np.isnan(std_of_draws(np.ones((1, 4)))).all()


def in_double_precision(functions, X, categories):
    """Values (n, k) of draws as they are defined: features, and the update times the kernel."""
    p, n = functions.parameters, len(X)
    trials = np.where(functions.trials.inactive, np.nan, functions.trials.values)
    numbers = np.where(categories == 0, np.nan_to_num(X), 0.0)
    angle = numbers @ functions.frequencies.astype(float) + functions.shifts
    values = functions.slopes[-1] + np.zeros((n, functions.update.shape[1]))
    last = np.cumsum(np.where(categories == 0, 1, categories + 1)) - 1
    frequencies, phases, weights = (table.astype(float) for table in functions.waves)
    for i, x in enumerate(X):
        for j, count in enumerate(categories):
            if np.isnan(x[j]) or count:
                code = last[j] + (0 if np.isnan(x[j]) else int(x[j]) - count)
                angle[i] += functions.phases[code]
                values[i] += functions.steps[code]
            else:
                own = np.cos(x[j] * frequencies[j] + phases[j])
                values[i] += own @ weights[j]
    values += np.cos(angle) @ functions.slopes[:-1].astype(float)
    K = kernel(p, X, trials.T, categories == 0)
    return values + K @ functions.update.astype(float)


def test_draws_have_the_values_of_their_definition_in_single_precision(pairs):
    X, found = pairs
    categories = MIXED.categories_in_own_order
    p = found.prior.parameters(np.full(len(found.prior.moments[0]), 0.3))
    functions = draw(X, found, p, categories, 5, [0, 1])
    scattered = MIXED.sample(70, seed=9)
    alike = np.tile(scattered[:1], (12, 1))
    alike[:, 0] = np.linspace(0.0, 1.0, 12)
    for rows in (scattered, alike, scattered[:1], scattered[:0]):
        (values,) = valued([functions], rows, categories)
        by_hand = in_double_precision(functions, rows, categories)
        np.testing.assert_allclose(values, by_hand, rtol=0, atol=2e-4)


@pytest.mark.merge
def test_of_many_hyperparameters_rows_that_are_alike_have_the_values_of_each_alone():
    """Neighbors of two rows, in numbers, categories and what is inactive, one after the other."""
    optional = [FloatParameter(f"a{j}", 0.0, 1.0, active_when={"c0": ["x"]}) for j in range(4)]
    space = SearchSpace(
        [
            *(CategoricalParameter(f"c{j}", ["x", "y", "z"]) for j in range(4)),
            *optional,
            *(FloatParameter(f"x{j}", 0.0, 1.0) for j in range(72)),
        ]
    )
    X = space.sample(20, seed=1)
    cost = X[:, 1] + np.sin(3.0 * X[:, 20])
    belief = Belief(space, X, cost, "minimize").at_best
    rng = np.random.default_rng(0)
    two = np.repeat(space.sample(2, seed=2, latent=True), 80, axis=0)
    two[np.arange(160), np.tile(np.arange(80), 2)] = rng.random(160)
    two[:, :4] = np.floor(two[:, :4])
    two[::20, 0] = np.arange(8) % 3
    rows = space.project(np.concatenate([space.sample(9, seed=3), two]))
    alone = [belief.costs(row[None]) for row in rows]
    np.testing.assert_allclose(belief.costs(rows), np.concatenate(alone, axis=1), rtol=0, atol=2e-5)


# ------------------------------------------------------------------ functionals


@pytest.mark.parametrize(
    "counts", [(9, 4, 6, 1, 0), (9, 0, 6, 5, 4), (0, 4, 6, 1, 3), (5, 2, 2, 0, 1)]
)
def test_contrasts_of_categories_are_what_orthogonalization_leaves(counts):
    x = np.repeat(np.arange(5), counts)
    raw = np.column_stack([np.ones(len(x)), x == 4, x == 1, x == 2, x == 3])
    sizes = np.abs(np.diag(np.linalg.qr(raw.astype(float), mode="r")))
    expected = np.linalg.qr(raw[:, sizes > 1e-6].astype(float))[0][:, 1:]
    of_rows = contrasts(np.array(counts))[x] / np.sqrt(len(x))
    np.testing.assert_allclose(np.abs(of_rows), np.abs(expected), atol=1e-12)


def test_of_more_categories_than_rows_can_tell_at_once_shares_are_those_of_the_function():
    effects = np.random.default_rng(0).standard_normal((2, 900))
    effects -= effects.mean(axis=1, keepdims=True)
    effects /= effects.std(axis=1, keepdims=True)
    levels = [f"v{i}" for i in range(900)]
    space = SearchSpace(
        [*(CategoricalParameter(name, levels) for name in "abc"), FloatParameter("x", 0.0, 1.0)]
    )

    def cost(X):
        a, b = X[:, :2].astype(int).T
        return effects[0, a] + 0.5 * effects[1, b] + np.sqrt(3.0) * X[:, 3]

    anova = Known(space, cost).anova
    whole = 1.0 + 0.25 + 0.25
    np.testing.assert_allclose(
        anova.mains[0], [1.0 / whole, 0.25 / whole, 0.0, 0.25 / whole], atol=0.03
    )


def test_shares_are_those_of_closed_forms():
    space = SearchSpace([FloatParameter(n, 0.0, 1.0) for n in "abc"])

    def ishigami(X):
        a, b, c = (np.pi * (2 * X[:, j] - 1) for j in range(3))
        return np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)

    anova = Known(space, ishigami).anova
    np.testing.assert_allclose(anova.mains[0], [0.3139, 0.4424, 0.0], atol=0.01)
    np.testing.assert_allclose(anova.of_pairs[0], [0.0, 0.2437, 0.0], atol=0.02)
    np.testing.assert_allclose(anova.mains[1], anova.mains[0], rtol=1e-6)
    np.testing.assert_allclose(anova.totals[0], [0.5576, 0.4424, 0.2437], atol=0.03)
    at = np.array([0.1, 0.5, 0.75])
    wanted = (1 + 0.1 * np.pi**4 / 5) * np.sin(np.pi * (2 * at - 1)) + 3.5
    np.testing.assert_allclose(anova.curve(0, at)[0], wanted, atol=0.15)
    variance = 49 / 8 + np.pi**4 / 50 + np.pi**8 / 1800 + 1 / 2
    np.testing.assert_allclose(anova.variance, [variance, 4.0 * variance], rtol=0.01)
    a, c = np.pi * (2 * at - 1), np.pi * (2 * at[:, None] - 1)
    wanted = (1 + 0.1 * c**4) * np.sin(a) + 3.5
    np.testing.assert_allclose(anova.surface(2, 0, at, at)[0], wanted, atol=0.3)


def test_shares_of_noise_are_zero_as_often_as_chance_says():
    """Of 22 functions of one, and 6 by 6 of two, each with a variance of 1 / rows by chance."""

    class Noise(Known):
        def costs(self, X):
            return np.random.default_rng(len(X)).normal(size=(300, len(X)))

    space = SearchSpace([FloatParameter(n, 0.0, 1.0) for n in "abc"])
    anova = Noise(space, None).anova
    for shares, functions in ((anova.mains, 22), (anova.of_pairs, 36)):
        # four standard errors of 300 draws
        share = (shares == 0.0).mean(axis=0)
        np.testing.assert_allclose(share, chi2.cdf(functions, functions), atol=4 * 0.5 / 300**0.5)


def test_variance_over_that_of_evaluations_is_one_of_what_noise_scatters():
    class Scattered(Known):
        noise_std = 16.0

    space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    share = Scattered(space, lambda X: 16.0 * X[:, 0]).anova.of_evaluations
    # variances 1 / 12 and 1 / 3
    np.testing.assert_allclose(share, [1 / 13, 1 / 4], rtol=1e-3)


@pytest.mark.parametrize(("number", "seen"), [(15, 1.0), (16, 0.0)])
def test_of_more_than_15_hyperparameters_pairs_are_products_of_fewer_functions(number, seen):
    def cubic(x):  # orthogonal to 1, x and x²
        return 20 * x**3 - 30 * x**2 + 12 * x - 1

    space = SearchSpace([FloatParameter(f"x{j}", 0.0, 1.0) for j in range(number)])
    anova = Known(space, lambda X: cubic(X[:, 0]) * cubic(X[:, 1])).anova
    assert anova.of_pairs[0, anova.pairs.index((0, 1))] == pytest.approx(seen, abs=0.05)


def test_shares_in_being_among_the_best_are_those_of_closed_forms():
    """Of x + y, with s = √(2p): P(best | x) = (s - x)₊, among the better half over 1 - x."""
    space, top = SearchSpace([FloatParameter(n, 0.0, 1.0) for n in "xyz"]), 0.1
    s = np.sqrt(2 * top)
    wanted = (s**3 / 3 - top**2) / (top * (1 - top))
    for function in (lambda X: X[:, 0] + X[:, 1], lambda X: -np.exp(-(X[:, 0] + X[:, 1]))):
        known = Known(space, function)  # the best are the same in both
        best = Best(known, top)
        np.testing.assert_allclose(best.mains[0], [wanted, wanted, 0.0], atol=0.01)
        np.testing.assert_allclose(best.mains[1], best.mains[0], atol=1e-12)
        # twelve levels of each: where the border of the best runs in a cell is not seen
        np.testing.assert_allclose(best.of_pairs[0], [1 - 2 * wanted, 0.0, 0.0], atol=0.1)
        np.testing.assert_allclose(best.totals[0], [1 - wanted, 1 - wanted, 0.0], atol=0.12)
        np.testing.assert_allclose(best.mean, top, atol=0.01)  # with ties
        at = np.array([0.04, 0.14, 0.7])
        np.testing.assert_allclose(best.curve(0, at)[0], np.maximum(s - at, 0.0), atol=0.05)
        np.testing.assert_allclose(best.surface(1, 0, at, at)[0], [[1, 1, 0], [1, 1, 0], [0] * 3])
        x = np.linspace(0.0, s, 10001)
        p = top / 0.5
        wanted_within = (np.trapezoid(2 * (s - x) ** 2 / (1 - x), x) - p**2) / (p * (1 - p))
        found = Best(known, top, 0.5).mains
        np.testing.assert_allclose(found[0], [wanted_within, wanted_within, 0.0], atol=0.015)


def test_one_hyperparameter_decides_all_of_what_is_best_wherever_the_border_runs():
    for names, idle in (("x", 0), ("xyzuv", 4)):
        space = SearchSpace([FloatParameter(n, 0.0, 1.0) for n in names])
        for function in (lambda X: X[:, 0], lambda X: np.abs(X[:, 0] - 0.37)):
            for top in (0.05, 0.1, 0.3):
                found = Best(Known(space, function), top).mains[0]
                np.testing.assert_allclose(found, [1.0, *[0.0] * idle], atol=0.02)
    five = CategoricalParameter("c", [*"abcde"])
    category = SearchSpace([five, FloatParameter("x", 0.0, 1.0)])
    found = Best(Known(category, lambda X: X[:, 0]), 0.2).mains[0]
    np.testing.assert_allclose(found, [1.0, 0.0], atol=0.01)


@pytest.mark.parametrize("top", [0.05, 0.1, 0.3])
def test_shares_of_a_steep_sum_are_those_on_a_fine_grid(top):
    """x + 10 y²⁰: over most of the range only x decides, and near y = 1 only y."""
    space = SearchSpace([FloatParameter(n, 0.0, 1.0) for n in "xy"])
    known = Known(space, lambda X: X[:, 0] + 10.0 * X[:, 1] ** 20)
    at = (np.arange(2000) + 0.5) / 2000
    cost = at[:, None] + 10.0 * at**20
    is_best = cost <= np.quantile(cost, top)
    exact = np.array([is_best.mean(axis=1 - j).var() for j in (0, 1)]) / is_best.var()
    np.testing.assert_allclose(Best(known, top).mains[0], exact, atol=0.03)


def test_shares_of_what_is_optional_are_those_of_closed_forms():
    """Being inactive is a value of its own: of c by itself, of y the middle of its range."""
    space = SearchSpace(
        [
            FloatParameter("x", 0.0, 1.0),
            FloatParameter("y", 0.0, 1.0, optional=0.6),
            CategoricalParameter("c", ["a", "b"], optional=0.5),
        ]
    )
    known = Known(space, lambda X: X[:, 0] + np.nan_to_num(X[:, 1], nan=0.5) + np.isnan(X[:, 2]))
    variances = np.array([1.0 / 12.0, 0.6 / 12.0, 0.25])
    np.testing.assert_allclose(known.anova.mains[0], variances / variances.sum(), atol=0.005)
    np.testing.assert_allclose(known.anova.of_pairs[0], 0.0, atol=0.005)
    low, high = known.anova.curve(1, np.array([0.2, 0.8]))[0]
    assert high - low == pytest.approx(0.6, abs=0.01)
    best = Best(known, 0.25)  # of which nearly all have c
    assert (best.mains[0] > 0.05).all()
    assert best.mains[0, 2] < 1.0


def test_where_a_draw_is_constant_nothing_is_among_the_best_more_than_others():
    space = SearchSpace([FloatParameter(n, 0.0, 1.0) for n in "xy"])
    flat = Known(space, lambda X: np.zeros(len(X)))
    for within in (1.0, 0.5):
        best = Best(flat, 0.1, within)
        for shares in (best.mains, best.of_pairs, best.totals):
            assert not shares.any()


def test_effects_of_categories_and_branches_are_averages_over_latent_values():
    anova = Known(MIXED, mixed_cost).anova
    rows = anova.landscape.latent
    cost = mixed_cost(MIXED.project(rows))
    wanted = [cost[rows[:, 1] == code].mean() for code in range(3)]
    np.testing.assert_allclose(anova.curve(1, np.arange(3.0))[0], wanted, atol=0.05)
    surface = anova.surface(1, 0, np.arange(3.0), np.array([0.2, 0.8]))[0]
    assert surface.shape == (3, 2)
    np.testing.assert_allclose(
        surface[1] - surface[0], np.repeat(wanted[1] - wanted[0], 2), atol=0.05
    )


def test_minima_are_those_of_the_function():
    space = SearchSpace([FloatParameter("x", 0.0, 1.0), CategoricalParameter("c", ["a", "b"])])
    known = Known(space, lambda X: (X[:, 0] - 0.3) ** 2 + 0.5 * X[:, 1])
    land = known.landscape
    np.testing.assert_allclose(land.least, 0.0, atol=1e-3)
    np.testing.assert_allclose(attainable(land, 1)[0], [0.0, 0.5], atol=1e-3)
    np.testing.assert_allclose(argmin(land)[0], [0.3, 0.0], atol=0.02)
    inside = land.all_rows[:, 0] > 0.5
    np.testing.assert_allclose(loss(land, inside), [0.04, 0.08], atol=0.02)
    assert np.isinf(least_in(land, np.zeros(len(inside), bool))).all()


# ------------------------------------------------------------------ decisions and trust


def test_decisions_are_shares_of_the_draws():
    draws = np.linspace(-0.4, 9.6, 1001)
    found = decide(draws)
    assert found.probability == pytest.approx(0.96, abs=0.002)
    assert found.certain
    assert found.bound == pytest.approx(0.1)
    assert found.shown.least == pytest.approx(0.1)  # the interval holds 0
    assert not decide(draws, level=0.97).certain
    assert decide(draws, 20.0, side="below").certain
    assert decide(-draws).side == "below"
    wide = decide(draws, stretch=2.0)
    # certain: what is shown begins at what is told, and is stretched on the other side alone
    assert wide.certain
    assert wide.interval[0] == pytest.approx(wide.bound)
    median, end = np.median(draws), np.quantile(draws, 0.975)
    assert wide.interval[1] == pytest.approx(median + 2.0 * (end - median))
    doubtful = decide(draws, level=0.97)
    wide = decide(draws, level=0.97, stretch=2.0)
    assert wide.half == pytest.approx(2.0 * doubtful.half)
    assert decide(draws - 0.4).shown.least is None  # the interval holds 0, but nothing is certain
    assert decide(draws + 9.0).shown.least is None  # certain as it is told, with ±
    nothing = decide(np.full(9, np.nan))
    assert (nothing.probability, nothing.certain) == (0.0, False)


@pytest.mark.parametrize("stretch", [1.0, 1.68])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_estimate_lies_inside_its_own_interval_however_skewed_the_draws_are(sign, stretch):
    """Of 200 draws 4 are far away: the mean is beyond 97.5 % of them."""
    draws = sign * np.concatenate([np.zeros(196), np.full(4, 1e3)])
    found = decide(draws, stretch=stretch)
    low, high = found.interval
    assert found.estimate == pytest.approx(sign * 20.0)
    assert low <= found.estimate <= high
    assert interval(draws, stretch=stretch) == (low, high)
    rng = np.random.default_rng(0)
    for shape in (0.1, 0.3, 1.0, 3.0):
        drawn = sign * rng.gamma(shape, size=192) ** 3
        found = decide(drawn, stretch=stretch)
        assert found.interval[0] <= found.estimate <= found.interval[1]


def test_nothing_that_is_rounded_lies_on_no_side():
    """Half of the draws are constant, and a sum of their differences leaves -1e-17."""
    draws = np.concatenate([-np.linspace(0.1, 1.0, 96), np.full(96, -1e-17)])
    found = decide(draws)
    assert (found.side, found.probability, found.certain) == ("below", 0.5, False)


def test_intervals_hold_the_middle_of_the_draws_stretched_about_the_median():
    draws = np.linspace(0.0, 1.0, 1001) ** 2  # whose quantile of q is q²
    assert interval(draws) == pytest.approx((0.025**2, 0.975**2))
    wide = (0.25 - 2.0 * (0.25 - 0.025**2), 0.25 + 2.0 * (0.975**2 - 0.25))
    assert interval(draws, stretch=2.0) == pytest.approx(wide)
    assert decide(draws).half == pytest.approx((0.975**2 - 0.025**2) / 2.0)


def test_what_only_reaches_a_threshold_is_not_beyond_it():
    for side in ("either", "above", "below"):
        same = decide(np.full(9, 0.5), 0.5, side=side)
        assert (same.probability, same.certain) == (0.0, False)
    for sign in (-1.0, 1.0):  # of extremes, that lie 0.5 beyond 1 or more
        found = decide(1.0 + sign * np.array([0.3, 0.4, 0.6]), 1.0, least=0.5)
        assert found.probability == pytest.approx(1 / 3)


def test_trust_is_good_of_a_smooth_function_and_poor_of_noise(belief):
    assert belief.trust.level == "good"
    X = MIXED.sample(60, seed=1)
    noise = Belief(MIXED, X, np.random.default_rng(0).normal(size=60), "minimize")
    found = noise.trust
    assert found.level == "poor"
    assert found.r2 < 0.35
    assert found.covered > 0.8


def test_equal_values_share_their_ranks():
    values = np.random.default_rng(0).integers(0, 6, 40).astype(float)
    np.testing.assert_array_equal(mean_ranks(values), rankdata(values))


def test_bounds_that_leave_trials_out_are_refused():
    with pytest.raises(InputError, match="bounds"):
        Run(MIXED, MIXED.sample(5), np.arange(5.0), "minimize", bounds=(0.0, 3.0))


def _repeated(noise, *, worse=5.0, scale=1.0, seed=0):
    """Return trials of 30 configurations, three times each, of a function that is known."""
    rng = np.random.default_rng(seed)
    space = SearchSpace([FloatParameter("x", 0.0, 1.0), FloatParameter("y", 0.0, 1.0)])
    X = np.repeat(space.sample(30, seed=seed), 3, axis=0)
    cost = _bowl(X)
    return (
        space,
        X,
        scale * (cost + noise * rng.standard_normal(90) * (1.0 + worse * (cost > 0.5))),
    )


def _bowl(X):
    return np.exp(2.0 * ((X - 0.4) ** 2).sum(axis=1)) - 1.0


@pytest.mark.alike
@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_known_noise_is_that_of_good_trials(noise):
    space, X, y = _repeated(noise, worse=0.0)
    for known in (noise, 3.0 * noise):
        found = Belief(space, X, y, "minimize", noise_std=known).noise_std
        assert found == pytest.approx(known, rel=0.1)


@pytest.mark.thorough
@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_noise_of_repeats_is_known_whatever_bad_trials_scatter(noise):
    found, inside = [], []
    for seed in range(4):
        space, X, y = _repeated(noise, scale=1e6, seed=seed)  # in any unit
        belief = Run(space, X, -y, "maximize").belief()
        found.append(belief.noise_std / (1e6 * noise))
        rows = space.sample(300, seed=9)
        low, high = np.quantile(belief.costs(rows) / 1e6, [0.025, 0.975], axis=0)
        inside.append(((low <= _bowl(rows)) & (_bowl(rows) <= high)).mean())
    assert 0.8 < np.mean(found) < 1.25
    assert np.mean(inside) >= 0.9


def test_results_that_are_the_same_each_time_tell_no_noise():
    space, X, y = _repeated(0.0)
    belief = Run(space, X, y, "minimize").belief()
    assert belief.known_noise is None
