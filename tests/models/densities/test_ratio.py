"""The ratio of densities: its value, its parts, and the values of all coalitions."""

import json
from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods._engines.coalitions import all_coalitions
from hpo_explain.models.densities.kernels import CategoryKernels
from hpo_explain.models.densities.mixture import LEAST, ProductMixture, log_sum
from hpo_explain.models.densities.ratio import DensityBlock, DensityRatio
from tests.models.densities.blocks import CONDITIONAL, MIXED, mixture_of, ratio_of


def brute_force(ratio, x, background, players, coalitions):
    """The terms in every coalition, (n, m), from rows that are really composed."""
    values = {name: np.empty((len(background), len(coalitions))) for name in ratio.term_names}
    for m, coalition in enumerate(coalitions):
        z = background.copy()
        z[:, players[coalition]] = x[players[coalition]]
        for name, term in ratio.terms(ratio.space.project(z)).items():
            values[name][:, m] = term
    return values


GROUPS = [(MIXED, [[0], [1], [2], [3], [4]]), (MIXED, [[0, 1, 2, 3, 4]]), (MIXED, [[4, 1], [2]])]


def test_the_value_is_the_difference_of_log_densities_added_over_blocks():
    ratio = ratio_of(MIXED, [0, 2], [1])
    x = MIXED.sample(3, seed=1)
    terms = ratio.terms(x)
    good = bad = 0.0
    for block in ratio.blocks:
        for k, (density, sign) in enumerate(((block.good, 1), (block.bad, -1))):
            tables = density.tables(
                [MIXED.parameters[j] for j in block.columns], x[:, block.columns]
            )
            value = sign * np.log(np.exp(tables.sum(axis=0)) @ density.weights)
            good, bad = (good + value, bad) if k == 0 else (good, bad + value)
    np.testing.assert_allclose(terms["good"], good, rtol=1e-12)
    np.testing.assert_allclose(terms["bad"], bad, rtol=1e-12)


def test_a_density_integrates_to_1_and_what_is_inactive_is_integrated_out():
    """The density of one hyperparameter alone is the sum over the other."""
    rng = np.random.default_rng(0)
    density = mixture_of(MIXED, [1, 2], 5, rng)
    parameters = [MIXED.parameters[1], MIXED.parameters[2]]
    layers, boosters = (parameter.grid()[0] for parameter in parameters)
    every = np.array([(a, b) for a in layers for b in boosters])
    joint = np.exp(density.log_density(parameters, every)).reshape(5, 3)
    assert joint.sum() == pytest.approx(1.0, rel=1e-12)
    alone = np.column_stack([layers, np.full(5, np.nan)])
    np.testing.assert_allclose(
        np.exp(density.log_density(parameters, alone)), joint.sum(axis=1), rtol=1e-12
    )


@pytest.mark.parametrize(("space", "groups"), GROUPS, ids=lambda value: f"{len(value)}")
def test_coalitions_are_valued_as_if_their_rows_were_composed(space, groups):
    ratio = ratio_of(space, *groups)
    background = space.sample(23, seed=3, latent=True)
    for x in space.sample(4, seed=5):
        players = np.flatnonzero(~np.isnan(x))
        coalitions = all_coalitions(len(players))
        found = ratio.coalition_terms(x, background, players, coalitions)
        expected = brute_force(ratio, x, background, players, coalitions)
        for name in ratio.term_names:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("d", [3, 8, 9, 11])
def test_some_coalitions_of_many_hyperparameters(d):
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d)])
    ratio = ratio_of(space, range(d), kernels=(12, 30))
    rng = np.random.default_rng(0)
    coalitions = rng.random((40, d)) < 0.5
    x, background = space.sample(1, seed=1)[0], space.sample(15, seed=2)
    found = ratio.coalition_terms(x, background, np.arange(d), coalitions)
    expected = brute_force(ratio, x, background, np.arange(d), coalitions)
    for name in ratio.term_names:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, atol=1e-10)


