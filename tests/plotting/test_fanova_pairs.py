import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.plotting.fanova_pairs import plot_fanova_pairs
from hpo_explain.wording import fanova as words
from tests.handmade import NASTY, tuning_run, warns_of_glyphs
from tests.plotting.shares import one_tree, shares_of

pytestmark = warns_of_glyphs


def names(ax):
    """(of the columns, of the rows)."""
    return tuple(
        [tick.get_text() for tick in ticks]
        for ticks in (ax.get_xticklabels(), ax.get_yticklabels())
    )


def cells(ax):
    """The share by pair."""
    (mesh,) = [c for c in ax.collections if c.get_array() is not None]
    across, down = names(ax)
    shown = np.ma.masked_invalid(mesh.get_array()).reshape(len(down), len(across))
    return {
        frozenset({across[j], down[i]}): float(shown[i, j])
        for i in range(len(down))
        for j in range(len(across))
        if shown[i, j] is not np.ma.masked
    }


def written(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


PAIRS = {(0,): [0.1, 0.1], (0, 1): [0.1, 0.3], (1, 2): [0.05, 0.05], (0, 3): [0.0, 0.01]}


def many(d, **options):
    return shares_of(
        {(i, j): [0.1 / (i + j)] for i in range(d) for j in range(i + 1, d)}, **options
    )


def test_every_pair_stands_in_one_cell_with_its_mean_share():
    found = cells(plot_fanova_pairs(shares_of(PAIRS)))
    assert found == pytest.approx(
        {
            frozenset({"x0", "x1"}): 0.2, frozenset({"x1", "x2"}): 0.05,
            frozenset({"x0", "x3"}): 0.005, frozenset({"x0", "x2"}): 0.0,
            frozenset({"x1", "x3"}): 0.0, frozenset({"x2", "x3"}): 0.0,
        }
    )  # fmt: skip


def test_those_with_the_largest_interactions_come_first():
    across, down = names(plot_fanova_pairs(shares_of(PAIRS)))
    assert across == ["x1", "x0", "x2"]
    assert down == ["x0", "x2", "x3"]


def test_shares_and_their_std_over_trees_are_written_into_few_cells():
    told = written(plot_fanova_pairs(shares_of(PAIRS)))
    assert "20 ± 10" in told
    assert "5.0 ± 0.0" in told


def test_the_subtitle_says_what_all_pairs_explain_together():
    expected = words.pairs_subtitle(0.255, "x0 between 0.1 and 0.5")
    assert expected in written(plot_fanova_pairs(shares_of(PAIRS, given={"x0": [0.1, 0.5]})))


def test_beyond_20_those_with_the_smallest_interactions_are_counted():
    result = many(30)
    ax = plot_fanova_pairs(result)
    assert [len(entry) for entry in names(ax)] == [19, 19]
    assert f"10 {words.PAIRS_LEFT_OUT[1]} are not shown" in written(ax)
    assert words.pairs_footer(result, False, 0.0) in written(ax)


def test_an_analysis_without_pairs_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"its order is 1\. Ask for them with importance"):
        plot_fanova_pairs(one_tree(0.5, 0.4))


def test_the_colors_have_a_scale_that_begins_at_zero():
    ax = plot_fanova_pairs(shares_of({(0, 1): [0.4], (0, 2): [0.3], (1, 2): [0.2]}))
    (mesh,) = [c for c in ax.collections if c.get_array() is not None]
    assert mesh.get_clim()[0] == 0.0
    assert [other.get_ylabel() for other in ax.figure.axes] == ["", "share of the variance"]


@pytest.mark.parametrize("width", [3.9, 8.0])
@pytest.mark.parametrize(
    "result",
    [
        many(2), many(5), many(30, names=["name" + "_x" * j for j in range(30)]),
        many(12, names=NASTY, objective_name=NASTY[0]), many(4, objective_name="W" * 200),
    ],
    ids=["two", "five", "thirty", "nasty", "long objective"],
)  # fmt: skip
def test_no_text_leaves_the_figure_or_lies_on_another(result, width):
    ax = plot_fanova_pairs(result, width=width)
    figure = ax.figure
    figure.draw_without_rendering()
    for text in [*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts, ax._left_title]:
        box = text.get_window_extent()
        assert box.x0 > -2
        assert box.y0 > -2
        assert box.x1 < figure.bbox.width + 2
        assert box.y1 < figure.bbox.height + 2
    blocks = [text.get_window_extent() for text in [*ax.texts, ax._left_title] if text.get_text()]
    for i, one in enumerate(blocks):
        assert not any(one.padded(-1).overlaps(other) for other in blocks[i + 1 :])


@pytest.mark.parametrize("name", NASTY)
def test_names_are_drawn_as_they_are(name):
    ax = plot_fanova_pairs(many(2, names=[name, "other"], objective_name=name))
    drawn = [*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts, ax._left_title]
    assert not any(text.get_parse_math() or text.get_usetex() for text in drawn)
    assert name.replace("\n", "↵")[:6] in "".join(text.get_text() for text in drawn)


def test_it_draws_on_the_axes_it_is_given_and_leaves_style_and_pyplot_alone():
    before = dict(mpl.rcParams)
    figure = Figure(layout="constrained")
    first, second = figure.subplots(1, 2)
    assert plot_fanova_pairs(many(4), ax=second) is second
    assert not first.collections
    figure.draw_without_rendering()
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def test_a_real_analysis_draws_its_pairs():
    result = hx.importance(tuning_run(30), order=2)
    found = cells(result.plot_interactions())
    frame = result.importance
    expected = {
        frozenset(row.members): row.importance for row in frame.itertuples() if row.order == 2
    }
    assert found == pytest.approx(expected)
