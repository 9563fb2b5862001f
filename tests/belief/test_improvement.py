"""Expected improvement: against closed forms, draws of the same process, and brute force."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, Run, SearchSpace
from hpo_explain.belief.belief import Belief
from hpo_explain.belief.improvement import Gain, Improvement, proposed
from hpo_explain.models.compared import Compared, Rows, Trials
from hpo_explain.models.conditioned import Conditioned
from hpo_explain.models.product_kernel import Pairs, Parameters, Prior
from tests.belief.test_belief import MIXED, kernel, mixed_cost

NUMBERS = np.array([True, False, True, True])
PLANE = SearchSpace([FloatParameter("x", 0.0, 1.0), FloatParameter("y", 0.0, 1.0)])


def believed(n=40, seed=1, noise=0.05, direction="minimize"):
    X = MIXED.sample(n, seed=seed)
    y = mixed_cost(X) + np.random.default_rng(0).normal(0.0, noise, n)
    return Belief(MIXED, X, y if direction == "minimize" else -y, direction)


@pytest.fixture(scope="module")
def belief():
    return believed()


@pytest.fixture(scope="module")
def improvement(belief):
    return Improvement.over(belief, float(belief.cost.min()))


# ------------------------------------------------------------------ mean and variance


def given_by_hand(p, X, z, rows, numbers):
    """Mean and variance of the function, in double precision."""
    K = kernel(p, X, X, numbers) + p.noise * np.eye(len(X))
    k = kernel(p, rows, X, numbers)
    prior = np.diag(kernel(p, rows, rows, numbers))
    return k @ np.linalg.solve(K, z), prior - (k * np.linalg.solve(K, k.T).T).sum(axis=1)


def beside(rows, X, numbers):
    return Compared(Rows(rows.astype("f4")), Trials.of(X, numbers))


@pytest.fixture(scope="module")
def given():
    rng = np.random.default_rng(3)
    X, rows = MIXED.sample(15, seed=1), MIXED.sample(30, seed=2)
    z = rng.standard_normal(15)
    prior = Prior(np.where(NUMBERS, 0, 3), additive=True)
    pairs = Pairs(X, z, prior, 0.5)
    p = prior.parameters(rng.standard_normal(len(prior.moments[0])))
    return p, X, z, rows, Conditioned.on(pairs, p)


def test_mean_and_variance_are_those_of_the_kernel_as_it_is_written(given):
    p, X, z, rows, conditioned = given
    found = conditioned.predict(beside(rows, X, NUMBERS))
    np.testing.assert_allclose(found, given_by_hand(p, X, z, rows, NUMBERS), rtol=1e-4, atol=1e-4)


def test_rows_that_are_alike_have_the_covariances_of_the_kernel_as_it_is_written(given):
    p, X, *_ = given
    alike = np.tile(MIXED.sample(1, seed=5), (20, 1))
    alike[:12, 0] = np.linspace(0.0, 1.0, 12)
    alike[12:15, 1] = [0.0, 1.0, 2.0]
    alike[15:, 2] = np.nan
    scattered = MIXED.sample(20, seed=6)
    for rows, shared in ((alike, True), (scattered, False)):
        compared = beside(rows, X, NUMBERS)
        assert (compared.rows.exchanged is not None) is shared
        np.testing.assert_allclose(compared.covariances(p), kernel(p, rows, X, NUMBERS), rtol=2e-6)


def test_a_row_that_is_believed_is_a_trial_with_its_mean(given):
    p, X, z, rows, conditioned = given
    new = rows[:1]
    mean, _ = given_by_hand(p, X, z, new, NUMBERS)
    after = conditioned.believing(beside(new, X, NUMBERS))
    found = after.predict(beside(rows, np.vstack([X, new]), NUMBERS))
    by_hand = given_by_hand(p, np.vstack([X, new]), np.append(z, mean), rows, NUMBERS)
    np.testing.assert_allclose(found, by_hand, rtol=1e-4, atol=1e-4)


def test_what_rounding_leaves_not_positive_definite_is_factored_with_a_little_more_noise():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.random((200, 8)), 0.3 + 1e-4 * rng.random((100, 8))])
    pairs = Pairs(X, X[:, 0], Prior(np.zeros(8, int), additive=False), 0.5)
    p = Parameters(np.full(8, 8.0), np.full(8, 0.9), np.zeros(8), product=300.0, noise=1e-4)
    K = pairs.gram(p)[0]
    K = np.tril(K) + np.tril(K, -1).T
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(K)
    factor = pairs.factor(p)
    added = factor @ factor.T - K
    np.testing.assert_allclose(added, added[0, 0] * np.eye(300), atol=1e-9)
    assert 0.0 < added[0, 0] < 1e-4 * K[0, 0]
    noisy = Parameters(p.length, p.weight, p.amplitude, p.product, noise=1.0)
    K = pairs.gram(noisy)[0]
    np.testing.assert_allclose(
        pairs.factor(noisy), np.linalg.cholesky(np.tril(K) + np.tril(K, -1).T), atol=1e-9
    )


# ------------------------------------------------------------------ the improvement


def test_it_is_that_of_draws_of_the_same_processes(belief, improvement):
    """Per setting 4,000 quantiles of N(m, s²), through the way back, compared with the best."""
    normal = norm.ppf((np.arange(4000) + 0.5) / 4000)[:, None]
    rows = np.vstack([MIXED.sample(40, seed=4), belief.X[np.argsort(belief.cost)[:20]]])
    compared = beside(
        MIXED.in_own_order(rows), MIXED.in_own_order(belief.X), MIXED.categories_in_own_order == 0
    )
    by_draws = np.zeros(len(rows))
    for part in improvement.parts:
        mean, variance = part.given.predict(compared)
        drawn = mean + np.sqrt(variance) * normal
        costs = part.process.scale.cost(drawn.ravel(), part.process.limits)
        gained = np.maximum(part.best - costs.reshape(drawn.shape), 0.0)
        by_draws += part.weight * gained.mean(axis=0) * belief.unit
    np.testing.assert_allclose(improvement(rows), by_draws, rtol=0.02, atol=1e-3 * by_draws.max())


def test_it_is_the_integral_below_the_best_on_every_scale(belief):
    for process in belief.processes:
        best = float(belief.scaled.min())
        gain = Gain.below(best, process.scale, process.limits)
        for mean, sd in ((-1.0, 0.5), (0.0, 1.0), (-1.8, 0.1)):
            top = gain.nodes[0]

            def integrand(z, scale=process.scale, limits=process.limits, mean=mean, sd=sd, h=1e-5):
                slope = np.diff(scale.cost(np.array([z - h, z + h]), limits))[0] / (2 * h)
                return slope * norm.cdf((z - mean) / sd)

            exact, _ = quad(integrand, -9.0, top, limit=400, points=[top - 1.0, top - 0.1])
            found = gain.expected(np.array([mean]), np.array([sd**2]))[0]
            assert found == pytest.approx(exact, rel=0.03)


def test_on_the_identity_without_an_end_it_is_the_formula_of_jones_et_al():
    X = np.linspace(0.0, 1.0, 20)[:, None]
    belief = Belief(
        SearchSpace([FloatParameter("x", 0.0, 1.0)]), X, np.sin(9 * X[:, 0]), "minimize"
    )
    scale = belief.processes[2].scale
    best = float(belief.scaled.min())
    gain = Gain.below(best, scale, (-1e9, 1e9))
    per_z = np.diff(scale.cost(np.array([0.0, 1.0]), (-1e9, 1e9)))[0]
    mean, sd = np.array([0.3, -1.0]), np.array([0.8, 0.2])
    u = (gain.nodes[0] - mean) / sd
    by_hand = per_z * sd * (u * norm.cdf(u) + norm.pdf(u))
    np.testing.assert_allclose(gain.expected(mean, sd**2), by_hand, rtol=1e-5)


def test_scales_count_by_skill_and_hardly_skilled_ones_not_at_all(improvement):
    shares = {}
    for part in improvement.parts:
        shares[id(part.process)] = shares.get(id(part.process), 0.0) + part.weight
    assert sum(shares.values()) == pytest.approx(1.0)
    assert min(shares.values()) >= 0.05


# ------------------------------------------------------------------ the search


def test_what_is_proposed_is_best_of_all_rows_of_a_fine_grid():
    X = PLANE.sample(25, seed=3)
    y = (X[:, 0] - 0.33) ** 2 + 2.0 * (X[:, 1] - 0.71) ** 2 + 0.1 * np.sin(12 * X[:, 0])
    improvement = Improvement.over(Belief(PLANE, X, y, "minimize"), float(y.min()))
    ticks = np.linspace(0.0, 1.0, 81)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    _, expected = proposed(improvement)
    assert expected[0] >= improvement(grid).max() * 0.999


@pytest.mark.merge
def test_proposals_are_configurations_of_the_space_and_the_same_with_the_same_seed(improvement):
    rows, expected = proposed(improvement, 4, seed=7)
    assert MIXED.is_valid(rows).all()
    assert len(rows) == 4 == len(np.unique(np.nan_to_num(rows, nan=-1.0), axis=0))
    assert (expected > 0.0).all()
    again, _ = proposed(improvement, 4, seed=7)
    np.testing.assert_array_equal(rows, again)


def test_of_a_batch_each_is_believed_before_the_next(improvement):
    rows, expected = proposed(improvement, 2, seed=7)
    after = improvement.believing(rows[0])
    assert after(rows[:1])[0] < 0.5 * expected[0]
    assert expected[1] == pytest.approx(after(rows[1:])[0])


def test_the_way_in_which_the_objective_is_better_changes_nothing():
    found = [
        proposed(Improvement.over(belief, float(belief.cost.min())))[0]
        for belief in (believed(), believed(direction="maximize"))
    ]
    np.testing.assert_array_equal(*found)


def test_numbers_with_many_values_stay_on_their_grid():
    space = SearchSpace(
        [
            IntParameter("units", 16, 1024, log=True),
            IntParameter("steps", 0, 500, step=5),
            FloatParameter("rate", 0.0, 1.0, step=0.01),
        ]
    )
    X = space.sample(20, seed=0)
    improvement = Improvement.over(Belief(space, X, X.sum(axis=1), "minimize"), float(X[0].sum()))
    rows, _ = proposed(improvement, 3)
    assert space.is_valid(rows).all()
    assert rows[0].sum() < 0.1  # the optimum is the corner


def failing(n=60):
    """The objective falls to the border at .6, beyond which everything fails."""
    X = PLANE.sample(n, seed=0)
    return Run(PLANE, X, -X[:, 0], "minimize", feasible=X[:, 0] < 0.6)


def test_nothing_is_proposed_where_a_result_is_not_to_be_expected():
    run = failing()
    best = float(run.cost[run.feasible].min())
    improvement = Improvement.over(run.belief(), best)
    rows, expected = proposed(improvement, 3)
    assert run.feasibility().probable(rows).all()
    assert (rows[:, 0] < 0.68).all()
    beyond = np.array([[0.95, 0.5]])
    probability = run.feasibility().probability(beyond)
    np.testing.assert_allclose(
        improvement(beyond), improvement.if_feasible(beyond) * probability, rtol=1e-12
    )
    assert improvement.if_feasible(beyond)[0] > expected[0]


def test_where_a_result_is_nowhere_to_be_expected_it_is_looked_for_where_it_is_most_probable():
    class Rare:
        def probability(self, X):
            return 0.4 - (X[:, 0] - 0.37) ** 2

        def probable(self, X):
            return np.zeros(len(X), bool)

    X = PLANE.sample(20, seed=0)
    belief = Belief(PLANE, X, X[:, 0], "minimize", feasibility=Rare())
    rows, _ = proposed(Improvement.over(belief, 0.1))
    assert rows[0, 0] == pytest.approx(0.37, abs=0.005)


def test_what_is_proposed_lies_within_what_is_searched(improvement):
    within = [
        CategoricalParameter("kind", ["c", "b"]),
        FloatParameter("x", 0.2, 0.25),
        IntParameter("k", 3, 3),
    ]
    rows, _ = proposed(improvement, 3, within=within)
    for config in MIXED.decode(rows):
        assert config["kind"] in "bc"
        assert 0.2 <= config["x"] <= 0.25
        assert config["k"] == 3
    none, expected = proposed(improvement, allowed=lambda X: np.zeros(len(X), bool))
    assert none.shape == (0, 4)
    assert expected.shape == (0,)


def test_categories_that_no_trial_has_are_expected_to_gain_the_same():
    space = SearchSpace(
        [CategoricalParameter("c", [f"v{i}" for i in range(12)]), FloatParameter("x", 0.0, 1.0)]
    )
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 30), rng.random(30)]).astype(float)
    known = Belief(space, X, X[:, 1] + 0.1 * X[:, 0], "minimize")
    expected = Improvement.over(known, float(known.cost.min()))
    rows = np.column_stack([np.arange(12.0), np.full(12, 0.3)])
    together = expected.if_feasible(rows)
    alone = [float(expected.if_feasible(row[None])[0]) for row in rows]
    np.testing.assert_allclose(together, alone, rtol=1e-4)
    assert np.ptp(together[6:]) == 0.0
