"""One description, two renderers: both draw the numbers that were computed."""

import json
import sys

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import hpo_explain as hx
from hpo_explain.base.figures.marks import LOOKS, ON_DARK, PAPER
from hpo_explain.base.numbers import format_value
from tests.handmade import tuning_run

RUN = tuning_run(20)


@pytest.mark.parametrize("name", [p.name for p in RUN.space.parameters])
def test_plotly_draws_the_effect_that_was_computed(name):
    pytest.importorskip("plotly")
    found = hx.partial_dependence(RUN, name, sample=10)
    figure = found.to_plotly()
    axis = [
        np.asarray(t[k], dtype=float)
        for t in figure.data
        for k in "xy"
        if t[k] is not None and not any(value is None for value in t[k])
    ]
    drawn = np.concatenate(axis)
    assert all(np.isclose(drawn, value).any() for value in found.mean)
    assert name in figure.layout.title.text


def test_plotly_draws_the_steps_of_ablation():
    pytest.importorskip("plotly")
    found = hx.changes(RUN)
    bars = [t for t in found.to_plotly(view="path").data if t.type == "bar"]
    assert sum(len(bar.x) for bar in bars) == len(found.steps)


def test_pyplot_knows_a_figure_only_where_it_is_in_use(monkeypatch):
    found = hx.partial_dependence(RUN, RUN.space.names[0], sample=10)
    from matplotlib import pyplot as plt

    ax = found.plot()
    assert plt.gcf() is ax.figure
    before = plt.get_fignums()
    found._repr_html_()
    assert plt.get_fignums() == before
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot")
    found.plot()
    assert plt.get_fignums() == before


def test_a_trial_says_its_number_its_value_and_its_configuration_when_it_is_pointed_at():
    pytest.importorskip("plotly")
    said = [text for t in hx.history(RUN).to_plotly().data for text in t.hovertext or ()]
    lines = [text.split("<br>") for text in said if text.startswith("trial ")]
    assert {line[0].split(":")[0] for line in lines} == {f"trial {t}" for t in RUN.trials}
    one = next(line for line in lines if line[0].startswith("trial 3:"))
    assert one[1:] == [f"{k} = {format_value(v, width=60)}" for k, v in RUN.config(3).items()]


def test_bars_and_effects_say_names_and_values_when_they_are_pointed_at():
    pytest.importorskip("plotly")
    found = hx.importance(RUN)
    bars = [text for t in found.to_plotly().data if t.type == "bar" for text in t.hovertext]
    name, share = (found.importance.index[0], found.importance["importance"].iloc[0])
    assert any(text.startswith(f"{name}: {share:.1%}") for text in bars)
    effect = hx.partial_dependence(RUN, "booster", sample=10).to_plotly()
    said = [text for t in effect.data for text in t.hovertext or ()]
    assert any(text.startswith("booster: dart (10)<br>predicted loss: ") for text in said)


def luminance(color):
    """The relative luminance of a color (WCAG 2)."""
    values = np.array(to_rgb(color))
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def test_what_stands_for_a_color_is_seen_on_a_dark_page():
    ground = luminance(ON_DARK[PAPER])
    for look in LOOKS.values():
        color = ON_DARK.get(look.color, look.color)
        if color != "white":
            assert (luminance(color) + 0.05) / (ground + 0.05) >= 3.0, look


def test_a_dark_figure_has_no_ink_of_a_light_one():
    pytest.importorskip("plotly")
    for found in (hx.history(RUN), hx.importance(RUN)):
        light, dark = found.to_plotly(), found.to_plotly(dark=True)
        assert dark.layout.paper_bgcolor == ON_DARK[PAPER]
        shown = json.dumps(json.loads(dark.to_json())["data"])
        for color in {*ON_DARK, "black"} - {*ON_DARK.values()}:
            assert f'"{color}"' not in shown
        assert [t.type for t in light.data] == [t.type for t in dark.data]
