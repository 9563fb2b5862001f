"""A report whose figures plotly draws in the browser."""

import base64
import gzip
import json
import re
import sys

import pytest

import hpo_explain as hx
from tests.handmade import tuning_run

pytest.importorskip("plotly", reason="plotly draws the figures")
pytestmark = [pytest.mark.merge, pytest.mark.usefixtures("few_draws")]
SECTIONS = ["summary", "trust", "importance"]


@pytest.fixture(scope="module")
def page(few_draws, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "r.html"
    return hx.report(tuning_run(14), path, sections=SECTIONS, interactive=True, progress=False)


def test_every_figure_carries_what_plotly_draws_and_the_page_stays_small(page):
    text = page.read_text(encoding="utf-8")
    assert len(text) < 5e6
    held = re.findall(r'<script type="text/plain" class="figure">(.*?)</script>', text)
    unpacked = [gzip.decompress(base64.b64decode(one)) for one in held]
    assert len(held) == text.count("<figure>") >= len(SECTIONS) - 1
    assert all(json.loads(one)["data"] for one in unpacked)
    assert len(re.findall(r"https?://(?!www\.w3\.org)", text)) == 0


def test_a_page_that_is_not_asked_to_has_no_script_of_plotly(tmp_path):
    path = hx.report(tuning_run(14), tmp_path / "r.html", sections=["trust"], progress=False)
    text = path.read_text(encoding="utf-8")
    assert "blob:;" not in text
    assert 'id="plotly"' not in text


def test_without_plotly_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(ImportError, match="pip install plotly"):
        hx.report(tuning_run(14), tmp_path / "r.html", sections=["trust"], interactive=True)


def test_a_browser_draws_the_figures_that_are_in_sight(browser, page):
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(page.as_uri())
    browser.execute_script("document.querySelector('#trust').open = true;")
    drawn = "return document.querySelectorAll('figure .js-plotly-plot .main-svg').length"
    WebDriverWait(browser, 60).until(lambda b: b.execute_script(drawn) > 0)
    assert browser.get_log("browser") == []
