"""What the page's panel says of another configuration, against what the belief says of it."""

import shutil

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.belief import STRETCH, interval
from hpo_explain.belief.portable import portable
from hpo_explain.question import Question
from hpo_explain.space.support import nearest

webdriver = pytest.importorskip(
    "selenium.webdriver", reason="selenium drives the browser"
)
Wait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

BROWSER, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="chromium or chromedriver is missing"
)
SWITCHES = (
    "headless=new",
    "no-sandbox",
    "disable-gpu",
    "disable-dev-shm-usage",
)
EXACT = 1e-4


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for switch in SWITCHES:
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    yield opened
    opened.quit()


def mixed_run(n=40, direction="minimize"):
    """A run with every kind of hyperparameter, of which a corner failed."""
    space = hx.SearchSpace(
        [
            hx.FloatParameter("lr", 1e-5, 1e-1, log=True),
            hx.FloatParameter("momentum", 0.0, 0.9),
            hx.FloatParameter("dropout", 0.0, 0.5, step=0.1),
            hx.IntParameter("layers", 1, 5),
            hx.IntParameter("units", 8, 512, log=True),
            hx.CategoricalParameter("booster", ["gbtree", "dart", None]),
            hx.FloatParameter(
                "rate_drop", 0.0, 1.0, active_when={"booster": ["dart"]}
            ),
            hx.IntParameter(
                "depth", 2, 8, active_when={"booster": ["dart", "gbtree"]}
            ),
            hx.FloatParameter("decay", 0.0, 1.0, optional=0.6),
        ]
    )
    X = space.sample(n, seed=3)
    at = np.nan_to_num(X, nan=0.4)
    objective = 2.0 + (at[:, 0] - 0.6) ** 2 + 0.3 * at[:, 1] * at[:, 3]
    objective += 0.1 * at[:, 5] + 0.2 * at[:, 6] + 0.1 * at[:, 8]
    if direction == "maximize":
        objective = 5.0 - objective
    return hx.Run(
        space,
        X,
        objective,
        direction,
        objective_name="loss",
        feasible=(at[:, 0] < 0.9) | (at[:, 4] < 0.3),
        bounds=(0.0, 6.0),
    )


def open_panel(browser, path):
    browser.get(path.as_uri())
    Wait(browser, 60).until(
        lambda at: at.execute_script(
            "return !!document.querySelector('.what-if').whatIf;"
        )
    )


def in_page(browser, script, *rows):
    """What a script says of encoded rows, of which null is inactive."""
    sent = [
        [None if value != value else float(value) for value in row]
        for row in rows
    ]
    return browser.execute_script(
        "const panel = document.querySelector('.what-if').whatIf, belief = panel.belief;"
        "const rows = [...arguments].map((row) => row.map((x) => x === null ? NaN : x));"
        f"{script}",
        *sent,
    )


@pytest.fixture(scope="module", params=["minimize", "maximize"])
def panel(request, browser, tmp_path_factory):
    run = mixed_run(direction=request.param)
    path = tmp_path_factory.mktemp("what_if") / "r.html"
    hx.report(
        run, path, sections=["what-if"], interactive=True, progress=False
    )
    open_panel(browser, path)
    decision = Question(run).decision
    return run, decision, portable(decision.draws, run.tried)


def drawn(decision, carried, X):
    """The objective of the draws that the page has, (k, n)."""
    return decision.draws.draws(X)[carried.draws]


def test_the_browser_predicts_what_the_belief_predicts(browser, panel):
    run, decision, carried = panel
    X = np.vstack([run.space.sample(60, seed=9), run.X[:10]])
    assert np.isnan(X).any(axis=0).sum() == 3
    expected = drawn(decision, carried, X)
    assert 60 <= len(expected) <= 66
    says = in_page(
        browser,
        "return rows.map((row) => [[...belief.draws(row)], belief.answer(row, row, panel.keep)]);",
        *X,
    )
    spread = np.ptp(expected)
    keep = drawn(decision, carried, decision.row_to_keep[None])[:, 0]
    for (draws, answer), own in zip(says, expected.T, strict=True):
        np.testing.assert_allclose(draws, own, rtol=EXACT, atol=EXACT * spread)
        np.testing.assert_allclose(answer["mean"], own.mean(), rtol=EXACT)
        low, high = interval(own, stretch=STRETCH["average"])
        ends = answer["low"], answer["high"]
        np.testing.assert_allclose(ends, (low, high), rtol=EXACT)
        better = run.sign * (keep - own)
        surely = (
            (better > EXACT * spread).mean(),
            (better > -EXACT * spread).mean(),
        )
        assert surely[0] <= answer["better"] <= surely[1]
    results = [answer["result"] for _, answer in says]
    known = decision.draws.feasibility.probability(X)
    np.testing.assert_allclose(results, known, rtol=EXACT, atol=1e-6)
    assert np.ptp(known) > 0.3
    distances = [answer["nearest"]["distance"] for _, answer in says]
    np.testing.assert_allclose(distances, nearest(run.space, X, run.tried))
    assert browser.get_log("browser") == []
