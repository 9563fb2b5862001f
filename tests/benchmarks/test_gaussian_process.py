"""How long a Gaussian process takes to fit: with our marginal likelihood, and all scikit-learn's.

    python -m pytest tests/benchmarks/test_gaussian_process.py -o addopts= --benchmark-only -s

Both start from the same kernel and restart at the same places, on one thread of BLAS, so that they
find the same parameters. The two alternate, so that what else the machine does slows both.
"""

import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from threadpoolctl import threadpool_limits

import hpo_explain as hx


def trials(n, d):
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d)])
    X = space.sample(n, seed=1)
    noise = np.random.default_rng(0).normal(0.0, 0.1, n)
    return (space, X, np.sin(5.0 * X[:, 0]) + (X**2) @ np.arange(1.0, d + 1.0) / d + noise)


def by_scikit_learn(X, y):
    length_scale = Matern(np.full(X.shape[1], 0.5), (0.05, 2.0), nu=2.5)
    kernel = ConstantKernel(1.0, (1e-2, 1e3)) * length_scale + WhiteKernel(1e-2, (1e-6, 1.0))
    rng = np.random.default_rng(0)
    # as ours draws the trials that it fits on: all of them, so few are they
    rng.permutation(len(X))
    restarts = int(rng.integers(2**31))
    with warnings.catch_warnings(), threadpool_limits(limits=1, user_api="blas"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        return GaussianProcessRegressor(
            kernel, normalize_y=True, n_restarts_optimizer=1, random_state=restarts
        ).fit(X, y)


@pytest.mark.parametrize(("n", "d"), [(50, 5), (100, 10), (300, 10)])
def test_the_fit(benchmark, n, d):
    space, X, y = trials(n, d)
    seconds = {"ours": [], "plain": []}

    def both():
        start = time.perf_counter()
        ours = hx.models.GaussianProcessSurrogate.fit(space, X, y)
        middle = time.perf_counter()
        plain = by_scikit_learn(X, y)
        seconds["ours"].append(middle - start)
        seconds["plain"].append(time.perf_counter() - middle)
        return ours, plain

    ours, plain = benchmark.pedantic(both, rounds=5, warmup_rounds=1)
    new = space.sample(200, seed=2)
    np.testing.assert_allclose(ours.predict(new)[0], plain.predict(new), rtol=1e-3, atol=1e-3)
    figures = {name: min(times) for name, times in seconds.items()}
    figures["times_faster"] = figures["plain"] / figures["ours"]
    benchmark.extra_info.update(figures)
    print(benchmark.name, *(f"{name} = {value:.3g}" for name, value in figures.items()))