def test_what_is_conditional_has_to_be_composed():
    ratio = ratio_of(CONDITIONAL, range(6))
    x, background = CONDITIONAL.sample(1)[0], CONDITIONAL.sample(5, seed=1)
    coalitions = all_coalitions(6)
    found = ratio.coalition_terms(x, background, np.arange(6), coalitions)
    assert found is None


def test_products_that_underflow_are_added_as_logarithms():
    """Two kernels far apart in every hyperparameter, and no prior between them."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(6)])
    rng = np.random.default_rng(0)
    good = mixture_of(space, range(6), 2, rng)
    for k in good.kernels:
        k.mu[:], k.sigma[:] = [0.0, 1.0], 0.02
    ratio = DensityRatio(space, [DensityBlock(tuple(range(6)), good, good)])
    x, background = np.zeros(6), np.ones((2, 6))
    background[1, 0] = 0.0
    found = ratio.coalition_terms(x, background, np.arange(6), all_coalitions(6))
    expected = brute_force(ratio, x, background, np.arange(6), all_coalitions(6))
    np.testing.assert_allclose(found["good"], expected["good"], rtol=1e-10)
    assert found["good"].min() == LEAST  # a density below the smallest number


def test_hyperparameters_that_are_sampled_alone_contribute_their_own_gain():
    ratio = ratio_of(MIXED, [0], [1], [2], [3], [4])
    x, background = MIXED.sample(1, seed=1), MIXED.sample(50, seed=2)
    found = hx.methods.ShapleyExplainer(ratio, background=background).explain(MIXED.decode(x)[0])
    for part in ratio.parts():
        j = part.blocks[0].columns[0]
        for t, name in enumerate(part.term_names):
            gain = part.terms(x)[name][0] - part.terms(background)[name].mean()
            assert found.phi[j, t] == pytest.approx(gain, rel=1e-9, abs=1e-12)
    assert str(found.estimator) == "exact, hyperparameter by hyperparameter"


def test_candidates_are_drawn_from_the_density_of_good_trials():
    ratio = ratio_of(CONDITIONAL, [0, 2], [3])
    rows = ratio.candidates(4000, seed=1)
    assert np.isnan(rows[:, :5]).sum() == 0  # latent: what is inactive has a value as well
    assert CONDITIONAL.is_valid(CONDITIONAL.project(rows)).all()
    good = ratio.blocks[0].good
    parameters = [CONDITIONAL.parameters[0], CONDITIONAL.parameters[2]]
    boosters = np.column_stack([np.full(3, np.nan), np.arange(3.0)])
    expected = np.exp(good.log_density(parameters, boosters))
    np.testing.assert_allclose(np.bincount(rows[:, 2].astype(int)) / 4000, expected, atol=0.03)
    np.testing.assert_array_equal(rows, ratio.candidates(4000, seed=1))


def test_candidates_of_kernels_without_a_grid_are_values_of_the_grid():
    """Optuna 4.5 takes log integers for continuous."""
    rng = np.random.default_rng(0)
    good = mixture_of(MIXED, [4], 3, rng)
    smooth = ProductMixture(good.weights, (replace(good.kernels[0], step=0.0),))
    ratio = DensityRatio(MIXED, [DensityBlock((4,), smooth, smooth)])
    assert MIXED.is_valid(ratio.candidates(200)).all()


def test_impossible_choices_have_a_finite_value():
    space = hx.SearchSpace([hx.CategoricalParameter("c", ["a", "b"])])
    never = ProductMixture(np.array([1.0]), (CategoryKernels(np.array([[1.0, 0.0]])),))
    even = ProductMixture(np.array([1.0]), (CategoryKernels(np.array([[0.5, 0.5]])),))
    ratio = DensityRatio(space, [DensityBlock((0,), never, even)])
    found = hx.methods.ShapleyExplainer(ratio, background=20).explain({"c": "b"})
    assert found.prediction["good"] == LEAST
    json.dumps(found.to_dict(), allow_nan=False)
    assert log_sum(np.full((1, 2), -np.inf))[0] == LEAST
