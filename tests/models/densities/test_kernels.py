"""Kernels against scipy's own truncated normal, and against sums and integrals of 1."""

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

import hpo_explain as hx
from hpo_explain.models.densities.kernels import CategoryKernels, log_mass
from tests.models.densities.blocks import MIXED, kernels_of


def test_masses_of_intervals_are_those_of_the_normal_distribution():
    a = np.array([-3.0, -0.5, 0.0, 2.0, -40.0, 38.0])
    b = np.array([-1.0, 0.7, 1e-3, 2.5, -39.0, 39.0])
    expected = [norm.logcdf(-1.0) + np.log1p(-np.exp(norm.logcdf(-3.0) - norm.logcdf(-1.0)))]
    expected += [np.log(norm.cdf(0.7) - norm.cdf(-0.5)), np.log(norm.cdf(1e-3) - 0.5)]
    expected += [np.log(norm.sf(2.0) - norm.sf(2.5)), norm.logcdf(-39.0), norm.logsf(38.0)]
    np.testing.assert_allclose(log_mass(a, b), expected, rtol=1e-9)


def test_the_mass_of_a_narrow_interval_is_density_times_width():
    middle = np.array([0.0, 1.0, -3.0])
    for h in (1e-5, 1e-8):
        found = log_mass(middle - h / 2, middle + h / 2)
        np.testing.assert_allclose(found, norm.logpdf(middle) + np.log(h), rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["lr", "layers", "share", "units"])
def test_kernels_are_truncated_normals_on_the_own_scale(name):
    parameter = MIXED[name]
    kernels = kernels_of(parameter, 6, np.random.default_rng(1))
    values = np.array(parameter.decode(parameter.from_latent(np.linspace(0.0, 0.999, 9))), float)
    scale = np.log if parameter.log else np.asarray
    a, b = ((kernels.low - kernels.mu) / kernels.sigma, (kernels.high - kernels.mu) / kernels.sigma)
    one = truncnorm(a, b, kernels.mu, kernels.sigma)
    if parameter.step is None:
        expected = one.logpdf(scale(values)[:, None])
    else:
        right, left = (scale(values + s * parameter.step / 2)[:, None] for s in (1.0, -1.0))
        expected = np.log(one.cdf(right) - one.cdf(left))
    np.testing.assert_allclose(kernels.log_densities(values), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["layers", "booster", "share", "units"])
def test_probabilities_of_all_values_sum_to_1(name):
    parameter = MIXED[name]
    kernels = kernels_of(parameter, 6, np.random.default_rng(2))
    values = (
        np.arange(parameter.size)
        if isinstance(parameter, hx.CategoricalParameter)
        else np.array(parameter.decode(parameter.grid()[0]))
    )
    total = np.exp(kernels.log_densities(values.astype(float))).sum(axis=0)
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", MIXED.names)
def test_drawn_values_are_distributed_as_the_kernels_say(name):
    parameter, rng = MIXED[name], np.random.default_rng(3)
    kernels = kernels_of(parameter, 2, rng)
    n = 20_000
    drawn = kernels.sample(np.ones(n, dtype=int), rng)
    if name == "lr":
        a, b = (kernels.low - kernels.mu[1]) / kernels.sigma[1], np.nan
        b = (kernels.high - kernels.mu[1]) / kernels.sigma[1]
        cut = np.quantile(np.log(drawn), [0.1, 0.5, 0.9])
        reached = truncnorm(a, b, kernels.mu[1], kernels.sigma[1]).cdf(cut)
        np.testing.assert_allclose(reached, [0.1, 0.5, 0.9], atol=0.015)
        return
    values, counts = np.unique(drawn, return_counts=True)
    expected = np.exp(kernels.log_densities(values)[:, 1])
    np.testing.assert_allclose(counts / n, expected, atol=0.015)


def test_a_choice_that_cannot_be_is_impossible():
    kernels = CategoryKernels(np.array([[1.0, 0.0]]))
    assert kernels.log_densities(np.array([1.0]))[0, 0] == -np.inf


def test_an_interval_without_width_has_no_mass():
    masses = log_mass(np.array([0.5, 0.5, -3.0]), np.array([0.5, 1.0, -3.0]))
    np.testing.assert_array_equal(np.isneginf(masses), [True, False, True])
