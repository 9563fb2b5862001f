import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer

import hpo_explain as hx
from hpo_explain.plotting.prediction import plot_prediction
from hpo_explain.plotting.prediction_overview import plot_prediction_overview
from tests.handmade import NASTY, subject_of, warns_of_glyphs

pytestmark = warns_of_glyphs


def one(phi, names=None, direction="minimize"):
    phi = np.asarray(phi, dtype=float)
    names = tuple(names or (f"x{j}" for j in range(len(phi))))
    config = dict.fromkeys(names, 0.5)
    return hx.PredictionExplanation(
        subject=subject_of(names, direction=direction), config=config, phi=phi,
        half_width=0.0 * phi + 0.01, prediction=1.0, baseline=0.5, efficiency_gap=0.0,
    )  # fmt: skip


def many(phi, positions=None, names=None):
    phi = np.asarray(phi, dtype=float)
    names = tuple(names or (f"x{j}" for j in range(phi.shape[1])))
    configs = tuple(dict.fromkeys(names, 0.5) for _ in phi)
    positions = np.full(phi.shape, 0.5) if positions is None else np.asarray(positions)
    return hx.PredictionOverview(
        subject=subject_of(names), configs=configs, phi=phi, positions=positions,
        predictions=phi.sum(axis=1), baseline=0.5,
    )  # fmt: skip


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_bars_are_contributions_and_tell_better_from_worse():
    ax = plot_prediction(one([0.1, -0.3]))
    bars = [p for c in ax.containers if isinstance(c, BarContainer) for p in c]
    assert labels(ax) == ["x1 = 0.5", "x0 = 0.5"]
    np.testing.assert_allclose([p.get_width() for p in bars], [-0.3, 0.1])
    assert [p.get_hatch() or "" for p in bars] == ["", "////"]
    assert ax.get_xlabel().endswith("left is better")
    ax = plot_prediction(one([0.1, -0.3], direction="maximize"))
    bars = [p for c in ax.containers if isinstance(c, BarContainer) for p in c]
    assert [p.get_hatch() or "" for p in bars] == ["////", ""]
    assert ax.get_xlabel().endswith("right is better")


def test_more_than_20_are_folded_into_a_sum():
    ax = plot_prediction(one(np.arange(1.0, 31.0)))
    assert labels(ax)[-1] == "11 others (sum)"
    ax = plot_prediction_overview(many(np.arange(1.0, 31.0)[None, :]))
    assert len(labels(ax)) == 20
    assert "10 that move it less are not shown" in ax.texts[-1].get_text().replace("\n", " ")


def test_a_point_stands_at_each_contribution_colored_by_its_value():
    phi = [[0.1, -0.3], [0.2, 0.3], [0.0, 0.3]]
    positions = [[0.0, 0.1], [1.0, 0.9], [np.nan, 0.5]]
    ax = plot_prediction_overview(many(phi, positions))
    assert labels(ax) == ["x1", "x0"]
    first, second = (c for c in ax.collections if isinstance(c, PathCollection))
    np.testing.assert_allclose(first.get_offsets()[:, 0], [-0.3, 0.3, 0.3])
    np.testing.assert_allclose(first.get_array(), [0.1, 0.9, 0.5])
    np.testing.assert_allclose(second.get_offsets()[:, 0], [0.1, 0.2])  # inactive: no point
    heights = first.get_offsets()[:, 1]
    assert heights[1] != heights[2]  # points at the same place stand over each other
    assert (np.abs(heights) < 0.5).all()


@pytest.mark.parametrize("draw", ["one", "many"])
def test_strange_names_are_drawn(draw):
    phi = np.linspace(-1.0, 1.0, len(NASTY))
    result = one(phi, NASTY) if draw == "one" else many(phi[None, :], names=NASTY)
    result.plot().figure.figure.canvas.draw()
