"""The plots of games of tuning: what is drawn are the result's numbers."""

import numpy as np
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube

pytestmark = pytest.mark.usefixtures("empty_figures")


@pytest.fixture(scope="module")
def found():
    X = unit_cube(3).sample(40, seed=1)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    run = hx.Run(unit_cube(3), X, y, "minimize", objective_name="loss")
    return hx.tunability(run, dict.fromkeys(("x1", "x2", "x3"), 1.0))


def test_the_network_has_a_disk_for_each_hyperparameter_by_its_value(found):
    ax = found.plot()
    areas = np.array([float(disk.get_sizes()[0]) for disk in ax.collections])
    sizes = np.abs([found.total.of(name) for name in ("x1", "x2", "x3")])
    np.testing.assert_allclose(areas / areas[2], sizes / sizes[2], rtol=1e-6)
    assert ax.get_title(loc="left") == "What tuning gains over the default"


def test_the_matrix_has_the_values(found):
    values = np.ma.filled(found.plot_matrix().collections[0].get_array(), np.nan)
    assert values[1, 0] == found.total.of("x1", "x2")


def test_the_waterfall_ends_at_what_all_of_them_gain(found):
    ax = found.plot_waterfall()
    bars = [bar for bar in ax.patches if bar.get_height() == pytest.approx(0.7)]
    assert bars[-1].get_x() + bars[-1].get_width() == pytest.approx(found.whole)
