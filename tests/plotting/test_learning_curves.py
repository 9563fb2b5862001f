"""The plots of learning curves: what is drawn are the result's numbers."""

import numpy as np
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube

pytestmark = pytest.mark.usefixtures("empty_figures")


@pytest.fixture(scope="module")
def found():
    X = unit_cube(2).sample(30, seed=0)
    values = X[:, [0]] + X[:, [1]] * np.linspace(1.0, 0.0, 5)
    values[25:, 2:] = np.nan
    curves = hx.Curves(np.arange(30), X, np.arange(5), values, "epoch")
    run = hx.Run(unit_cube(2), X[:25], values[:25, -1], "minimize", curves=curves)
    return hx.learning_curves(run, at=[0.0, 4.0], orders=2)


def test_the_correlation_is_drawn_by_step_with_what_was_asked_for(found):
    ax = found.plot()
    curve, level, *_ = ax.get_lines()
    np.testing.assert_allclose(curve.get_ydata(), found.correlation)
    assert set(level.get_ydata()) == {0.8}
    assert ax.get_xlabel() == "epoch"


def test_curves_of_finished_and_pruned_trials_are_told_apart(found):
    ax = found.plot_curves()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["finished", "pruned or ended early", "the best"]
    crosses = [line for line in ax.get_lines() if line.get_marker() == "x"]
    assert sum(len(line.get_xdata()) for line in crosses) == 5


def test_shares_are_drawn_at_the_steps_that_were_analysed(found):
    lines = found.plot_shares().get_lines()
    assert [len(line.get_xdata()) for line in lines] == [len(found.shares)] * 2
    drawn = {tuple(line.get_ydata()) for line in lines}
    assert drawn == {
        tuple(result.estimate[j] for result in found.shares.values()) for j in range(2)
    }
