"""The plot of repeated runs: means by proposal, and their spread over the runs."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from hpo_explain.plotting.repeated_runs import plot_repeated_runs
from tests.handmade import NASTY, compared, explanation, warns_of_glyphs
from tests.plotting.paths import curves, random_path, words

pytestmark = warns_of_glyphs


def test_repeated_runs_have_means_and_ribbons_of_one_standard_deviation():
    paths = [random_path(5, 2, seed=seed) for seed in range(3)]
    ax = plot_repeated_runs(compared(paths))
    for panel in ax.figure.axes:
        j = int(panel.get_title(loc="left")[1:])
        total = np.array([p.total[:, j] for p in paths])
        line = curves(panel, 5)[0]
        np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3, 4, 5])
        np.testing.assert_allclose(line.get_ydata(), total.mean(axis=0))
        heights = panel.collections[0].get_paths()[0].vertices[:, 1]
        assert heights.max() == pytest.approx(
            (total.mean(axis=0) + total.std(axis=0, ddof=1)).max()
        )
        assert len(panel.collections) == 3
    assert "one standard deviation over runs" in words(ax)
    assert "over 3 runs" in words(ax)


def test_what_the_shortest_run_left_out_is_told():
    both = compared([random_path(5, 2), random_path(3, 2)])
    assert "Left out: what came after proposal 3" in words(plot_repeated_runs(both))


def test_single_proposals_of_several_runs_are_bars_with_whiskers():
    phis = np.random.default_rng(1).normal(size=(4, 3, 2))
    result = compared([explanation(phi) for phi in phis])
    ax = plot_repeated_runs(result)
    order = [label.get_text() for label in ax.get_yticklabels()]
    mean = phis.mean(axis=0)
    assert order == [f"x{j}" for j in np.argsort(-np.abs(mean.sum(axis=1)))]
    bars = [[patch.get_width() for patch in group] for group in ax.containers if hasattr(group, "patches")]  # fmt: skip
    rows = [int(name[1:]) for name in order]
    np.testing.assert_allclose(bars, mean[rows].T)
    ends = np.array([segment[:, 0] for c in ax.collections for segment in c.get_segments()])
    both = np.concatenate([phis, phis.sum(axis=2, keepdims=True)], axis=2)
    half = both.std(axis=0, ddof=1)[rows].T.ravel()
    np.testing.assert_allclose((ends[:, 1] - ends[:, 0]) / 2, half)
    assert "one standard deviation over runs" in " ".join(text.get_text() for text in ax.texts)


def test_bars_of_more_than_twenty_hyperparameters_name_the_others():
    phis = np.random.default_rng(1).normal(size=(2, 30, 2))
    ax = plot_repeated_runs(compared([explanation(phi) for phi in phis]))
    assert len(ax.get_yticklabels()) == 20
    footer = " ".join(" ".join(text.get_text() for text in ax.texts).split())
    assert "Smaller, not drawn: x" in footer
    assert "and 2 more." in footer
    given = Figure().add_subplot()
    assert plot_repeated_runs(compared([explanation(phi) for phi in phis]), ax=given) is given


def test_several_proposals_take_the_place_of_given_axes():
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    both = compared([random_path(5, 2, seed=seed) for seed in range(2)])
    first = plot_repeated_runs(both, ax=right)
    figure.draw_without_rendering()
    assert right not in figure.axes
    assert first.get_window_extent().x0 > left.get_window_extent().x1


def test_names_from_the_user_are_drawn_as_they_are():
    phi = np.random.default_rng(0).normal(size=(2, len(NASTY), 2))
    own = {"terms": NASTY[:2], "acquisition": NASTY[2], "model": NASTY[0]}
    ax = plot_repeated_runs(compared([explanation(p, names=NASTY, **own) for p in phi]))
    assert not any(text.get_parse_math() for text in [*ax.texts, *ax.get_yticklabels()])
