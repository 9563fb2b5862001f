"""How long one proposal's Shapley values take, and in how much memory.

    python -m pytest tests/benchmarks/test_shapley.py -o addopts= --benchmark-only -s

What is compared runs on the same rows and the same coalitions; "plain" is `shap.KernelExplainer`
on scikit-learn's own `predict`. Fresh processes are those of `shapley_once.py`.
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters.optuna import from_optuna
from tests.benchmarks.shapley_once import acquisition_of, explained, plainly
from tests.benchmarks.test_tpe import JOINT, run_of

ONCE = Path(__file__).with_name("shapley_once.py")


def fresh(how, d, rows):
    """Return seconds and megabytes of one explanation in a process of its own."""
    command = [sys.executable, "-W", "ignore", str(ONCE), how, str(d), str(rows)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, megabytes = done.stdout.split()
    return float(seconds), float(megabytes)


def told(benchmark, **figures):
    benchmark.extra_info.update(figures)
    print(benchmark.name, *(f"{name} = {value:.3g}" for name, value in figures.items()))


def test_against_kernel_explainer_each_once_in_a_fresh_process(benchmark):
    # d = 9, 1,500 rows: at least 15 times faster in a tenth of the memory
    ours = [fresh("ours", 9, 1500) for _ in range(3)]
    plain = benchmark.pedantic(fresh, args=("plain", 9, 1500), rounds=1)
    told(
        benchmark,
        ours_seconds=min(seconds for seconds, _ in ours),
        plain_seconds=plain[0],
        times_faster=plain[0] / min(seconds for seconds, _ in ours),
        ours_megabytes=ours[0][1],
        plain_megabytes=plain[1],
        share_of_memory=ours[0][1] / plain[1],
    )


def test_the_thesis_background(benchmark):
    # d = 7, 7,000 rows: at most 1 s on two cores
    acquisition = acquisition_of(7)
    background = hx.methods.global_background(acquisition.space, 7000)
    x = acquisition.space.sample(1, seed=7)[0]
    benchmark.pedantic(
        explained, args=("ours", acquisition, x, background), rounds=5, warmup_rounds=1
    )


def test_against_kernel_explainer_when_all_is_warm(benchmark):
    # d = 8, 500 rows: at least 3 times faster; the two alternate
    acquisition = acquisition_of(8)
    background = hx.methods.global_background(acquisition.space, 500)
    x = acquisition.space.sample(1, seed=7)[0]
    seconds = {"ours": [], "plain": []}

    def both():
        for how, times in seconds.items():
            start = time.perf_counter()
            phi = explained(how, acquisition, x, background)
            times.append(time.perf_counter() - start)
        return phi

    plain = benchmark.pedantic(both, rounds=5, warmup_rounds=1)
    ours = explained("ours", acquisition, x, background)
    np.testing.assert_allclose(ours, plain, rtol=1e-6, atol=1e-6 * np.abs(plain).max())
    told(benchmark, times_faster=min(seconds["plain"]) / min(seconds["ours"]))


@pytest.mark.parametrize("how", ["ours", "kernel"])
def test_memory_of_a_large_background(benchmark, how):
    # d = 10, 10,000 rows: at most 512 MB above the imports, whatever the estimator
    seconds, megabytes = benchmark.pedantic(fresh, args=(how, 10, 10_000), rounds=1)
    told(benchmark, seconds=seconds, megabytes=megabytes)


def test_the_default_explanation_of_10_hyperparameters(benchmark):
    # at most 2 s, the fit excluded
    acquisition = acquisition_of(10)
    explainer = hx.methods.ShapleyExplainer(acquisition, background="auto")
    config = acquisition.space.decode(acquisition.space.sample(1, seed=7))[0]
    explanation = benchmark.pedantic(explainer.explain, args=(config,), rounds=5, warmup_rounds=1)
    told(benchmark, rows=explanation.background_size)


def test_sampled_coalitions_of_30_hyperparameters(benchmark):
    acquisition = acquisition_of(30, trials=113)
    explainer = hx.methods.ShapleyExplainer(acquisition, background="auto")
    config = acquisition.space.decode(acquisition.space.sample(1, seed=7))[0]
    explanation = benchmark.pedantic(explainer.explain, args=(config,), rounds=3, warmup_rounds=1)
    told(benchmark, rows=explanation.background_size)


def forest_acquisition(d):
    """A confidence bound on a forest of mixed hyperparameters."""
    kinds = (
        lambda name: hx.FloatParameter(name, 1e-3, 1.0, log=True),
        lambda name: hx.IntParameter(name, 1, 20),
        lambda name: hx.CategoricalParameter(name, list("abcdef")),
    )
    space = hx.SearchSpace([kinds[j % 3](f"x{j}") for j in range(d)])
    X = space.sample(100, seed=1)
    surrogate = hx.models.ForestSurrogate.fit(space, X, X[:, 0] + X[:, 1] * X[:, 2], seed=0)
    return hx.models.LowerConfidenceBound(surrogate)


def test_a_forest_of_mixed_hyperparameters(benchmark):
    acquisition = forest_acquisition(10)
    explainer = hx.methods.ShapleyExplainer(acquisition, background="auto")
    config = acquisition.space.decode(acquisition.space.sample(1, seed=7))[0]
    explanation = benchmark.pedantic(explainer.explain, args=(config,), rounds=3, warmup_rounds=1)
    told(benchmark, rows=explanation.background_size)


def densities_acquisition(d):
    """The ratio of densities by which a multivariate TPE compares configurations."""
    run = from_optuna(run_of(d, 200, JOINT))
    return run.acquisition(before=200)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize(
    "acquisition_of",
    [acquisition_of, forest_acquisition, densities_acquisition],
    ids=["gp", "forest", "densities"],
)
def test_against_composed_rows(benchmark, acquisition_of):
    # the same coalitions of the same rows, each row composed and given to the model
    acquisition = acquisition_of(8)
    background = hx.methods.global_background(acquisition.space, 500)
    x = acquisition.space.sample(1, seed=7)[0]
    seconds = {"ours": [], "kernel": []}
    phi = {}

    def both():
        for how, times in seconds.items():
            start = time.perf_counter()
            phi[how] = explained(how, acquisition, x, background)
            times.append(time.perf_counter() - start)

    benchmark.pedantic(both, rounds=5, warmup_rounds=1)
    np.testing.assert_allclose(phi["ours"], phi["kernel"], rtol=1e-6, atol=1e-6)
    told(benchmark, times_faster=min(seconds["kernel"]) / min(seconds["ours"]))


def test_the_fit_of_500_trials_of_10_hyperparameters(benchmark):
    # at most 10 s on two cores
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(10)])
    X = space.sample(500, seed=0)
    y = np.sin(6 * X[:, 0]) + 3 * X[:, 1] * X[:, 2] + X[:, 3] ** 2
    y += np.random.default_rng(0).normal(0.0, 0.1, len(y))
    benchmark.pedantic(hx.models.GaussianProcessSurrogate.fit, args=(space, X, y), rounds=2)


def test_plain_and_ours_agree():
    acquisition = acquisition_of(5)
    background = hx.methods.global_background(acquisition.space, 90)
    x = acquisition.space.sample(1, seed=7)[0]
    ours = explained("ours", acquisition, x, background)
    plain = plainly(acquisition, x, background)
    np.testing.assert_allclose(ours, plain, rtol=1e-6, atol=1e-6 * np.abs(plain).max())
