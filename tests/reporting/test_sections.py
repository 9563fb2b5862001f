"""The report's sections: what they show, warn of, and why there is nothing to show."""

import base64
import io
import json
import re
from dataclasses import replace
from urllib.parse import unquote

import numpy as np
import optuna
import pandas as pd
import pytest
from markupsafe import Markup
from optuna.distributions import FloatDistribution
from optuna.samplers import TPESampler

import hpo_explain as hx
from hpo_explain.base.workers import Workers
from hpo_explain.methods.proposals.desirability_path import some_of
from hpo_explain.methods.proposals.desirability_path_result import LATEST
from hpo_explain.question import Question
from hpo_explain.reporting import Report, Status
from hpo_explain.reporting._ahead import Ahead, Figures
from hpo_explain.reporting._csv import csv_text
from hpo_explain.reporting._render import downloads, estimates
from hpo_explain.reporting.panel import radius_of_even_spread
from hpo_explain.reporting.section import Content, Section, card_of, drawn_out
from hpo_explain.space import nearest
from tests.analytic import nested_space, unit_cube
from tests.handmade import Page, tuning_run
from tests.methods.test_desirability_path import run_of
from tests.noted import the_note
from tests.reporting.pages import content_of, page_of

PATH = "hpo_explain.methods.proposals.desirability_path"
pytestmark = [
    pytest.mark.usefixtures("empty_figures", "few_draws"),
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

# ---------------------------------------------------------------------- around one configuration


def figures_in(page):
    return sum(tag == "figure" for tag, _ in page.elements)


AROUND = ["h-statistic", "ablation", "local-importance"]


@pytest.mark.parametrize("section", AROUND, ids=str)
def test_a_section_shows_its_finding_and_plots(section):
    content = content_of(section, tuning_run())
    page = Page(content.body)
    assert page.misnested == []
    assert content.finding.partition(".")[0] in page.text
    (table,) = content.tables.values()
    assert table[0][1]
    assert figures_in(page) == 1


def test_the_finding_on_what_made_the_difference_names_the_trials():
    run = tuning_run(20)
    found = hx.methods.ablation(run)
    ends = f"From trial {found.source_trial} to trial {run.incumbent_trial} the predicted loss"
    assert run.config(found.source_trial) == found.source
    content = content_of("ablation", run)
    assert content.finding.startswith(ends)
    assert f"path from trial {found.source_trial} to trial" in Page(content.body).text
    assert "rom source to target" not in content.finding


def test_fair_shares_are_shown_where_the_order_of_the_changes_matters():
    space = unit_cube(2)
    X = np.vstack([[1.0, 1.0], space.sample(40, seed=1), [0.0, 0.0]])
    for y, figures in ((X[:, 0] * X[:, 1], 2), (X[:, 0] + X[:, 1], 1)):
        content = content_of("ablation", hx.Run(space, X, y, "minimize"))
        assert figures_in(Page(content.body)) == figures


def test_what_there_is_nothing_for_is_no_section_unless_it_is_named():
    run = tuning_run(12)
    runs = {"loss": hx.Run(run.space, run.X[:1], [0.5], "minimize")}
    shown = {card.anchor for card in Report.of(runs).cards}
    assert "history" in shown
    assert not {"summary", "importance", "trust", "noise", *AROUND} & shown
    (card,) = Report.of(runs, sections=["importance"]).cards
    assert card.status is Status.NOTHING
    assert card.finding.startswith("Run has 1 finished trial")


# ---------------------------------------------------------------------- pruning


def test_the_page_has_it_only_where_trials_reported_values_on_the_way():
    without, asked = tuning_run(12), ["pruning"]
    (card,) = Report.of({"loss": without}, sections=asked).cards
    assert card.status is Status.NOTHING
    assert "step by step" in card.finding


# ---------------------------------------------------------------------- narrower spaces, and tables


def tables_of(page):
    """The tables that a page hands over, by file name."""
    found = {}
    links = [link for link in page.values("href") if not link.startswith("#")]
    for link, name in zip(links, page.values("download"), strict=True):
        kind, _, data = link.partition(",")
        text = unquote(data)
        if kind == "data:text/csv;charset=utf-8":
            found[name] = pd.read_csv(io.StringIO(text.removeprefix("\ufeff")))
        else:
            assert kind == "data:application/json;charset=utf-8"
            split = json.loads(text)
            found[name] = pd.DataFrame(split["data"], columns=split["columns"])
    return found


def narrow_run():
    """A run whose objective rises steeply with x1 and does not depend on x3."""
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in ("x1", "x2", "x3")])
    X = space.sample(80, seed=0)
    return hx.Run(space, X, 10.0 * X[:, 0] + X[:, 1], "minimize")


