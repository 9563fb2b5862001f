"""The page: what stands on it in which order, how much there is to read, and one fact once."""

import base64
import re

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.catalog.methods import METHODS
from hpo_explain.question import Question
from hpo_explain.reporting import Report
from hpo_explain.reporting.profile import Profile
from tests.chromium import IS_THERE
from tests.handmade import Page, tuning_run
from tests.reporting.pages import write
from tests.reporting.test_browser import DESKTOP, PAPER, PHONE, shown

WebDriverWait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")

OPEN = ["summary", "what-if", "advise", "history"]
MORE = [
    "importance",
    "partial-dependence",
    "optimum",
    "recommended-space",
    "changes",
    "explain-proposal",
    "desirability-path",
    "trust",
    "noise",
    "luck",
    "pruning",
    "timeline",
    "read",
]
GONE = ["parallel-coordinates", "h-statistic", "local-importance", "lime", "slices", "contours"]

# The words that are seen: with a letter, and not rows of the table of trials.
WORDS = """
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
while (walk.nextNode()) {
  const element = walk.currentNode.parentElement;
  if (element.closest("script, style, title, option, .table tbody")) continue;
  if (!element.checkVisibility({contentVisibilityAuto: true})) continue;
  found.push(...walk.currentNode.data.split(/\\s+/).filter(word => /\\p{L}/u.test(word)));
}
return found;
"""
OPENED = "document.querySelectorAll('details').forEach(part => { part.open = true; });"
READY = "return !!document.querySelector('.what-if')?.whatIf && !!document.querySelector('.table');"


def study_of(n, d, name="resnet"):
    """A run of which much is known: who chose what, when it ran, and what failed."""
    space = hx.SearchSpace(
        [
            *(hx.FloatParameter(f"x{j}", 1e-3, 1.0, log=j % 2 == 1) for j in range(d - 1)),
            hx.CategoricalParameter("kind", ["a", "b", "c"]),
        ]
    )
    X = space.sample(n, seed=0)
    noise = np.random.default_rng(0).normal(0.0, 0.01, n)
    y = (X[:, 0] - 0.3) ** 2 + X[:, 1] * X[:, 0] + 0.1 * (X[:, -1] == 0.0) + noise
    return hx.Run(
        space,
        X,
        y,
        "minimize",
        objective_name="loss",
        optimizer="TPE",
        name=name,
        proposals=range(10, n),
        started=60.0 * np.arange(n),
        finished=60.0 * np.arange(n) + 50.0,
        excluded={n: "failed"},
        notes=["one note"],
    )


@pytest.fixture(scope="module")
def run(few_draws, answers_stay):
    return study_of(100, 6)


@pytest.fixture(scope="module")
def report(run):
    return Report.of({"loss": run})


@pytest.fixture(scope="module")
def page(report):
    return Page(str(report.html))


@pytest.fixture(scope="module")
def address(report, tmp_path_factory):
    return report.write(tmp_path_factory.mktemp("page") / "page.html").as_uri()


def opened(browser, address, screen=DESKTOP, scheme="light", media="screen"):
    shown(browser, address, screen, scheme, media)
    WebDriverWait(browser, 60).until(lambda at: at.execute_script(READY))


# ---------------------------------------------------------------------- what there is


def test_the_page_is_a_title_five_lines_the_profiler_what_to_do_the_trials_and_lines(report, page):
    order = [card.anchor for card in report.cards]
    assert order == [*OPEN, *(name for name in MORE if name in order)]
    assert {*MORE} - {*order} == {"noise", "pruning"}  # of which this run has nothing
    sections = [a.get("id") for tag, a in page.elements if tag == "section"]
    assert sections == [*OPEN, "more"]
    assert not {*GONE} & {*page.values("id")}
    assert page.tags().isdisjoint({"nav", "datalist"})


def test_the_title_is_the_study_s_name_and_below_it_stands_the_run_in_a_line(report, page):
    assert report.title == "resnet"
    line = (
        "101 trials (1 without a result that counts) · 6 hyperparameters · minimize loss · TPE · "
        "1970-01-01 00:00 to 01:39 UTC"
    )
    assert page.text.split("In short")[0].split() == ["resnet", "resnet", *line.split()]
    nameless = Report.of({"loss": study_of(12, 3, "")}, sections=["history"])
    assert nameless.title == "Optimization of loss"
    given = Report.of({"loss": study_of(12, 3)}, sections=["history"], title="mine")
    assert given.title == "mine"


def test_nothing_is_open(report, page):
    folds = [attributes for tag, attributes in page.elements if tag == "details"]
    assert len(folds) > 5
    assert all("open" not in attributes for attributes in folds)


