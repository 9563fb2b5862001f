"""The plot of a formula: what is drawn are the result's numbers."""

import numpy as np
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube

pytestmark = pytest.mark.usefixtures("empty_figures")


@pytest.fixture(scope="module")
def run():
    X = unit_cube(2).sample(30, seed=0)
    return hx.Run(unit_cube(2), X, X[:, 0] ** 2 + X[:, 1], "minimize", objective_name="loss")


def test_one_hyperparameter_is_a_curve_with_the_points_held_out(run):
    found = hx.symbolic(run, "x1", sample=20)
    ax = found.plot()
    points, curve = ax.get_lines()
    np.testing.assert_allclose(points.get_ydata(), found.mean[found.held_out])
    np.testing.assert_allclose(np.sort(curve.get_ydata()), np.sort(found.fitted))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "predicted loss")


def test_several_are_the_prediction_against_the_formula(run):
    found = hx.symbolic(run, ["x1", "x2"], sample=20)
    points, diagonal = found.plot().get_lines()
    np.testing.assert_allclose(points.get_xdata(), found.fitted[found.held_out])
    np.testing.assert_allclose(points.get_ydata(), found.mean[found.held_out])
    np.testing.assert_allclose(diagonal.get_xdata(), diagonal.get_ydata())