def test_a_narrower_space_is_a_section_with_its_tables(tmp_path):
    run = narrow_run()
    page = page_of(run, tmp_path, "recommended-space")
    recommendation = hx.recommended_space(run)
    assert recommendation.sentence in page.text
    tables = tables_of(page)
    assert list(tables) == ["recommended_space.csv", "recommended_space.json"]
    kept = [row.share for row in recommendation.rows]
    np.testing.assert_allclose(tables["recommended_space.csv"]["kept"], kept, rtol=1e-6)


def test_the_tables_of_a_section_are_those_of_its_result(tmp_path):
    run = run_of(10, proposals=range(7, 10))
    tables = tables_of(page_of(run, tmp_path, "importance", "desirability-path"))
    importance = hx.importance(run).to_frame()
    path = hx.methods.desirability_path(run, progress=False).to_frame()
    for kind in ("csv", "json"):  # seven digits of each number
        found = tables[f"importance.{kind}"]["importance"]
        np.testing.assert_allclose(found, importance["importance"], rtol=1e-6)
        found = tables[f"desirability_path.{kind}"]["contribution"].astype(float)
        np.testing.assert_allclose(found, path["contribution"], rtol=1e-6)


def test_a_large_table_is_handed_over_once_and_estimates_of_it_are_shorter():
    values = np.random.default_rng(0).normal(size=4_000)
    cells = [("which", [*range(4_000)]), ("value", values.tolist())]
    for table, precision in ((cells, 5e-7), (estimates(cells), 5e-5)):
        link = str(downloads("large", table))
        assert re.findall(r'download="([^"]*)"', link) == ["large.csv.gz"]
        packed = base64.b64decode(link.partition("base64,")[2].partition('"')[0])
        found = pd.read_csv(io.BytesIO(packed), compression="gzip", encoding="utf-8-sig")
        assert [*found["which"]] == [*range(4_000)]
        np.testing.assert_allclose(found["value"], values, rtol=precision)
    few = [(name, column[:100]) for name, column in cells]
    assert estimates(few) == few


def test_a_section_of_ones_own_hands_over_a_frame_with_its_index():
    table = pd.DataFrame({"x": [1.5, np.nan]}, index=pd.Index([3, 4], name="x"))

    def content(_):
        return Content("found", Markup(), {"own": table})

    section = Section("own", "Own", "", content)
    (cells,) = card_of(section, Question(tuning_run())).tables.values()
    assert [name for name, _ in cells] == ["x", "x"]
    assert cells[0][1] == [3, 4]
    assert csv_text(cells) == "x,x\n3,1.5\n4,\n"


# ---------------------------------------------------------------------- the path


def test_a_long_run_is_thinned_and_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{PATH}._MOST", 12)
    monkeypatch.setattr(f"{PATH}._OF_MANY", 10)
    run = run_of(30, 2, proposals=range(5, 30))
    found = hx.methods.desirability_path(run)
    trials = found.trials.tolist()
    assert {*range(25, 30), 5, run.best(range(5, 30))} <= {*trials}
    assert len(trials) <= 10
    some = the_note(found.notes, f"{len(trials)} of 25 proposals are explained")
    assert str(some) in page_of(run, tmp_path, "desirability-path").text


def test_of_many_hyperparameters_fewer_proposals_are_explained():
    def shown(d):
        run = run_of(60, d, proposals=range(20, 60))
        return some_of(run, [*run.proposals])

    assert shown(50) == [*range(20, 60)]
    assert len(shown(200)) <= 25
    few = shown(2000)
    assert len(few) <= 10
    assert few[-LATEST:] == [*range(55, 60)]


