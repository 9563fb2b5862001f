import re

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.base.numbers import format_level, format_values
from hpo_explain.methods._engines.conditions import Condition
from hpo_explain.methods._engines.effect_ranges import span
from hpo_explain.methods.effects.regional_partial_dependence import best_split
from hpo_explain.run.subsets import some_rows
from tests.noted import noted


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
def test_a_level_is_written_with_the_digits_that_differ(value, difference, text):
    assert float(format_level(value, difference)) == pytest.approx(float(text), nan_ok=True)
    assert len(format_level(value, difference)) <= 16


def far_from_zero():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    X = space.sample(20, seed=0)
    return hx.Run(space, X, 1e5 + X[:, 0] + 0.1 * X[:, 1], "minimize")


def test_sentences_tell_an_effect_from_a_large_level():
    run = far_from_zero()
    found = hx.changes(run, 0)
    sentence = found.sentence
    start, end = (float(word.strip(",")) for word in sentence.split() if word.startswith("1000"))
    assert start - end == pytest.approx(found.whole_drawn.mean(), abs=0.1)
    at = hx.partial_dependence(run, "x", sample=30).sentence
    assert ": 100000.0" in at
    assert "e+05" not in at
    ax = hx.partial_dependence(run, "x", sample=30).plot()
    ax.figure.canvas.draw()
    assert ax.yaxis.get_offset_text().get_text() == ""


@pytest.mark.parametrize(
    ("low", "high"), [(2.4e9, 2.4e9 + 150.0), (273.15, 273.17), (1e-5, 0.1), (-0.5, 0.5)]
)
def test_ends_of_a_range_have_as_many_digits_as_tell_them_apart(low, high):
    first, last = map(float, format_values([low, high]))
    assert first == pytest.approx(low, abs=0.05 * (high - low))
    assert last == pytest.approx(high, abs=0.05 * (high - low))
    assert max(map(len, format_values([0.123456789, 0.987654321]))) == 6


def test_ranges_in_sentences_have_the_digits_of_their_extent():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"freq_hz": 2.4e9 + rng.uniform(0, 2e5, 30)})
    table["loss"] = ((table["freq_hz"] - 2.40006e9) / 2e5) ** 2
    run = hx.from_frame(table, "loss")
    for text in (
        hx.recommended_space(run).sentence,
        *(action.title for action in hx.advise(run).actions),
    ):
        number = r"([\d.]+(?:e[+-]\d+)?)"
        pairs = re.findall(rf"(?:\[|from ){number}(?:,| to) {number}", text)
        for low, high in pairs:
            assert float(low) < float(high)
    assert "2.4e+09, 2.4e+09" not in hx.recommended_space(run).sentence


def numbers_in(text):
    """Return the frequencies in a text."""
    return [float(text) for text in re.findall(r"2\.4\d*e\+09", text)]


def test_regions_where_an_effect_is_best_and_conditions_have_them_too():
    space = hx.SearchSpace([hx.FloatParameter("freq_hz", 2.4e9, 2.4002e9)])
    X = space.sample(40, seed=0)
    run = hx.Run(space, X, np.abs(X[:, 0] - 0.3), "minimize")
    (region,) = hx.optimum(run).regions
    low, high = numbers_in(region.inside)
    assert low == pytest.approx(region.values[0], abs=2e4)
    assert low < 2.40006e9 < high
    assert len(set(numbers_in(span(2.40005e9, 2.40007e9)))) == 2
    (kept,) = noted(
        hx.recommended_space(some_rows(run, np.flatnonzero(X[:, 0] < 0.5))).notes,
        "it has no trials",
    )
    assert len(set(numbers_in(str(kept)))) == 2
    split = best_split(space, np.array([[0.2], [0.4]]), np.eye(2), np.arange(2), [0], 1)
    for side in split.conditions:
        assert numbers_in(str(side)) == [pytest.approx(2.40006e9, abs=100)]
    within = Condition("freq_hz", 2.40005e9, 2.40006e9, extent=2e5)
    assert len(set(numbers_in(str(within)))) == 2


def test_single_values_in_sentences_have_the_digits_of_their_ranges():
    space = hx.SearchSpace(
        [hx.FloatParameter("freq_hz", 2.4e9, 2.4002e9), hx.FloatParameter("gain", 0.0, 1.0)]
    )
    X = space.sample(40, seed=0)
    run = hx.Run(space, X, (X[:, 0] - 0.3) ** 2 + 0.1 * X[:, 1], "minimize")
    default = {"freq_hz": 2.400150123e9, "gain": 0.123456}
    explained = hx.explain_prediction(run, default, background=20)
    assert explained.value(0) == "2.4001501e+09"
    assert explained.value(1) == "0.1235"
    best = run.incumbent["freq_hz"]
    # where the best is expected at another frequency than was tried
    few = hx.Run(space, X[:20], (X[:20, 0] - 0.3) ** 2 + 1e-3 * X[:20, 1], "minimize")
    optimum = hx.optimum(few)
    assert optimum.config["freq_hz"] != few.incumbent["freq_hz"]
    kept = hx.advise(run).actions[0]
    for text, value in [
        (optimum.claims[0].text, optimum.config["freq_hz"]),
        (kept.title, run.config(kept.trials[0])["freq_hz"]),
        (hx.changes(run, default).change("freq_hz"), best),
    ]:
        assert numbers_in(text)[0] == pytest.approx(value, abs=2e3)
