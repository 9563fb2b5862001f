import re
import threading
import time
import warnings
from functools import cache
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.plotting.html import figure_svg, plot_svg, result_html
from tests.handmade import NASTY, Page, explanation, warns_of_glyphs

pytestmark = warns_of_glyphs

PHI = [[0.1, -0.02], [-0.5, 0.1], [0.3, 0.05]]


def svg_of(result, alt="what it shows"):
    return figure_svg(result.plot().figure, alt=alt)


@cache
def partial_dependence():
    table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    return hx.partial_dependence(table, "x", objective="loss", sample=20)


def references(svg):
    return {*re.findall(r"url\(#([^)]*)\)", svg), *re.findall(r'href="#([^"]*)"', svg)}


def ids(svg):
    return re.findall(r' id="([^"]*)"', svg)


def test_a_figure_is_one_svg_element_with_a_text_alternative():
    svg = svg_of(explanation(PHI), alt='a < b & "c"')
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'a < b & "c"'
    assert svg.startswith("<svg")


def test_a_figure_is_as_wide_as_its_place_allows():
    root = ElementTree.fromstring(svg_of(explanation(PHI)))
    assert root.get("width") is None
    assert root.get("height") is None
    assert root.get("viewBox").split()[2] == "576"  # 8 inches in points
    assert "max-width: 576pt" in root.get("style")


def test_text_stays_text():
    svg = svg_of(explanation([[0.1, 0.2]], names=["学习率"], config={"学习率": "😀"}))
    assert "学习率 = 😀" in Page(svg).text


def test_a_figure_has_neither_date_nor_prolog_nor_a_style_for_the_whole_page():
    svg = svg_of(explanation(PHI))
    for forbidden in ("<?xml", "<!DOCTYPE", "<metadata", "<style", "<script", "dc:date"):
        assert forbidden not in svg


def test_the_same_figure_gives_the_same_text():
    assert svg_of(explanation(PHI)) == svg_of(explanation(PHI))


def test_ids_are_unique_within_a_figure_and_between_figures_and_every_reference_is_found():
    first, second = svg_of(explanation(PHI)), svg_of(explanation([[0.2, 0.3]]))
    for svg in (first, second):
        assert references(svg)
        assert references(svg) <= set(ids(svg))
    assert len({*ids(first), *ids(second)}) == len(ids(first)) + len(ids(second))


def test_names_that_look_like_references_stay_text():
    name = 'url(#a) id="b"'
    svg = svg_of(explanation([[0.1, 0.2]], names=[name], config={name: 1}))
    assert f"{name} = 1" in Page(svg).text


@pytest.mark.parametrize("name", NASTY)
def test_nothing_of_a_name_becomes_markup(name):
    result = explanation(
        [[0.1, 0.2]], names=[name], config={name: name}, objective_name=name, acquisition=name
    )
    page = Page(result_html(result, text=result.sentence))
    assert page.misnested == []
    assert page.tags().isdisjoint({"script", "img", "b", "i", "a"})
    assert not [
        key for _, attributes in page.elements for key in attributes if key.startswith("on")
    ]
    assert page.text.startswith(result.sentence)
    assert name.replace("\n", "↵")[:6] in page.text


def test_a_result_shows_its_sentence_its_plot_and_every_row_of_its_table():
    result = explanation(PHI, names=["lr", "layers", "momentum"])
    page = Page(result._repr_html_())
    assert result.sentence in page.text
    assert {"svg", "table"} <= page.tags()
    for name in result.names:
        assert len(re.findall(name, page.text)) >= 2  # in the plot and in the table
    assert page.values("aria-label") == [result.sentence]


def test_the_style_of_the_user_is_neither_used_nor_changed():
    expected = plot_svg(explanation(PHI).plot, alt="")
    with mpl.rc_context({"figure.facecolor": "black", "text.usetex": True, "font.size": 30}):
        before = dict(mpl.rcParams)
        assert plot_svg(explanation(PHI).plot, alt="") == expected
        assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(
    "style", ["dark_background", "ggplot", "seaborn-v0_8", "Solarize_Light2", "bmh", "grayscale"]
)
def test_no_style_sheet_reaches_a_page(style):
    effect = partial_dependence()
    results = [explanation(PHI), effect]
    expected = [plot_svg(result.plot, alt="") for result in results]
    with mpl.rc_context(), mpl.style.context(style):
        assert [plot_svg(result.plot, alt="") for result in results] == expected


def test_a_plot_of_the_users_own_has_their_style():
    with mpl.rc_context({"axes.facecolor": "black", "text.color": "red"}):
        ax = explanation(PHI).plot()
    assert mpl.colors.to_hex(ax.get_facecolor()) == "#000000"
    assert mpl.colors.to_hex(ax.texts[0].get_color()) == "#ff0000"


def test_while_plots_are_drawn_other_threads_have_their_own_settings_and_warnings():
    result, stop = explanation(PHI), threading.Event()
    wrong, heard, warned = [], [], []

    def draw():
        while not stop.is_set():
            result._repr_html_()

    with mpl.rc_context({"font.size": 17.0}), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: heard.append(str(message))
        filters = [*warnings.filters]
        threads = [threading.Thread(target=draw) for _ in range(2)]
        for thread in threads:
            thread.start()
        end, k = time.monotonic() + 0.7, 0
        while time.monotonic() < end:
            title = mpl.figure.Figure().suptitle("mine")
            k += 1
            wrong += [mpl.rcParams["font.size"] != 17.0, title.get_color() != "black"]
            if k == 1:
                mpl.rcParams["lines.linewidth"] = 4.5
            warnings.warn(f"mine {k}", stacklevel=1)
            warned.append(f"mine {k}")
            time.sleep(0.001)
        stop.set()
        for thread in threads:
            thread.join()
        assert warned
        assert not any(wrong)
        assert mpl.rcParams["lines.linewidth"] == 4.5
        assert warnings.filters == filters
        assert set(warned) <= set(heard)


def test_saving_changes_no_global_style_even_if_it_fails():
    class Broken(mpl.figure.Figure):
        def draw(self, *args, **kwargs):
            raise OSError("no space left")

    before = dict(mpl.rcParams)
    with pytest.raises(OSError, match="no space left"):
        figure_svg(Broken(), alt="")
    assert dict(mpl.rcParams) == before


def test_plots_drawn_in_several_threads_are_the_same_and_leave_the_style_alone():
    results = [explanation(np.array(PHI) * (k + 1)) for k in range(4)]
    expected = [plot_svg(result.plot, alt="") for result in results]
    before, found = dict(mpl.rcParams), [""] * 4

    def draw(k):
        found[k] = plot_svg(results[k].plot, alt="")

    threads = [threading.Thread(target=draw, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected
    assert dict(mpl.rcParams) == before
