"""The plot of the noise: what is drawn are the result's numbers."""

import numpy as np
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube

pytestmark = pytest.mark.usefixtures("empty_figures")


def noisy(std, **changes):
    X = np.repeat(unit_cube(2).sample(25, seed=1), 4, axis=0)
    noise = std(X) * np.random.default_rng(0).standard_normal(100)
    return hx.noise(hx.Run(unit_cube(2), X, noise, "minimize", objective_name="loss"), **changes)


def points(ax):
    return next(line for line in ax.get_lines() if line.get_marker() == "o")


def test_a_noise_that_varies_is_a_curve_with_what_was_observed():
    found = noisy(lambda X: 10.0 ** X[:, 0])
    ax = found.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "predicted noise of loss")
    frame = found.effect("x1")
    curve = next(line for line in ax.get_lines() if len(line.get_xdata()) == len(frame))
    np.testing.assert_allclose(curve.get_ydata(), frame["std"])
    np.testing.assert_allclose(points(ax).get_ydata(), found.observed)
    assert list(points(ax).get_xdata()) == [c["x1"] for c in found.configurations]


def test_a_constant_noise_is_all_that_was_observed_and_the_pooled_one():
    found = noisy(lambda X: 1.0)
    assert not found.varies
    ax = found.plot()
    np.testing.assert_allclose(points(ax).get_ydata(), np.sort(found.observed))
    level = next(line for line in ax.get_lines() if line.get_marker() != "o")
    assert set(level.get_ydata()) == {found.pooled[0]}
    assert ax.get_ylabel() == "standard deviation of loss"
