"""The trials of a page: their history, and the table that is sorted, filtered and searched."""

import base64
import gzip
import json
import re

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.reporting import Report
from hpo_explain.reporting.trials import _ticks
from hpo_explain.run import WithoutResult
from tests.chromium import IS_THERE
from tests.handmade import tuning_run
from tests.reporting.pages import content_of, write
from tests.reporting.test_browser import DESKTOP, shown

WebDriverWait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")


def data_in(body):
    """What the table is made from."""
    (letters,) = re.findall(r'class="trials-data">(.*?)</script>', body)
    return json.loads(gzip.decompress(base64.b64decode(letters)))


def column(data, name):
    (found,) = [one for one in data["columns"] if one["name"] == name]
    labels = found.get("labels")
    return [labels[at] if labels and at is not None else at for at in found["values"]]


@pytest.fixture(scope="module")
def run(few_draws, answers_stay):
    return tuning_run(
        20,
        excluded={20: "its loss is nan"},
        without_result={21: WithoutResult("failed", np.full(4, np.nan))},
        started=10.0 * np.arange(20),
        finished=10.0 * np.arange(20) + 2.5,
    )


@pytest.fixture(scope="module")
def body(run):
    return content_of("history", run).body


# ---------------------------------------------------------------------- what is in it


def test_the_table_has_number_state_objective_duration_and_values_of_every_trial(run, body):
    data = data_in(body)
    names = [one["name"] for one in data["columns"]]
    assert names == ["trial", "state", "loss", "seconds", *run.space.names]
    assert column(data, "trial") == [*range(22)]
    assert column(data, "state")[19:] == ["finished", "its loss is nan", "failed"]
    np.testing.assert_allclose(column(data, "loss")[:20], run.objective, rtol=1e-5)
    assert column(data, "loss")[20:] == [None, None]
    assert column(data, "seconds")[:20] == [2.5] * 20
    for name in run.space.names:
        for told, config in zip(column(data, name), map(run.config, range(20)), strict=False):
            value = config.get(name)
            is_text = value is None or isinstance(value, str)
            assert told == (value if is_text else pytest.approx(value, rel=1e-5))


def test_a_trial_without_an_explanation_says_who_chose_it(run, body):
    why = data_in(body)["why"]
    told = [why["labels"][at] for at in why["values"]]
    assert "No model chose this trial" in told[0]
    assert told[15].startswith("chosen by")
    assert str(15) in data_in(body)["explained"]


def test_the_history_has_axes_with_numbers_and_a_mark_for_every_trial(run, body):
    assert len(re.findall(r'data-trial="\d+"', body)) == 22
    texts = re.findall(r"<text[^>]*>(.*?)</text>", body)
    assert texts[0] == "loss"
    numbers = [float(text) for text in texts[1:]]
    assert len(numbers) >= 6
    assert {0.0, 20.0} <= {*numbers}
    assert body.count('class="trial left-out"') == 2


@pytest.mark.parametrize(("low", "high"), [(0.0, 100.0), (-0.013, 0.49), (1e6, 3e6), (3.0, 3.0)])
def test_an_axis_has_three_to_eight_round_numbers(low, high):
    ticks = _ticks(low, high)
    assert all(low <= tick <= high for tick in ticks)
    assert 3 <= len(ticks) <= 8 or low == high
    steps = np.diff(ticks)
    assert steps == pytest.approx([*steps[:1]] * len(steps))


def test_of_very_many_trials_the_best_and_the_latest_are_in_the_table(monkeypatch, run):
    monkeypatch.setattr("hpo_explain.reporting.trials._MOST_NUMBERS", 90)  # ten rows of nine
    trials = column(data_in(content_of("history", run).body), "trial")
    assert len(trials) == 10
    assert {run.incumbent_trial, 17, 18, 19, 20, 21} <= {*trials}


# ---------------------------------------------------------------------- in a browser

MANY = 5000
ROWS = "return [...document.querySelectorAll('.table tbody tr')].filter(row => row.children.length)"
READY = "return !!document.querySelector('.what-if')?.whatIf && !!document.querySelector('.table');"


@pytest.fixture(scope="module")
def few(few_draws, answers_stay, run, tmp_path_factory):
    path = tmp_path_factory.mktemp("trials") / "few.html"
    return write(run, path, sections=["what-if", "history"]).as_uri()


def at(browser, address):
    shown(browser, address, DESKTOP)
    WebDriverWait(browser, 60).until(lambda one: one.execute_script(READY))


def numbers(browser):
    cells = f"{ROWS}.map(row => Number(row.children[0].textContent));"
    return browser.execute_script(cells)


