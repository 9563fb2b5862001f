import re

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.reporting import SECTIONS
from hpo_explain.reporting.context import Context
from tests.handmade import NASTY, Page, tuning_run, warns_of_glyphs
from tests.reporting.pages import content_of

pytestmark = [warns_of_glyphs, pytest.mark.usefixtures("empty_figures")]


@pytest.fixture(scope="module")
def run():
    return tuning_run(40)


@pytest.fixture(scope="module")
def result(run):
    return hx.importance(run, order=2)


@pytest.fixture(scope="module")
def page(run):
    return Page(str(content_of("importance", run).body))


def test_the_finding_is_the_sentence_of_the_analysis_with_all_pairs(run, result, page):
    assert content_of("importance", run).finding == result.sentence
    assert result.sentence in page.text


def test_three_sentences_say_how_to_read_shares_spread_and_interactions():
    how = {section.name: section for section in SECTIONS}["importance"].how_to_read
    assert len(re.findall(r"\.(?: |$)", how)) == 3
    share, spread, interaction = re.split(r"(?<=\.) ", how)
    assert "share of the variance" in share
    assert "whole search space" in share
    assert "95% interval" in spread
    assert "interaction" in interaction


def test_the_table_holds_every_share_that_is_not_nothing_with_its_spread(result, page):
    smaller = int((result.importance["importance"] < 0.005).sum())
    assert 0 < smaller < len(result.importance)
    assert re.search(rf"And {smaller} smaller ones?\.", page.text)
    for label, row in result.importance.iterrows():
        if row["importance"] < 0.005:
            continue
        kind = "alone" if row["order"] == 1 else "interaction"
        pattern = rf" {re.escape(label)} {kind} ([\d.]+)% ± ([\d.]+)% ([\d.]+)% to ([\d.]+)%"
        share, spread, lower, upper = re.search(pattern, page.text).groups()
        assert float(lower) == pytest.approx(100 * row["lower"], abs=0.051)
        assert float(upper) == pytest.approx(100 * row["upper"], abs=0.051)
        assert float(share) == pytest.approx(100 * row["importance"], abs=0.051)
        assert float(spread) == pytest.approx(100 * row["std"], abs=0.051)


def test_the_table_holds_the_total_effects(result, page):
    for name in result.names:
        if result.share(name) < 0.005:
            continue
        (total,) = re.findall(
            rf" {name} alone [\d.]+% ± [\d.]+% [\d.]+% to [\d.]+% ([\d.]+)%", page.text
        )
        assert float(total) == pytest.approx(100 * result.total_effect(name), abs=0.051)


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_marginals_are_drawn_where_another_model_than_that_of_the_effects_gives_them(run, kind):
    context = Context(run)
    result = context.once("importance", lambda: hx.importance(run, order=2, kind=kind))
    (section,) = (section for section in SECTIONS if section.name == "importance")
    told = Page(str(section.content(context).body)).values("aria-label")
    shares = {name: result.share(name) for name in result.names}
    largest = sorted(shares, key=shares.get, reverse=True)
    drawn = [name for name in largest if any(f" by {name}, which" in text for text in told)]
    assert context.effects[0].subject.model == "a GP"
    assert drawn == [n for n in largest[:3] if shares[n] >= 0.01 and kind == "forest"]


def test_conditional_hyperparameters_are_named_with_where_they_are_active(result, page):
    activity = result.axes[result.names.index("rate_drop")].activity
    assert f"Active are rate_drop in {activity:.0%} of it." in page.text


def test_without_conditional_hyperparameters_nothing_is_said_of_activity():
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "ab"])
    X = space.sample(20, seed=0)
    text = Page(str(content_of("importance", hx.Run(space, X, X[:, 0], "minimize")).body)).text
    assert "Not every hyperparameter is active" not in text


def test_a_single_hyperparameter_has_a_section(run):
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(20, seed=0)
    content = content_of("importance", hx.Run(space, X, X[:, 0], "minimize"))
    assert "x (100%)" in content.finding


def test_a_constant_objective_is_told(run):
    constant = hx.Run(run.space, run.X, np.full(40, 0.5), "minimize", objective_name="loss")
    with pytest.raises(NothingToExplain, match=r"the loss is constant \(0\.5 in all 40 trials\)"):
        content_of("importance", constant)


def test_hyperparameters_without_a_choice_are_told():
    space = hx.SearchSpace([hx.FloatParameter("x", 1.0, 1.0)])
    run = hx.Run(space, np.zeros((9, 1)), np.arange(9.0), "minimize")
    with pytest.raises(NothingToExplain, match="no hyperparameter matters"):
        content_of("importance", run)


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_trials_are_told(run, n):
    few = hx.Run(run.space, run.X[:n], np.zeros(n), "minimize")
    with pytest.raises(NothingToExplain, match="at least 2"):
        content_of("importance", few)


def test_shares_of_a_forest_that_predicts_badly_are_warned_of(run):
    noise = np.random.default_rng(0).normal(size=40)
    text = Page(
        str(content_of("importance", hx.Run(run.space, run.X, noise, "minimize")).body)
    ).text
    assert "Read with caution. Trust in the model" in text


def test_it_stands_between_trust_and_the_proposals():
    anchors = [section.name for section in SECTIONS]
    assert anchors.index("trust") < anchors.index("importance") < anchors.index("best")


def test_names_from_the_user_are_no_markup():
    run = tuning_run(16, names=NASTY[:4], choices=NASTY[4:6], objective_name=NASTY[0])
    page = Page(str(content_of("importance", run).body))
    assert page.misnested == []
    assert page.tags().isdisjoint({"script", "img", "b", "i"})
    for name in NASTY[:4]:
        assert name in page.text
