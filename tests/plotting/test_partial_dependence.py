"""The plot of a partial dependence: what is drawn is what was computed, and doubt is shown."""

import json
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods.effects.effect_show import MOST_CURVES
from hpo_explain.plotting.html import figure_svg
from tests.analytic import AnalyticSurrogate
from tests.handmade import NASTY, warns_of_glyphs


def plot_partial_dependence(effect, *, ax=None, width=None):
    return effect.plot(ax, width=width)


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
    options = {"grid_size": 7, **options}
    explainer = hx.PartialDependenceExplainer(surrogate, sample=80, subject=subject, **options)
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


def corner(n=40):
    """Trials with lr in the lower half of its scale, one layer, and gbtree."""
    rng = np.random.default_rng(0)
    return [{**config(10 ** rng.uniform(-4.0, -2.5)), "layers": 1} for _ in range(n)]


@pytest.mark.parametrize("names", ["lr", "layers", "booster", ("lr", "layers")])
def test_where_hardly_anything_was_tried_the_effect_is_dimmed(names):
    def marked(ax):
        hatched = any(c.get_hatch() for c in (*ax.collections, *ax.patches))
        hollow = any(
            line.get_marker() == "o" and line.get_markerfacecolor() == "white"
            and line.get_color() != "white" for line in ax.lines
        )  # fmt: skip
        return hatched or hollow

    some, everything = effect(names, tried=corner()).plot(), effect(names).plot()
    assert marked(some)
    assert not marked(everything)
    assert "fewer than 3 trials near" in " ".join(" ".join(texts(some)).split())
    assert "not relied on" in texts(some)
    assert "not relied on" not in texts(everything)


def test_only_what_was_not_tried_is_dimmed():
    result = effect("lr", tried=corner(), grid_size=20)
    ax = plot_partial_dependence(result)
    (dimmed,) = [patch for patch in ax.patches if patch.get_hatch()]
    low, high = dimmed.get_x(), dimmed.get_x() + dimmed.get_width()
    inside = [low <= value <= high for value in result.grid]
    np.testing.assert_array_equal(inside, ~result.supported)
    assert high == pytest.approx(0.1)


def test_the_values_that_may_be_best_are_green():
    result = effect("lr", tried=corner(200))
    covariance = 0.1**2 * np.eye(7)
    result = replace(result, covariance=covariance, supported=np.ones(7, dtype=bool))
    ax = plot_partial_dependence(result)
    (marked,) = [line for line in ax.lines if line.get_linewidth() == 4.0]
    low, high = marked.get_xdata()
    inside = [low <= value <= high for value in result.grid]
    np.testing.assert_array_equal(inside, result.best)
    assert 1 < result.best.sum() < 7
    assert low == pytest.approx(1e-4)  # not further than the hyperparameter goes


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
