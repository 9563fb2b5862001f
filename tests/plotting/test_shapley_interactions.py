"""The plots of Shapley interactions: what is drawn are the result's numbers."""

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
    return hx.shapley_interactions(run, {"x1": 1.0, "x2": 1.0, "x3": 0.0}, background=100)


def test_the_network_has_disks_by_value_and_lines_between_those_that_act_together(found):
    ax = found.plot()
    areas = np.array([float(disk.get_sizes()[0]) for disk in ax.collections])
    sizes = np.abs([found.value(name) for name in ("x1", "x2", "x3")])
    np.testing.assert_allclose(areas / areas[2], sizes / sizes[2], rtol=1e-6)
    (line,) = ax.get_lines()
    assert line.get_linewidth() == pytest.approx(9.0 * found.value("x1", "x2") / sizes.max())
    assert [text.get_text() for text in ax.texts][:3] == ["x1", "x2", "x3"]


def test_the_matrix_has_singles_on_its_diagonal_and_pairs_below(found):
    ax = found.plot_matrix()
    values = np.ma.filled(ax.collections[0].get_array(), np.nan)
    np.testing.assert_allclose(np.diag(values), [found.value(f"x{j}") for j in (1, 2, 3)])
    assert values[1, 0] == found.value("x1", "x2")
    assert np.isnan(values[0, 1])


def test_the_waterfall_leads_from_the_average_to_the_prediction(found):
    ax = found.plot_waterfall()
    bars = [bar for bar in ax.patches if bar.get_height() == pytest.approx(0.7)]
    assert bars[0].get_x() == pytest.approx(found.baseline)
    end = bars[-1].get_x() + bars[-1].get_width()
    assert end == pytest.approx(found.prediction)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == list(found.to_frame().index)
