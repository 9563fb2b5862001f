"""The report's section on effects: the most important ones, cautions, regions, and why not."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.reporting.context import Context
from tests.analytic import unit_cube
from tests.handmade import Page, tuning_run
from tests.reporting.pages import content_of

pytestmark = pytest.mark.usefixtures("empty_figures")


def one_matters(n=40, *, noise=0.0):
    """x2 decides, x1 a little, x3 to x5 not at all."""
    space = unit_cube(5)
    X = space.sample(n, seed=0)
    y = 5.0 * (X[:, 1] - 0.5) ** 2 + 0.3 * X[:, 0] + noise * np.random.default_rng(0).normal(size=n)
    return hx.Run(space, X, y, "minimize", objective_name="loss")


@pytest.fixture(scope="module")
def content():
    return content_of("effects", one_matters())


def test_the_effect_that_matters_most_comes_first_and_three_are_shown(content):
    page = Page(content.body)
    assert content.finding.startswith("On average the loss is best at x2 between 0.")
    headings = [tag for tag, _ in page.elements if tag == "h3"]
    assert len(headings) in (3, 4)  # regions, where there are any
    assert page.text.index("x2") < page.text.index("x1")
    assert page.misnested == []


def test_what_a_finding_rests_on_stands_beside_its_effect(content):
    run = one_matters()
    half = hx.Run(run.space, run.X * [1.0, 0.6, 1.0, 1.0, 1.0], run.objective, "minimize")
    assert "Hardly tried" not in Page(content.body).text
    assert "Hardly tried, so not ruled out: x2 = 0.6" in Page(content_of("effects", half).body).text


def test_conditional_and_categorical_hyperparameters_are_shown():
    page = Page(content_of("effects", tuning_run(30)).body)
    assert page.misnested == []
    assert len([tag for tag, _ in page.elements if tag == "figure"]) >= 3


def on_the_diagonal(n=40, *, together=1.0, spread=0.15):
    """What x1 does depends on x2, which was tried near x1 only."""
    rng = np.random.default_rng(0)
    t = rng.random(n)
    near = np.clip(t + spread * rng.standard_normal(n), 0.0, 1.0)
    X = np.column_stack([t, near if spread else rng.random(n), rng.random(n)])
    y = together * (4.0 * (X[:, 0] - X[:, 1]) ** 2 + 6.0 * (X[:, 0] * X[:, 1] - 0.4) ** 2)
    return hx.Run(unit_cube(3), X, y + (1.0 - together) * X[:, 0], "minimize")


def test_what_changes_along_the_trials_stands_beside_an_effect_that_differs():
    run = on_the_diagonal()
    effect = hx.accumulated_local_effects(run, "x1", grid_size=15)
    assert np.abs(effect.partial - effect.mean).max() > 0.3
    assert effect.sentence in Page(content_of("effects", run).body).text


@pytest.mark.parametrize("changes", [{"together": 0.0}, {"spread": 0.0}], ids=["alone", "spread"])
def test_it_does_not_where_nothing_acts_together_or_trials_are_spread(changes):
    assert Context(on_the_diagonal(**changes)).along_trials("x1") is None
