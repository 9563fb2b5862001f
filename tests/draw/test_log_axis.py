import numpy as np
import pytest
from matplotlib.figure import Figure

from hpo_explain.draw._log_axis import make_log


def labels(values, low, high, **options):
    ax = Figure(figsize=(8, 3)).add_subplot()
    make_log(ax.xaxis, values, **options)
    ax.set_xlim(low, high)
    ax.figure.canvas.draw()
    places = [x for x in ax.get_xticks() if low <= x <= high]
    texts = dict(zip(ax.get_xticks(), (t.get_text() for t in ax.get_xticklabels()), strict=True))
    assert all(t.get_text() == "" for t in ax.get_xticklabels(minor=True))
    return {float(f"{x:.6g}"): texts[x] for x in places}


def test_powers_of_ten_beyond_the_ordinary_are_written_with_a_raised_exponent():
    assert labels([1e-6, 1e-2], 1e-6, 1e-2) == {
        1e-6: "10⁻⁶",
        1e-5: "10⁻⁵",
        1e-4: "10⁻⁴",
        1e-3: "10⁻³",
        1e-2: "10⁻²",
    }
    assert labels([1.0, 1e12], 1.0, 1e12)[1e12] == "10¹²"


def test_ordinary_numbers_are_written_out():
    assert labels([0.001, 10.0], 0.001, 10.0) == {
        0.001: "0.001",
        0.01: "0.01",
        0.1: "0.1",
        1.0: "1",
        10.0: "10",
    }


def test_whole_numbers_are_written_out_however_large():
    assert labels([16, 65536], 16, 65536)[10000.0] == "10000"


def test_a_short_axis_has_numbers_between_the_powers():
    assert labels([2e-5, 8e-4], 2e-5, 8e-4) == {
        2e-5: "2×10⁻⁵",
        5e-5: "5×10⁻⁵",
        1e-4: "10⁻⁴",
        2e-4: "2×10⁻⁴",
        5e-4: "5×10⁻⁴",
    }
    assert len(labels([0.21, 0.48], 0.21, 0.48)) >= 3  # no power of ten at all


def test_a_narrow_panel_has_few_numbers():
    assert len(labels([1e-8, 1.0], 1e-8, 1.0, few=True)) <= 4
    assert [*labels([10, 40], 9, 41, few=True)] == [10.0, 20.0]  # one would not tell the scale


@pytest.mark.parametrize("values", [[5e-324, 1e-300], [1e280, 1e290]])
def test_extreme_ranges_are_written(values):
    texts = labels(values, *values)
    assert all("10" in text for text in texts.values())
    assert np.all(np.diff(list(texts)) > 0)
