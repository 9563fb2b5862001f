"""The example of a person and an optimizer as a team plays as it says."""

from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_limits

# length-scales at their bounds
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def teams():
    from examples.papers import shapleybo_teams

    with threadpool_limits(1):
        yield shapleybo_teams


def test_the_functions_have_their_least_values_where_the_literature_says(teams):
    branin, ellipsoid, hartmann = teams.TASKS
    assert branin.objective([(3.141593 + 5.0) / 15.0, 2.275 / 15.0]) == pytest.approx(
        branin.least, abs=1e-6
    )
    assert ellipsoid.objective([0.65] * 3) == ellipsoid.least
    assert hartmann.objective([0.114614, 0.555649, 0.852547]) == pytest.approx(
        hartmann.least, abs=1e-6
    )
    for task in teams.TASKS:
        here = [0.4] * len(task.shift)
        there = [0.4 + shift for shift in task.shift]
        assert task.related(here) == task.objective(there)


def test_who_is_never_contradicted_plays_as_the_optimizer_alone(teams):
    task = teams.TASKS[1]
    alone = teams.play(task, "alone", 0, proposals=4)

    def own(explanation):
        return teams.contradicts(dict(explanation.contributions["mean"]), explanation)

    agreeing = teams.play(task, "contradicted", 0, rule=own, proposals=4)
    assert agreeing.interventions == ()
    assert agreeing.regret.tolist() == alone.regret.tolist()


@pytest.mark.parametrize(
    ("a", "b", "contradicted"),
    [
        (6.0, 1.0, False),
        (6.1, 1.0, True),
        (1.5, 1.0, False),
        (1.4, 1.0, True),
        (-3.0, -1.0, False),  # only the ratio counts
        (-3.0, 1.0, True),
        (3.0, 0.0, True),
        (0.0, 0.0, False),
    ],
)
def test_ratios_that_differ_by_more_than_a_factor_of_two_contradict(teams, a, b, contradicted):
    explanation = SimpleNamespace(contributions={"mean": {"a": a, "b": b}})
    assert teams.contradicts({"a": 3.0, "b": 1.0}, explanation) is contradicted
