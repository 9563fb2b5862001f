"""What is said between two objectives is right; ``python -m tests.claims`` asks more runs."""

import numpy as np
import pytest

from tests.claims import goals
from tests.claims.asked import Scored
from tests.claims.families import two
from tests.claims.goals import Found
from tests.claims.runs import Setting
from tests.claims.trade_off import SAMPLERS, front, optimized, settings, trade_off

pytestmark = [pytest.mark.merge, pytest.mark.filterwarnings("ignore")]


def test_the_truth_of_lines_is_that_of_the_slopes_of_their_sum():
    problem = two.lines()
    for first, second in [(1.0, 0.0), (0.3, 0.5), (0.0, 2.0)]:
        slopes = first * np.array([2.0, 1.0, 0.0])
        slopes += second * np.array([0.0, -1.0, 3.0])
        true = slopes**2 / (slopes**2).sum()
        shares = problem.shares_between(first, second)
        assert shares == pytest.approx(true, abs=1e-9)


def test_of_a_constant_objective_nothing_is_true():
    assert two.one_is_noise().shares_between(0.0, 1.0).tolist() == [0.0] * 3


def test_the_truth_of_multiples_does_not_change_with_the_weight():
    problem = two.same()
    each = [problem.shares_between(1.0 - w, w) for w in (0.0, 0.4, 1.0)]
    assert each[1] == pytest.approx(each[0])
    assert each[2] == pytest.approx(each[0])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_objectives_are_turned_and_have_the_noise_that_is_said(sampler):
    problem = two.lines()
    least, most = (
        optimized(Setting(problem, sampler, 12, 0, 0.1, maximize)) for maximize in (False, True)
    )
    assert [d.name for d in least.directions] == ["MINIMIZE", "MINIMIZE"]
    assert [d.name for d in most.directions] == ["MINIMIZE", "MAXIMIZE"]
    errors = []
    for sign, study in ((1.0, least), (-1.0, most)):
        for trial in study.trials:
            row = problem.row_of(trial.params)
            other = sign * trial.values[1] - problem.other.cost(row)[0]
            errors.append([trial.values[0] - problem.cost(row)[0], other])
    std = np.std(errors, axis=0)
    scales = np.array([problem.scale, problem.other.scale])
    assert std == pytest.approx(0.1 * scales, rel=0.5)


@pytest.mark.parametrize(
    ("name", "sampler"),
    [("apart", "nsga"), pytest.param("the same twice", "tpe", marks=pytest.mark.thorough)],
)
def test_curves_hold_the_truth_and_certain_changes_are_right(name, sampler):
    (first, *_) = [
        one
        for one in settings([name], [0])
        if (one.sampler, one.n, one.noise) == (sampler, 60, 0.1)
    ]
    found = [*trade_off(first)]
    shares = [one for one in found if one.kind == "share between objectives"]
    changes = [one for one in found if one.kind == "change between objectives"]
    assert np.mean([one.covered for one in shares]) >= 0.9
    assert all(one.right for one in changes if one.certain)
    told = sum(one.certain for one in changes)
    assert told >= 3 if name == "apart" else told == 0


def test_what_dominates_is_a_box_where_objectives_are_hyperparameters():
    problem = two.two("by hand", 2, lambda X: X[:, 0], lambda X: X[:, 1])
    expected = problem.rows.prod(axis=1)  # as good in both
    assert problem.dominated == pytest.approx(expected, abs=0.04)
    both = problem.shares_of_front(None)
    assert both == pytest.approx([3.0 / 7.0] * 2, abs=0.03)  # of the variance of a product


def test_what_is_told_of_a_front_is_right():
    (first, *_) = [
        one
        for one in settings(["conflict"], [0])
        if (one.sampler, one.n, one.noise) == ("random", 60, 0.01)
    ]
    found = [*front(first)]
    shares = [one for one in found if one.kind.startswith("share")]
    assert len(shares) == 6
    assert np.mean([one.covered for one in shares]) >= 0.8
    (extends,) = [one for one in found if one.kind == "extends a front"]
    assert extends.right
    assert extends.stated > 0.8


def test_a_certain_change_where_nothing_changes_misses_the_goal():
    nothing = Setting(two.same(), "tpe", 60, 0)
    said = Scored("change between objectives", certain=True, right=False)
    reached = {goal.name: goal for goal in goals.goals([Found(nothing, said)])}
    assert reached["certain changes where nothing changes"].is_missed


def test_settings_of_pairs_are_asked_by_name_or_family():
    assert len(settings(["two lines"], [2])) == 36
    every = {one.problem.name for one in settings(["two objectives"], [0])}
    assert every == {make().name for make in two.PAIRS}
    assert not settings(["bowl"], [0])
