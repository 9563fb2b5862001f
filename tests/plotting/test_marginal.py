import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods.effects.partial_dependence import marginal_on
from tests.handmade import NASTY, tuning_run, warns_of_glyphs


def plot_marginal(effect, *, ax=None, width=None):
    return effect.plot(ax, width=width)


pytestmark = warns_of_glyphs

LR = (1e-4, 1e-3, 1e-2, 1e-1)
BOOSTERS = ("gbtree", "dart", None, True)


def marginal_of(parameters, grids, mean, std, *, tried=(), direction="minimize",
                objective_name="loss", **changes):  # fmt: skip
    """A marginal over all hyperparameters of a space; `tried` holds configurations."""
    space = hx.SearchSpace(parameters)
    subject = Subject(
        space, direction, objective_name, tried=space.encode(tried) if tried else None
    )
    fields = {
        "mean": mean,
        "std": np.full(mean.shape, std), "activity": (1.0,) * len(grids),
    }  # fmt: skip
    return marginal_on(subject, space.names, grids, **{**fields, "rows": "trees", **changes})


def number(name, grid, log=False):
    whole = all(isinstance(value, int) for value in grid)
    kind = hx.IntParameter if whole else hx.FloatParameter
    return kind(name, min(grid), max(grid), log=log)


def one(grid, mean, std=0.1, *, name="lr", log=False, categorical=False, tried=(), **changes):
    parameter = hx.CategoricalParameter(name, grid) if categorical else number(name, grid, log)
    configs = [{name: value} for value in tried]
    mean = np.array(mean, dtype=float)
    return marginal_of([parameter], (tuple(grid),), mean, std, tried=configs, **changes)


def pair(grids, *, names=("lr", "booster"), categorical=(False, True), tried=(), **changes):
    parameters = [
        hx.CategoricalParameter(name, grid) if is_category else number(name, grid, log=True)
        for name, grid, is_category in zip(names, grids, categorical, strict=True)
    ]
    configs = [dict(zip(names, values, strict=True)) for values in zip(*tried, strict=True)]
    mean = np.arange(float(len(grids[0]) * len(grids[1]))).reshape(len(grids[0]), len(grids[1]))
    return marginal_of(parameters, grids, mean, 0.25, tried=configs, **changes)


def written(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def points(ax):
    """(positions, values, half lengths of the bars)."""
    (found,) = [c for c in ax.containers if isinstance(c, ErrorbarContainer)]
    line, _, (bars,) = found.lines
    half = [np.abs(np.subtract(*segment)).max() / 2 for segment in bars.get_segments()]
    return line.get_xdata(), line.get_ydata(), np.array(half)


def rug(ax):
    """Where the marks along the axis stand: one line, broken between them."""
    along = ax.get_xaxis_transform()
    (line,) = [line for line in ax.lines if line.get_transform() == along]
    x = np.array(line.get_xdata(), dtype=float)
    begins = np.isfinite(x) & np.append(True, np.isnan(x[:-1]))
    return x[begins]


def mesh(ax):
    (found,) = [c for c in ax.collections if type(c).__name__ == "QuadMesh"]
    return found


# ---------------------------------------------------------------------- one hyperparameter


def test_a_real_valued_hyperparameter_is_a_curve_with_its_std_as_a_band():
    ax = plot_marginal(one(LR, [4, 3, 2, 3], 0.5, log=True, tried=[1e-3, 5e-2]))
    curve = next(line for line in ax.lines if line.get_linestyle() == "-")
    np.testing.assert_array_equal(curve.get_xdata(), LR)
    np.testing.assert_array_equal(curve.get_ydata(), [4, 3, 2, 3])
    (band,) = ax.collections
    corners = band.get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(1.5)
    assert corners[:, 1].max() == pytest.approx(4.5)
    assert "Band: std over the trees." in written(ax)


def test_a_logarithmic_hyperparameter_has_a_logarithmic_axis():
    assert plot_marginal(one(LR, [4, 3, 2, 3], log=True)).get_xscale() == "log"
    assert plot_marginal(one(LR, [4, 3, 2, 3])).get_xscale() == "linear"


def test_tried_values_are_marks_along_the_axis():
    ax = plot_marginal(one(LR, [4, 3, 2, 3], log=True, tried=[1e-3, 5e-2]))
    np.testing.assert_allclose(rug(ax), [1e-3, 5e-2])
    assert "Marks along the axis: tried values." in written(ax)
    assert "Marks" not in written(plot_marginal(one(LR, [4, 3, 2, 3])))


def test_integers_are_points_with_bars_and_tried_ones_stand_side_by_side():
    tried = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3]
    ax = plot_marginal(one([1, 2, 3], [4, 3, 2], 0.5, tried=tried))
    x, y, half = points(ax)
    np.testing.assert_array_equal(x, [1, 2, 3])
    np.testing.assert_array_equal(y, [4, 3, 2])
    np.testing.assert_allclose(half, 0.5)
    marks = rug(ax)
    assert len(set(marks)) == 10
    np.testing.assert_array_equal(np.round(marks), tried)


def test_categories_are_rows_of_points_with_how_often_each_was_tried():
    marginal = one(BOOSTERS, [4, 3, 2, 1], 0.5, categorical=True, tried=["dart", True, "dart"])
    ax = plot_marginal(marginal)
    x, y, half = points(ax)
    np.testing.assert_array_equal(x, [4, 3, 2, 1])
    np.testing.assert_array_equal(y, [0, 1, 2, 3])
    np.testing.assert_allclose(half, 0.5)
    ticks = [tick.get_text() for tick in ax.get_yticklabels()]
    assert ticks == ["gbtree (0)", "dart (2)", "None (0)", "True (1)"]
    assert "In brackets: number of trials." in written(ax)
    assert ax.get_xlabel() == "predicted loss"


