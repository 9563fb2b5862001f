"""The report of trials that no model chose: a grid, random draws, a table of anybody's."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.reporting import Report
from hpo_explain.run import WithoutResult
from tests.handmade import warns_of_glyphs

pytestmark = [warns_of_glyphs, pytest.mark.usefixtures("few_draws")]

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
X = SPACE.sample(12, seed=0)
LOSS = (X[:, 0] - 0.3) ** 2


def run_of(origin, **more):
    origins = dict.fromkeys(range(12), origin)
    return hx.Run(SPACE, X, LOSS, "minimize", proposals=[], origins=origins, **more)


@pytest.mark.merge
@pytest.mark.parametrize(
    ("origin", "said"),
    [
        (hx.base.Origin.INITIAL, "none, as no model chose a trial"),
        pytest.param(
            hx.base.Origin.UNKNOWN,
            "none known, as it is not recorded who chose the trials",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_nothing_says_that_an_optimizer_tried_what_nobody_proposed(origin, said):
    report = Report.of({"loss": run_of(origin, optimizer="a grid")}, n_jobs=1)
    anchors = [card.anchor for card in report.cards]
    assert not {"desirability-path", "explain-proposal"} & {*anchors}
    assert {"summary", "history", "importance", "recommended-space"} <= {*anchors}
    (trials,) = [card for card in report.cards if card.anchor == "history"]
    assert "initial design" not in trials.body
    assert said in str(run_of(origin))


def test_a_run_that_is_under_way_may_have_proposals():
    running = {12: WithoutResult("running", np.array([0.1, 0.2]))}
    assert hx.Run(SPACE, X, LOSS, "minimize", proposals=[], without_result=running).proposes
