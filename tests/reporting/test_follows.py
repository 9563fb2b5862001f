"""A page that is open is read again when its file was written anew, and one reads on."""

from dataclasses import replace

import pytest

from hpo_explain.reporting import Report
from tests.handmade import tuning_run
from tests.reporting.test_browser import LAPTOP, shown

pytestmark = [pytest.mark.merge, pytest.mark.usefixtures("few_draws", "answers_stay")]
SECTIONS = ("summary", "advise", "history", "trust", "explain-proposal")


def report_on(n):
    report = Report.of({"loss": tuning_run(n)}, sections=SECTIONS)
    return replace(report, version=f"of{n}")


def wait(browser, seconds, script, *arguments):
    ui = pytest.importorskip("selenium.webdriver.support.ui")
    return ui.WebDriverWait(browser, seconds).until(
        lambda at: at.execute_script(script, *arguments)
    )


TABLE = "return document.readyState === 'complete' && !!document.querySelector('.table');"
LOOK = "document.dispatchEvent(new Event('visibilitychange'));"  # as who comes back
HAS = "return document.readyState === 'complete' && document.body.innerText.includes(arguments[0]);"


def test_the_open_page_is_read_again_and_the_reader_stays_in_their_place(browser, tmp_path):
    path = report_on(16).write(tmp_path / "a page #1?.html")
    shown(browser, path.as_uri(), LAPTOP)
    wait(browser, 30, TABLE)
    browser.execute_script(
        "document.querySelector('#trust > summary').click();"
        "document.querySelector('.trial[data-trial=\"3\"]').dispatchEvent(new MouseEvent('click'));"
        "document.getElementById('trust').scrollIntoView({behavior: 'instant'});"
        "window.before = true;"
    )
    where = "return document.getElementById('trust').getBoundingClientRect().top;"
    top = browser.execute_script(where)
    # longer above the place: what to do next, and the marks of trials
    report_on(22).write(path)
    browser.execute_script(LOOK)
    wait(browser, 30, HAS, "22 trials")
    wait(browser, 30, TABLE)
    assert browser.execute_script("return window.before") is None
    assert browser.execute_script(
        "return [document.getElementById('trust').open,"
        " document.querySelector('.explanation h3').textContent];"
    ) == [True, "Trial 3"]
    assert abs(browser.execute_script(where) - top) <= 2.0
    assert browser.get_log("browser") == []


def test_a_page_that_is_the_same_is_not_read_again(browser, tmp_path):
    report = report_on(12)
    path = report.write(tmp_path / "p.html")
    shown(browser, path.as_uri(), LAPTOP)
    browser.execute_script(
        "window.before = true; window.looks = 0;"
        "window.addEventListener('message', () => { window.looks += 1; });"
    )
    report.write(path)
    for looks in (1, 2):
        browser.execute_script(LOOK)
        wait(browser, 30, "return window.looks >= arguments[0];", looks)
    assert browser.execute_script("return window.before;")
    assert browser.execute_script("return document.querySelectorAll('iframe').length;") <= 1
    path.unlink()
    browser.execute_script(LOOK)
    wait(browser, 30, "return !!document.querySelector('iframe');")
    assert browser.execute_script("return window.before;")


def test_no_other_window_has_it_read_again(browser, tmp_path):
    path = report_on(12).write(tmp_path / "p.html")
    shown(browser, path.as_uri(), LAPTOP)
    browser.execute_script(
        "window.before = true; window.looks = 0;"
        "window.addEventListener('message', () => { window.looks += 1; });"
        "window.postMessage({version: 'another'}, '*');"
    )
    browser.execute_script(LOOK)
    wait(browser, 30, "return window.looks >= 2;")
    assert browser.execute_script("return window.before;")


@pytest.mark.thorough
def test_versions_are_those_of_what_is_shown():
    one, other = report_on(12), report_on(13)
    assert one.html == report_on(12).html
    assert one.version != other.version
    assert f'name="version" content="{one.version}"' in str(one.html)
    plain = str(replace(one, version="").html)
    assert 'name="version"' not in plain
    assert "frame-src" not in plain
