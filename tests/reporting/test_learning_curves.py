"""The report's section on learning curves: only where trials reported values on the way."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.reporting import Report, Status
from tests.analytic import unit_cube
from tests.handmade import Page, tuning_run
from tests.reporting.pages import content_of

pytestmark = pytest.mark.usefixtures("empty_figures")
STEPS = np.arange(5)


def run_of(weights, n=40):
    """A run whose values at each step are the final ones with a weight, the rest another order."""
    space = unit_cube(2)
    X = space.sample(n, seed=3)
    final, other = X[:, 0], X[:, 1]
    values = np.column_stack([w * final + (1.0 - w) * other for w in weights])
    curves = hx.Curves(np.arange(n), X, STEPS, values)
    return hx.Run(space, X, final, "minimize", curves=curves)


def test_it_says_how_early_ranks_are_known_and_what_pruners_would_do():
    run = run_of([0.0, 0.0, 1.0, 1.0, 1.0])
    content = content_of("learning-curves", run)
    found = hx.learning_curves(run, orders=20)
    assert found.known_from == 2.0  # from there on the values are the final ones
    page = Page(content.body)
    assert content.finding == found.sentence
    assert content.finding.startswith("From step 2 of 4 on")
    # at the first step the values depend on the other hyperparameter alone
    first, other = run.space.names
    assert f"{first} matters more at step 4" in page.text
    assert f"{other} matters less at step 4" in page.text
    assert len([tag for tag, _ in page.elements if tag == "figure"]) == 2


def test_the_page_has_it_only_where_trials_reported_values_on_the_way():
    without, asked = tuning_run(12), ["learning-curves"]
    (card,) = Report.of({"loss": without}, sections=asked).cards
    assert card.status is Status.NOT_APPLICABLE
    assert "step by step" in card.finding
