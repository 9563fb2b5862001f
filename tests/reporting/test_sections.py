"""The report's sections: what they show, warn of, and why there is nothing to show."""

import json
from dataclasses import replace

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.samplers import TPESampler

import hpo_explain as hx
from hpo_explain.base.workers import Workers
from hpo_explain.question import Question
from hpo_explain.reporting import SECTIONS, Report, Status, page
from hpo_explain.reporting._ahead import Ahead, Figures
from hpo_explain.reporting.panel import radius_of_even_spread
from hpo_explain.reporting.section import Content, Section, card_of, drawn_out
from hpo_explain.space import nearest
from tests.analytic import nested_space, unit_cube
from tests.handmade import Page, tuning_run
from tests.methods.test_desirability_path import run_of
from tests.noted import the_note
from tests.reporting.pages import content_of, page_of
from tests.reporting.test_trials import column, data_in

PATH = "hpo_explain.methods.proposals.desirability_path"
pytestmark = [
    pytest.mark.usefixtures("empty_figures", "few_draws"),
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

# ---------------------------------------------------------------------- around one configuration


def figures_in(page):
    return sum(tag == "figure" for tag, _ in page.elements)


def test_importance_has_pairs():
    run = tuning_run(20)
    content = content_of("importance", run)
    assert content.finding == hx.importance(run, order=2).sentence
    assert figures_in(Page(content.body)) == 1


def test_what_there_is_nothing_for_is_no_section_unless_it_is_named():
    run = tuning_run(12)
    runs = {"loss": hx.Run(run.space, run.X[:1], [0.5], "minimize")}
    shown = {card.anchor for card in Report.of(runs).cards}
    assert "history" in shown
    assert not {"summary", "importance", "trust", "noise", "what-if"} & shown
    (card,) = Report.of(runs, sections=["importance"]).cards
    assert card.status is Status.NOTHING
    assert card.finding.startswith("Run has 1 finished trial")


# ---------------------------------------------------------------------- pruning


def test_the_page_has_it_only_where_trials_reported_values_on_the_way():
    without, asked = tuning_run(12), ["pruning"]
    (card,) = Report.of({"loss": without}, sections=asked).cards
    assert card.status is Status.NOTHING
    assert "step by step" in card.finding


# ---------------------------------------------------------------------- the path


def test_a_long_run_is_thinned_and_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{PATH}._MOST", 10)
    run = run_of(30, 2, proposals=range(5, 30))
    found = hx.methods.desirability_path(run)
    trials = found.trials.tolist()
    assert {*range(25, 30), 5, run.best(range(5, 30))} <= {*trials}
    assert len(trials) <= 10
    some = the_note(found.notes, f"{len(trials)} of 25 proposals are explained")
    assert str(some) in page_of(run, tmp_path, "desirability-path").text


@pytest.mark.parametrize("n", [8, 14])
def test_proposals_with_too_few_trials_before_them_are_left_out_by_name(tmp_path, n):
    run = run_of(n, 2, proposals=range(n))
    page = page_of(run, tmp_path, "desirability-path")
    assert "left out: 0-1: fewer than two trials were finished before" in page.text


@pytest.mark.parametrize(("d", "is_folded"), [(2, False), (30, True)])
def test_long_code_is_one_click_away(tmp_path, d, is_folded):
    names = [f"dropout_probability_of_block_{k:02d}" for k in range(d)]
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    X = space.sample(40, seed=0)
    run = hx.Run(space, X, X[:, 0], "minimize", framework="optuna")
    codes = [action.code for action in hx.advise(run).actions[:3] if action.code]
    assert codes
    page = page_of(run, tmp_path, "advise")
    assert sum(tag == "pre" for tag, _ in page.elements) == len(codes)
    folded = sum(tag == "details" for tag, _ in page.elements)
    assert folded == sum(len(code) > 600 for code in codes)
    assert (folded > 0) == is_folded


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


@pytest.mark.parametrize(
    ("n", "proposed", "are_started"), [(200, 190, 0), (201, 191, 1), (201, 0, 0)]
)
def test_workers_are_started_where_that_takes_less_than_the_models(
    monkeypatch, n, proposed, are_started
):
    monkeypatch.setattr(page, "Workers", lambda count, _: count)
    runs = {"loss": run_of(n, 10, proposals=range(n - proposed, n))}
    assert (page._workers(2, SECTIONS, runs) or 0) == are_started
    assert page._workers(1, SECTIONS, runs) is None


@pytest.mark.merge
def test_a_figure_that_a_worker_cannot_draw_fails_its_section_only():
    run = run_of(34, 2, proposals=range(7, 34))

    def broken(question):
        return Content("finding", figures(None, "alt", "own", False))

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


def test_a_report_explains_what_runs(study, tmp_path):
    sections = ["history", "desirability-path"]
    written = hx.report(study, tmp_path / "r.html", sections=sections, progress=False)
    data = data_in(written.read_text(encoding="utf-8"))
    explained = data["explained"]
    assert {"12", "13", "14"} <= {*explained}
    assert column(data, "state")[13:] == ["running", "failed"]
    assert data["why"]["labels"][data["why"]["values"][13]] == "chosen by Optuna's TPESampler"
    # nothing is said of a result that is not there
    assert all("Observed" not in explained[t]["predicted"] for t in ("12", "13", "14"))
    assert "nan" not in json.dumps(explained["13"]).lower()


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
