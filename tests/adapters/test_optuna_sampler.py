"""Who chose the trials of a study, and what was known by then."""

import time

import numpy as np
import optuna
import pytest
from optuna.samplers import GPSampler, GridSampler, QMCSampler, RandomSampler, TPESampler
from optuna.trial import TrialState, create_trial

import hpo_explain as hx
from hpo_explain.adapters.optuna import from_optuna
from hpo_explain.base.facts import Origin
from tests.adapters.studies import finished, optimized, parabola, study_of
from tests.noted import noted, the_note

# ---------------------------------------------------------------------- who chose the trials


class SpiedTPE(TPESampler):
    """TPE that notes for which trials it used its model."""

    def __init__(self, **options):
        super().__init__(**options)
        self.chosen = set()

    def _sample(self, study, trial, search_space):
        self.chosen.add(trial.number)
        return super()._sample(study, trial, search_space)


def some_pruned(trial):
    x = trial.suggest_float("x", -1.0, 1.0)
    if trial.number % 4 == 1:
        raise optuna.TrialPruned
    if trial.number % 7 == 3:
        raise RuntimeError
    return x**2


@pytest.mark.parametrize("startup", [1, 5, 10, 17])
def test_proposals_are_the_trials_that_tpe_chose_by_its_model(startup):
    sampler = SpiedTPE(n_startup_trials=startup, seed=0)
    study = optimized(some_pruned, 30, sampler, catch=RuntimeError)
    run = from_optuna(study)
    assert set(run.proposals) == sampler.chosen & set(run.trials.tolist())
    assert run.optimizer == "Optuna's SpiedTPE"
    assert set(from_optuna(study, sampler=sampler).proposals) == set(run.proposals)


@pytest.mark.merge
def test_proposals_of_a_loaded_study_are_told_by_the_marks_on_the_trials(tmp_path):
    storage = f"sqlite:///{tmp_path}/study.db"
    sampler = SpiedTPE(n_startup_trials=6, multivariate=True, constant_liar=True, seed=0)
    optimized(parabola, 20, sampler, storage=storage, study_name="marked")
    loaded = optuna.load_study(storage=storage, study_name="marked")
    run = from_optuna(loaded)
    assert set(run.proposals) == sampler.chosen == set(range(6, 20))
    assert the_note(run.notes, "sampler: TPESampler, recorded on 14 trials; ")


def test_nobody_is_assumed_who_left_no_marks(tmp_path):
    """A random search that is read from a storage is not by TPE, which is only Optuna's default."""
    storage = f"sqlite:///{tmp_path}/study.db"
    optimized(parabola, 15, RandomSampler(seed=0), storage=storage, study_name="plain")
    loaded = optuna.load_study(storage=storage, study_name="plain")
    run = from_optuna(loaded)
    assert run.optimizer == "an unknown sampler of Optuna"
    assert {run.origin(trial) for trial in range(15)} == {Origin.UNKNOWN}
    assert run.proposals == ()
    with pytest.raises(hx.base.NothingToExplain, match="sampler="):
        hx.explain_proposal(run, "best")
    why = "it is not recorded which sampler chose the trials"
    assert the_note(run.notes, f"sampler: {why}")
    found = hx.explain_proposal(run, 14)
    assert found.subject.assumed
    assert found.subject.acquisition == "LCB (κ = 1.96)"
    assert the_note(found.notes, "a GP with LCB (κ = 1.96) is assumed").text().startswith(why)
    for text in (str(run), found.sentence, *map(str, found.notes)):
        assert "TPE" not in text
        assert "after the initial design" not in text
    told = from_optuna(loaded, sampler=RandomSampler())
    assert told.optimizer == "Optuna's RandomSampler"
    assert the_note(told.notes, "sampler: RandomSampler, as given with sampler=; ")


@pytest.mark.merge
def test_a_sampler_that_a_loaded_study_was_given_or_has_used_is_the_one(tmp_path):
    storage = f"sqlite:///{tmp_path}/study.db"
    sampler = TPESampler(multivariate=False)  # leaves no marks
    ran = optimized(parabola, 15, sampler, storage=storage, study_name="plain")
    assert from_optuna(ran).optimizer == "Optuna's TPESampler"
    options = {"storage": storage, "study_name": "plain"}
    given = optuna.load_study(sampler=RandomSampler(), **options)
    assert from_optuna(given).optimizer == "Optuna's RandomSampler"
    assert from_optuna(optuna.load_study(**options)).optimizer == "an unknown sampler of Optuna"
    by_tpe = from_optuna(optuna.load_study(**options), sampler=sampler)
    assert hx.explain_proposal(by_tpe, 14).subject.acquisition == "log l − log g"


@pytest.mark.parametrize(
    ("sampler", "name"),
    [
        (lambda: RandomSampler(seed=0), "RandomSampler"),
        (lambda: GridSampler({"x": np.linspace(-1, 1, 14).tolist()}, seed=0), "GridSampler"),
        (lambda: QMCSampler(seed=0), "QMCSampler"),
    ],
)
def test_without_a_model_all_trials_with_two_before_them_may_be_explained(sampler, name):
    run = from_optuna(optimized(parabola, 14, sampler()))
    assert run.proposals == tuple(range(2, 14))
    assert the_note(run.notes, f"no acquisition function chose this run's trials ({name})")
    assert {run.origin(trial) for trial in run.trials.tolist()} == {Origin.INITIAL}


