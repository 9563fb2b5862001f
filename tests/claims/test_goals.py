"""What the tables are computed from, by hand."""

import pytest

from tests.claims import goals
from tests.claims.asked import Scored, covers
from tests.claims.boxes import Box
from tests.claims.families import failing, noisy, smooth
from tests.claims.goals import Found, Goal
from tests.claims.runs import CrashError, Setting, _Evaluations, make_run, settings
from tests.claims.tables import table

pytestmark = pytest.mark.merge

SETTING = Setting(smooth.quadratic(), "tpe", 60, 0)


def found(*several):
    return [Found(SETTING, one) for one in several]


def reached(several, name):
    return next(goal for goal in goals.goals(several) if goal.name == name)


def test_a_goal_is_missed_on_the_wrong_side_of_its_limit_and_not_where_nothing_is_known():
    assert Goal("right", 0.96, True, 0.97, 10).is_missed
    assert not Goal("right", 0.97, True, 0.97, 10).is_missed
    assert Goal("error", 0.04, False, 0.035, 10).is_missed
    assert not Goal("error", float("nan"), False, 0.035, 0).is_missed


def test_errors_bias_and_coverage_are_those_of_shares_of_a_size():
    several = found(
        Scored("share of one", stated=0.5, known=0.6, covered=True),
        Scored("share of one", stated=0.4, known=0.4, covered=False),
        Scored("share of one", stated=0.0, known=0.1, covered=True),
    )
    assert reached(several, "error of shares, tpe").reached == pytest.approx(0.2 / 3)
    assert reached(several, "shares ≥ .4 covered").reached == 0.5
    assert reached(several, "shares ≥ .4: bias").reached == pytest.approx(0.05)
    assert reached(several, "shares .1 to .4 covered").cases == 1


def test_a_probability_is_no_better_than_a_constant_if_it_is_one():
    several = found(*(Scored("better exists", stated=0.5, known=k) for k in (0.0, 1.0)))
    assert reached(several, "better exists: Brier ÷ a constant's").reached == pytest.approx(1.0)


def test_certain_claims_are_right_of_those_that_the_truth_decides_over():
    several = found(
        Scored("order", certain=True, right=True, could=True),
        Scored("order", certain=True, right=None),
        Scored("order", certain=False, right=False, could=True),
    )
    assert goals.right_of_certain(several) == (1.0, 1)
    assert goals.told(several) == (0.5, 2)


def test_volumes_are_averaged_geometrically():
    several = found(*(Scored("keep at 5%", right=True, width=w) for w in (0.01, 0.04)))
    assert reached(several, "volume at 5 %, geometric mean").reached == pytest.approx(0.02)


def test_certain_claims_about_nothing_are_counted_per_twenty_runs():
    noise = Setting(noisy.pure_noise(), "tpe", 60, 0)
    several = [Found(noise, Scored("share of one", certain=True, right=False))]
    assert reached(several, "pure noise: certain claims in 20 runs").reached == 20.0


def test_an_interval_covers_up_to_a_slack():
    assert covers((0.0, 1.0), 1.05, 0.1)
    assert not covers((0.0, 1.0), 1.2, 0.1)
    assert covers(None, 1.0) is None


@pytest.mark.thorough
def test_every_kth_run_is_of_many_problems_and_directions():
    some = settings()[::10]
    assert len({one.problem.name for one in some}) > 35
    assert 0.3 < sum(one.maximize for one in some) / len(some) < 0.6


def test_crashes_are_as_frequent_as_said():
    one = Setting(failing.dying_nodes(), "random", 10, 0, 0.0)
    evaluations, row = _Evaluations(one), one.problem.rows[:1]
    crashed = 0
    for _ in range(1000):
        try:
            evaluations.cost(row)
        except CrashError:
            crashed += 1
    assert crashed == pytest.approx(150, abs=40)


def test_a_run_that_was_kept_is_read_again(tmp_path):
    first = make_run(SETTING, tmp_path)
    make_run.cache_clear()
    again = make_run(SETTING, tmp_path)
    assert (first.X == again.X).all()
    assert len(list(tmp_path.iterdir())) == 1


def test_a_table_is_markdown():
    assert table(("a", "b"), 1, [("x", 1)]) == "| a | b |\n| --- | --: |\n| x | 1 |"


def test_the_whole_space_holds_every_row():
    problem = smooth.bowl()
    assert Box.of(problem.space, problem.space).holds(problem.rows).all()
