from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure

from hpo_explain.plotting.proposal import plot_proposal
from tests.handmade import NASTY, explanation, warns_of_glyphs

pytestmark = warns_of_glyphs

T_975_9 = 2.2621571628  # Student's t, 9 degrees of freedom, 97.5 %: any printed table


def bars(ax):
    """The lengths of the bars, one row per hyperparameter (top first), one column per term."""
    found = [c for c in ax.containers if isinstance(c, BarContainer)]
    return np.array([[patch.get_width() for patch in container] for container in found]).T


def diamonds(ax):
    (line,) = [line for line in ax.lines if line.get_marker() == "D"]
    return line.get_xdata(), line.get_ydata()


def whiskers(ax):
    """(lower, upper) of every whisker, by drawing: terms in their order, then the totals."""
    found = [c for c in ax.containers if isinstance(c, ErrorbarContainer)]
    segments = [c.lines[2][0].get_segments() for c in found]
    return [np.array([(s[0][0], s[1][0]) for s in group]) for group in segments]


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def texts(ax):
    return [
        *ax.get_yticklabels(), *ax.texts, *ax.get_legend().get_texts(), ax.xaxis.label,
        ax._left_title,
    ]  # fmt: skip


THIRTY = np.linspace(-1.0, 1.0, 60).reshape(30, 2)
PHI = [[0.1, -0.02], [-0.5, 0.1], [0.3, 0.05]]


def test_bars_are_as_long_as_the_contributions_the_largest_total_on_top():
    ax = plot_proposal(explanation(PHI))
    np.testing.assert_array_equal(bars(ax), [[-0.5, 0.1], [0.3, 0.05], [0.1, -0.02]])
    assert labels(ax) == ["x1 = 0.125", "x2 = 0.25", "x0 = 0"]
    top, bottom = ax.get_ylim()[::-1]
    assert top < 0 < bottom


def test_diamonds_mark_the_totals_in_the_middle_of_the_rows():
    x, y = diamonds(plot_proposal(explanation(PHI)))
    np.testing.assert_allclose(x, [-0.4, 0.35, 0.08], rtol=1e-12)
    np.testing.assert_array_equal(y, [0, 1, 2])


def test_whiskers_are_95_percent_t_intervals_around_bars_and_totals():
    mean, uncertainty, total = whiskers(plot_proposal(explanation(PHI, error=0.02)))
    half = T_975_9 * 0.02
    for found, centre in [
        (mean, [-0.5, 0.3, 0.1]),
        (uncertainty, [0.1, 0.05, -0.02]),
        (total, [-0.4, 0.35, 0.08]),
    ]:
        expected = np.array([[c - half, c + half] for c in centre])
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_without_intervals_nothing_is_drawn_and_the_plot_says_so():
    ax = plot_proposal(explanation(PHI, error=None))
    assert whiskers(ax) == []
    assert any("No intervals" in text.get_text() for text in ax.texts)


def test_the_plot_says_that_intervals_are_not_the_uncertainty_of_the_model():
    written = " ".join(text.get_text() for text in plot_proposal(explanation(PHI)).texts)
    assert "not the model's uncertainty" in written.replace("\n", " ")


def test_the_subtitle_gives_payout_and_predicted_versus_average_objective():
    written = "\n".join(text.get_text() for text in plot_proposal(explanation(PHI)).texts)
    assert "payout +0.030 = mean −0.100, uncertainty +0.130" in written
    assert "predicted loss 0.123 ± 0.03, on average 0.21 (lower is better)" in written
    maximized = plot_proposal(explanation(PHI, direction="maximize"))
    assert "(higher is better)" in "\n".join(text.get_text() for text in maximized.texts)


def test_the_heading_says_whose_acquisition_it_is():
    assumed = plot_proposal(explanation(PHI)).get_title(loc="left")
    assert assumed.replace("\n", " ") == (
        "Why trial 42? As a GP with LCB (κ = 1.96) would have seen it (assumed)"
    )
    own = plot_proposal(explanation(PHI, assumed=False, optimizer="skopt's gp_minimize"))
    assert "As skopt's gp_minimize saw it" in own.get_title(loc="left").replace("\n", " ")