def test_a_grid_is_recognized_by_its_marks():
    study = optimized(parabola, 12, GridSampler({"x": np.linspace(-1, 1, 12).tolist()}, seed=0))
    study.sampler = TPESampler()
    assert from_optuna(study).optimizer == "Optuna's GridSampler"


def test_the_gaussian_process_of_optuna_counts_completed_trials_only():
    trials = [
        finished(start=i, end=i + 0.5, state=TrialState.PRUNED if i < 4 else TrialState.COMPLETE)
        for i in range(20)
    ]
    study = study_of(*trials)
    assert from_optuna(study, sampler=TPESampler()).proposals == tuple(range(10, 20))
    assert from_optuna(study, sampler=GPSampler()).proposals == tuple(range(14, 20))


def test_trials_that_the_sampler_did_not_choose_are_no_proposals():
    study = optimized(parabola, 5, TPESampler(n_startup_trials=2, seed=0))
    study.enqueue_trial({"x": 0.25})
    study.enqueue_trial({"unknown": 1})  # fixes nothing: the sampler chooses
    study.optimize(parabola, n_trials=3)
    space = {"distributions": study.trials[0].distributions}
    study.add_trial(create_trial(value=0.1, params={"x": 0.0}, **space))
    retried = {
        "state": TrialState.WAITING,
        "system_attrs": {"failed_trial": 0, "retry_history": [0]},
    }
    study.add_trial(create_trial(params={"x": 0.5}, **retried, **space))
    study.optimize(parabola, n_trials=2)
    run = from_optuna(study)
    assert run.trials.tolist() == list(range(11))
    assert run.proposals == (2, 3, 4, 6, 7, 10)
    by_hand = {5: Origin.ENQUEUED, 8: Origin.ADDED, 9: Origin.RETRIED}
    assert {t: run.origin(t) for t in by_hand} == by_hand
    assert {run.origin(t) for t in (0, 1)} == {Origin.INITIAL}
    assert {run.origin(t) for t in run.proposals} == {Origin.MODEL}
    assert the_note(run.notes, "enqueued, so not chosen by the sampler: 1 trial (5)")
    assert the_note(
        run.notes, "added as finished trials, so not chosen by the sampler: 1 trial (8)"
    )
    assert the_note(run.notes, "retried after a failure, so not chosen anew: 1 trial (9)")


# ---------------------------------------------------------------------- parallel runs


def test_what_was_known_before_a_trial_goes_by_time():
    # trial:    0       1       2       3
    times = [(0, 10), (1, 3), (4, 6), (7, 9)]
    study = study_of(*(finished(i, start=a, end=b, x=i / 4) for i, (a, b) in enumerate(times)))
    run = from_optuna(study)
    assert [run.known_before(n).tolist() for n in range(4)] == [[], [], [1], [1, 2]]
    assert noted(run.notes, "parallel: trials")


def test_trials_that_were_running_are_listed_in_whatever_state_they_ended():
    # trial:    0       1       2       3
    times = [(0, 10), (1, 3), (2, 6), (7, 9)]
    states = [TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED, TrialState.COMPLETE]
    study = study_of(
        *(
            finished(None if state == TrialState.FAIL else 1.0, start=a, end=b, state=state, x=0.5)
            for (a, b), state in zip(times, states, strict=True)
        )
    )
    study.enqueue_trial({"x": 0.1})
    run = from_optuna(study)
    assert [run.running_at(n) for n in range(5)] == [(), (0,), (0, 1), (0,), ()]
    assert run.known_before(2).tolist() == []
    study.ask()
    assert from_optuna(study).running_at(None) == (4,)


def test_the_startup_phase_of_a_parallel_run_goes_by_time():
    # ten workers: trial n of the second round starts when its predecessor is finished
    trials = [finished(start=i / 100, end=1 + i, x=0.5) for i in range(10)]
    trials += [finished(start=1.5 + i, end=30 + i, x=0.5) for i in range(12)]
    run = from_optuna(study_of(*trials), sampler=TPESampler())
    assert run.proposals == (19, 20, 21)  # started at 10.5, 11.5, 12.5


def test_random_trials_of_a_parallel_run_are_told_from_those_with_marks():
    """While one trial waits for the sampler, others finish: few were finished when it started."""

    def objective(trial):
        time.sleep(0.02 * (trial.number % 3))
        return trial.suggest_float("x", 0, 1) + trial.suggest_float("lr", 1e-5, 1, log=True)

    # which leaves marks
    sampler = TPESampler(multivariate=True, constant_liar=True, seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=30, n_jobs=4)
    marked = [trial.number for trial in study.trials if trial.system_attrs]
    assert len(marked) < 30
    run = from_optuna(study)
    assert list(run.proposals) == marked
