"""Draws of the functional ANOVA of a Gaussian process, against closed forms and sampling."""

import numpy as np
import pytest

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.models import _latent_means, anova
from hpo_explain.models._anova_kernels import AnovaKernel, LogPosterior
from hpo_explain.models._kernel import matern
from hpo_explain.models._latent_means import (
    Components,
    LatentMeans,
    _mixture,
    nodes_of,
    pair_effects,
)
from hpo_explain.models.anova import NODES, can_draw
from hpo_explain.models.columns import KernelColumns
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from tests.analytic import unit_cube

CONDITIONAL = SearchSpace(
    [
        FloatParameter("lr", 1e-3, 1.0, log=True),
        CategoricalParameter("booster", ["tree", "dart", "linear"]),
        FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
        IntParameter("layers", 1, 3, active_when={"booster": ["tree", "dart"]}),
        FloatParameter("width", 0.0, 1.0, active_when={"layers": [2, 3]}),
        FloatParameter("decay", 0.0, 1.0, optional=0.3),
    ]
)


def fitted(space, f, n=60, noise=0.0, seed=0):
    X = space.sample(n, seed=seed)
    y = f(X)
    y = y + noise * y.std() * np.random.default_rng(seed).standard_normal(n)
    return GaussianProcessSurrogate.fit(space, X, y)


def drawn(space, f, order=2, **options):
    found = fitted(space, f, **options).anova(order)
    return {u: found.shares[:, i] for i, u in enumerate(found.members)}, found


# ---------------------------------------------------------------------- means of kernels


def test_the_mixture_is_the_matern_profile():
    r = np.linspace(0.0, 10.0, 200)
    weight, rate = _mixture()
    np.testing.assert_allclose(
        np.exp(-np.outer(r**2, rate)) @ weight, matern(r)[0], atol=2e-7, rtol=0.0
    )


@pytest.mark.parametrize("members", [(0,), (1,), (2,), (4,), (5,), (1, 2), (3, 4), (0, 4), (2, 5)])
def test_means_of_a_kernel_are_those_of_a_sample(members):
    """With conditions, conditions on conditions, and an optional hyperparameter."""
    rng = np.random.default_rng(0)
    columns = KernelColumns(CONDITIONAL)
    n_groups = len(columns.members)
    kernel = AnovaKernel(
        columns.amid, rng.random(n_groups), 0.7, rng.uniform(0.3, 1.5, n_groups), 0.1
    )
    centres = columns(CONDITIONAL.sample(5, seed=3))
    mean = LatentMeans(CONDITIONAL, columns, kernel, centres, 15, Components(CONDITIONAL))
    found = mean(members)
    nodes = [nodes_of(CONDITIONAL.parameters[j], 15) for j in members]
    grid = np.stack(np.meshgrid(*(n.positions for n in nodes), indexing="ij"), axis=-1)
    latent = CONDITIONAL.sample(20_000, seed=1, latent=True)
    places = grid.reshape(-1, len(members))
    for place in rng.permutation(len(places))[:6]:
        rows = latent.copy()
        rows[:, members] = places[place]
        expected = kernel(columns(CONDITIONAL.project(rows)), centres).mean(axis=0)
        np.testing.assert_allclose(found[:, place], expected, atol=0.01)


def test_a_kernel_is_a_sum_of_profiles():
    rng = np.random.default_rng(1)
    kernel = AnovaKernel(np.zeros(3), rng.random(3), 0.7, rng.uniform(0.3, 1.5, 3), 0.1)
    A, B = rng.random((70, 3)), rng.random((9, 3))
    squares = [(A[:, None, g] - B[None, :, g]) ** 2 / kernel.scales[g] ** 2 for g in range(3)]
    expected = kernel.joint * matern(np.sqrt(sum(squares)))[0]
    for variance, square in zip(kernel.alone, squares, strict=True):
        expected = expected + variance * matern(np.sqrt(square))[0]
    np.testing.assert_allclose(kernel(A, B), expected, rtol=1e-12)


def test_interactions_in_few_coefficients_are_those_at_the_nodes():
    """Of hyperparameters of different components; what they share by conditions has its own."""
    rng = np.random.default_rng(2)
    columns = KernelColumns(CONDITIONAL)
    n_groups = len(columns.members)
    kernel = AnovaKernel(
        columns.amid, rng.random(n_groups), 0.7, rng.uniform(0.3, 1.5, n_groups), 0.1
    )
    centres, coefficients = columns(CONDITIONAL.sample(6, seed=3)), rng.standard_normal((6, 2))
    mean = LatentMeans(CONDITIONAL, columns, kernel, centres, 15, Components(CONDITIONAL))
    effects = pair_effects(mean, coefficients)
    assert set(effects) == {(0, j) for j in range(1, 6)} | {(j, 5) for j in range(1, 5)}
    for (j, k), effect in effects.items():
        nodes = [mean.nodes[i] for i in (j, k)]
        sizes = [len(n.positions) for n in nodes]
        marginal = (mean((j, k)).T @ coefficients).reshape(*sizes, 2)
        own = marginal - np.einsum("a,abs->bs", nodes[0].weights, marginal)
        own = own - np.einsum("b,abs->as", nodes[1].weights, own)[:, None]
        expected = np.einsum("a,b,abs,abt->st", nodes[0].weights, nodes[1].weights, own, own)
        np.testing.assert_allclose(effect.T @ effect, expected, rtol=1e-6, atol=1e-12)


