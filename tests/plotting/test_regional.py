"""Plots of regions: one panel each on shared axes, the incumbent's first."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.base.subject import Subject
from hpo_explain.plotting.html import figure_svg
from hpo_explain.plotting.regional import plot_region_ice, plot_regions
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.handmade import NASTY, warns_of_glyphs

pytestmark = warns_of_glyphs

SPACE = unit_cube(3)


def regions(names="x1", *, depth=1, incumbent=(0.25, 0.75, 0.5), space=SPACE, tried=None):
    """Two regions that differ in ŝ: 0.1 below the middle of x2, and 1 above; more by x3."""
    surrogate = AnalyticSurrogate(
        space, lambda X: X[:, 0], lambda X: 0.1 + 0.9 * (X[:, 1] > 0.5) + 0.05 * (X[:, 2] > 0.5)
    )
    config = {} if incumbent is None else dict(zip(space.names, incumbent, strict=True))
    explainer = hx.RegionalPartialDependenceExplainer(
        surrogate,
        sample=400,
        grid_size=5,
        max_depth=depth,
        min_improvement=0.0,
        subject=Subject(space, incumbent=config, tried=tried),
    )
    return explainer.explain(names)


def titles(ax):
    return [" ".join(a.get_title(loc="left").split()) for a in ax.figure.axes]


def test_each_region_has_a_panel_with_its_conditions_and_weight_the_incumbents_first():
    result = regions()
    ax = plot_regions(result)
    assert len(ax.figure.axes) == 2
    assert titles(ax)[0].startswith("Incumbent's region: x2 > 0.")
    assert titles(ax)[1].startswith("x2 ≤ 0.")
    assert all(title.endswith("50% of the space") for title in titles(ax))
    assert ax is ax.figure.axes[0]


def test_panels_share_axes_and_show_the_regions_own_band():
    result = regions()
    ax = plot_regions(result)
    assert {a.get_ylim() for a in ax.figure.axes} == {ax.get_ylim()}
    assert {a.get_xlim() for a in ax.figure.axes} == {ax.get_xlim()}
    for panel, region in zip(ax.figure.axes, result.regions, strict=True):
        (band,) = [c for c in panel.collections if not c.get_hatch()]
        heights = band.get_paths()[0].vertices[:, 1]
        lower, upper = region.effect.band()
        assert (heights.min(), heights.max()) == pytest.approx((lower.min(), upper.max()))


def test_an_effect_is_dimmed_where_a_region_has_no_trials():
    low = SPACE.sample(60, seed=0) * [0.5, 1.0, 1.0]  # of x1 only the lower half
    high = SPACE.sample(60, seed=1)
    tried = np.vstack([low[low[:, 1] < 0.5], high[high[:, 1] > 0.5]])
    first, second = plot_regions(regions(tried=tried)).figure.axes
    assert not any(patch.get_hatch() for patch in first.patches)  # x2 > 0.5
    assert any(patch.get_hatch() for patch in second.patches)


def test_a_pair_has_one_scale_of_colors_for_all_regions():
    ax = plot_regions(regions(("x1", "x3")))
    meshes = [c for a in ax.figure.axes for c in a.collections if hasattr(c, "get_coordinates")]
    limits = {mesh.get_clim() for mesh in meshes if mesh.get_coordinates().shape[0] == 6}
    assert limits == {(0.0, 1.0)}
    assert len(titles(ax)) == 3  # two regions and the scale


def test_given_axes_are_replaced_within_their_place():
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    first = plot_regions(regions(), ax=right)
    figure.draw_without_rendering()
    assert right not in figure.axes
    assert left in figure.axes
    assert first.get_window_extent().x0 > left.get_window_extent().x1
    assert plt.get_fignums() == []


def test_no_more_than_nine_regions_are_drawn_and_the_others_are_counted():
    space = unit_cube(4)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0], lambda X: 1.0 + X[:, 1:].sum(axis=1))
    explainer = hx.RegionalPartialDependenceExplainer(
        surrogate, sample=600, grid_size=3, max_depth=4, min_leaf=5, min_improvement=0.0
    )
    result = explainer.explain("x1")
    assert len(result.regions) == 16
    figure = plot_regions(result).figure.figure
    footer = " ".join(" ".join(t.get_text() for sub in figure.subfigs for t in sub.texts).split())
    assert "7 smaller regions are not shown" in footer
    assert sum(bool(a.get_title(loc="left")) for a in figure.axes) == 9


def test_ice_of_s_is_drawn_by_region():
    result = regions()
    ax = result.plot_ice(width=6.0)
    assert ax.figure.get_figwidth() == 6.0
    for region in result.regions:
        thick = [
            line for line in ax.lines
            if line.get_linewidth() > 2 and np.allclose(line.get_ydata(), region.effect.std)
        ]  # fmt: skip
        assert len(thick) == 1
    behind = [line for line in ax.lines if line.get_linewidth() < 1]
    colors = {line.get_color() for line in behind}
    assert len(colors) == 2
    assert {round(float(np.nanmin(line.get_ydata())), 6) for line in behind} == {0.1, 1.0}
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[0].startswith("Incumbent's region: x2 > 0.")
    assert labels[-1] == "incumbent"


def test_ice_of_s_of_a_pair_is_refused():
    with pytest.raises(InputError, match="result must be of one hyperparameter, but is of x1 and"):
        plot_region_ice(regions(("x1", "x3")))


def test_without_an_incumbent_no_region_is_the_incumbents():
    for plot in (plot_regions, plot_region_ice):
        svg = figure_svg(plot(regions(incumbent=None)).figure.figure, alt="regions")
        assert "Incumbent" not in svg


@pytest.mark.thorough
@pytest.mark.parametrize("name", NASTY)
def test_names_from_the_user_are_drawn_as_they_are(name):
    space = hx.SearchSpace([hx.FloatParameter(n, 0.0, 1.0) for n in ("x1", name, "x3")])
    result = regions(space=space)
    for plot in (plot_regions, plot_region_ice):
        assert "<script" not in figure_svg(plot(result).figure.figure, alt="regions")