def test_each_line_answers_in_a_sentence_and_says_which_function_it_is(report, page):
    paths = {method.called: method.path for method in METHODS}
    for card in report.cards:
        if card.folded and card.anchor != "read":
            assert f"{card.title} {card.headline} {paths[card.anchor]}" in page.text
            assert card.headline.endswith(".")


@pytest.mark.parametrize("name", ["partial-dependence", "optimum", "recommended-space", "changes"])
def test_what_the_profiler_shows_has_a_line_and_no_figure(report, page, name):
    (card,) = [card for card in report.cards if card.anchor == name]
    assert card.body == ""
    assert ("p", {"id": name, "class": "line"}) in page.elements


def test_a_note_is_said_once(page, run):
    assert page.text.count("one note") == 1
    notes = {str(note) for note in (*hx.importance(run, order=2).notes, *hx.trust(run).notes)}
    assert notes
    for note in notes:
        assert page.text.count(note) == 1


def test_a_figure_on_the_page_has_no_title_of_its_own(report, run):
    (card,) = [card for card in report.cards if card.anchor == "importance"]
    heading = hx.importance(run, order=2).described("").heading
    assert heading == "What the loss depends on"
    assert heading not in card.body


def test_share_prediction_and_trial_are_those_that_functions_tell(report, run):
    html = str(report.html)
    shares = hx.importance(run).to_frame()
    for name, row in shares.iterrows():
        share, low, high = (
            f"{row[end]:.0%}" for end in ("with_interactions", "with_lower", "with_upper")
        )
        panel = html[html.index(f"<h3>{name}</h3>") :]
        assert f"<strong>{share}</strong> ({low} to {high})" in panel[: panel.index("</p>")]
    most = shares.loc[shares["with_interactions"].idxmax()]
    hint = f'title="{100 * most.with_interactions:.0f} %, {100 * most.with_lower:.0f} %'
    assert hint in html  # of the line in short
    keep = hx.optimum(run).keep
    assert hx.advise(run).actions[0].trials == (keep,)
    said = f"Predicted loss of trial {keep}, the one to keep</dt><dd><strong>"
    told = html.partition(said)[2].partition("</strong>")[0]
    numbers = [float(text) for text in re.findall(r"-?\d[\d.e-]*", told)]
    found = hx.explain_prediction(run, keep)
    half = float(np.ptp(found.interval)) / 2.0
    assert numbers == pytest.approx([found.prediction, *found.interval], abs=0.06 * half)


def test_the_shaded_range_is_that_of_the_recommended_space(run):
    question = Question(run)
    profile = Profile(question, question.decision, question.belief.whole)
    rows = {row.hyperparameter: row for row in hx.recommended_space(run).rows}
    for panel in profile.panels:
        row, kept = rows[panel.name], panel.paths["kept"]
        assert bool(kept) == (row.share < 1.0)
        if kept and panel.kind == "numbers":
            parameter = run.space[panel.name]
            ends = profile.frame.x(parameter, parameter.encode(list(row.after)))
            start, end = re.match(r"M([\d.]+),[\d.]+V[\d.]+H([\d.]+)V", kept).groups()
            assert [float(start), float(end)] == pytest.approx(ends.tolist(), abs=0.06)


def test_at_most_three_actions_each_with_its_code(report, run):
    (card,) = [card for card in report.cards if card.anchor == "advise"]
    actions = hx.advise(run).actions[:3]
    assert card.body.count("<li>") == len(actions) <= 3
    assert card.body.count('<pre class="code">') == sum(bool(one.code) for one in actions)


def test_of_several_objectives_the_front_is_a_line_under_all():
    run = tuning_run(16)
    time = hx.Run(run.space, run.X, 100.0 * run.X[:, 0], "minimize", objective_name="time")
    report = Report.of({"loss": run, "time": time})
    assert [tab.name for tab in report.tabs] == ["loss", "time"]
    (card,) = report.joint
    assert "on the Pareto front" in card.finding
    html = str(report.html)
    assert html.index('id="together"') > html.index('id="o1-more"')
    ids = re.findall(r'<(?:section|details|p|h2) id="([^"]*)"', html)
    assert len(ids) == len({*ids})


# ---------------------------------------------------------------------- how much there is to read


@pytest.mark.merge
@IS_THERE
def test_a_hundred_trials_of_six_are_450_words_and_1600_with_all_that_is_folded(browser, address):
    opened(browser, address)
    closed = browser.execute_script(WORDS)
    assert 100 < len(closed) <= 450
    browser.execute_script(OPENED)
    assert len(closed) < len(browser.execute_script(WORDS)) <= 1600
    assert browser.get_log("browser") == []


