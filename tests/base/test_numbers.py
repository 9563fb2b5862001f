import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.numbers import format_level


@pytest.mark.parametrize(
    ("value", "difference", "text"),
    [
        (0.123456, 0.1, "0.1235"),
        (12345.678, 1.134, "12345.7"),
        (1e300, 1e-300, "1e+300"),
        (0.0, 1.0, "0"),
        (np.nan, 1.0, "nan"),
    ],
)
def test_a_level_is_written_with_the_digits_that_differ(
    value, difference, text
):
    assert float(format_level(value, difference)) == pytest.approx(
        float(text), nan_ok=True
    )
    assert len(format_level(value, difference)) <= 16


def far_from_zero():
    space = hx.SearchSpace(
        [hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)]
    )
    X = space.sample(20, seed=0)
    return hx.Run(space, X, 1e5 + X[:, 0] + 0.1 * X[:, 1], "minimize")


def test_sentences_tell_an_effect_from_a_large_level():
    run = far_from_zero()
    sentence = hx.methods.ablation(run, source=0).sentence
    start, end = (
        float(word.strip(","))
        for word in sentence.split()
        if word.startswith("1000")
    )
    assert start - end == pytest.approx(
        hx.methods.ablation(run, source=0).total_gain, abs=0.1
    )
    at = hx.partial_dependence(run, "x", sample=30).sentence
    assert ": 100000.0" in at
    assert "e+05" not in at
    ax = hx.partial_dependence(run, "x", sample=30).plot()
    ax.figure.canvas.draw()
    assert ax.yaxis.get_offset_text().get_text() == ""