def test_terms_differ_by_pattern_as_well_as_by_color():
    phi = np.full((2, 4), 0.1)
    found = plot_proposal(explanation(phi, terms=("a", "b", "c", "d"))).containers
    drawn = [c.patches[0] for c in found if isinstance(c, BarContainer)]
    assert len({patch.get_hatch() for patch in drawn}) == 4
    assert len({patch.get_facecolor() for patch in drawn}) == 4


def test_a_single_term_has_bars_and_no_diamonds():
    phi = [[0.2], [-0.1]]
    ax = plot_proposal(explanation(phi, terms=("log expected improvement",), acquisition="log EI"))
    np.testing.assert_array_equal(bars(ax), [[0.2], [-0.1]])
    assert [line for line in ax.lines if line.get_marker() == "D"] == []
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["log expected improvement"]


def test_three_terms_have_three_bars_each_that_do_not_overlap():
    ax = plot_proposal(explanation([[0.2, 0.1, -0.1], [0.1, 0.1, 0.1]], terms=("a", "b", "c")))
    drawn = [patch for c in ax.containers if isinstance(c, BarContainer) for patch in c]
    spans = sorted((patch.get_y(), patch.get_y() + patch.get_height()) for patch in drawn)
    assert len(spans) == 6
    assert all(low >= before for (_, before), (low, _) in pairwise(spans))


def test_one_hyperparameter_has_one_row():
    ax = plot_proposal(explanation([[0.3, 0.1]], names=["lr"]))
    assert labels(ax) == ["lr = 0"]


def test_beyond_20_hyperparameters_the_smallest_are_one_row_with_their_sum():
    rng = np.random.default_rng(0)
    phi = rng.normal(size=(30, 2))
    ax = plot_proposal(explanation(phi))
    assert len(labels(ax)) == 20
    assert labels(ax)[-1] == "11 others (sum)"
    smallest = np.argsort(np.abs(phi.sum(axis=1)))[:11]
    np.testing.assert_allclose(bars(ax)[-1], phi[smallest].sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(bars(ax).sum(), phi.sum(), rtol=1e-9)
    assert [len(group) for group in whiskers(ax)] == [19, 19, 19]


def test_twenty_hyperparameters_are_all_shown():
    assert "others" not in " ".join(labels(plot_proposal(explanation(np.ones((20, 2))))))


def test_what_is_inactive_comes_last_in_grey_and_without_a_bar():
    config = {"a": 1, "c": 2, "d": 3}
    phi = [[0.1, 0.0], [0.0, 0.0], [0.2, 0.0], [0.0, 0.0]]
    ax = plot_proposal(explanation(phi, names=["a", "b", "c", "d"], config=config))
    assert labels(ax) == ["c = 2", "a = 1", "d = 3", "b: inactive"]
    assert len(bars(ax)) == 3
    colors = [tick.get_color() for tick in ax.get_yticklabels()]
    assert colors[3] not in colors[:3]


def test_many_inactive_hyperparameters_are_one_row():
    names = [f"p{j}" for j in range(9)]
    phi = np.zeros((9, 2))
    phi[0] = 0.5
    ax = plot_proposal(explanation(phi, names=names, config={"p0": 1.0}))
    assert labels(ax) == ["p0 = 1", "8 inactive"]


@pytest.mark.parametrize("rounding", [0.0, 1e-17])
def test_a_payout_of_zero_is_not_blown_up_to_rounding_errors(rounding):
    ax = plot_proposal(explanation([[rounding, 0.0], [-rounding, 0.0]], error=0.0, unsure=0.0))
    low, high = ax.get_xlim()
    assert low <= -0.1
    assert high >= 0.1


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e9])
def test_every_bar_and_whisker_lies_within_the_axes(scale):
    ax = plot_proposal(explanation(scale * np.array(PHI), error=0.1 * scale))
    low, high = ax.get_xlim()
    ends = np.concatenate([group.ravel() for group in whiskers(ax)])
    assert low < ends.min()
    assert ends.max() < high
    assert low < 0 < high