@pytest.mark.merge
@IS_THERE
def test_it_is_printed_on_five_pages(browser, address):
    opened(browser, address, PAPER, media="print")
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    pages = re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"]))
    assert 2 <= len(pages) <= 5
    hidden = "return document.querySelector('.table')?.checkVisibility();"
    assert not browser.execute_script(hidden)


@pytest.mark.merge
@IS_THERE
def test_no_code_has_a_scroll_bar_and_each_is_copied(browser, address):
    for screen in (DESKTOP, PHONE):
        opened(browser, address, screen)
        codes = browser.execute_script(
            "return [...document.querySelectorAll('#advise pre')].map(code =>"
            " [code.scrollHeight - code.clientHeight, code.scrollWidth - code.clientWidth,"
            " code.previousElementSibling.textContent]);"
        )
        assert codes
        assert all(code == [0, 0, "Copy"] for code in codes)


# ---------------------------------------------------------------------- five questions


STUDIES = {"three": (20, 3), "six": (100, 6), "ten": (60, 10)}
FOLD = 1.5  # screens
# What is seen without scrolling further than a screen and a half, and where it begins.
SEEN = """
const least = arguments[0] * innerHeight, top = scrollY;
const parts = "main dd, main h3, main strong, .profile-head button, .profile-plot text";
return [...document.querySelectorAll(parts)]
  .filter(part => part.checkVisibility() && part.getBoundingClientRect().bottom + top <= least)
  .map(part => part.textContent.trim());
"""


@pytest.fixture(scope="module", params=STUDIES)
def asked(request, few_draws, answers_stay, tmp_path_factory):
    run = study_of(*STUDIES[request.param])
    path = tmp_path_factory.mktemp("asked") / "page.html"
    return run, write(run, path).as_uri()


@pytest.mark.merge
@IS_THERE
def test_five_questions_are_answered_on_a_screen_and_a_half(browser, asked):
    """A stranger asks; no answer needs more than two interactions."""
    run, address = asked
    opened(browser, address, {"width": 1300, "height": 900, "pixelRatio": 1.0})
    seen = browser.execute_script(SEEN, FOLD)
    # which matters most: the first panel, and the second line
    importance = hx.importance(run).to_frame().sort_values("with_interactions", ascending=False)
    most = importance.index[0]
    panels = [text for text in seen if text in run.space.names]
    assert panels == [*importance.index[: len(panels)]]
    assert len(panels) >= min(4, len(run.space))
    assert f"{importance.with_interactions.iloc[0]:.0%}" in seen
    assert any(text.startswith(f"{most} matters most") for text in seen)
    # what range is good: the third line, and the shaded part of a panel
    space = hx.recommended_space(run)
    assert hx.summary(run).lines[2] in seen
    kept = browser.execute_script(
        "return [...document.querySelectorAll('.profile')].filter(one =>"
        " one.querySelector('.kept').getAttribute('d')).map(one =>"
        " one.querySelector('h3').textContent);"
    )
    assert {*kept} == {row.hyperparameter for row in space.narrowed}
    # the configuration to keep, and to try
    keep = hx.optimum(run).keep
    assert f"trial {keep}, to keep" in seen
    config = run.config(keep)
    fields = browser.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('.profile')].map(one =>"
        " [one.querySelector('h3').textContent,"
        " one.querySelector('.setting text').textContent]));"
    )
    for name, value in config.items():
        shown_value = fields[name]
        assert (
            shown_value == value
            if isinstance(value, str)
            else float(shown_value) == (pytest.approx(value, rel=1e-3))
        )
    tries = [a for a in hx.advise(run).actions if a.kind == "try"]
    assert bool(tries) == ("try next" in seen)
    # how sure: the interval beside the prediction
    before = browser.find_element("css selector", ".what-if-answers dd").text
    assert re.fullmatch(r"\S+ \(\S+ to \S+\)", before)
    # what happens at another value: one drag
    from selenium.webdriver.common.action_chains import ActionChains

    plot = browser.find_element("css selector", ".profile-plot.joined")
    browser.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'});", plot
    )
    wide = plot.size["width"]
    ActionChains(browser).move_to_element(plot).click_and_hold().move_by_offset(
        int(0.3 * wide), 0
    ).release().perform()
    WebDriverWait(browser, 30).until(
        lambda at: at.find_element("css selector", ".what-if-answers dd").text != before
    )
    answers = browser.find_element("css selector", ".what-if-answers").text
    assert re.search(r"(probably )?(not )?better: [<>]? ?\d+ %", answers)
