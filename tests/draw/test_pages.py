"""Plots in pages: one SVG element, of matplotlib's default style, in which text stays text."""

import re
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

import hpo_explain as hx
from hpo_explain.draw.pages import is_for_pages, plot_svg
from tests.handmade import NASTY, Page, warns_of_glyphs

pytestmark = [warns_of_glyphs, pytest.mark.usefixtures("few_draws")]


def effect(name="x", values=(0.1, 0.9, 0.5, 0.3, 0.2)):
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0)])
    run = hx.Run(
        space, [[v] for v in values], [10 * v for v in values], "minimize", objective_name=name
    )
    return hx.partial_dependence(run, name, sample=20)


@pytest.fixture(scope="module")
def found(few_draws):
    return effect()


def test_a_plot_is_one_svg_element_with_a_text_alternative_as_wide_as_its_place(found):
    svg = plot_svg(found.plot, alt='a < b & "c"')
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert (root.get("role"), root.get("aria-label")) == ("img", 'a < b & "c"')
    assert (root.get("width"), root.get("height")) == (None, None)
    assert root.get("viewBox").split()[2] == "576"  # 8 inches in points
    assert "max-width: 576pt" in root.get("style")
    for forbidden in ("<?xml", "<!DOCTYPE", "<metadata", "<style", "<script", "dc:date"):
        assert forbidden not in svg
    assert not is_for_pages()


def test_the_same_plot_gives_the_same_text_and_ids_are_those_of_no_other_plot(found):
    first, second = (plot_svg(found.plot, alt=alt) for alt in ("one", "two"))
    assert first == plot_svg(found.plot, alt="one")
    ids = [re.findall(r' id="([^"]*)"', svg) for svg in (first, second)]
    for svg, own in zip((first, second), ids, strict=True):
        used = {*re.findall(r"url\(#([^)]*)\)", svg), *re.findall(r'href="#([^"]*)"', svg)}
        assert used
        assert used <= set(own)
        assert len(set(own)) == len(own)
    assert not set(ids[0]) & set(ids[1])


@pytest.mark.parametrize("name", [name for name in NASTY if {*"<>&{"} & {*name}])
def test_nothing_of_a_name_becomes_markup(name):
    result = effect(name)
    page = Page(result._repr_html_())
    assert page.misnested == []
    assert page.tags().isdisjoint({"script", "img", "b", "i", "a"})
    assert not [
        key for _, attributes in page.elements for key in attributes if key.startswith("on")
    ]
    assert page.text.startswith(result.sentence)


@pytest.mark.alike
@pytest.mark.parametrize("style", ["dark_background", "ggplot", "Solarize_Light2"])
def test_the_style_of_the_user_is_neither_used_in_a_page_nor_changed(style, found):
    expected = plot_svg(found.plot, alt="")
    with mpl.rc_context({"text.usetex": True}), mpl.style.context(style):
        before = dict(mpl.rcParams)
        assert plot_svg(found.plot, alt="") == expected
        assert dict(mpl.rcParams) == before
        mpl.rcParams["text.usetex"] = False
        assert found.plot().get_facecolor() == mpl.colors.to_rgba(before["axes.facecolor"])


def test_the_style_is_restored_where_a_plot_fails():
    before = dict(mpl.rcParams)
    with pytest.raises(ZeroDivisionError):
        plot_svg(lambda: 1 / 0, alt="")
    assert dict(mpl.rcParams) == before
    assert not is_for_pages()