@pytest.mark.parametrize("n", [8, 14])
def test_proposals_with_too_few_trials_before_them_are_left_out_by_name(tmp_path, n):
    run = run_of(n, 2, proposals=range(n))
    page = page_of(run, tmp_path, "desirability-path")
    assert "left out: 0-1: fewer than two trials were finished before" in page.text


@pytest.mark.merge
def test_workers_answer_the_same():
    run = run_of(12, 2, proposals=range(7, 12))
    alone, beside = Question(run), Question(replace(run))
    workers = Workers(1)
    function = hx.methods.desirability_path
    Ahead(beside, [function], workers).settle()
    workers.end()
    known = beside.ask(function, lambda: pytest.fail("it was not known"))
    np.testing.assert_array_equal(
        [e.phi for e in known.explanations], [e.phi for e in alone.ask(function).explanations]
    )
    assert known.sentence == alone.ask(function).sentence


@pytest.mark.merge
def test_a_figure_that_a_worker_cannot_draw_fails_its_section_only():
    run = run_of(34, 2, proposals=range(7, 34))

    def broken(question):
        return Content("finding", figures(None, "alt", "caption", False))

    workers = Workers(1)
    figures = Figures(workers)
    card = card_of(Section("mine", "Mine", "Read it.", broken), Question(run))
    assert card.status is Status.SHOWN
    failed = drawn_out(card, figures.placed)
    workers.end()
    assert failed.status is Status.FAILED
    assert (failed.anchor, failed.body) == ("mine", "")


# ---------------------------------------------------------------------- what runs


UNIT = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 1.0)}


@pytest.fixture(scope="module")
def study():
    """Twelve finished trials; 12 and 13 run, 14 failed."""
    made = optuna.create_study(sampler=TPESampler(seed=0))
    for _ in range(12):
        trial = made.ask(UNIT)
        made.tell(trial, (trial.params["x"] - 0.3) ** 2 + trial.params["y"])
    made.ask(UNIT)
    made.ask(UNIT)
    made.tell(made.ask(UNIT), state=optuna.trial.TrialState.FAIL)
    return made


def trials_in(page):
    text = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1)
    return json.loads(text)


def test_a_report_explains_what_runs(study, tmp_path):
    sections = ["history", "desirability-path"]
    written = hx.report(study, tmp_path / "r.html", sections=sections, progress=False)
    page = written.read_text(encoding="utf-8")
    data = trials_in(page)
    assert {"12", "13", "14"} <= {*data["explained"]}
    texts = {trial["t"]: trial["text"] for trial in data["trials"]}
    assert texts[13].startswith("running, no result yet; chosen by Optuna's TPESampler")
    assert texts[14].startswith("failed; chosen by")
    # nothing is said of a result that is not there
    assert all("Observed" not in data["explained"][t]["predicted"] for t in ("12", "13", "14"))
    assert "nan" not in json.dumps(data["explained"]["13"]).lower()


@pytest.mark.parametrize(
    ("space", "off"),
    # distances of categories are few, so that designs differ more
    [(unit_cube(3), 0.03), (nested_space(), 0.05)],
    ids=["cube", "nested"],
)
def test_of_a_space_nineteen_twentieths_are_near_trials_spread_evenly(space, off):
    radius = radius_of_even_spread(space, 50, seed=0)
    rows, spread = space.sample(2000, seed=12), space.sample(50, seed=11)
    near = nearest(space, rows, spread[:50]) <= radius * (1.0 + 1e-9)
    assert near.mean() == pytest.approx(0.95, abs=off)


def test_trials_in_one_corner_leave_the_rest_of_the_space_far():
    space = unit_cube(3)
    rows, corner = space.sample(2000, seed=12), 0.2 * space.sample(50, seed=11)
    radius = radius_of_even_spread(space, 50, seed=0)
    assert (nearest(space, rows, corner) <= radius).mean() < 0.4
