"""Clocks that differ are noticed, and then numbers tell what was known; normal runs are not."""

import datetime
import heapq

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.adapters.optuna._record import known_when
from hpo_explain.run import clock_difference
from tests.analytic import unit_cube
from tests.noted import noted, the_note

SPACE = unit_cube(1)
HOUR = 3600.0


def ran(n, workers, mean, seed):
    """True starts and finishes of trials numbered as they start, and the worker of each."""
    rng = np.random.default_rng(seed)
    free = [(rng.uniform(0.0, 2.0), w) for w in range(workers)]
    heapq.heapify(free)
    start, finish, worker = np.empty(n), np.empty(n), np.empty(n, dtype=int)
    for i in range(n):
        start[i], worker[i] = heapq.heappop(free)
        finish[i] = start[i] + mean * rng.gamma(4.0, 0.25)
        heapq.heappush(free, (finish[i] + rng.uniform(0.0, 1.0), worker[i]))
    return start, finish, worker


def of(start, finish):
    n = len(start)
    X = np.linspace(0.0, 1.0, n)[:, None]
    return hx.Run(SPACE, X, X[:, 0], "minimize", started=start, finished=finish)


# ---------------------------------------------------------------------- noticed


@pytest.mark.parametrize("mean", [1.0, 60.0, 1500.0])
@pytest.mark.parametrize("hours", [0.5, 1.0, 2.0, 5.5])
def test_a_clock_that_was_set_back(hours, mean):
    for seed in range(5):
        start, finish, _ = ran(40, 1, mean, seed)
        moved = start > start[20]
        if start[21] - start[20] > hours * HOUR - 300.0:
            continue  # longer than the jump: nothing contradicts the order
        start, finish = (start - hours * HOUR * moved, finish - hours * HOUR * moved)
        assert clock_difference(np.arange(40), start, finish) == hours * HOUR
        run = of(start, finish)
        assert f"jump back by {hours:g} h" in str(the_note(run.notes, "clocks: recorded"))
        for before in (5, 21, 30):
            assert run.known_before(before).tolist() == [*range(before)]
        assert len(run.known_before(None)) == len(run.known_before(40)) == 40
        assert run.running_at(30) == ()


@pytest.mark.parametrize("mean", [5.0, 60.0, 1500.0])
@pytest.mark.parametrize("hours", [0.75, 1.0, 9.0])
def test_two_workers_in_different_zones(hours, mean):
    for seed in range(5):
        start, finish, worker = ran(40, 2, mean, seed)
        shift = hours * HOUR * worker
        assert clock_difference(np.arange(40), start + shift, finish + shift) == hours * HOUR
        run = of(start + shift, finish + shift)
        assert noted(run.notes, "clocks: recorded")
        assert not noted(run.notes, "parallel: trials")
        assert run.known_before(30).tolist() == [*range(30)]


def test_a_study_whose_clock_was_set_back():
    start, finish, _ = ran(30, 1, 60.0, 0)
    moved = HOUR * (np.arange(30) >= 15)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    distributions = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
    for i in range(30):
        at = [datetime.datetime.fromtimestamp(1.7e9 + t[i] - moved[i]) for t in (start, finish)]
        made = optuna.trial.create_trial(
            params={"x": i / 30}, distributions=distributions, value=float(i)
        )
        made.datetime_start, made.datetime_complete = at
        made.system_attrs = {"tpe:relative_params": "{}"} if i >= 10 else {}
        study.add_trial(made)
    run = hx.from_optuna(study)
    assert noted(run.notes, "clocks: recorded times jump back by 1 h")
    assert run.known_before(20).tolist() == [*range(20)]
    # its own sampler saw the same trials
    assert run.origin(9) is hx.base.Origin.INITIAL
    assert run.proposals == tuple(range(10, 30))
    assert len(known_when(study.trials, 20)) == 20


def test_a_table_whose_numbers_contradict_its_times():
    start, finish, worker = ran(20, 2, 60.0, 0)
    x = np.linspace(0.0, 1.0, 20)
    table = pd.DataFrame({"n": range(20), "x": x, "loss": x**2})
    table["start"], table["end"] = (t + HOUR * worker for t in (start, finish))
    run = hx.from_frame(table, "loss", trial="n", time=("start", "end"))
    assert noted(run.notes, "clocks: recorded")
    assert noted(hx.methods.timeline(run).notes, "clocks: recorded")
    assert sorted(run.trials[run.known_before(12)]) == [*range(12)]


# ---------------------------------------------------------------------- not noticed


@pytest.mark.parametrize("workers", [1, 2, 8, 32])
@pytest.mark.parametrize("mean", [1.0, 60.0, 900.0, 7200.0])
def test_parallel_trials_agree(workers, mean):
    for seed in range(10):
        start, finish, _ = ran(80, workers, mean, seed)
        jitter = np.random.default_rng(seed).normal(0.0, 10.0, 80)
        for moved in (0.0, jitter):
            times = start + moved, finish + moved
            assert clock_difference(np.arange(80), *times) == 0.0
    run = of(start, finish)
    assert not noted(run.notes, "clocks: recorded")
    assert bool(noted(run.notes, "parallel: trials")) == (workers > 1)


@pytest.mark.parametrize("mean", [10.0, 60.0, 600.0, 3600.0])
def test_numbers_in_any_other_order_agree(mean):
    """As where a list of trials was written first, and worked off in any order."""
    for seed in range(20):
        start, finish, _ = ran(40, 4, mean, seed)
        numbers = np.random.default_rng(seed).permutation(40)
        assert clock_difference(numbers, start, finish) == 0.0


def test_a_trial_that_waited_is_no_clock():
    """Numbered when it was enqueued, started after others: its time fits a clock only by chance."""
    noticed = 0
    for seed in range(100):
        start, finish, _ = ran(40, 1, 30.0, seed)
        late = np.random.default_rng(seed).integers(20, 40)
        numbers = np.insert(np.delete(np.arange(40), 5), late, 5)
        order = np.argsort(numbers, kind="stable")
        noticed += clock_difference(np.arange(40), start[order], finish[order]) > 0.0
    assert noticed <= 5


def test_unknown_times_say_nothing():
    nothing = np.full(5, np.nan)
    assert clock_difference(np.arange(5), nothing, nothing) == 0.0
    assert clock_difference(np.zeros(0, dtype=int), np.zeros(0), np.zeros(0)) == 0.0
