"""The report's section on the noise."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from tests.analytic import unit_cube
from tests.handmade import Page, tuning_run
from tests.reporting.pages import content_of

pytestmark = pytest.mark.usefixtures("empty_figures")


@pytest.mark.parametrize("slope", [0.0, 4.0])
def test_the_section_shows_the_finding_the_plot_and_what_was_observed(slope):
    X = np.repeat(unit_cube(2).sample(20, seed=1), 5, axis=0)
    noise = np.exp(slope * X[:, 1]) * np.random.default_rng(0).standard_normal(100)
    run = hx.Run(unit_cube(2), X, noise, "minimize")
    found, content = hx.noise(run), content_of("noise", run)
    assert found.varies is (slope > 0.0)
    page = Page(content.body)
    assert content.finding == found.sentence
    assert "Caution" not in page.text
    assert len([tag for tag, _ in page.elements if tag == "figure"]) == 1
    assert list(content.tables["noise"]) == ["x1", "x2", "evaluations", "df", "std"]


def test_a_run_without_repeats_says_why_there_is_nothing_to_show():
    with pytest.raises(NothingToExplain, match="evaluated several times"):
        content_of("noise", tuning_run(12))
