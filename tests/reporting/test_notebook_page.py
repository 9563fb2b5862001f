"""A report in a notebook: the page in a frame of its own, with its path."""

import pickle
from pathlib import Path

import pytest

import hpo_explain as hx
from tests.handmade import Page, tuning_run
from tests.reporting.test_browser import DESKTOP, WebDriverWait, shown

pytestmark = [pytest.mark.merge, pytest.mark.usefixtures("few_draws")]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("notebook") / "a <b> page.html"
    parts = ["summary", "advise", "history", "trust"]
    return hx.report(tuning_run(14), path, sections=parts, progress=False)


def test_what_is_written_is_a_path_that_shows_its_page(written):
    assert isinstance(written, Path)
    assert written == Path(str(written))
    assert written.read_text(encoding="utf-8").startswith("<!doctype html>")
    page = Page(written._repr_html_())
    assert page.misnested == []
    (frame,) = [about for tag, about in page.elements if tag == "iframe"]
    assert frame["srcdoc"] == written.read_text(encoding="utf-8")
    assert str(written) in page.text
    assert "allow-same-origin" not in frame["sandbox"]
    again = pickle.loads(pickle.dumps(written))
    assert again == written


def test_where_there_is_no_page_any_more_its_path_is_shown(tmp_path):
    path = hx.report(tuning_run(12), tmp_path / "r.html", sections=["history"], progress=False)
    path.unlink()
    assert path._repr_html_() is None
    assert "r.html" in repr(path)


def test_links_in_the_frame_stay_in_the_frame(browser, written, tmp_path):
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<!doctype html><meta charset=utf-8><h1>Notebook</h1>"
        f"{written._repr_html_()}<footer></footer>",
        encoding="utf-8",
    )
    shown(browser, notebook.as_uri(), DESKTOP)
    frame = browser.find_element("css selector", "iframe")
    browser.switch_to.frame(frame)
    WebDriverWait(browser, 60).until(lambda one: one.find_elements("css selector", ".table"))
    for link, chosen in (("a[href='#trust']", 0), ("a[data-trial]", 1)):
        at = browser.find_element("css selector", f"#summary {link}")
        browser.execute_script("arguments[0].click()", at)
        assert browser.execute_script(
            "return [document.getElementById('trust').open,"
            " document.querySelector('h1').textContent !== 'Notebook',"
            " document.querySelectorAll('.explanation h3').length];"
        ) == [True, True, chosen]
    browser.switch_to.default_content()
    assert browser.current_url == notebook.as_uri()
    assert browser.get_log("browser") == []
