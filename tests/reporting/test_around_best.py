"""The report's sections around one configuration: what they show, warn of, and why not."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from tests.analytic import unit_cube
from tests.handmade import Page, tuning_run
from tests.reporting.pages import content_of

pytestmark = pytest.mark.usefixtures("empty_figures")

SECTIONS = ["h-statistic", "ablation", "local-importance", "lime"]
OTHERS = ["effects", "subspace"]


@pytest.mark.parametrize("section", SECTIONS, ids=str)
def test_a_section_shows_its_finding_and_plots(section):
    content = content_of(section, tuning_run())
    page = Page(content.body)
    assert page.misnested == []
    assert content.finding.partition(".")[0] in page.text
    (table,) = content.tables.values()
    assert len(table)
    figures = [tag for tag, _ in page.elements if tag == "figure"]
    assert len(figures) == 1


def test_the_finding_on_what_made_the_difference_names_the_trials():
    run = tuning_run(20)
    found = hx.ablation(run)
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
        assert len([tag for tag, _ in Page(content.body).elements if tag == "figure"]) == figures


@pytest.mark.parametrize("section", [*SECTIONS, *OTHERS])
def test_a_section_says_why_it_does_not_apply(section):
    run = tuning_run(12)
    constant = hx.Run(run.space, run.X, np.full(12, 0.5), "minimize", objective_name="loss")
    with pytest.raises(NothingToExplain, match="the loss is constant"):
        content_of(section, constant)
    single = hx.Run(run.space, run.X[:1], run.objective[:1], "minimize")
    with pytest.raises(NothingToExplain, match="trial"):
        content_of(section, single)


def test_one_hyperparameter_acts_together_with_none():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(10, seed=1)
    run = hx.Run(space, X, X[:, 0], "minimize")
    with pytest.raises(NothingToExplain, match="a single hyperparameter"):
        content_of("h-statistic", run)


def test_cautions_stand_before_the_finding():
    rng = np.random.default_rng(0)
    run = tuning_run(40)
    noise = hx.Run(run.space, run.X, rng.normal(size=40), "minimize", objective_name="loss")
    page = Page(content_of("local-importance", noise).body)
    assert "Read with caution. Trust in the model" in page.text
