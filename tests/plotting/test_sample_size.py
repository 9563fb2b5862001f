"""The plot of a check of the number of draws: contributions, and the error of their sum."""

import numpy as np
import pytest
from matplotlib.container import BarContainer, ErrorbarContainer

import hpo_explain as hx
from tests.handmade import NASTY, explanation, warns_of_glyphs

pytestmark = warns_of_glyphs


def check(phi, **changes):
    gaps = {"mean": 0.1, "uncertainty": 0.2, "total": 0.3}
    return hx.check_sample_size(explanation(phi, efficiency_gap=gaps, error=None, **changes))


def test_bars_are_contributions_with_the_terms_error_as_whiskers():
    ax = check([[3.0, 0.0], [2.0, 2.0], [0.0, 0.0]]).plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["x1", "x0"]
    bars = [[p.get_width() for p in c] for c in ax.containers if isinstance(c, BarContainer)]
    assert bars == [[2.0, 3.0], [2.0, 0.0]]
    whiskers = [c.lines[2][0].get_segments() for c in ax.containers if isinstance(c, ErrorbarContainer)]  # fmt: skip # noqa: E501
    halves = [(segment[1][0] - segment[0][0]) / 2.0 for group in whiskers for segment in group]
    np.testing.assert_allclose(halves, [0.1, 0.1, 0.2, 0.2, 0.3, 0.3])
    assert ax.get_xlabel().startswith("contribution to LCB")


def test_at_most_20_are_drawn():
    ax = check(np.arange(1.0, 51.0).reshape(25, 2)).plot()
    assert len(ax.get_yticklabels()) == 20
    assert "5 smaller ones are not shown" in " ".join(t.get_text() for t in ax.texts)


@pytest.mark.parametrize("terms", [("mean", "uncertainty"), NASTY[:2]])
def test_strange_names_are_drawn(terms):
    phi = np.ones((len(NASTY), 2))
    gaps = dict.fromkeys([*terms, "total"], 0.1)
    made = explanation(phi, names=NASTY, terms=terms, efficiency_gap=gaps)
    hx.check_sample_size(made).plot().figure.figure.canvas.draw()
