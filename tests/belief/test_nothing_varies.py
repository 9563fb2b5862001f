"""Runs that hold nothing to divide by: equal objectives, two trials, one row again and again."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.belief import Best
from hpo_explain.belief.belief import Belief
from hpo_explain.belief.feasibility import Feasibility

SPACE = SearchSpace(
    [
        FloatParameter("x", 0.0, 1.0),
        CategoricalParameter("kind", ["a", "b", "c"]),
        IntParameter("k", 1, 4),
    ]
)
ROWS = SPACE.sample(12, seed=0)
pytestmark = pytest.mark.usefixtures("few_draws")


@st.composite
def runs(draw):
    """Rows and objectives of which some, or all, are the same."""
    n = draw(st.integers(2, 6))
    which = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    values = st.sampled_from([0.0, 1.0, -1e-300, 1e12, 1e12 + 1.0])
    y = draw(st.lists(values, min_size=n, max_size=n))
    return ROWS[which], np.array(y)


@pytest.mark.filterwarnings("error")
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs(), st.sampled_from(["minimize", "maximize"]), st.booleans())
def test_what_does_not_vary_is_divided_by_nowhere(run, direction, known):
    X, y = run
    noise = 0.0 if known else None
    belief = Belief(SPACE, X, y, direction, noise_std=noise)
    anova = belief.anova
    told = [
        anova.mains,
        anova.totals,
        anova.of_evaluations,
        Best(belief.among_best, 0.1).mains,
        Best(belief.among_best, 0.1).totals,
        belief.at_best.landscape.least_around,
        belief.at_best.landscape.spread,
        belief.at_best.at_one(belief.costs(ROWS)),
        belief.noise_at(ROWS),
        [belief.noise_std, belief.roughness],
        belief.weights,
        [belief.trust.r2, *belief.trust.r2_interval, belief.trust.rank],
        [belief.trust.held_out, belief.trust.covered, belief.trust.open],
    ]
    for numbers in told:
        assert np.isfinite(numbers).all()
    if not np.ptp(y):
        assert belief.trust.r2 == 0.0
        assert belief.trust.level == "poor"
        np.testing.assert_array_equal(anova.mains, 0.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("feasible", [[True] * 4, [False] * 4, [1, 0, 1, 0]])
def test_one_row_tells_how_often_it_gives_a_result(feasible):
    X = np.repeat(ROWS[:1], 4, axis=0)
    found = Feasibility.fit(SPACE, X, np.array(feasible, bool))
    assert np.isfinite(found.probability(ROWS)).all()
