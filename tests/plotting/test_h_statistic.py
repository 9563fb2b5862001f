from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.container import BarContainer

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.h_statistic import InteractionBounds
from hpo_explain.plotting.h_statistic import plot_h_statistic, plot_h_totals
from tests.handmade import NASTY, warns_of_glyphs

pytestmark = warns_of_glyphs


def strengths(d=3, names=None, focus=None):
    """H of the pair (j, k) is (j + 2 k) / 100, the same in absolute terms."""
    j, k = np.indices((d, d))
    pairs = (np.minimum(j, k) + 2.0 * np.maximum(j, k)) / 100.0
    np.fill_diagonal(pairs, np.nan)
    names = tuple(names or (f"x{j}" for j in range(d)))
    if focus is not None:
        away = np.array(names) != focus
        pairs[np.ix_(away, away)] = np.nan
    std = 0.0 * pairs + 0.01
    total = np.arange(d) / 50.0
    return hx.InteractionStrength(
        subject=Subject(hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])),
        pairs=pairs,
        pairs_std=std,
        absolute=pairs,
        total=total,
        total_std=0.0 * total + 0.005,
        focus=focus,
        sample_size=100,
    )


def drawn(focus=None):
    """As `strengths`, but functions drawn have the largest H where the interaction is smallest."""
    of_mean = strengths(focus=focus)
    H = 0.5 - of_mean.pairs
    sizes = of_mean.absolute
    bounds = InteractionBounds(H, H - 0.1, H + 0.2, *(3 * [sizes]), *(3 * [sizes]))
    return replace(of_mean, bounds=bounds)


def labels(axis):
    return [tick.get_text() for tick in axis.get_ticklabels()]


def bars(ax):
    return [p.get_width() for c in ax.containers if isinstance(c, BarContainer) for p in c]


def written(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def test_every_pair_stands_once_below_the_diagonal():
    ax = plot_h_statistic(strengths())
    assert labels(ax.yaxis) == ["x1", "x0"]
    assert labels(ax.xaxis) == ["x2", "x1"]
    (mesh,) = [c for c in ax.collections if isinstance(c, QuadMesh)]
    cells = np.ma.filled(mesh.get_array().astype(float), np.nan).reshape(2, 2)
    np.testing.assert_allclose(cells, [[0.05, np.nan], [0.04, 0.02]])
    assert "0.05 ± 0.01" in written(ax)


def test_at_most_20_are_drawn_and_the_rest_is_counted():
    ax = plot_h_statistic(strengths(30))
    assert len(labels(ax.yaxis)) == 19
    assert "10 hyperparameters that interact less are not shown" in written(ax)
    totals = strengths(30).plot_totals(width=5.0)
    assert totals.figure.get_figwidth() == 5.0
    assert len(bars(totals)) == 20
    assert "10 smaller ones are not shown" in written(totals)


def test_one_hyperparameters_pairs_are_bars():
    ax = plot_h_statistic(strengths(focus="x0"))
    assert labels(ax.yaxis) == ["x2", "x1"]
    np.testing.assert_allclose(bars(ax), [0.04, 0.02])
    assert ax.get_xlabel() == "H with x0"


def test_totals_are_bars_the_largest_on_top():
    ax = plot_h_totals(strengths())
    assert labels(ax.yaxis) == ["x2", "x1", "x0"]
    np.testing.assert_allclose(bars(ax), [0.04, 0.02, 0.0])


@pytest.mark.parametrize("focus", [None, NASTY[0]])
def test_strange_names_are_drawn(focus):
    ax = plot_h_statistic(strengths(len(NASTY), NASTY, focus))
    ax.figure.figure.canvas.draw()


def test_functions_drawn_are_shown_in_the_order_of_the_sentence():
    found = drawn("x0")
    ax = plot_h_statistic(found)
    assert labels(ax.yaxis) == ["x2", "x1"]
    np.testing.assert_allclose(bars(ax), [0.46, 0.48])
    assert "x0 and x2" in found.sentence.partition(":")[0]
    assert "H is larger for x0 and x1 (0.48)" in found.sentence
    (whiskers,) = {tuple(np.round(np.ptp(s[:, 0]), 9) for s in c.get_segments()) for c in lines(ax)}
    assert whiskers == (0.3, 0.3)
    assert "0.46 ± 0.15" in written(plot_h_statistic(drawn()))


def lines(ax):
    return [c for c in ax.collections if isinstance(c, LineCollection) and len(c.get_segments())]
