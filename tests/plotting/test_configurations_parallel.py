"""Parallel coordinates of a run's trials: where lines go, and what the labels say."""

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.plotting.configurations_parallel import plot_parallel
from hpo_explain.plotting.html import figure_svg
from tests.handmade import NASTY, warns_of_glyphs
from tests.plotting.paths import texts_of

pytestmark = warns_of_glyphs

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.IntParameter("layers", 1, 20_001),
        hx.CategoricalParameter("booster", ["gbtree", "gblinear", "dart"]),
        hx.FloatParameter("rate", -0.5, 0.5, active_when={"booster": ["dart"]}),
        hx.CategoricalParameter("fixed", ["one"]),
    ]
)
X = SPACE.encode(
    [
        {"lr": 1e-2, "layers": 5001, "booster": "gbtree", "fixed": "one"},
        {"lr": 1.0, "layers": 20_001, "booster": "dart", "rate": 0.0, "fixed": "one"},
        {"lr": 1e-4, "layers": 1, "booster": "gblinear", "fixed": "one"},
    ]
)
POSITIONS = [
    [0.5, 0.25, 0.0, np.nan, 0.5],
    [1.0, 1.0, 1.0, 0.5, 0.5],
    [0.0, 0.0, 0.5, np.nan, 0.5],
]


def mixed():
    return hx.Run(SPACE, X, [0.3, 0.2, 0.1], "minimize", trials=[4, 7, 9], objective_name="loss")


def random_run(n, names=("x0", "x1"), direction="minimize", objective=None):
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    objective = np.linspace(1.0, 0.0, n) if objective is None else objective
    return hx.Run(space, space.sample(n), objective, direction)


