from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.plotting.fanova import plot_fanova
from hpo_explain.wording import fanova as words
from tests.handmade import NASTY, tuning_run, warns_of_glyphs
from tests.plotting.shares import one_tree, shares_of

pytestmark = warns_of_glyphs

SHARES = {(0,): [0.1, 0.3], (1,): [0.5, 0.3], (0, 1): [0.3, 0.3]}


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def bars(ax):
    """(length, pattern) by label."""
    found = {}
    for container in ax.containers:
        if isinstance(container, BarContainer):
            for patch in container:
                row = round(patch.get_y() + patch.get_height() / 2)
                found[labels(ax)[row]] = (patch.get_width(), patch.get_hatch())
    return found


def whiskers(ax):
    """(lower, upper) by label."""
    found = {}
    for container in ax.containers:
        if isinstance(container, ErrorbarContainer):
            for (low, y), (high, _) in container.lines[2][0].get_segments():
                found[labels(ax)[round(y)]] = (low, high)
    return found


def totals(ax):
    found = [line for line in ax.lines if line.get_marker() == "|" and len(line.get_xdata())]
    marks = [line for line in found if line.get_markersize() == 9.0]
    return {
        labels(ax)[int(y)]: x
        for line in marks
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def written(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def texts(ax):
    return [
        *ax.get_yticklabels(), *ax.texts, *ax.get_legend().get_texts(), ax.xaxis.label,
        ax._left_title,
    ]  # fmt: skip


def many(d, order=1, **options):
    shares = {(j,): [1.0 / (j + 2) ** 2] for j in range(d)}
    if order == 2:
        shares |= {(i, j): [1e-4 / (i + j)] for i in range(d) for j in range(i + 1, d)}
    return shares_of(shares, **options)


# ---------------------------------------------------------------------- bars


def test_bars_are_the_mean_shares_the_largest_on_top():
    ax = plot_fanova(shares_of(SHARES))
    assert labels(ax) == ["x1", "x0 × x1", "x0"]
    found = {label: length for label, (length, _) in bars(ax).items()}
    assert found == pytest.approx({"x1": 0.4, "x0 × x1": 0.3, "x0": 0.2})
    top, bottom = ax.get_ylim()[::-1]
    assert top < 0 < bottom


def test_whiskers_are_one_std_over_trees():
    ax = plot_fanova(shares_of(SHARES))
    found = whiskers(ax)
    assert found["x1"] == pytest.approx((0.3, 0.5))
    assert found["x0"] == pytest.approx((0.1, 0.3))
    assert found["x0 × x1"] == pytest.approx((0.3, 0.3))


def test_single_hyperparameters_and_interactions_differ_by_color_and_by_pattern():
    shares = {**SHARES, (2,): [0.0, 0.0], (0, 1, 2): [0.1, 0.1]}
    ax = plot_fanova(shares_of(shares))
    patches = [p for c in ax.containers if isinstance(c, BarContainer) for p in c]
    assert len({patch.get_facecolor() for patch in patches}) == 3
    assert len({patch.get_hatch() for patch in patches}) == 3
    assert legend(ax) == ["alone", "interaction of 2", "interaction of 3"]
    assert bars(ax)["x0"][1] == bars(ax)["x1"][1] != bars(ax)["x0 × x1"][1]


def test_total_effects_are_marked_where_they_are_known():
    ax = plot_fanova(shares_of(SHARES, totals=[0.5, 0.7]))
    assert totals(ax) == pytest.approx({"x0": 0.5, "x1": 0.7})
    assert "total, with all interactions" in legend(ax)
    assert ax.get_xlim()[1] > 0.7
    without = plot_fanova(shares_of(SHARES))
    assert totals(without) == {}
    assert "total, with all interactions" not in legend(without)


def test_conditional_hyperparameters_say_where_they_are_active():
    ax = plot_fanova(one_tree(0.5, 0.3, activity={1: 0.33}))
    assert labels(ax) == ["x0", "x1 (active in 33% of the space)"]
    given = plot_fanova(one_tree(0.5, 0.3, activity={1: 0.33}, given={"x0": [0.0, 0.5]}))
    assert labels(given)[1] == "x1 (active in 33% of the sub-space)"


# ---------------------------------------------------------------------- many


def test_beyond_20_the_smallest_are_one_bar_that_says_how_many():
    result = many(60)
    ax = plot_fanova(result)
    assert len(labels(ax)) == 20
    assert labels(ax)[-1] == "41 other hyperparameters (sum)"
    assert bars(ax)[labels(ax)[-1]][0] == pytest.approx(
        sum(1 / (j + 2) ** 2 for j in range(19, 60))
    )


def test_what_is_folded_keeps_hyperparameters_and_interactions_apart():
    ax = plot_fanova(many(60, order=2))
    assert len(labels(ax)) == 20
    singles, pairs = labels(ax)[-2:]
    assert singles.endswith("other hyperparameters (sum)")
    assert pairs.endswith("other interactions (sum)")
    shown = labels(ax)[:-2]
    n_pairs = sum("×" in label for label in shown)
    assert int(singles.split()[0]) == 60 - (18 - n_pairs)
    assert int(pairs.split()[0]) == 60 * 59 // 2 - n_pairs
    total = sum(length for length, _ in bars(ax).values())
    assert total == pytest.approx(many(60, order=2).shares.sum())


def test_the_whisker_of_a_sum_is_the_std_of_the_sum():
    shares = {(j,): [0.03, 0.04] if j % 2 else [0.04, 0.03] for j in range(24)}
    ax = plot_fanova(shares_of(shares))
    label = "5 other hyperparameters (sum)"
    folded = [0.03, 0.04, 0.03, 0.04, 0.03]  # ties stay in the order of the space
    folded = np.array([folded, 0.07 - np.array(folded)]).sum(axis=1)
    low, high = whiskers(ax)[label]
    assert (high - low) / 2 == pytest.approx(folded.std())


def test_twenty_are_all_shown():
    assert "other" not in " ".join(labels(plot_fanova(many(20))))


# ---------------------------------------------------------------------- words


def test_words_stand_around_the_bars():
    result = one_tree(0.5, cap=0.25, given={"x0": [0.1, 0.5]}, fidelity=0.9812)
    for part in words.subtitle(result, "x0 between 0.1 and 0.5").split("\n"):
        assert part in written(plot_fanova(result))


def test_neighbours_whose_order_is_not_stable_are_named():
    shares = {(0,): [0.5, 0.1, 0.5], (1,): [0.2, 0.4, 0.2], (2,): [0.01, 0.01, 0.01]}
    unstable, stable = shares_of(shares), one_tree(0.5, 0.2)
    assert words.footer(unstable, [("x0", "x1")]) in written(plot_fanova(unstable))
    assert words.footer(stable, []) in written(plot_fanova(stable))


def test_neighbours_that_are_folded_are_not_named():
    shares = {(j,): [0.05 + 0.001 * j, 0.06 - 0.001 * j] for j in range(30)}
    result = shares_of(shares)
    ax = plot_fanova(result)
    shown = [pair for pair in result.unstable_neighbours() if {*pair} <= {*labels(ax)}]
    assert 0 < len(shown) < len(result.unstable_neighbours())
    assert words.footer(result, shown) in written(ax)


def test_a_constant_objective_is_told_in_the_plot():
    ax = plot_fanova(one_tree(0.0, 0.0, variances=np.zeros(1)))
    assert words.CONSTANT in [text.get_text() for text in ax.texts]
    assert ax.get_xlim() == (0.0, 1.0)


# ---------------------------------------------------------------------- figures and text


@pytest.mark.parametrize("width", [3.9, 8.0])
@pytest.mark.parametrize(
    "result",
    [
        one_tree(0.9),
        shares_of(SHARES, totals=[0.5, 0.7], cap=0.3, given={"x0": [0.0, 1.0]}, fidelity=0.9),
        many(30, order=2, names=["name" + "_x" * j for j in range(30)]),
        many(60, names=[f"{'long' * 10}_{j}" for j in range(60)]),
        many(12, order=2, names=NASTY, activity=dict.fromkeys(range(12), 0.3),
             objective_name=NASTY[0]),
        one_tree(0.5, 0.4, objective_name="W" * 200),
    ],
    ids=["one", "plain", "thirty", "sixty", "nasty", "long objective"],
)  # fmt: skip
def test_no_text_leaves_the_figure_or_lies_on_another(result, width):
    ax = plot_fanova(result, width=width)
    figure = ax.figure
    figure.draw_without_rendering()
    for text in texts(ax):
        if text.get_text():
            box = text.get_window_extent()
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


@pytest.mark.parametrize("name", NASTY)
def test_names_are_drawn_as_they_are(name):
    ax = plot_fanova(one_tree(0.5, names=[name], objective_name=name))
    assert not any(text.get_parse_math() or text.get_usetex() for text in texts(ax))
    assert name.replace("\n", "↵")[:6] in labels(ax)[0]
    ax.figure.draw_without_rendering()


def test_names_that_shortening_makes_equal_are_told_apart():
    names = [f"{'a' * 60}{j}{'b' * 60}" for j in range(3)]
    assert len(set(labels(plot_fanova(one_tree(0.5, 0.3, 0.1, names=names))))) == 3


def test_the_figure_grows_with_the_rows():
    def height(d):
        return plot_fanova(many(d)).figure.get_figheight()

    assert height(1) < height(5) < height(15)
    assert height(15) - height(10) == pytest.approx(height(10) - height(5))


def test_it_draws_on_the_axes_it_is_given_and_leaves_style_and_pyplot_alone():
    before = dict(mpl.rcParams)
    figure = Figure(layout="constrained")
    first, second = figure.subplots(1, 2)
    assert plot_fanova(shares_of(SHARES), ax=second) is second
    assert first.containers == []
    figure.draw_without_rendering()
    assert isinstance(plot_fanova(shares_of(SHARES)).figure, Figure)
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def test_a_real_analysis_draws_itself():
    result = hx.importance(tuning_run(30), order=2)
    ax = result.plot()
    frame = result.to_frame()
    found = {label: length for label, (length, _) in bars(ax).items()}
    activity = result.axes[3].activity
    renamed = {"rate_drop": f"rate_drop (active in {activity:.0%} of the space)"}
    expected = {renamed.get(name, name): value for name, value in frame["importance"].items()}
    assert found == pytest.approx(expected)
