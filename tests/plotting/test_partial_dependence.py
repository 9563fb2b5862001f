"""The plot of a partial dependence: what is drawn is what was computed, and doubt is shown."""

import json

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.explanations import Subject
from hpo_explain.plotting import figure_svg, plot_partial_dependence
from hpo_explain.plotting.partial_dependence import MOST_CURVES
from tests.analytic import AnalyticSurrogate
from tests.handmade import NASTY, warns_of_glyphs

pytestmark = warns_of_glyphs

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1e-1, log=True),
        hx.IntParameter("layers", 1, 4),
        hx.CategoricalParameter("booster", ["gbtree", "dart"]),
        hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
    ]
)


def effect(of, *, std=0.01, incumbent=None, tried=None, **options):
    """Of lr + layers: each rises from 0 to 1."""
    surrogate = AnalyticSurrogate(SPACE, lambda X: X[:, 0] + X[:, 1], std)
    subject = Subject(SPACE, incumbent=incumbent or {}, tried=tried and SPACE.encode(tried))
    explainer = hx.PartialDependenceExplainer(
        surrogate, sample=80, grid_size=7, subject=subject, **options
    )
    return explainer.explain(of)


def config(lr=0.01, booster="gbtree", **drop):
    return {"lr": lr, "layers": 2, "booster": booster, **drop}


def texts(ax):
    figure = ax.figure.figure
    return [text.get_text() for text in figure.findobj(match=lambda a: hasattr(a, "get_text"))]


def line_of(ax, values):
    """The line whose y data are these values."""
    found = [
        line for line in ax.lines
        if len(line.get_ydata()) == len(values) and np.allclose(line.get_ydata(), values)
    ]  # fmt: skip
    assert len(found) == 1
    return found[0]


def test_the_curve_its_band_and_the_curves_it_averages_are_those_computed():
    result = effect("lr", incumbent=config(1e-3), tried=[config(1e-3), config(2e-2)])
    ax = plot_partial_dependence(result)
    assert ax.get_xscale() == "log"
    np.testing.assert_allclose(line_of(ax, result.mean).get_xdata(), result.grid)
    lower, upper = result.band()
    (band,) = [c for c in ax.collections if c.get_alpha() == 0.22]
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((lower.min(), upper.max()))
    flat = np.hstack([result.ice_mean[:MOST_CURVES], np.full((MOST_CURVES, 1), np.nan)]).ravel()
    behind = [line for line in ax.lines if len(line.get_ydata()) == len(flat)]
    np.testing.assert_allclose(behind[0].get_ydata(), flat)
    assert any(list(line.get_xdata()) == [1e-3, 1e-3] for line in ax.lines)  # the incumbent
    rug = [line for line in ax.lines if line.get_transform() == ax.get_xaxis_transform()]
    marks = {round(x, 9) for line in rug for x in line.get_xdata() if x == x}
    assert marks == {1e-3, 2e-2}


def test_integers_and_categories_are_points_with_bars():
    ax = plot_partial_dependence(effect("layers"))
    points = [line for line in ax.lines if line.get_marker() == "o"]
    assert sorted(x for line in points for x in line.get_xdata()) == [1, 2, 3, 4]
    ax = plot_partial_dependence(
        effect("booster", tried=[config(booster="dart", drop=d) for d in (0.1, 0.2)])
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == ["gbtree (0)", "dart (2)"]
    assert ax.get_xlabel() == "predicted objective"


def test_a_category_of_the_incumbent_has_the_incumbents_line():
    ax = plot_partial_dependence(effect("booster", incumbent=config(booster="dart", drop=0.5)))
    assert any(list(line.get_ydata()) == [1.0, 1.0] for line in ax.lines)


def test_a_pair_is_a_heatmap_with_empty_cells_where_nothing_is_valid():
    dart = config(booster="dart", drop=0.5)
    result = effect(("booster", "drop"), incumbent=dart, tried=[{**dart, "drop": 0.25}])
    ax = plot_partial_dependence(result)
    (mesh,) = [c for c in ax.collections if isinstance(c, QuadMesh)]
    shown = mesh.get_array()
    np.testing.assert_allclose(shown[:, 1], result.mean[1])
    assert shown.mask[:, 0].all()
    (star,) = [line for line in ax.lines if line.get_marker() == "*"]
    assert star.get_xydata().tolist() == [[1.0, 0.5]]
    assert any("Empty: no valid configuration" in text for text in texts(ax))


@pytest.mark.parametrize(("names", "std"), [("lr", 0.3), ("layers", 0.3), (("lr", "layers"), 0.6)])
def test_a_band_that_is_wider_than_the_effect_is_marked_and_warned_of(names, std):
    # ± 1.96 std is wider than an effect of 1 (of 2 for the pair), and a tenth of it is not
    unsure, sure = effect(names, std=std), effect(names, std=std / 10)
    assert unsure.wide.all()
    assert not sure.wide.any()
    warned = [text.startswith("Caution: the band is wider") for text in texts(unsure.plot())]
    assert any(warned)
    assert not any("Caution" in text for text in texts(sure.plot()))

    def marked(ax):
        hatched = any(isinstance(c, PolyCollection) and c.get_hatch() for c in ax.collections)
        hollow = any(
            line.get_marker() == "o" and line.get_markerfacecolor() == "white"
            and line.get_color() != "white" for line in ax.lines
        )  # fmt: skip
        return hatched or hollow

    assert marked(unsure.plot())
    assert not marked(sure.plot())


def test_only_the_part_that_is_wider_than_the_effect_is_hatched():
    surrogate = AnalyticSurrogate(SPACE, lambda X: X[:, 0], lambda X: 0.1 + 0.4 * (X[:, 0] > 0.5))
    result = hx.PartialDependenceExplainer(surrogate, sample=20, grid_size=21).explain("lr")
    np.testing.assert_array_equal(result.wide, result.positions[0] > 0.5)
    (hatch,) = [c for c in plot_partial_dependence(result).collections if c.get_hatch()]
    x = hatch.get_paths()[0].vertices[:, 0]
    # position 0.5 is 10 ** -2.5; between two grid points the std is a straight line
    assert 10**-2.5 <= x.min() <= 10 ** (-2.5 + 3 / 20)
    assert x.max() == pytest.approx(0.1)


def test_it_draws_on_given_axes_and_leaves_pyplot_alone():
    figure = Figure(layout="constrained")
    ax = figure.subplots(1, 2)[1]
    assert plot_partial_dependence(effect("lr"), ax=ax) is ax
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", NASTY)
def test_names_from_the_user_are_drawn_as_they_are(name):
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0)])
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0], 0.1)
    subject = Subject(space, objective_name=name)
    result = hx.PartialDependenceExplainer(surrogate, sample=9, subject=subject).explain(name)
    svg = figure_svg(plot_partial_dependence(result).figure.figure, alt="an effect")
    assert "<script" not in svg
    assert json.loads(json.dumps(result.to_dict()))["names"] == [name]


def test_forty_long_categories_fit():
    space = hx.SearchSpace([hx.CategoricalParameter("c", [f"{k}" * 60 for k in range(10, 55)])])
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0])
    ax = plot_partial_dependence(
        hx.PartialDependenceExplainer(surrogate, sample=50).explain("c"), width=3.9
    )
    ax.figure.draw_without_rendering()
    assert len(ax.get_yticks()) == 40
    assert any("5 worse categories are not shown" in " ".join(t.split()) for t in texts(ax))
    box = ax.get_tightbbox()
    assert box.x0 >= -1.0
    assert box.x1 <= ax.figure.bbox.width + 1.0
