"""The plot of a check of the number of draws: differences with their intervals."""

import numpy as np
import pytest
from matplotlib.container import BarContainer, ErrorbarContainer

import hpo_explain as hx
from tests.handmade import NASTY, explanation, warns_of_glyphs

pytestmark = warns_of_glyphs


def test_bars_are_the_worst_differences_with_their_intervals():
    check = hx.check_sample_size(explanation([[3.0, 0.0], [2.0, 2.0], [0.0, 0.5]], error=0.1))
    ax = check.plot()
    labels = [tick.get_text().replace("\n", " ") for tick in ax.get_yticklabels()]
    assert labels == ["mean x0 − x1", "uncertainty x2 − x0", "total x1 − x0"]
    bars = [p.get_width() for c in ax.containers if isinstance(c, BarContainer) for p in c]
    assert bars == [1.0, 0.5, 1.0]
    whiskers = [c.lines[2][0].get_segments() for c in ax.containers if isinstance(c, ErrorbarContainer)]  # fmt: skip
    halves = [(segment[1][0] - segment[0][0]) / 2.0 for group in whiskers for segment in group]
    np.testing.assert_allclose(halves, check.to_frame()["half_width"])


def test_an_unknown_error_has_no_whisker():
    sampled = explanation(
        [[3.0, 0.0], [2.0, 2.0]], error=None, estimator=hx.facts.fact("x", sampled=True)
    )
    ax = hx.check_sample_size(sampled).plot()
    assert not [c for c in ax.containers if isinstance(c, ErrorbarContainer)]


@pytest.mark.parametrize("terms", [("mean", "uncertainty"), NASTY[:2]])
def test_strange_names_are_drawn(terms):
    phi = np.arange(2.0 * len(NASTY)).reshape(-1, 2)
    made = explanation(phi, names=NASTY, terms=terms)
    hx.check_sample_size(made).plot().figure.figure.canvas.draw()
