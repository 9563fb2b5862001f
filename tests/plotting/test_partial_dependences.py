"""Several effects side by side: one scale of the objective, and texts that stay in the figure."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import hpo_explain as hx
from tests.handmade import NASTY, tuning_run, warns_of_glyphs

pytestmark = warns_of_glyphs
QUICK = {"sample": 30, "grid_size": 4}


@pytest.fixture(scope="module")
def found():
    names = ["lr", "booster", "rate_drop", ("lr", "layers"), ("booster", "rate_drop")]
    return hx.partial_dependences(tuning_run(20), names, **QUICK)


def test_panels_of_single_hyperparameters_share_the_scale_of_the_objective(found):
    ax = found.plot()
    panels = ax.figure.axes[:5]
    assert [panel.get_title(loc="left") for panel in panels] == [
        "lr", "booster", "rate_drop", "lr × layers", "booster × rate_drop",
    ]  # fmt: skip
    limits = {panel.get_ylim() for panel in panels[:3]}
    assert len(limits) == 1
    ((low, high),) = limits
    for effect in found.effects[:3]:
        lower, upper = effect.band()
        assert low <= np.nanmin(lower)
        assert np.nanmax(upper) <= high
    assert ax.get_xscale() == "log"
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), found.effects[0].mean)
    assert {panel.get_xlabel() for panel in panels[:3]} == {""}
    assert (panels[3].get_xlabel(), panels[3].get_ylabel()) == ("lr", "layers")
    meshes = [panel.collections[0] for panel in panels[3:]]
    assert len({mesh.get_clim() for mesh in meshes}) == 1


def test_categories_stand_beside_each_other_with_how_often_they_were_tried(found):
    panel = found.plot().figure.axes[1]
    run = tuning_run(20)
    chosen = [config["booster"] for config in run.space.decode(run.X)]
    expected = [f"{c} ({chosen.count(c)})" for c in run.space["booster"].choices]
    assert [label.get_text() for label in panel.get_xticklabels()] == expected


@pytest.mark.parametrize("width", [3.9, 8.0])
def test_long_names_and_many_categories_stay_in_the_figure(width):
    names = [NASTY[0], NASTY[2], f"a.{'long_' * 30}1", f"a.{'long_' * 30}2", "x"]
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter(names[0], [f"{'category ' * 4}{k}" for k in range(30)]),
            hx.CategoricalParameter(names[1], list(NASTY[:4])),
            *(hx.FloatParameter(name, 0.0, 1.0) for name in names[2:]),
        ]
    )
    X = space.sample(30, seed=0)
    run = hx.Run(space, X, X[:, 2], "maximize", objective_name=NASTY[2])
    found = hx.partial_dependences(run, [*names, (names[0], names[2])], **QUICK)
    figure = found.plot(width=width).figure.figure
    figure.draw_without_rendering()
    panels = figure.axes[:6]
    assert len(panels[0].get_xticks()) == 10
    part = figure.subfigs[0]
    titles = [panel.get_title(loc="left") for panel in panels]
    assert len(set(titles)) == 6
    around = [part._suptitle, part._supxlabel, part._supylabel]
    written = [*around, *(panel.xaxis.label for panel in panels)]
    for text in [text for text in written if text.get_text()]:
        assert not text.get_parse_math()
        box = text.get_window_extent()
        assert box.x0 > -2
        assert box.x1 < figure.bbox.width + 2
        assert box.y0 > -2
        assert box.y1 < figure.bbox.height + 2
    assert "20 worse categories are not shown" in part._supxlabel.get_text().replace("\n", " ")


def test_shares_of_the_variance_stand_behind_names_that_are_shortened():
    space = hx.SearchSpace([hx.FloatParameter(f"{'long_' * 20}{k}", 0.0, 1.0) for k in range(4)])
    X = space.sample(30, seed=0)
    run = hx.Run(space, X, X[:, 1], "minimize")
    found = hx.partial_dependences(run, most=3, **QUICK)
    titles = [panel.get_title(loc="left") for panel in found.plot().figure.axes]
    assert all(title.endswith("%)") for title in titles)
    assert len({title.partition(" (")[0] for title in titles}) == 3


def test_it_replaces_the_axes_it_is_given(found):
    figure = Figure(layout="constrained")
    ax = figure.add_subplot()
    assert found.plot(ax).figure.figure is figure
    assert ax not in figure.axes


def test_where_nothing_feasible_can_be_attained_the_panels_span_the_means():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(12, seed=1)
    run = hx.Run(space, X, X[:, 0], "minimize", feasible=np.arange(12) == 0)
    found = hx.partial_dependences(run, sample=12, grid_size=4)
    assert np.isnan(found.effects[0].attainable.mean).all()
    low, high = found.plot().get_ylim()
    assert low < found.effects[0].mean.min() < found.effects[0].mean.max() < high