@pytest.mark.merge
@IS_THERE
def test_a_click_on_a_head_sorts_and_another_one_turns_it(browser, few, run):
    at(browser, few)
    objective = browser.find_element("css selector", ".table th:nth-child(3) button")
    expected = np.argsort(run.objective, kind="stable").tolist()
    for order in (expected, expected[::-1]):
        objective.click()
        rows = numbers(browser)  # those without a result are last
        assert len(rows) > 15
        assert rows == [*order, 20, 21][: len(rows)]
    head = browser.find_element("css selector", ".table th:nth-child(3)")
    assert head.get_attribute("aria-sort") == "descending"


@pytest.mark.merge
@IS_THERE
def test_it_is_searched_by_text_and_by_a_bound_and_filtered_by_state(browser, few, run):
    at(browser, few)
    field = browser.find_element("css selector", ".tools input")
    found = browser.find_element("css selector", ".tools [role=status]")
    bound = float(np.median(run.objective))
    field.send_keys(f"loss<{bound}")
    assert numbers(browser) == np.flatnonzero(run.objective <= bound).tolist()
    assert found.text == "10 of 22"
    field.clear()
    name, choice = next(
        (p.name, p.choices[0]) for p in run.space if isinstance(p, hx.CategoricalParameter)
    )
    field.send_keys(str(choice))
    with_it = [t for t in range(20) if run.config(t).get(name) == choice]
    assert {*with_it} <= {*numbers(browser)}
    assert len(numbers(browser)) < 22
    field.clear()
    field.send_keys(" ")
    browser.find_element("css selector", ".tools select").send_keys("failed")
    assert numbers(browser) == [21]


@pytest.mark.merge
@IS_THERE
def test_a_selected_trial_says_why_it_was_tried_and_sets_the_profiler(browser, few, run):
    at(browser, few)
    place = browser.find_element("css selector", ".explanation")
    assert "Trial" not in place.text
    path = {e.trial: e for e in hx.methods.desirability_path(run, progress=False).explanations}
    setting = (
        "const one = document.querySelector('.what-if').whatIf;"
        "return one.row.map((x, j) => one.text(j, x));"
    )
    for selector, trial in ((".table tbody tr:nth-child(4) td", 3), ("[data-trial='15']", 15)):
        browser.find_element("css selector", selector).click()
        assert place.find_element("css selector", "h3").text == f"Trial {trial}"
        if trial in path:
            assert path[trial].sentence in place.text
        told = browser.execute_script(setting)
        for name, text in zip(run.space.names, told, strict=True):
            value = run.config(trial).get(name)
            is_number = isinstance(value, float)
            assert (
                float(text) == pytest.approx(value, rel=1e-3)
                if is_number
                else text == ("inactive" if value is None else str(value))
            )
    box = browser.find_element("css selector", ".table")
    box.send_keys(Keys.ARROW_DOWN)
    assert place.find_element("css selector", "h3").text == "Trial 16"
    box.send_keys(Keys.HOME)
    assert place.find_element("css selector", "h3").text == "Trial 0"
    assert browser.get_log("browser") == []


@pytest.mark.merge
@IS_THERE
def test_thousands_of_trials_are_scrolled_and_sorted_without_lag(browser, tmp_path):
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(10)])
    X = space.sample(MANY, seed=0)
    run = hx.Run(space, X[:MANY], X[:MANY, 0], "minimize", proposals=[])
    path = write(run, tmp_path / "many.html", sections=["history"])
    shown(browser, path.as_uri(), DESKTOP)
    WebDriverWait(browser, 60).until(lambda one: one.find_elements("css selector", ".table"))
    slow, rows, last = browser.execute_async_script(
        "const done = arguments[0], box = document.querySelector('.table');"
        "const sort = document.querySelector('.table th:nth-child(3) button');"
        "let slow = 0;"
        "const timed = act => { const t = performance.now(); act();"
        " box.getBoundingClientRect(); slow = Math.max(slow, performance.now() - t); };"
        "timed(() => sort.click()); timed(() => sort.click());"
        "box.scrollTop = box.scrollHeight;"
        "requestAnimationFrame(() => requestAnimationFrame(() => {"
        " const rows = [...document.querySelectorAll('.table tbody tr')]"
        "  .filter(row => row.children.length);"
        " done([slow, rows.length, Number(rows.at(-1).children[0].textContent)]); }));"
    )
    assert slow < 250  # ms on a busy machine
    assert rows < 60
    assert last == int(np.argmin(run.objective))


def test_without_a_script_the_history_stands_there(run):
    html = str(Report.of({"loss": run}, sections=["history"]).html)
    before, _, _ = html.partition("<script")
    assert 'class="trial proposal"' in before
    assert "<table" not in before
