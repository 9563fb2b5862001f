"""Sampling bias: MMD against its definition, in loops and by scikit-learn's kernel."""

import itertools
import json

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

import hpo_explain as hx
from hpo_explain.methods.runs.sampling_bias import SamplingBias, sampling_bias
from hpo_explain.space.distances import gower_distances
from tests.analytic import nested_space, unit_cube


def run_of(space, X):
    return hx.Run(space, X, np.arange(len(X), dtype=float), "minimize")


def by_definition(kernel, X, Y):
    """Appendix C.1 of the paper, term by term."""
    within_x = sum(kernel(a, b) for a, b in itertools.permutations(X, 2))
    within_y = sum(kernel(a, b) for a, b in itertools.permutations(Y, 2))
    between = sum(kernel(a, b) for a in X for b in Y)
    n, m = len(X), len(Y)
    return within_x / (n * (n - 1)) + within_y / (m * (m - 1)) - 2 * between / (n * m)


@pytest.mark.thorough
def test_in_a_numeric_space_the_kernel_is_that_of_the_paper():
    space = unit_cube(3)
    trials = space.sample(20, seed=7) ** 3
    run = run_of(space, trials)
    result = sampling_bias(run, size=30, seed=0)
    uniform = run.space.sample(30, seed=0, method="uniform")
    distances = euclidean_distances(np.vstack([uniform, trials]))
    sigma = np.median(distances[np.triu_indices(50, k=1)])

    def kernel(a, b):
        return rbf_kernel([a], [b], gamma=1 / (2 * sigma**2))[0, 0]

    expected = by_definition(kernel, uniform, trials)
    assert expected > 0
    assert result.mmd == pytest.approx(np.sqrt(expected), rel=1e-9)
    assert result.sigma == pytest.approx(sigma / np.sqrt(3))
    assert (result.n_trials, result.n_uniform) == (20, 30)


def gower(space, first, second):
    """Dissimilarity of two configurations as a person would compute it."""
    parts = []
    for parameter in space.parameters:
        name = parameter.name
        if name not in first or name not in second:
            parts.append(float((name in first) != (name in second)))
        elif isinstance(parameter, hx.CategoricalParameter):
            parts.append(float(first[name] != second[name]))
        else:
            low, high = np.array([parameter.low, parameter.high], dtype=float)
            a, b = float(first[name]), float(second[name])
            if parameter.log:
                low, high, a, b = np.log([low, high, a, b])
            parts.append(abs(a - b) / (high - low))
    return np.sqrt(np.mean(np.square(parts)))


def test_distances_in_a_mixed_and_nested_space_are_those_by_hand():
    space = nested_space()
    X = space.sample(25, seed=3)
    configs = space.decode(X)
    expected = [[gower(space, a, b) for b in configs] for a in configs]
    np.testing.assert_allclose(gower_distances(space, X, X), expected, atol=1e-9)


@pytest.mark.thorough
def test_uniform_trials_are_called_biased_as_often_as_chance_has_it():
    space = unit_cube(2)
    p_values = [
        sampling_bias(
            run_of(space, space.sample(30, seed=100 + seed, method="uniform")), size=100, seed=seed
        ).p_value
        for seed in range(200)
    ]
    # 5 % of 200 runs, with a standard error of 1.5 %
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=4 * 0.0155)


def test_trials_in_a_part_of_the_space_are_concentrated():
    space = unit_cube(2)
    X = space.sample(60, seed=1)
    biased = sampling_bias(run_of(space, X / 5))
    assert biased.concentrated
    assert biased.mmd > biased.chance
    assert not sampling_bias(run_of(space, X)).concentrated
    assert json.loads(json.dumps(biased.to_dict()))["mmd"] == biased.mmd


def test_trials_that_are_all_alike_have_a_discrepancy():
    space = hx.SearchSpace([hx.CategoricalParameter("c", ["a", "b"])])
    result = sampling_bias(run_of(space, np.zeros((40, 1))), size=50)
    assert 0.0 < result.mmd < np.sqrt(2.0)
    assert result.p_value < 0.05


def test_what_the_sampling_bias_means():
    numbers = (
        "the MMD between the 60 tried configurations and a uniform sample is 0.50; by chance alone "
        "it would stay below 0.10 in 95 % of cases"
    )
    assert str(SamplingBias(0.5, 0.1, 0.005, 0.4, 60, 1000)).startswith(
        f"The trials are concentrated in a part of the space: {numbers}. Averages over the whole"
    )
    assert str(SamplingBias(0.5, 0.1, 0.2, 0.4, 60, 1000)) == (
        f"The trials do not differ significantly from a uniform sample: {numbers}."
    )