@pytest.mark.parametrize(("direction", "kept"), [("minimize", "c0"), ("maximize", "c99")])
def test_of_very_many_categories_the_best_are_shown_and_the_others_counted(direction, kept):
    names = [f"c{k}" for k in range(100)]
    ax = plot_marginal(one(names, range(100), categorical=True, direction=direction))
    ticks = [tick.get_text() for tick in ax.get_yticklabels()]
    assert len(ticks) == 40
    assert kept in ticks
    assert "60 worse categories are not shown" in written(ax)


def test_a_conditional_hyperparameter_says_where_it_is_active():
    told = written(plot_marginal(one(LR, [4, 3, 2, 3], activity=(0.25,))))
    assert "lr is active in 25% of the space and makes no difference elsewhere" in told


def test_direction_and_sub_space_are_told():
    assert "lower is better" in written(plot_marginal(one(LR, [4, 3, 2, 3])))
    given = plot_marginal(one(LR, [4, 3, 2, 3], direction="maximize", given={"lr": [1e-3, 1e-2]}))
    assert "given lr between 0.001 and 0.01" in written(given)
    assert "higher is better" in written(given)


# ---------------------------------------------------------------------- two hyperparameters


def test_a_pair_is_a_heatmap_with_a_scale_and_the_tried_points():
    ax = plot_marginal(pair((LR, BOOSTERS), tried=((1e-3, 1e-2), ("dart", None))))
    np.testing.assert_array_equal(
        mesh(ax).get_array().reshape(4, 4), np.arange(16.0).reshape(4, 4).T
    )
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["gbtree", "dart", "None", "True"]
    assert ax.get_xscale() == "log"
    assert [other.get_ylabel() for other in ax.figure.axes][1] == "predicted loss"
    (dots,) = [line for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(dots.get_xdata(), [1e-3, 1e-2])
    np.testing.assert_array_equal(dots.get_ydata(), [1, 2])
    assert "The std over the trees is 0.25 on average, at most 0.25." in written(ax)
    assert "Dots: tried values." in written(ax)


def test_cells_of_a_logarithmic_axis_end_halfway_on_its_scale():
    edges = mesh(plot_marginal(pair((LR, BOOSTERS)))).get_coordinates()[0, :, 0]
    np.testing.assert_allclose(edges, 10.0 ** np.arange(-4.5, 0.0), rtol=1e-12)


def test_two_categories_are_ticks_along_both_axes():
    ax = plot_marginal(
        pair((BOOSTERS, ("a", "b")), names=("booster", "c"),
             categorical=(True, True))
    )  # fmt: skip
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["gbtree", "dart", "None", "True"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b"]


# ---------------------------------------------------------------------- figures and text


@pytest.mark.parametrize("width", [3.9, 8.0])
@pytest.mark.parametrize(
    "marginal",
    [
        one(LR, [4, 3, 2, 3], log=True, tried=LR),
        one([1, 2, 3], [4, 3, 2], tried=[1, 2]),
        one(NASTY, range(len(NASTY)), categorical=True, tried=NASTY, name=NASTY[0]),
        one([f"c{k}" for k in range(100)], range(100), categorical=True),
        one(LR, [4, 3, 2, 3], name="x" * 200, objective_name="W" * 200),
        pair((LR, BOOSTERS), tried=(LR, BOOSTERS)),
        pair((NASTY, NASTY), names=NASTY[:2], categorical=(True, True)),
    ],
    ids=["float", "int", "nasty", "many", "long names", "pair", "nasty pair"],
)  # fmt: skip
def test_no_text_leaves_the_figure(marginal, width):
    ax = plot_marginal(marginal, width=width)
    figure = ax.figure
    figure.draw_without_rendering()
    for text in [*ax.texts, ax._left_title, ax.xaxis.label, ax.yaxis.label]:
        if text.get_text():
            box = text.get_window_extent()
            assert box.x0 > -2
            assert box.y0 > -2
            assert box.x1 < figure.bbox.width + 2
            assert box.y1 < figure.bbox.height + 2


@pytest.mark.parametrize("name", NASTY)
def test_names_and_categories_are_drawn_as_they_are(name):
    ax = plot_marginal(one([name, "b"], [1, 2], categorical=True, name=name, objective_name=name))
    drawn = [*ax.get_yticklabels(), *ax.texts, ax._left_title, ax.xaxis.label, ax.yaxis.label]
    assert not any(text.get_parse_math() or text.get_usetex() for text in drawn)
    assert name.replace("\n", "↵")[:6] in ax.get_yticklabels()[0].get_text()
    ax.figure.draw_without_rendering()


def test_it_draws_on_the_axes_it_is_given_and_leaves_style_and_pyplot_alone():
    before = dict(mpl.rcParams)
    figure = Figure(layout="constrained")
    first, second = figure.subplots(1, 2)
    for marginal in (one(LR, [4, 3, 2, 3]), pair((LR, BOOSTERS))):
        assert plot_marginal(marginal, ax=second) is second
    assert not first.lines
    figure.draw_without_rendering()
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def test_a_real_marginal_draws_itself_with_the_trials_in_which_it_was_active():
    run = tuning_run(30)
    result = hx.importance(run)
    assert len(rug(result.marginal("lr").plot())) == 30
    active = int((~np.isnan(run.X[:, 3])).sum())
    assert len(rug(result.marginal("rate_drop").plot())) == active < 30
