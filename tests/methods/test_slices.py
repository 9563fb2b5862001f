"""Slices: ranks, stages, places along the axes, and the curve of what is reachable."""

import numpy as np
import pytest
from scipy.stats import rankdata

import hpo_explain as hx
from hpo_explain.base import InputError
from hpo_explain.base.facts import fact
from hpo_explain.run import WithoutResult

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.CategoricalParameter("optimizer", ["adam", "sgd"]),
        hx.FloatParameter("momentum", 0.0, 1.0, active_when={"optimizer": ["sgd"]}),
        hx.IntParameter("layers", 1, 4),
    ]
)
STATES = ("failed", "pruned", "running")


def run_of(direction="minimize", n=30):
    """Trials of which one is far worse, one infeasible, and three have no result."""
    X = SPACE.sample(n + len(STATES), seed=3)[: n + len(STATES)]
    objective = (X[:n, 0] - 0.4) ** 2 + 0.1 * X[:n, 3]
    objective[4] = objective[9]
    objective[7] = 1e4
    feasible = np.ones(n, dtype=bool)
    feasible[2] = False
    numbers = [k for k in range(n + 3) if k not in (5, 11, 12)]
    sign = 1.0 if direction == "minimize" else -1.0
    return hx.Run(
        SPACE,
        X[:n],
        sign * objective,
        direction,
        trials=numbers,
        feasible=feasible,
        excluded={
            number: fact(kind=state) for number, state in zip((5, 11, 12), STATES, strict=True)
        },
        without_result={
            number: WithoutResult(state, X[n + k])
            for k, (number, state) in enumerate(zip((5, 11, 12), STATES, strict=True))
        },
    )


@pytest.fixture(scope="module", params=["minimize", "maximize"])
def run(request):
    return run_of(request.param)


@pytest.fixture(scope="module")
def found(run):
    return hx.methods.slices(run, ["lr", "optimizer", "momentum", "layers"])


def test_ranks_are_those_of_scipy_among_the_finished_ones(run, found):
    finished = np.asarray(run.feasible)
    expected = dict(
        zip(np.asarray(run.trials)[finished].tolist(), rankdata(run.cost[finished]), strict=True)
    )
    for trial, rank in zip(found.trials.tolist(), found.ranks, strict=True):
        np.testing.assert_equal(rank, expected.get(trial, np.nan))
    assert found.best == run.incumbent_trial
    best = sorted(expected, key=expected.get)[:3]
    assert sorted(found.trials[found.best_ones]) == sorted(best)


def test_each_trial_has_its_state_configuration_and_value(run, found):
    assert found.trials.tolist() == list(range(33))
    for i, trial in enumerate(found.trials.tolist()):
        row = dict(found.to_frame().iloc[i])
        config = run.config(trial)
        assert {k: v for k, v in row.items() if k in SPACE.names} == {
            name: config.get(name) for name in SPACE.names
        }
        if trial in run.excluded:
            assert row["state"] == run.without_result[trial].state
            assert np.isnan(row["objective"])
        else:
            assert row["objective"] == run.objective[run.row(trial)]
    assert found.states.count("infeasible") == 1


def test_stages_are_thirds_of_the_finished_trials_in_their_order(found):
    early, middle, late = found.stages.values()
    finished = found.of_state("finished")
    assert (early | middle | late).tolist() == finished.tolist()
    counts = [int(stage.sum()) for stage in (early, middle, late)]
    assert max(counts) - min(counts) <= 1
    assert found.trials[early].max() < found.trials[middle].min()
    assert found.trials[middle].max() < found.trials[late].min()


def test_the_curve_is_that_of_partial_dependence(run, found):
    for panel, name in zip(found.described().panels, found.names, strict=True):
        best = hx.partial_dependence(run, name).reached
        curve = next(mark for mark in [*panel.lines, *panel.dots] if mark.look == "main")
        np.testing.assert_allclose(curve.y, best.mean, rtol=1e-12)
        lower, upper = best.band()
        np.testing.assert_allclose(curve.y - curve.half[0], lower, rtol=1e-9)
        np.testing.assert_allclose(curve.y + curve.half[1], upper, rtol=1e-9)


def test_points_stand_at_the_values_of_the_trials(run, found):
    lr, optimizer, momentum, _ = found.described().panels
    for panel, name in ((lr, "lr"), (momentum, "momentum")):
        places = {
            round(float(x), 12): float(y)
            for dots in panel.dots
            if dots.look not in ("star", "main")
            for x, y in zip(dots.x, dots.y, strict=True)
        }
        expected = {}
        for trial in found.trials.tolist():
            value = run.config(trial).get(name)
            if value is not None:
                worse = np.inf if run.direction == "minimize" else -np.inf
                reached = worse
                if trial not in run.excluded:
                    reached = run.objective[run.row(trial)]
                expected[round(value, 12)] = reached
        assert places == expected
    for dots in optimizer.dots:
        if dots.look in ("main", "star"):
            continue
        for x, told in zip(dots.x, dots.told, strict=True):
            name = optimizer.x.values[round(float(x))]
            assert f"optimizer = {name}" in told
            assert abs(x - round(float(x))) <= 0.3 + 1e-9


def test_a_far_worse_trial_is_marked_at_the_end_of_the_axis(run, found):
    (panel, *_) = found.described().panels
    low, high = panel.limits()
    assert max(abs(low), abs(high)) < 100.0
    beyond = [(some, end) for dots in panel.dots for some, end in panel.placed(dots) if end]
    ((point, end),) = beyond
    assert end == ("triangle-up" if run.direction == "minimize" else "triangle-down")
    assert point.told[0].startswith("trial 8: ")  # the row 7
    assert found.described().means["beyond"]


def test_what_matters_most_is_drawn_and_the_rest_counted(run):
    found = hx.methods.slices(run, most=2)
    effects = hx.partial_dependence(run, most=2)
    assert found.names == tuple(name for (name,) in effects.names)
    assert "Not shown: 2 hyperparameters." in found.described().footer
    assert hx.methods.slices(run, "lr").names == ("lr",)


def test_a_name_that_is_none_is_refused(run):
    with pytest.raises(InputError, match="names must be a hyperparameter"):
        hx.methods.slices(run, ["lr", "lear"])


def test_the_sentence_counts_the_trials_and_names_the_best(run, found):
    best = f"the best is trial {run.incumbent_trial}"
    assert found.headline == f"33 trials; {best}."
    names = "lr, optimizer, momentum, layers"
    assert found.sentence == (f"33 trials by {names}; {best}; 1 failed; 1 pruned.")
