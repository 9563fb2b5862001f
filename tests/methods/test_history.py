"""The history of a run: the best so far, what came after the best, its figure."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.run import PRUNED

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])


def made(objective, direction="minimize", **options):
    n = len(objective)
    run = hx.Run(SPACE, np.linspace(0.0, 1.0, n)[:, None], objective, direction, **options)
    return hx.history(run)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_best_so_far_is_that_of_the_feasible_trials_in_the_order_of_their_numbers(direction):
    rng = np.random.default_rng(1)
    objective, feasible = rng.normal(size=40), rng.random(40) < 0.7
    numbers = rng.permutation(40)
    feasible[numbers == 0] = False
    found = made(objective, direction, trials=numbers, feasible=feasible)
    better = min if direction == "minimize" else max
    reached = []
    for k, trial in enumerate(found.trials):
        assert trial == k
        row = int(np.flatnonzero(numbers == k)[0])
        reached += [objective[row]] if feasible[row] else []
        best = better(reached) if reached else np.nan
        np.testing.assert_equal(found.best[k], best)
    assert np.isnan(found.best[0])
    assert objective[numbers == found.incumbent_trial] == better(reached)


def test_what_came_after_the_best_is_counted_and_what_the_proposals_added_is_said():
    found = made(
        [4.0, 3.0, 1.0, 2.0],
        proposals=[2, 6],
        trials=[0, 1, 2, 6],
        excluded={
            3: fact(kind="failed"),
            4: PRUNED,
            7: fact(kind="running"),
        },
    )
    assert found.later == (3, 4, 6)
    assert found.since == 3
    incumbent, improvement = found.claims
    assert incumbent.hyperparameters == ("x",)
    assert (incumbent.values, incumbent.estimate) == ((2.0 / 3.0,), 1.0)
    assert improvement.estimate == 3.0 - 1.0
    assert "The best of the 2 trials that no model chose is 3." in found.sentence
    assert "3 later trials (1 pruned, 1 failed) brought nothing better" in found.sentence
    frame = found.to_frame()
    assert frame["trial"].tolist() == [0, 1, 2, 3, 4, 6, 7]
    expected = ["finished"] * 3 + ["failed", "pruned", "finished", "running"]
    assert frame["state"].tolist() == expected
    assert frame["objective"].isna().tolist() == [state != "finished" for state in expected]


@pytest.mark.parametrize("feasible", [np.zeros(3, dtype=bool), np.zeros(0, dtype=bool)])
def test_without_a_best_trial_nothing_is_claimed(feasible):
    found = made([1.0] * len(feasible), feasible=feasible)
    assert found.claims == ()
    assert found.incumbent_trial is None
    assert found.since == 0
    assert ("None of the 3" if len(feasible) else "No trial has") in found.sentence
    assert len(found.to_frame()) == len(found)


# ---------------------------------------------------------------------- the figure

VALUES = [5.0, 3.0, 4.0, 2.0, 2.5, 2.25]


def marks(found):
    """(trials, objectives) by the entry of the legend."""
    figure = found.described()
    drawn = [*figure.lines, *figure.dots]
    return {figure.means[mark.look]: (list(mark.x), list(mark.y)) for mark in drawn}


def test_who_chose_a_trial_is_told_by_its_marker():
    origins = {1: hx.base.Origin.ENQUEUED, 4: hx.base.Origin.PERSON}
    found = marks(made(VALUES, proposals=[3, 5], origins=origins))
    assert found["initial design"] == ([0, 2], [5.0, 4.0])
    assert found["set by hand"] == ([1, 4], [3.0, 2.5])
    assert found["proposals"] == ([3, 5], [2.0, 2.25])
    assert found["incumbent so far"] == ([*range(6)], [5.0, 3.0, 3.0, 2.0, 2.0, 2.0])


def test_infeasible_trials_are_marked_and_are_no_incumbents():
    feasible = np.array([True, True, True, False, True, True])
    found = marks(made(VALUES, feasible=feasible))
    assert found["infeasible"] == ([3], [2.0])
    assert found["incumbent so far"][1] == [5.0, 3.0, 3.0, 2.5, 2.25]
    assert found["best: trial 5"] == ([5], [2.25])
    assert set(marks(made(VALUES, feasible=np.zeros(6, bool)))) == {"infeasible"}


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_diverged_trials_and_those_without_a_result_stand_at_the_worse_end(sign):
    values = sign * np.array([0.1, 0.2, 0.3, 0.4, 0.5, 1e6])
    found = made(
        values,
        "minimize" if sign > 0 else "maximize",
        excluded={
            6: fact(kind="failed"),
            7: PRUNED,
            8: fact("?"),
        },
    )
    drawn = marks(found)
    assert drawn["diverged"] == ([5], [sign * np.inf])
    assert np.abs(found.described().limits()).max() < 1.0
    assert drawn["failed (1)"] == ([6], [sign * np.inf])
    assert drawn["left out (1)"] == ([8], [sign * np.inf])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_trial_that_is_far_worse_is_marked_at_the_end_and_squeezes_no_other(sign):
    values = sign * np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 24.0])
    found = made(values, "minimize" if sign > 0 else "maximize")
    figure = found.described()
    low, high = figure.limits()
    # twice from the best, 1, to the 80 % quantile, 5.8
    assert (high if sign > 0 else -low) == pytest.approx(10.6)
    placed = [
        (list(some.x), list(some.y), end)
        for dots in figure.dots
        for some, end in figure.placed(dots)
    ]
    end = ("triangle-up", high) if sign > 0 else ("triangle-down", low)
    assert ([6.0], [end[1]], end[0]) in placed
    assert figure.has_beyond
