"""What a page leads to: from its lines to sections, from numbers of trials to why."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np
import pytest
from markupsafe import escape

import hpo_explain as hx
from hpo_explain.base.phrases import printable
from hpo_explain.question import Question
from hpo_explain.reporting import Report
from tests.handmade import NASTY, tuning_run, warns_of_glyphs
from tests.reporting.pages import write
from tests.reporting.test_browser import DESKTOP, WebDriverWait, shown

pytestmark = [
    pytest.mark.merge,
    warns_of_glyphs,
    pytest.mark.usefixtures("empty_figures", "few_draws", "answers_stay"),
]
SECTIONS = ("summary", "advise", "history", "importance", "optimum", "trust")


class Links(HTMLParser):
    """The trials to which elements of a page lead."""

    def __init__(self):
        super().__init__()
        self.trials = set()

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.trials |= {v for name, v in attributes if name == "data-trial"}


def html_of(runs, *sections):
    runs = runs if isinstance(runs, dict) else {"loss": runs}
    return str(Report.of(runs, sections=sections).html)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    run = tuning_run(20, excluded={20: "failed"})
    path = tmp_path_factory.mktemp("leads") / "page.html"
    return run, write(run, path, title="A page", sections=SECTIONS).as_uri()


def test_each_line_leads_to_the_section_of_the_function_that_it_is_about():
    run = tuning_run(20)
    html = html_of(run, *SECTIONS)
    lines = re.findall(r"<dt>(.*?)</dt>\n<dd>(.*?)</dd>", html)
    summary = hx.summary(run)
    assert len(lines) == len(summary.lines)
    for (question, _), name in zip(lines, summary.answered_by, strict=True):
        anchor = name.replace("_", "-")
        is_shown = anchor in SECTIONS
        assert (f'<a href="#{anchor}">' in question) == is_shown
        assert (f' id="{anchor}"' in html) == is_shown
        # what is said is an answer of that function, in short
        asked = Question(run).ask(getattr(hx, name))
        assert asked.claims


def test_a_share_says_its_interval_where_it_is_pointed_at():
    run = tuning_run(20)
    html = html_of(run, "summary")
    claim = hx.importance(run).claims[0]
    share, low, high = (f"{100 * end:.0f} %" for end in (claim.estimate, *claim.interval))
    hint = f'title="{share}, {low} to {high} (95% interval)">'
    words = r"(about|nearly|less than) [a-z ]+ variation<"
    assert re.search(re.escape(hint) + words, html)


def test_links_of_several_objectives_lead_to_their_own_tab():
    runs = {"loss": tuning_run(12), "time": tuning_run(14)}
    html = html_of(runs, "summary", "history")
    anchors = {*re.findall(r' id="([^"]*)"', html)}
    targets = {*re.findall(r'href="#([^"]*)"', html)}
    assert "@" not in "".join(targets)
    assert targets <= anchors
    assert {"history", "o1-history"} <= targets


def test_without_the_history_a_number_of_a_trial_is_no_link():
    html = html_of(tuning_run(12), "summary")
    assert "data-trial" in html
    assert "#history" not in html


def test_a_number_of_a_trial_leads_to_why_it_was_tried(browser, page):
    run, address = page
    shown(browser, address, DESKTOP)
    WebDriverWait(browser, 60).until(lambda at: at.find_elements("css selector", ".table"))
    assert (
        browser.execute_script(
            "const link = document.querySelector('#advise a[data-trial]');"
            "link.click(); return Number(link.dataset.trial);"
        )
        == Question(run).decision.keep
    )
    told = browser.find_element("css selector", ".explanation h3").text
    assert told == f"Trial {Question(run).decision.keep}"
    assert browser.current_url.endswith("#history")
    assert browser.get_log("browser") == []


def test_a_line_leads_to_its_section_which_is_open_then_and_stays_so(browser, page):
    _, address = page
    shown(browser, address, DESKTOP)
    is_open = "return document.getElementById('trust').open;"
    assert not browser.execute_script(is_open)
    browser.find_element("css selector", "#summary a[href='#trust']").click()
    assert browser.execute_script(is_open)
    for _ in range(2):
        shown(browser, address, DESKTOP)
        assert browser.execute_script(is_open)
        assert not browser.execute_script("return document.getElementById('importance').open;")
    browser.execute_script("document.querySelector('#trust > summary').click();")
    shown(browser, address, DESKTOP)
    assert not browser.execute_script(is_open)


@pytest.mark.parametrize("left", ["not json", "{}", '[["trust", "yes"], 7]', '[["<b>", true]]'])
def test_what_others_left_in_the_memory_harms_nothing(browser, page, left):
    _, address = page
    shown(browser, address, DESKTOP)
    browser.execute_script(
        "for (const key of Object.keys(localStorage)) localStorage.setItem(key, arguments[0]);"
        "localStorage.setItem(`hpo_explain ${location.pathname}`, arguments[0]);",
        left,
    )
    shown(browser, address, DESKTOP)
    assert not browser.execute_script("return document.getElementById('trust').open;")
    assert browser.get_log("browser") == []
    browser.execute_script("localStorage.clear();")


# a line that breaks stands in the body where it is told of alone
@pytest.mark.parametrize(
    "names",
    [[name for name in NASTY if "\n" not in name], ["new\nline"]],
    ids=["one line", "two lines"],
)
def test_no_name_makes_a_link(names):
    forged = [f'{name} href="#@history" <a href="#@history" data-trial="3">3</a>' for name in names]
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in forged])
    run = hx.Run(space, space.sample(6, seed=0), np.arange(6.0), "minimize")
    html = html_of(run, "summary", "what-if", "history")
    body = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    for name in names:
        assert str(escape(printable(name))) in body
    # as text of an attribute, such as the label of a figure, it links nothing
    links = Links()
    links.feed(body)
    assert links.trials
    assert "3" not in links.trials


def test_the_first_section_is_painted_before_any_script_is_read(page):
    """What is folded, the script and its data come after it, and nothing is fetched."""
    html = Path(url2pathname(urlsplit(page[1]).path)).read_text("utf-8")
    first = html.index('<section id="summary"')
    assert html.index("</style>") < first
    assert html.index("<script") > html.index("</section>", first)
    assert html.index("<details id=") > html.index("</section>", first)