def lines(ax):
    """Positions (n, d) of the trials that are not highlighted, and their colors."""
    (found,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    segments = [segment[:, 0] for segment in found.get_segments()]
    return np.array(segments), found.get_edgecolors()


def entries(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_trial_is_a_line_through_its_positions_with_gaps_where_it_is_inactive():
    ax = plot_parallel(hx.configurations(mixed()))
    (found,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    drawn = [path.vertices for path in found.get_paths()]
    # the best, trial 9, is drawn last and so on top
    for vertices, expected in zip(drawn, POSITIONS, strict=True):
        np.testing.assert_allclose(vertices[:, 0], expected)
        np.testing.assert_array_equal(vertices[:, 1], range(5))
    assert [label.get_text() for label in ax.get_yticklabels()] == list(SPACE.names)
    assert "broken where the hyperparameter is inactive" in texts_of(ax)


def test_a_value_between_gaps_is_a_mark():
    ax = plot_parallel(hx.configurations(mixed()))
    (marks,) = [c for c in ax.collections if isinstance(c, PathCollection)]
    # "fixed" follows "rate", which is inactive in two trials
    np.testing.assert_allclose(marks.get_offsets(), [[0.5, 4], [0.5, 4]])


def test_ends_are_in_the_users_units_and_categories_by_name():
    ax = plot_parallel(hx.configurations(mixed()))
    labels = {j: [] for j in range(5)}
    for text in ax.texts:
        if text.xycoords == "data":
            labels[text.xy[1]].append((text.xy[0], text.get_text()))
    assert labels == {
        0: [(0.0, "0.0001"), (0.5, "0.01"), (1.0, "1")],
        1: [(0.0, "1"), (1.0, "20001")],
        2: [(0.0, "gbtree"), (0.5, "gblinear"), (1.0, "dart")],
        3: [(0.0, "−0.5"), (1.0, "0.5")],
        4: [(0.5, "one")],
    }


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_better_a_trial_the_darker_its_line(direction):
    result = random_run(11, direction=direction, objective=[5, 1, 9, 3, 7, 2, 8, 4, 6, 0, 10])
    _, colors = lines(plot_parallel(hx.configurations(result)))
    brightness = colors[:, :3] @ [0.299, 0.587, 0.114]
    assert (np.diff(brightness) < 0).all()  # drawn from the worst to the best
    np.testing.assert_allclose(colors[-1, :3], colormaps["cividis"](0.0)[:3])
    best, worst = (9, 10) if direction == "minimize" else (10, 9)
    found = entries(plot_parallel(hx.configurations(result)))
    assert found[0].endswith(f"(trial {best})")
    assert found[-1].endswith(f"(trial {worst})")


def test_highlighted_trials_have_colors_of_their_own_and_the_others_are_grey():
    ax = plot_parallel(hx.configurations(mixed(), highlight=[9, 7]))
    assert entries(ax) == ["trial 9: loss 0.1", "trial 7: loss 0.2", "other trials"]
    chosen = [line for line in ax.lines if line.get_linewidth() == 2.0]
    np.testing.assert_allclose(chosen[0].get_xdata(), POSITIONS[2])
    np.testing.assert_allclose(chosen[1].get_xdata(), POSITIONS[1])
    assert len({line.get_color() for line in chosen}) == 2
    _, colors = lines(ax)
    assert len(colors) == 1
    assert len(set(colors[0, :3])) == 1


def test_ten_highlighted_trials_can_be_told_apart():
    ax = plot_parallel(hx.configurations(random_run(14), highlight=range(10)))
    chosen = [line for line in ax.lines if line.get_linewidth() == 2.0]
    assert len({(line.get_color(), line.get_linestyle()) for line in chosen}) == 10


def test_a_trial_that_does_not_exist_is_named():
    with pytest.raises(ValueError, match=r"highlight must .* trial 5 does not exist.*4, 7, 9"):
        plot_parallel(hx.configurations(mixed(), highlight=[4, 5]))


def test_more_trials_than_can_be_told_apart_are_refused():
    with pytest.raises(ValueError, match=r"highlight must name at most 10 trials, .* named 11"):
        plot_parallel(hx.configurations(random_run(14), highlight=[*range(11), 3]))


@pytest.mark.parametrize("d", [1, 30])
def test_long_names_stay_in_the_figure_and_the_legend_off_the_lines(d):
    names = [f"a.$very$.long_name_of_{'W' * 30}_{j}" for j in range(d)]
    ax = plot_parallel(hx.configurations(random_run(10, names), highlight=[5, 6]))
    figure = ax.figure
    figure.draw_without_rendering()
    for text in [*ax.texts, *ax.get_yticklabels(), *ax.get_legend().get_texts()]:
        box = text.get_window_extent()
        assert box.x0 > -2
        assert box.x1 < figure.bbox.width + 2
        assert box.y0 > -2
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1
    assert ax.get_window_extent().height / figure.dpi * 72 > 25 * d


def test_of_many_categories_the_first_and_the_last_are_named():
    space = hx.SearchSpace([hx.CategoricalParameter("c", [f"choice {k}" for k in range(60)])])
    run = hx.Run(space, np.arange(6.0)[:, None] * 11, np.arange(6.0), "minimize")
    texts = texts_of(plot_parallel(hx.configurations(run)))
    assert "choice 0" in texts
    assert "choice 59" in texts
    assert "choice 1 " not in texts


def test_thousands_of_trials_are_drawn_as_pixels():
    for n, pixels in ((100, False), (3000, True)):
        ax = plot_parallel(hx.configurations(random_run(n, [f"x{j}" for j in range(10)])))
        (found,) = [c for c in ax.collections if isinstance(c, LineCollection)]
        assert bool(found.get_rasterized()) is pixels


def test_it_draws_on_the_axes_it_is_given_and_names_as_they_are():
    ax = Figure().add_subplot()
    space = hx.SearchSpace([hx.CategoricalParameter(NASTY[0], list(NASTY[:3]))])
    run = hx.Run(space, [[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0], "minimize", objective_name=NASTY[2])
    assert plot_parallel(hx.configurations(run, highlight=[1]), ax=ax) is ax
    texts = [*ax.texts, *ax.get_yticklabels(), *ax.get_legend().get_texts()]
    assert not any(text.get_parse_math() for text in texts)
    assert "<script" not in figure_svg(ax.figure, alt="configurations")


def test_a_run_without_trials_has_its_scales():
    empty = hx.Run(SPACE, np.empty((0, 5)), [], "minimize")
    assert "0.0001" in texts_of(plot_parallel(hx.configurations(empty)))
