"""What the exponential of `surrogates/_profiles.py` gains, alone and in a whole explanation.

    python -m pytest tests/benchmarks/test_profiles.py -o addopts= --benchmark-only -s

It is compared with `math.exp` in the same compiled loop, and with `numpy.exp` on whole blocks. The
three alternate, so that what else the machine does slows all of them. `numpy.exp` is fast only on
processors with AVX-512; NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" shows it on others.
"""

import math
import time

import numba
import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.models import _scaled_matern
from hpo_explain.models._squares import matern_5_2
from tests.benchmarks.shapley_once import acquisition_of

_SQRT3 = math.sqrt(3.0)


@numba.njit(nogil=True, fastmath={"contract"})
def by_math_exp(q):
    for i in range(len(q)):
        s = _SQRT3 * np.sqrt(q[i])
        q[i] = (1.0 + s + q[i]) * math.exp(-s)


def by_numpy_exp(q):
    s = np.sqrt(q)
    s *= _SQRT3
    q += 1.0
    q += s
    np.negative(s, out=s)
    np.exp(s, out=s)
    q *= s


PROFILES = {
    "ours": matern_5_2,
    "math_exp": by_math_exp,
    "numpy_exp": by_numpy_exp,
}


def compare(benchmark, work, rounds):
    """Print how many times faster `work(profile)` is with our profile, by the fastest rounds."""
    seconds = {name: [] for name in PROFILES}

    def all_of_them():
        for name, profile in PROFILES.items():
            start = time.perf_counter()
            work(profile)
            seconds[name].append(time.perf_counter() - start)

    benchmark.pedantic(all_of_them, rounds=rounds, warmup_rounds=1)
    ours = min(seconds.pop("ours"))
    figures = {
        f"times_faster_than_{name}": min(s) / ours
        for name, s in seconds.items()
    }
    benchmark.extra_info.update(figures, ours_seconds=ours)
    print(
        benchmark.name,
        *(f"{name} = {value:.3g}" for name, value in figures.items()),
    )


def test_the_profile_alone(benchmark):
    q = np.random.default_rng(0).exponential(10.0, 16_384)
    k = np.empty_like(q)

    def work(profile):
        for _ in range(50):
            np.copyto(k, q)
            profile(k)

    compare(benchmark, work, rounds=50)


@pytest.mark.parametrize(("d", "rows"), [(7, 7000), (9, 1500), (10, "auto")])
def test_a_whole_explanation(benchmark, monkeypatch, d, rows):
    acquisition = acquisition_of(d)
    background = (
        rows
        if rows == "auto"
        else hx.methods.global_background(acquisition.space, rows)
    )
    explainer = hx.methods.ShapleyExplainer(acquisition, background=background)
    config = acquisition.space.decode(acquisition.space.sample(1, seed=7))[0]

    def work(profile):
        monkeypatch.setitem(_scaled_matern._MATERN, 2.5, (5.0 / 3.0, profile))
        return explainer.explain(config)

    expected = work(matern_5_2).phi
    for profile in (by_math_exp, by_numpy_exp):
        np.testing.assert_allclose(
            work(profile).phi, expected, rtol=1e-9, atol=1e-12
        )
    compare(benchmark, work, rounds=15)
