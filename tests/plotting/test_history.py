import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from hpo_explain import FloatParameter, Origin, Run, SearchSpace, history
from hpo_explain.plotting.history import plot_history
from hpo_explain.plotting.html import figure_svg
from hpo_explain.run import diverged_above
from tests.handmade import NASTY, warns_of_glyphs

pytestmark = warns_of_glyphs

SPACE = SearchSpace([FloatParameter("x", 0.0, 1.0)])


def run(objective, direction="minimize", **changes):
    n = len(objective)
    return Run(SPACE, np.full((n, 1), 0.5), np.array(objective, float), direction, **changes)


def marks(ax):
    """(trials, objectives) by the entry of the legend."""
    legend = ax.get_legend()
    names = [] if legend is None else [text.get_text() for text in legend.get_texts()]
    return dict(zip(names, (line.get_data() for line in ax.lines), strict=True))


VALUES = [5.0, 3.0, 4.0, 2.0, 2.5, 2.25]


def test_initial_design_and_proposals_are_told_apart_by_their_markers():
    ax = plot_history(history(run(VALUES, proposals=[3, 4, 5])))
    found = marks(ax)
    np.testing.assert_array_equal(found["initial design"], [[0, 1, 2], VALUES[:3]])
    np.testing.assert_array_equal(found["proposals"], [[3, 4, 5], VALUES[3:]])
    assert len({line.get_marker() for line in ax.lines[:2]}) == 2


def test_trials_that_a_person_set_are_no_initial_design():
    origins = {1: Origin.ENQUEUED, 4: Origin.PERSON}
    found = marks(plot_history(history(run(VALUES, proposals=[3, 5], origins=origins))))
    np.testing.assert_array_equal(found["initial design"], [[0, 2], [5.0, 4.0]])
    np.testing.assert_array_equal(found["set by hand"], [[1, 4], [3.0, 2.5]])


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_step_line_is_the_best_so_far(direction):
    best = min if direction == "minimize" else max
    trials, line = marks(plot_history(history(run(VALUES, direction))))["incumbent so far"]
    np.testing.assert_array_equal(trials, range(6))
    np.testing.assert_array_equal(line, [best(VALUES[: k + 1]) for k in range(6)])


def test_trials_that_were_stored_in_another_order_are_drawn_by_number():
    ax = plot_history(history(run([2.0, 1.0, 3.0], trials=[7, 9, 2])))
    trials, line = marks(ax)["incumbent so far"]
    np.testing.assert_array_equal(trials, [2, 7, 9])
    np.testing.assert_array_equal(line, [3.0, 2.0, 1.0])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_diverged_trials_stand_at_the_bound_with_a_marker_that_points_to_the_worse(sign):
    values = sign * np.array([0.1, 0.2, 0.3, 0.4, 0.5, 1e6])
    ax = plot_history(history(run(values, "minimize" if sign > 0 else "maximize")))
    (label,) = [label for label in marks(ax) if label.startswith("diverged")]
    trials, objective = marks(ax)[label]
    assert list(trials) == [5]
    assert objective[0] == sign * diverged_above(sign * values)
    assert f"shown at {objective[0]:g}".replace("-", "−") in label
    assert [line.get_marker() for line in ax.lines if list(line.get_xdata()) == [5]] == [
        "^" if sign > 0 else "v"
    ]


def test_infeasible_trials_are_marked_and_are_no_incumbents():
    feasible = np.array([True, True, True, False, True, True])
    found = marks(plot_history(history(run(VALUES, feasible=feasible))))
    assert list(found["infeasible"][0]) == [3]
    np.testing.assert_array_equal(found["incumbent so far"][1], [5.0, 3.0, 3.0, 2.5, 2.25])
    assert found["best: trial 5"][1] == [2.25]


def test_a_run_without_feasible_trials_has_no_incumbent():
    ax = plot_history(history(run(VALUES, feasible=np.zeros(6, bool))))
    assert set(marks(ax)) == {"infeasible"}
    assert any("no feasible trial yet" in text.get_text() for text in ax.texts)


def test_an_empty_run_says_that_no_trial_has_finished():
    ax = plot_history(history(run([])))
    assert "no finished trial" in [text.get_text() for text in ax.texts]


def test_ticks_of_a_single_trial_are_whole_numbers():
    ax = plot_history(history(run([1.0])))
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    assert [x for x in ax.get_xticks() if low <= x <= high] == [0]


def test_what_was_left_out_is_told():
    ax = plot_history(history(run(VALUES, excluded={6: "failed", 7: "pruned"})))
    assert "2 trials left out: failed; pruned" in [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("name", NASTY)
def test_the_name_of_the_objective_is_drawn_as_it_is(name):
    ax = plot_history(history(run(VALUES, objective_name=name, excluded={9: name})))
    assert not any(text.get_parse_math() for text in [*ax.texts, ax.yaxis.label])
    assert name.replace("\n", "↵")[:6] in ax.get_ylabel()
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize("width", [3.9, 8.0])
def test_the_legend_covers_no_trial_and_no_text_leaves_the_figure(width):
    feasible = np.array([True] * 5 + [False])
    made = run(
        [5.0, 3.0, 4.0, 2.0, 1e9, 2.2], proposals=[2, 3, 4, 5], feasible=feasible,
        objective_name="W" * 200, excluded={9: "r" * 300},
    )  # fmt: skip
    ax = plot_history(history(made), width=width)
    figure = ax.figure
    figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1
    for text in [*ax.texts, ax.yaxis.label, ax.xaxis.label, *ax.get_legend().get_texts()]:
        box = text.get_window_extent()
        assert box.x0 > -2
        assert box.x1 < figure.bbox.width + 2
        assert box.y0 > -2
        assert box.y1 < figure.bbox.height + 2


def test_thousands_of_trials_make_no_huge_file():
    rng = np.random.default_rng(0)
    svg = figure_svg(plot_history(history(run(rng.normal(size=20_000)))).figure, alt="many")
    assert len(svg) < 400_000


def test_it_draws_on_the_axes_it_is_given_and_leaves_style_and_pyplot_alone():
    before = dict(mpl.rcParams)
    ax = Figure().add_subplot()
    assert plot_history(history(run(VALUES)), ax=ax) is ax
    assert plot_history(history(run(VALUES))) is not ax
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before
