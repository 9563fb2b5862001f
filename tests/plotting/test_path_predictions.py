"""The plot of predictions: what was expected of each proposal, and what came."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.plotting.html import figure_svg
from hpo_explain.plotting.path_predictions import plot_predictions
from tests.handmade import NASTY, tuning_run, warns_of_glyphs
from tests.plotting.paths import path, random_path, texts_of

pytestmark = warns_of_glyphs


def marks(ax):
    """Lines by the entry of the legend; ribbons and caps of bars are left out."""
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    lines = [line for line in ax.lines if line.get_marker() != "_"]
    return dict(zip([name for name in names if "±" not in name], lines, strict=True))


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_trials_predictions_and_the_best_so_far_are_those_of_the_run(direction):
    run = tuning_run(16, direction=direction)
    result = hx.desirability_path(run, background=50, progress=False)
    found = marks(plot_predictions(result))
    table = result.predictions()
    np.testing.assert_array_equal(found["other trials"].get_xdata(), range(8))
    np.testing.assert_array_equal(found["explained proposals"].get_xdata(), range(8, 16))
    np.testing.assert_array_equal(found["explained proposals"].get_ydata(), run.objective[8:])
    np.testing.assert_array_equal(found["predicted mean"].get_ydata(), table["mean"])
    best = np.minimum if direction == "minimize" else np.maximum
    np.testing.assert_array_equal(
        found["best so far"].get_ydata(), best.accumulate(np.asarray(run.objective))
    )


def test_the_ribbon_is_one_predicted_standard_deviation():
    ax = plot_predictions(random_path(6, 1, objective_prediction={"mean": 0.5, "std": 0.2}))
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((0.3, 0.7))
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "± predicted std" in labels


def test_what_is_better_than_the_incumbent_was_infeasible_and_is_not_the_best_so_far():
    objective = [3.0, 0.5, 2.0, 1.0, 4.0, 0.7, 1.5]
    ax = plot_predictions(random_path(2, 1, objective=objective, incumbent=3))
    step = marks(ax)["best so far"]
    np.testing.assert_array_equal(step.get_xdata(), [0, 2, 3, 4, 6])
    np.testing.assert_array_equal(step.get_ydata(), [3.0, 2.0, 1.0, 1.0, 1.0])
    nothing = plot_predictions(random_path(2, 1, objective=objective))
    assert "best so far" not in marks(nothing)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_diverged_trials_stand_at_their_bound(sign):
    objective = sign * np.array([0.1, 0.2, 0.3, 0.4, 0.5, 1e6, 0.3])
    direction = "minimize" if sign > 0 else "maximize"
    path = random_path(2, 1, objective=objective, direction=direction, diverged_above=0.9)
    ax = plot_predictions(path)
    (label,) = [name for name in marks(ax) if name.startswith("diverged")]
    assert list(marks(ax)[label].get_xdata()) == [5]
    assert marks(ax)[label].get_ydata()[0] == sign * 0.9
    assert marks(ax)[label].get_marker() == ("^" if sign > 0 else "v")


def test_a_band_much_wider_than_the_values_does_not_hide_them():
    ax = plot_predictions(random_path(6, 1, objective_prediction={"mean": 0.5, "std": 1e3}))
    low, high = ax.get_ylim()
    assert -1 < low < 0
    assert 1 < high < 2


def test_without_a_surrogate_only_what_was_observed_is_drawn_and_it_is_said():
    ax = plot_predictions(random_path(6, 1, objective_prediction=None))
    assert set(marks(ax)) == {"other trials", "explained proposals"}
    assert "Nothing was predicted" in texts_of(ax)
    some = plot_predictions(random_path(3, 1, each=[{"objective_prediction": None}, {}, {}]))
    assert "None is known for 1 proposal." in texts_of(some)
    assert np.isnan(marks(some)["predicted mean"].get_ydata()[0])


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_proposals_are_marked(n):
    ax = plot_predictions(random_path(n, 1))
    assert list(marks(ax)["predicted mean"].get_markevery()) == list(range(n))


def test_it_draws_on_the_axes_it_is_given_and_names_as_they_are():
    ax = Figure().add_subplot()
    for name in (NASTY[0], NASTY[2]):
        assert random_path(2, 1, objective_name=name).plot_predictions(ax) is ax
        assert not any(text.get_parse_math() for text in [*ax.texts, ax.yaxis.label])
        assert "<script" not in figure_svg(ax.figure, alt="predictions")


def test_the_path_is_not_written_to():
    result = path(np.ones((2, 1, 2)))
    before = result.objective.copy(), result.subject.tried.copy()
    plot_predictions(result)
    np.testing.assert_array_equal(result.objective, before[0])
    np.testing.assert_array_equal(result.subject.tried, before[1])
