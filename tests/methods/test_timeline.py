"""The timeline of a run: rows, durations, pauses, and the shares of failed and pruned trials."""

import datetime as dt

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial, TrialState

import hpo_explain as hx
from hpo_explain.base import NothingToExplain
from hpo_explain.base.figures import Rows
from hpo_explain.methods.runs.timeline import one_after_another

BEGIN = dt.datetime(2026, 3, 1, 12)
STATES = {
    TrialState.COMPLETE: "finished",
    TrialState.FAIL: "failed",
    TrialState.PRUNED: "pruned",
    TrialState.RUNNING: "running",
}


def study_of(times, states=None):
    """A study whose trials ran from and to these seconds, the last one the best."""
    study = optuna.create_study()
    states = states or [TrialState.COMPLETE] * len(times)
    for number, ((start, end), state) in enumerate(zip(times, states, strict=True)):
        ran = state != TrialState.RUNNING
        study.add_trial(
            FrozenTrial(
                number=number,
                trial_id=number,
                state=state,
                value=-number if state == TrialState.COMPLETE else None,
                datetime_start=BEGIN + dt.timedelta(seconds=start),
                datetime_complete=BEGIN + dt.timedelta(seconds=end) if ran else None,
                params={"x": number / 100.0},
                distributions={"x": FloatDistribution(0.0, 1.0)},
                user_attrs={},
                system_attrs={},
                intermediate_values={},
            )
        )
    return study


@pytest.fixture(scope="module")
def study():
    """Forty trials by three workers, some of which failed, were pruned or still run."""
    rng = np.random.default_rng(2)
    free, times, states = np.zeros(3), [], []
    for number in range(40):
        worker = int(np.argmin(free))
        start = free[worker] + rng.integers(0, 3)
        free[worker] = start + rng.integers(5, 60)
        times.append((start, free[worker]))
        ends = [TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED]
        state = ends[rng.choice(3, p=[0.7, 0.1, 0.2])]
        states.append(state if number < 38 else TrialState.RUNNING)
    return study_of(times, states)


def test_times_and_states_are_those_that_the_study_recorded(study):
    found = hx.methods.timeline(study)
    trials = study.get_trials()
    for i, number in enumerate(found.trials.tolist()):
        trial = trials[number]
        assert found.states[i] == STATES[trial.state]
        since = (trial.datetime_start - BEGIN).total_seconds()
        first = min(t.datetime_start for t in trials) - BEGIN
        assert found.since_start[i] == since - first.total_seconds()
        if trial.state != TrialState.RUNNING:
            assert found.seconds[i] == trial.duration.total_seconds()
    assert sorted(found.trials) == [trial.number for trial in trials]
    last = max(t.datetime_complete or t.datetime_start for t in trials)
    whole = last - min(t.datetime_start for t in trials)
    assert found.span == whole.total_seconds()
    assert found.best == study.best_trial.number


def test_there_are_as_many_rows_as_trials_ran_at_once_and_none_overlap():
    rng = np.random.default_rng(0)
    for _ in range(20):
        started = np.sort(rng.integers(0, 50, 30)).astype(float)
        finished = started + rng.integers(0, 20, 30)
        rows = one_after_another(started, finished)
        at_once = max(int(((started <= time) & (finished > time)).sum()) for time in started)
        assert rows.max() + 1 == max(at_once, 1)
        for row in range(rows.max() + 1):
            of_row = rows == row
            assert (started[of_row][1:] >= finished[of_row][:-1]).all()


def test_the_shares_of_time_are_those_of_the_states(study):
    found = hx.methods.timeline(study)
    whole, *lost = found.claims
    assert whole.estimate == found.span
    assert len(lost) == 2
    for claim, state in zip(lost, ("failed", "pruned"), strict=True):
        took = [
            trial.duration.total_seconds()
            for trial in study.get_trials()
            if STATES[trial.state] == state
        ]
        share = sum(took) / found.seconds.sum()
        assert claim.estimate == pytest.approx(share, rel=1e-12)
        n = f"{len(took)} {state} trial" + "s" * (len(took) != 1)
        assert f"{share:.0%} went into {n}" in found.finding
    assert f"at most {found.at_once} at once" in found.finding


