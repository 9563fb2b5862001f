"""What trials are expected to settle is what they do; ``python -m tests.claims`` asks more runs."""

import numpy as np
import pytest

from tests.claims import goals, tables
from tests.claims.asked import Scored
from tests.claims.families import noisy, smooth
from tests.claims.goals import Found
from tests.claims.runs import Setting, interleaved, make_run
from tests.claims.settled import NAMES, longer, questions_of, settings, settled, width

pytestmark = [pytest.mark.merge, pytest.mark.filterwarnings("ignore")]


def reached(several, name):
    return next(goal for goal in goals.goals(several) if goal.name == name)


def test_every_so_many_settings_have_each_problem():
    some = settings([], [2])[5::16]
    assert {one.problem.name for one in some} == {*NAMES}
    problems = [smooth.bowl(), smooth.quadratic()]
    crossed = interleaved(problems, (0.1, 0.5), ("tpe",), (9,), (3,))
    found = [(one.problem.name, one.noise, one.seed) for one in crossed]
    assert found == [
        ("bowl", 0.1, 6),
        ("quadratic", 0.1, 6),
        ("bowl", 0.5, 6),
        ("quadratic", 0.5, 6),
        ("bowl", 0.1, 7),
        ("quadratic", 0.1, 7),
        ("bowl", 0.5, 7),
        ("quadratic", 0.5, 7),
    ]


@pytest.mark.parametrize("maximize", [False, True])
def test_a_longer_run_has_the_evaluations_of_the_rows(maximize):
    problem = smooth.quadratic()
    run = make_run(Setting(problem, "random", 10, 0, 0.0, maximize))
    rows = np.array([[0.5, 0.5], [1.0, 0.5]])
    after = longer(run, rows, problem, 0.0, np.random.default_rng(0))
    sign = -1.0 if maximize else 1.0
    assert after.objective[:10].tolist() == run.objective.tolist()
    assert after.objective[10:].tolist() == [0.0, sign]
    assert after.direction == run.direction


def test_results_are_asked_again_of_the_same_configurations():
    problem = smooth.quadratic()
    run = make_run(Setting(problem, "random", 10, 0, 0.0))
    rows = problem.space.sample(2, seed=3)
    after = longer(run, rows, problem, 0.0, np.random.default_rng(0))
    ask = questions_of(run)["changes"]
    assert dict(ask(after).best.config) == dict(run.incumbent)
    assert width(ask(run)) > 0.0


@pytest.mark.thorough
@pytest.mark.parametrize("maximize", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_of_nothing_but_noise_nothing_is_promised(maximize):
    one = Setting(noisy.pure_noise(), "random", 30, 1, 0.5, maximize)
    said = [*settled(one)]
    assert said
    assert not any(scored.made for scored in said)


def test_the_goals_are_about_what_was_promised_and_what_was_left():
    bowl = Setting(smooth.bowl(), "tpe", 30, 0)
    noise = Setting(noisy.pure_noise(), "tpe", 30, 0)
    several = [
        Found(bowl, Scored("settled: effect", stated=0.5, known=0.7)),
        Found(bowl, Scored("settled: effect", stated=0.6, known=1.1)),
        Found(bowl, Scored("settled: effect", made=False, known=2.0)),
        Found(bowl, Scored("settled: effect", made=False)),
        Found(noise, Scored("settled: effect", stated=0.8, known=0.7)),
    ]
    bias = reached(several, "what is left of settled intervals: bias")
    assert bias.reached == pytest.approx((0.2 + 0.5 - 0.1) / 3)
    narrower = reached(several, "settled intervals are narrower")
    assert narrower.reached == pytest.approx(2 / 3)
    promised = reached(several, "narrower intervals promised, pure noise")
    assert promised.is_missed
    rows = tables.of_settled(several).split("\n")[2:]
    assert rows == [
        "| settled: effect | 3 | 63% | 83% | 67% |",
        "| settled: effect, nothing promised | 1 |  | 200% | 0% |",
    ]
