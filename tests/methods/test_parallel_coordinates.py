"""Parallel coordinates: places along the axes, what is on top, and what is marked."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base import InputError
from hpo_explain.base.figures import Parallel
from tests.analytic import unit_cube
from tests.methods.test_slices import SPACE, run_of

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")


@pytest.fixture(scope="module")
def run():
    return run_of()


@pytest.fixture(scope="module")
def found(run):
    return hx.methods.parallel_coordinates(run)


def test_places_are_those_of_the_space_s_own_scale(run, found):
    assert found.names == SPACE.names
    for trial, places in zip(found.trials.tolist(), found.positions, strict=True):
        config = run.config(trial)
        assert places[0] == pytest.approx(np.log10(config["lr"]) / 4.0 + 1.0)
        assert places[1] == ["adam", "sgd"].index(config["optimizer"])
        np.testing.assert_allclose(places[2], config.get("momentum", np.nan))
        assert places[3] == pytest.approx((config["layers"] - 1) / 3.0)


def test_lines_end_at_what_they_reached_and_the_worse_at_the_end(run, found):
    figure = found.described()
    last = figure.at[:, -1]
    best, worst = np.nanargmin(found.objective), np.nanargmax(found.objective)
    assert last[best] == 0.0
    assert last[worst] == 1.0
    assert "A worse objective stands at the end." in figure.footer
    inside = np.flatnonzero((last > 0.0) & (last < 1.0))
    slopes = np.diff(found.objective[inside]) / np.diff(last[inside])
    np.testing.assert_allclose(slopes, slopes[0])
    assert np.isnan(last).sum() == 3


def test_those_that_share_a_value_stand_side_by_side(found):
    figure = found.described()
    for k in (1, 3):
        apart = np.abs(figure.at[:, k] - found.positions[:, k])
        assert apart.max() <= 0.04
        assert len(np.unique(figure.at[:, k])) == len(found)
    np.testing.assert_array_equal(figure.at[:, 0], found.positions[:, 0])


def test_what_is_inactive_or_has_no_result_is_aside(found):
    figure = found.described()
    inactive = np.isnan(found.positions[:, 2])
    assert inactive.any()
    assert (figure.crossed[inactive, 2] == Parallel.ASIDE).all()
    assert figure.ticks[2][0] == (Parallel.ASIDE, "inactive")
    assert figure.ticks[-1][0] == (Parallel.ASIDE, "no result")
    assert figure.ticks[1] == [(0.0, "adam"), (1.0, "sgd")]
    assert figure.labels[0] == ("lr", "(0.0001 to 1, log)")


def test_the_best_tenth_is_on_top_or_the_proposals_of_a_stage(run, found):
    looks = np.array(found.described().looks)
    assert (looks[found.best_ones] != "thin").all()
    assert found.trials[looks == "incumbent"].tolist() == [run.incumbent_trial]
    assert (looks == "top").sum() == found.best_ones.sum() - 1
    assert (looks == "aside").sum() == 3
    marked = hx.methods.parallel_coordinates(run, mark=range(20, 25))
    figure = marked.described()
    looks = np.array(figure.looks)
    on_top = {*marked.trials[looks == "top"]} | {run.incumbent_trial}
    assert on_top == {*range(20, 25)} | {run.incumbent_trial}
    assert figure.means["top"] == "marked: 20-24"
    assert [line.look for line in figure.lines] == ["aside", "thin", "top", "incumbent"]


def test_the_thesis_marks_two_proposals_of_a_run(run):
    """Figure 14, right: the proposals of two iterations among all configurations."""
    figure = hx.methods.parallel_coordinates(run, mark=[20, 25]).described()
    (line,) = [line for line in figure.lines if line.look == "top"]
    axes = len(figure.labels)
    assert np.isnan(line.y).sum() == 2
    assert len(line.y) == 2 * (axes + 1)


def test_of_many_hyperparameters_those_that_matter_most_have_an_axis():
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(15)])
    X = space.sample(40, seed=0)[:40]
    run = hx.Run(space, X, X[:, 13] + 0.3 * X[:, 7], "minimize")
    found = hx.methods.parallel_coordinates(run, most=3)
    assert found.names[:2] == ("x13", "x7")
    assert len(found.left_out) == 12
    assert "and 4 more" in found.described().footer


def test_a_trial_without_a_configuration_cannot_be_marked(run):
    with pytest.raises(InputError, match="has 99"):
        hx.methods.parallel_coordinates(run, mark=[99])


def test_plotly_has_an_axis_for_each_along_which_stretches_are_chosen(found):
    pytest.importorskip("plotly")
    figure, drawn = found.described(), found.to_plotly()
    lines = drawn.data[-1]
    assert lines.type == "parcoords"
    labels = ["<br>".join(label) for label in figure.labels]
    assert [axis.label for axis in lines.dimensions] == labels
    for axis, ticks in zip(lines.dimensions, figure.ticks, strict=True):
        written = {
            at: text
            for at, text in zip(axis.tickvals, axis.ticktext, strict=True)
            if text.strip("\u200b")
        }
        assert written == {tick.at: tick.text for tick in ticks if tick.text}
        # equal texts would be one mark; a stretch of numbers ends at one of many
        assert len({*axis.ticktext}) == len(axis.tickvals)
        assert len(axis.tickvals) >= 2 + 20 * (axis.label.startswith("lr"))
    codes = [*dict.fromkeys(lines.line.color)]
    order = np.argsort([[*figure.means].index(look) for look in figure.looks], kind="stable")
    for axis, at in zip(lines.dimensions, figure.crossed.T, strict=True):
        np.testing.assert_array_equal(axis["values"], at[order])
    assert codes == sorted(codes)
    legend = [trace.name for trace in drawn.data[:-1]]
    assert legend == [figure.means[look] for look in figure.means if look in figure.looks]


def test_of_thousands_of_trials_some_of_those_behind_are_drawn_and_told():
    space = unit_cube(2)
    X = space.sample(5_000, seed=0)
    run = hx.Run(space, X, X[:, 0], "minimize")
    found = hx.methods.parallel_coordinates(run)
    figure = found.described()
    on_top = int(found.best_ones.sum())
    looks = np.array(figure.looks)
    assert np.isin(looks, ["top", "incumbent"]).sum() == on_top
    assert 500 < (looks == "thin").sum() <= 1_000
    assert len(figure.at) == len(looks)
    assert f"Of 5000 trials {len(looks)} are drawn." in figure.footer