def test_quadratures_are_exact_for_what_they_should_be():
    nodes = nodes_of(FloatParameter("x", 0.0, 1.0), 9)
    for degree in range(9):
        assert nodes.weights @ nodes.positions**degree == pytest.approx(1.0 / (degree + 1))
    counted = nodes_of(IntParameter("k", 1, 4, log=True), 9)
    assert len(counted.positions) == 4
    assert counted.weights.sum() == pytest.approx(1.0)
    optional = nodes_of(CategoricalParameter("c", ["a", "b"], optional=0.25), 9)
    np.testing.assert_allclose(optional.weights, [0.125, 0.125, 0.75])
    assert np.isnan(optional.positions[-1])


def test_many_joint_values_of_parents_are_refused():
    parents = [CategoricalParameter(f"p{i}", list(range(9))) for i in range(3)]
    child = FloatParameter("x", 0.0, 1.0, active_when={f"p{i}": [0] for i in range(3)})
    assert not can_draw(SearchSpace([*parents, child]), 1)
    assert can_draw(SearchSpace([*parents[:2], FloatParameter("x", 0.0, 1.0)]), 1)
    assert not can_draw(unit_cube(4), max(NODES) + 1)


# ---------------------------------------------------------------------- kernels that trials allow


def test_the_gradient_of_the_posterior_is_that_of_differences():
    rng = np.random.default_rng(0)
    Z = rng.random((20, 3))
    posterior = LogPosterior(np.array([0, 1, 1]), Z, rng.standard_normal(20))
    theta = rng.uniform(-1.0, 0.0, len(posterior.low))
    _, gradient = posterior(theta)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        difference = (posterior(theta + step)[0] - posterior(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(difference, rel=1e-5, abs=1e-6)


# ---------------------------------------------------------------------- shares with known truth


def test_a_sum_without_noise_has_its_shares_and_no_interaction():
    shares, found = drawn(unit_cube(3), lambda X: 3.0 * X[:, 0] + X[:, 1])
    for u, expected in {(0,): 0.9, (1,): 0.1, (2,): 0.0, (0, 1): 0.0}.items():
        np.testing.assert_allclose(shares[u], expected, atol=0.005)
    np.testing.assert_allclose(found.variances, 10.0 / 12.0, rtol=0.02)
    np.testing.assert_allclose(found.totals.mean(axis=0), [0.9, 0.1, 0.0], atol=0.02)


def test_what_has_a_condition_shares_it_with_its_parent():
    space = SearchSpace(
        [
            CategoricalParameter("booster", ["tree", "dart"]),
            FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
        ]
    )
    # u where active, else 0: V = E[u²]/2 - (E[u]/2)² with E[u] = 1/2, E[u²] = 1/3
    whole = 1.0 / 6.0 - 1.0 / 16.0
    shares, _ = drawn(space, lambda X: np.nan_to_num(X[:, 1]))
    assert shares[0,].mean() == pytest.approx(1.0 / 16.0 / whole, abs=0.02)
    assert shares[1,].mean() == pytest.approx(1.0 / 48.0 / whole, abs=0.02)
    assert shares[0, 1].mean() == pytest.approx(1.0 / 48.0 / whole, abs=0.02)


def test_the_marginal_of_functions_is_their_average_over_a_sample():
    gp = fitted(CONDITIONAL, lambda X: X[:, 0] + np.nan_to_num(X[:, 2]) * X[:, 0], n=40)
    functions = gp.anova(1).functions
    curve = functions.marginal((0,))
    latent = CONDITIONAL.sample(2000, seed=5, latent=True)
    for at in (0, 16, 32):
        rows = latent.copy()
        rows[:, 0] = curve.positions[0][at]
        Z = functions.columns(CONDITIONAL.project(rows))
        values = np.hstack([kernel(Z, c) @ w for kernel, c, w in functions.parts]).mean(axis=0)
        values = functions.offset + functions.scale * values
        assert curve.mean[at] == pytest.approx(values.mean(), abs=0.01)
        assert curve.std[at] == pytest.approx(values.std(), abs=0.01)


# ---------------------------------------------------------------------- many categories


MANY = SearchSpace([CategoricalParameter("c", range(300)), FloatParameter("x", 0.0, 1.0)])


def of_many(X):
    return np.where(X[:, 0] < 150, X[:, 1], 0.3)


@pytest.mark.parametrize("order", [1, 2])
def test_one_category_stands_for_all_that_were_never_tried(order, monkeypatch):
    model = fitted(MANY, of_many, n=40)
    few = model.anova(order, draws=16)
    monkeypatch.setattr(_latent_means, "MOST_CATEGORIES", 1000)
    monkeypatch.setattr(anova, "MOST_CATEGORIES", 1000)
    model._drawn.clear()
    every = model.anova(order, draws=16)
    np.testing.assert_allclose(few.shares, every.shares, rtol=1e-5, atol=1e-10)
    np.testing.assert_allclose(few.totals, every.totals, rtol=1e-5, atol=1e-10)
    for members in [(0,), (0, 1)][:order]:
        monkeypatch.setattr(_latent_means, "MOST_CATEGORIES", 1000)
        monkeypatch.setattr(anova, "MOST_CATEGORIES", 1000)
        expected = every.functions.marginal(members)
        monkeypatch.setattr(_latent_means, "MOST_CATEGORIES", 100)  # in parts
        monkeypatch.setattr(anova, "MOST_CATEGORIES", 100)
        found = few.functions.marginal(members)
        monkeypatch.undo()
        for got, wanted in zip(found.positions, expected.positions, strict=True):
            np.testing.assert_array_equal(got, wanted)
        np.testing.assert_allclose(found.drawn, expected.drawn, atol=1e-8)
