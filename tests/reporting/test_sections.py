"""The report's sections: what they show, warn of, and why there is nothing to show."""

import base64
import io
import json
import math
import re
from urllib.parse import unquote

import numpy as np
import optuna
import pandas as pd
import pytest
from optuna.distributions import FloatDistribution
from optuna.samplers import RandomSampler, TPESampler

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.numbers import number
from hpo_explain.methods.proposals.desirability_path_result import LATEST
from hpo_explain.reporting import Context, Report, Status
from hpo_explain.reporting._ahead import Figures, Pool
from hpo_explain.reporting._render import downloads, estimates
from hpo_explain.reporting.context import _thinned
from hpo_explain.reporting.section import Content, Section, card_of, drawn_out
from tests.analytic import unit_cube
from tests.handmade import Page, tuning_run
from tests.methods.test_desirability_path import run_of
from tests.reporting.pages import content_of, page_of

pytestmark = [
    pytest.mark.usefixtures("empty_figures"),
    pytest.mark.filterwarnings(
        "ignore::optuna.exceptions.ExperimentalWarning"
    ),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

# ---------------------------------------------------------------------- around one configuration


def figures_in(page):
    return sum(tag == "figure" for tag, _ in page.elements)


AROUND = ["h-statistic", "ablation", "local-importance", "lime"]
OTHERS = ["effects", "subspace"]


@pytest.mark.parametrize("section", AROUND, ids=str)
def test_a_section_shows_its_finding_and_plots(section):
    content = content_of(section, tuning_run())
    page = Page(content.body)
    assert page.misnested == []
    assert content.finding.partition(".")[0] in page.text
    (table,) = content.tables.values()
    assert len(table)
    assert figures_in(page) == 1


def test_the_finding_on_what_made_the_difference_names_the_trials():
    run = tuning_run(20)
    found = hx.methods.ablation(run)
    ends = f"From trial {found.source_trial} to trial {run.incumbent_trial} the predicted loss"
    assert run.config(found.source_trial) == found.source
    content = content_of("ablation", run)
    assert content.finding.startswith(ends)
    assert (
        f"path from trial {found.source_trial} to trial"
        in Page(content.body).text
    )
    assert "rom source to target" not in content.finding


def test_fair_shares_are_shown_where_the_order_of_the_changes_matters():
    space = unit_cube(2)
    X = np.vstack([[1.0, 1.0], space.sample(40, seed=1), [0.0, 0.0]])
    for y, figures in ((X[:, 0] * X[:, 1], 2), (X[:, 0] + X[:, 1], 1)):
        content = content_of("ablation", hx.Run(space, X, y, "minimize"))
        assert figures_in(Page(content.body)) == figures


@pytest.mark.parametrize("section", [*AROUND, *OTHERS])
def test_a_section_says_why_it_does_not_apply(section):
    run = tuning_run(12)
    constant = hx.Run(
        run.space, run.X, np.full(12, 0.5), "minimize", objective_name="loss"
    )
    with pytest.raises(NothingToExplain, match="the loss is constant"):
        content_of(section, constant)
    single = hx.Run(run.space, run.X[:1], run.objective[:1], "minimize")
    with pytest.raises(NothingToExplain, match="trial"):
        content_of(section, single)


# ---------------------------------------------------------------------- effects


def one_matters(n=40, *, noise=0.0):
    """x2 decides, x1 a little, x3 to x5 not at all."""
    space = unit_cube(5)
    X = space.sample(n, seed=0)
    y = (
        5.0 * (X[:, 1] - 0.5) ** 2
        + 0.3 * X[:, 0]
        + noise * np.random.default_rng(0).normal(size=n)
    )
    return hx.Run(space, X, y, "minimize", objective_name="loss")


@pytest.fixture(scope="module")
def content():
    return content_of("effects", one_matters())


def test_the_effect_that_matters_most_comes_first_and_three_are_shown(content):
    page = Page(content.body)
    assert content.finding.startswith(
        "On average the loss is best at x2 between 0."
    )
    headings = [tag for tag, _ in page.elements if tag == "h3"]
    assert len(headings) in (3, 4)  # regions, where there are any
    assert page.text.index("x2") < page.text.index("x1")
    assert page.misnested == []


def test_what_a_finding_rests_on_stands_beside_its_effect(content):
    run = one_matters()
    feasible = run.X[:, 1] > 0.6
    half = hx.Run(
        run.space, run.X, run.objective, "minimize", feasible=feasible
    )
    told = "Probably infeasible, so not the best: x2 = 0, "
    assert told not in Page(content.body).text
    assert told in Page(content_of("effects", half).body).text


def test_conditional_and_categorical_hyperparameters_are_shown():
    page = Page(content_of("effects", tuning_run(30)).body)
    assert page.misnested == []
    assert figures_in(page) >= 3


def on_the_diagonal(n=40, *, together=1.0, spread=0.15):
    """What x1 does depends on x2, which was tried near x1 only."""
    rng = np.random.default_rng(0)
    t = rng.random(n)
    near = np.clip(t + spread * rng.standard_normal(n), 0.0, 1.0)
    X = np.column_stack([t, near if spread else rng.random(n), rng.random(n)])
    y = together * (
        4.0 * (X[:, 0] - X[:, 1]) ** 2 + 6.0 * (X[:, 0] * X[:, 1] - 0.4) ** 2
    )
    return hx.Run(unit_cube(3), X, y + (1.0 - together) * X[:, 0], "minimize")


def test_what_changes_along_the_trials_stands_beside_an_effect_that_differs():
    run = on_the_diagonal(60, spread=0.2)
    effect = hx.partial_dependence(run, "x1", kind="accumulated", grid_size=15)
    (differs,) = (
        fact
        for fact in effect.notes
        if fact.kind == "partial_dependence_differs"
    )
    # by 0.94 at the lower end, where x2 above it was not tried: draws know hardly more than half
    assert 0.4 < differs["by"] < 0.94
    assert differs["at"] < 0.01
    assert (
        f"The partial dependence differs from it by {number(differs['by'], 2)} at x1 = "
        in (effect.sentence)
    )
    assert effect.sentence in Page(content_of("effects", run).body).text


@pytest.mark.parametrize(
    "changes", [{"together": 0.0}, {"spread": 0.0}], ids=["alone", "spread"]
)
def test_it_does_not_where_nothing_acts_together_or_trials_are_spread(changes):
    assert Context(on_the_diagonal(**changes)).along_trials("x1") is None


# ---------------------------------------------------------------------- learning curves


STEPS = np.arange(5)


def curved(weights, n=40):
    """A run whose values at each step are the final ones with a weight, the rest another order."""
    space = unit_cube(2)
    X = space.sample(n, seed=3)
    final, other = X[:, 0], X[:, 1]
    values = np.column_stack([w * final + (1.0 - w) * other for w in weights])
    curves = hx.run.Curves(np.arange(n), X, STEPS, values)
    return hx.Run(space, X, final, "minimize", curves=curves)


def test_it_says_how_early_ranks_are_known_and_which_shares_change():
    run = curved([0.0, 0.0, 1.0, 1.0, 1.0])
    content = content_of("learning-curves", run)
    found = hx.methods.learning_curves(run)
    assert (
        found.known_from == 2.0
    )  # from there on the values are the final ones
    page = Page(content.body)
    assert content.finding == found.sentence
    assert content.finding.startswith("From step 2 of 4 on")
    # at the first step the values depend on the other hyperparameter alone
    first, other = run.space.names
    assert f"{first} matters more at step 4" in page.text
    assert f"{other} matters less at step 4" in page.text
    assert figures_in(page) == 2


def test_the_page_has_it_only_where_trials_reported_values_on_the_way():
    without, asked = tuning_run(12), ["learning-curves"]
    (card,) = Report.of({"loss": without}, sections=asked).cards
    assert card.status is Status.NOT_APPLICABLE
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
    space = hx.SearchSpace(
        [hx.FloatParameter(name, 0.0, 1.0) for name in ("x1", "x2", "x3")]
    )
    X = space.sample(80, seed=0)
    return hx.Run(space, X, 10.0 * X[:, 0] + X[:, 1], "minimize")


def test_a_narrower_space_and_the_fixed_rest_are_sections_with_their_tables(
    tmp_path,
):
    run = narrow_run()
    page = page_of(run, tmp_path, "recommended-space", "subspace")
    recommendation, subspace = (
        hx.recommended_space(run),
        hx.methods.subspace(run),
    )
    assert recommendation.sentence in page.text
    assert subspace.sentence in page.text
    tables = tables_of(page)
    names = ["recommended_space", "subspace"]
    assert list(tables) == [
        f"{name}.{kind}" for name in names for kind in ("csv", "json")
    ]
    kept = [row.share for row in recommendation.rows]
    np.testing.assert_allclose(
        tables["recommended_space.csv"]["kept"], kept, rtol=1e-6
    )


def test_the_tables_of_a_section_are_those_of_its_result(tmp_path):
    run = run_of(10, proposals=range(7, 10))
    tables = tables_of(page_of(run, tmp_path, "importance", "path"))
    importance = hx.importance(run, order=2).to_frame()
    path = hx.methods.desirability_path(run, progress=False).to_frame()
    for kind in ("csv", "json"):  # seven digits of each number
        found = tables[f"importance.{kind}"]["importance"]
        np.testing.assert_allclose(found, importance["importance"], rtol=1e-6)
        found = tables[f"path.{kind}"]["contribution"].astype(float)
        np.testing.assert_allclose(found, path["contribution"], rtol=1e-6)


def test_a_large_table_is_handed_over_once_and_estimates_of_it_are_shorter():
    values = np.random.default_rng(0).normal(size=4_000)
    frame = pd.DataFrame({"which": np.arange(4_000), "value": values})
    for table, precision in ((frame, 5e-7), (estimates(frame), 5e-5)):
        link = str(downloads("large", table))
        assert re.findall(r'download="([^"]*)"', link) == ["large.csv.gz"]
        packed = base64.b64decode(
            link.partition("base64,")[2].partition('"')[0]
        )
        found = pd.read_csv(
            io.BytesIO(packed), compression="gzip", encoding="utf-8-sig"
        )
        assert [*found["which"]] == [*range(4_000)]
        np.testing.assert_allclose(found["value"], values, rtol=precision)
    assert estimates(frame[:100]).equals(frame[:100])


# ---------------------------------------------------------------------- the path


def test_the_path_and_what_its_parts_mean_are_told(tmp_path):
    run = run_of(17, proposals=range(9, 17))
    page = page_of(run, tmp_path, "path")
    path = hx.methods.desirability_path(run, progress=False)
    assert path.sentence in page.text
    assert (
        "Above zero, mean: the objective that the model predicts with this value speaks for it"
        in page.text
    )
    assert "This is about the optimizer's choices." in page.text


def test_a_long_run_is_thinned_and_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("hpo_explain.reporting.context._MOST_PROPOSALS", 12)
    monkeypatch.setattr("hpo_explain.reporting.context._OF_MANY", 10)
    run = run_of(30, 2, proposals=range(5, 30))
    trials = Context(run).path.trials.tolist()
    assert {*range(25, 30), 5, run.best(range(5, 30))} <= {*trials}
    assert len(trials) <= 10
    (thinned,) = [
        note for note in Context(run).path_notes if note.kind == "path_thinned"
    ]
    assert (thinned["shown"], thinned["explainable"]) == (len(trials), 25)


def test_of_many_hyperparameters_fewer_proposals_are_explained():
    def shown(d):
        run = run_of(60, d, proposals=range(20, 60))
        return _thinned(run, [*run.proposals])

    assert shown(50) == [*range(20, 60)]
    assert len(shown(200)) <= 25
    few = shown(2000)
    assert len(few) <= 10
    assert few[-LATEST:] == [*range(55, 60)]


@pytest.mark.parametrize("n", [8, 14])
def test_proposals_with_too_few_trials_before_them_are_left_out_by_name(
    tmp_path, n
):
    page = page_of(run_of(n, 2, proposals=range(n)), tmp_path, "path")
    assert "Does not apply here" not in page.text
    assert (
        "left out: 0-1: fewer than two trials were finished before"
        in page.text
    )


@pytest.mark.parametrize(
    ("proposals", "text"),
    [([], "has no proposal"), ([9], "a path needs two proposals")],
)
def test_a_run_without_a_path_says_why(proposals, text, tmp_path):
    assert (
        text
        in page_of(run_of(10, 2, proposals=proposals), tmp_path, "path").text
    )


def test_workers_explain_the_same_proposals(monkeypatch):
    monkeypatch.setattr("hpo_explain.reporting.context._WORTH_WORKERS", 3)
    run = run_of(12, 2, proposals=range(7, 12))
    alone, beside = Context(run), Context(run, n_jobs=2)
    pool = Pool(1)
    beside.begin(pool)
    np.testing.assert_array_equal(
        [e.phi for e in beside.path.explanations],
        [e.phi for e in alone.path.explanations],
    )
    assert [e.sentence for e in beside.path.explanations] == [
        e.sentence for e in alone.path.explanations
    ]
    assert (
        beside.recommended_space.to_dict() == alone.recommended_space.to_dict()
    )
    assert beside.subspace.to_dict() == alone.subspace.to_dict()
    pool.close()


def test_a_figure_that_a_worker_cannot_draw_fails_its_section_only():
    run = run_of(34, 2, proposals=range(7, 34))

    def broken(context):
        return Content("finding", figures(None, "alt", "caption", False))

    pool = Pool(1)
    figures = Figures(pool)
    card = card_of(Section("mine", "Mine", "Read it.", broken), Context(run))
    assert card.status is Status.SHOWN
    failed = drawn_out(card, figures.placed)
    pool.close()
    assert failed.status is Status.FAILED
    assert (failed.anchor, failed.body) == ("mine", "")


# ---------------------------------------------------------------------- proposals of TPE


def objective(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    return (x - 0.3) ** 2 + 0.1 * (
        trial.suggest_categorical("c", ["a", "b"]) == "b"
    )


def section_of(sampler):
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=14)
    run = hx.from_optuna(study)
    return run, " ".join(content_of("best", run).body.split())


def test_both_backgrounds_are_shown_with_the_reason():
    run, text = section_of(TPESampler(seed=0))
    assert "A uniform background therefore flatters every proposal" in text
    assert (
        "Where good trials were, and where the others, when this was proposed."
        in text
    )
    payouts = [
        hx.explain_proposal(
            run, "best", background=background, precision=0.05
        ).payout["total"]
        for background in ("auto", "candidates")
    ]
    told = re.search(
        r"the contributions add up to (\S+), against TPE's own candidates ([+−][\d.]+\d)",
        text,
    )
    shown = [float(number.replace("−", "-")) for number in told.groups()]
    # to three digits of the larger
    last_digit = 10.0 ** (math.floor(math.log10(max(map(abs, payouts)))) - 2)
    assert shown == pytest.approx(payouts, abs=0.5001 * last_digit)


def test_without_candidates_there_is_nothing_to_add():
    _, text = section_of(RandomSampler(seed=0))
    assert "flatters" not in text
    assert "no acquisition function chose this" in text


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
    text = re.search(
        r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S
    ).group(1)
    return json.loads(text)


def test_a_report_explains_what_runs(study, tmp_path):
    sections = ["trials", "latest", "path"]
    written = hx.report(
        study, tmp_path / "r.html", sections=sections, progress=False
    )
    page = written.read_text(encoding="utf-8")
    assert (
        "Trial 13 is the latest proposal. It is running: it has no result yet."
        in page
    )
    assert "Also running: 12." in page
    data = trials_in(page)
    assert {"12", "13", "14"} <= {*data["explained"]}
    texts = {trial["t"]: trial["text"] for trial in data["trials"]}
    assert texts[13].startswith(
        "running, no result yet; chosen by Optuna's TPESampler"
    )
    assert texts[14].startswith("failed; chosen by")
    # nothing is said of a result that is not there
    assert all(
        "Observed" not in data["explained"][t]["predicted"]
        for t in ("12", "13", "14")
    )
    assert "nan" not in json.dumps(data["explained"]["13"]).lower()