def test_a_gap_of_efficiency_is_told():
    gap = {"mean": 0.0, "uncertainty": 0.0, "total": 0.004}
    ax = plot_proposal(explanation(PHI, efficiency_gap=gap))
    written = " ".join(text.get_text() for text in ax.texts).replace("\n", " ")
    assert "The contributions miss +0.0040 of the payout" in written


# ---------------------------------------------------------------------- figures and text


def test_it_draws_on_the_axes_it_is_given():
    figure = Figure(layout="constrained")
    first, second = figure.subplots(1, 2)
    assert plot_proposal(explanation(PHI), ax=second) is second
    assert len(bars(second)) == 3
    assert first.containers == []
    figure.draw_without_rendering()


def test_it_neither_leaves_a_figure_with_pyplot_nor_changes_the_style():
    before = dict(mpl.rcParams)
    ax = plot_proposal(explanation(PHI))
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before
    assert isinstance(ax.figure, Figure)


def test_the_figure_grows_with_the_rows():
    def height(n):
        return plot_proposal(explanation(np.ones((n, 2)))).figure.get_figheight()

    assert height(1) < height(5) < height(15)
    assert height(15) - height(10) == pytest.approx(height(10) - height(5))


@pytest.mark.parametrize("width", [3.9, 8.0])
@pytest.mark.parametrize(
    "result",
    [
        explanation(PHI),
        explanation([[0.1, 0.2]]),
        explanation(THIRTY, names=["name" + "_x" * j for j in range(30)]),
        explanation(np.linspace(-1, 1, 24).reshape(12, 2), names=NASTY),
        explanation(PHI, objective_name="W" * 200, acquisition="MY OWN " * 20),
        explanation(np.ones((2, 4)), terms=("T" * 100, "b", "c", "d")),
    ],
    ids=["plain", "one", "thirty", "nasty", "long texts", "long terms"],
)  # fmt: skip
def test_no_text_leaves_the_figure_or_lies_on_another(result, width):
    ax = plot_proposal(result, width=width)
    figure = ax.figure
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in texts(ax) if text.get_text()]
    for box in boxes:
        assert box.x0 > -2
        assert box.y0 > -2
        assert box.x1 < figure.bbox.width + 2
        assert box.y1 < figure.bbox.height + 2
    rows = [tick.get_window_extent() for tick in ax.get_yticklabels()]
    assert all(lower.y1 <= upper.y0 + 1 for upper, lower in pairwise(rows))
    blocks = [ax.xaxis.label, *ax.texts, ax._left_title, ax.get_legend()]
    drawn = [block.get_window_extent() for block in blocks]
    for i, one in enumerate(drawn):
        assert not any(one.padded(-1).overlaps(other) for other in drawn[i + 1 :])


def test_the_legend_covers_no_bar():
    ax = plot_proposal(explanation(PHI))
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1


@pytest.mark.parametrize("name", NASTY)
def test_names_and_values_are_drawn_as_they_are(name):
    result = explanation([[0.1, 0.2]], names=[name], config={name: name}, objective_name=name)
    ax = plot_proposal(result)
    assert not any(text.get_parse_math() or text.get_usetex() for text in texts(ax))
    written = labels(ax)[0]
    start = name.replace("\n", "↵")[:6]
    assert start in written
    assert f"= {start}" in written.replace("\u200e", "")
    ax.figure.draw_without_rendering()


def test_names_that_shortening_makes_equal_are_told_apart():
    names = [f"{'a' * 60}{j}{'b' * 60}" for j in range(3)]
    config = dict.fromkeys(names, 1)
    shown = labels(plot_proposal(explanation(PHI, names=names, config=config)))
    assert len(set(shown)) == 3


def test_tex_of_the_user_is_not_applied_to_names():
    with mpl.rc_context({"text.usetex": True}):
        ax = plot_proposal(explanation([[0.1, 0.2]], names=["a_b"]))
    assert not ax.get_yticklabels()[0].get_usetex()