def test_a_pause_is_told_and_a_long_one_is_not_drawn():
    day = 86_400.0
    found = hx.methods.timeline(
        study_of([(0, 60), (60, 120), (day, day + 60), (day + 62, day + 122)])
    )
    pauses = found.pauses - found.started.min()
    assert pauses.tolist() == [[120.0, day], [day + 60, day + 62]]
    assert found.idle == day - 120.0 + 2.0
    assert found.finding == ("4 trials took 1 d, one after the other; for 24 h of it none ran.")
    figure = found.described()
    assert figure.label == "min since the first trial started, without long pauses"
    begins = [bar.begin for bar in figure.bars]
    assert begins == pytest.approx([0.0, 1.0, 2.0, 3.0 + 2.0 / 60.0])
    assert figure.guides == [(pytest.approx(2.0), "turn")]
    assert figure.means["turn"] == "pauses, not drawn: 24 h"


def test_a_bar_is_a_trial_and_says_so(study):
    found = hx.methods.timeline(study)
    figure = found.described()
    assert len(figure.bars) == len(found)
    for bar in figure.bars:
        number = int(bar.told.split(":")[0].removeprefix("trial "))
        (i,) = np.flatnonzero(found.trials == number)
        assert figure.fills[bar.fill].startswith(found.states[i])
        assert bar.row == found.rows[i]
        assert bar.begin == pytest.approx(found.since_start[i] / 60.0)
        until = bar.begin + found.seconds[i] / 60.0
        gap = until - bar.end
        assert 0.0 <= gap <= 0.1 * (until - bar.begin) + 1e-9
    (star,) = figure.dots
    (i,) = np.flatnonzero(found.trials == found.best)
    ended = found.since_start[i] + found.seconds[i]
    assert star.x[0] == pytest.approx(ended / 60.0)
    assert star.y[0] == found.rows[i]


def test_thousands_of_trials_are_few_bars_and_no_time_is_lost():
    times = np.arange(5000.0)
    found = hx.methods.timeline(
        hx.Run(
            hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)]),
            np.linspace(0.0, 1.0, 5000)[:, None],
            times,
            "minimize",
            started=times,
            finished=times + 1.0,
        )
    )
    figure = found.described()
    assert len(figure.bars) <= 400
    drawn = sum(bar.end - bar.begin for bar in figure.bars)
    _, length = figure.ends
    assert drawn == pytest.approx(length, rel=0.15)


def test_more_workers_than_rows_are_counted():
    found = hx.methods.timeline(study_of([(k, 100) for k in range(25)]))
    figure = found.described()
    assert len(figure.labels) == Rows.MOST
    assert "Not shown: 5 workers." in figure.footer


def test_without_times_there_is_no_timeline():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    run = hx.Run(space, [[0.1], [0.2]], [1.0, 2.0], "minimize")
    assert not run.is_timed
    with pytest.raises(NothingToExplain, match=r"a start and a finish.*time="):
        hx.methods.timeline(run)


def test_trials_without_times_are_named():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    run = hx.Run(
        space, [[0.1], [0.2]], [1.0, 2.0], "minimize", started=[0.0, np.nan], finished=[5.0, np.nan]
    )
    (note,) = hx.methods.timeline(run).notes
    assert (str(note), note.trials) == ("1 trial without times, and not drawn", (1,))


def test_many_workers_with_many_trials_each_are_few_bars():
    begin = np.repeat(np.arange(200.0), 10)
    figure = hx.methods.timeline(
        hx.Run(
            hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)]),
            np.linspace(0.0, 1.0, 2000)[:, None],
            begin,
            "minimize",
            started=begin,
            finished=begin + 1.0,
        )
    ).described()
    assert len(figure.labels) == 10
    assert len(figure.bars) <= 600
    told = "\n".join(bar.told for bar in figure.bars)
    assert told.count("trial ") == 2000
