"""Advice applied to a study: what it evaluates next, with its own sampler and all its trials."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods.advice.advise_result import Action, Advice
from tests.adapters.studies import optimized

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.FloatParameter("drop", 0.01, 1.0),
        hx.IntParameter("depth", 1, 9, step=2),
        hx.CategoricalParameter("kind", ["a", "b", "c"]),
    ]
)
SAMPLERS = {
    "tpe": lambda: optuna.samplers.TPESampler(seed=0),
    "multivariate": lambda: optuna.samplers.TPESampler(seed=0, multivariate=True),
    "group": lambda: optuna.samplers.TPESampler(seed=0, multivariate=True, group=True),
    "random": lambda: optuna.samplers.RandomSampler(seed=0),
}


def objective(trial):
    lr = trial.suggest_float("lr", 1e-4, 1.0, log=True)
    drop = trial.suggest_float("drop", 0.01, 1.0)
    depth = trial.suggest_int("depth", 1, 9, step=2)
    kind = trial.suggest_categorical("kind", ["a", "b", "c"])
    return (np.log10(lr) + 2.0) ** 2 + drop + abs(depth - 5) + "abc".index(kind)


def study_of(sampler="tpe", n=25):
    return optimized(objective, n, SAMPLERS[sampler]())


def advice_of(*parameters, configurations=()):
    actions = [Action("narrow", parameters=parameters)]
    actions += [Action("try", configurations=tuple(configurations))]
    return Advice(subject=Subject(SPACE), actions=tuple(actions), space=SPACE)


NARROWER = [
    hx.FloatParameter("lr", 1e-3, 1e-1, log=True),
    hx.IntParameter("depth", 3, 7, step=2),
    hx.CategoricalParameter("kind", ["a", "c"]),
]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_smaller_ranges_do_not_change_what_the_studys_own_sampler_proposes(sampler):
    """No advice keeps the search out of a part of the space."""
    study, plain = study_of(sampler), study_of(sampler)
    before = [(t.number, t.params, t.value) for t in study.trials]
    advised = advice_of(*NARROWER).apply(study)
    # nothing is lost, and the study given is as it was
    assert [(t.number, t.params, t.value) for t in advised.trials] == before
    assert [(t.number, t.params, t.value) for t in study.trials] == before
    assert type(advised.sampler) is type(study.sampler)
    for one in (advised, plain):
        one.optimize(objective, n_trials=15)
    assert [t.params for t in advised.trials] == [t.params for t in plain.trials]
    assert [t.distributions for t in advised.trials] == [t.distributions for t in plain.trials]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_wider_range_is_reached_by_an_objective_that_asks_for_the_old_one(sampler):
    wider = [hx.FloatParameter("drop", 0.01, 3.0), hx.IntParameter("depth", 1, 21, step=2)]
    study = advice_of(*wider).apply(study_of(sampler))
    study.optimize(objective, n_trials=30)
    drawn = [trial.params for trial in study.trials[25:]]
    assert max(p["drop"] for p in drawn) > 1.0
    assert max(p["depth"] for p in drawn) > 9
    assert all(p["drop"] <= 3.0 and p["depth"] in range(1, 22, 2) for p in drawn)


def test_another_scale_is_searched_by_an_objective_that_asks_for_the_old_one():
    advice = advice_of(hx.FloatParameter("drop", 0.01, 1.0, log=True))
    study = advice.apply(study_of("random"))
    study.optimize(objective, n_trials=60)
    drawn = np.array([trial.params["drop"] for trial in study.trials[25:]])
    # half of a log-uniform sample lies below the geometric mean of the ends; 9 % of a uniform one
    assert 0.25 < (drawn < 0.1).mean() < 0.75
    assert study.trials[-1].distributions["drop"].log


def test_ask_and_tell_reach_a_wider_range():
    advice = advice_of(hx.FloatParameter("drop", 0.01, 100.0))
    study = advice.apply(study_of("random"))
    drawn = []
    for _ in range(5):
        trial = study.ask(SPACE.to_optuna())
        drawn.append(trial.params["drop"])
        study.tell(trial, 1.0)
    assert max(drawn) > 1.0
    assert len(study.trials) == 30


def test_a_range_of_the_objectives_own_stays():
    """A condition may make an objective ask for a part of a range."""
    advised = advice_of(hx.FloatParameter("lr", 1e-6, 10.0, log=True)).apply(study_of())
    for _ in range(5):
        trial = advised.ask()
        assert 0.2 <= trial.suggest_float("lr", 0.2, 0.9, log=True) <= 0.9


def test_a_study_is_kept_where_it_is_asked_to_be(tmp_path):
    url = f"sqlite:///{tmp_path / 'new.db'}"
    study = advice_of(*NARROWER).apply(study_of(n=12), storage=url, study_name="advised")
    study.optimize(objective, n_trials=3)
    assert len(optuna.load_study(study_name="advised", storage=url).trials) == 15


def test_advice_after_advice_keeps_wider_ranges():
    wider = [hx.FloatParameter("drop", 0.01, 3.0)]
    study = advice_of(*wider).apply(study_of("random"))
    study.optimize(objective, n_trials=20)
    assert max(trial.params["drop"] for trial in study.trials[25:]) > 1.5
    again = advice_of(hx.IntParameter("depth", 1, 21, step=2)).apply(study)
    again.optimize(objective, n_trials=20)
    assert [t.params for t in again.trials[:45]] == [t.params for t in study.trials]
    drawn = [trial.params for trial in again.trials[45:]]
    assert max(p["drop"] for p in drawn) > 1.5
    assert max(p["depth"] for p in drawn) > 9


def test_what_was_enqueued_by_advice_gives_way_to_newer_advice_and_by_a_user_stays():
    rest = {"drop": 0.5, "depth": 5, "kind": "a"}
    first, second, own = ({"lr": lr, **rest} for lr in (0.1, 0.2, 0.3))
    study = study_of(n=12)
    study.enqueue_trial(own)
    advised = advice_of(configurations=[first]).apply(study)
    again = advice_of(configurations=[second]).apply(advised)
    again.optimize(objective, n_trials=2)
    assert [trial.params for trial in again.trials[12:]] == [second, own]


def test_failed_trials_are_carried_over():
    study = study_of(n=12)
    failed = {"state": optuna.trial.TrialState.FAIL, "params": {"kind": "b"}}
    kind = {"kind": SPACE.to_optuna()["kind"]}
    study.add_trial(optuna.trial.create_trial(**failed, distributions=kind))
    states = [trial.state.name for trial in advice_of().apply(study).trials]
    assert states == ["COMPLETE"] * 12 + ["FAIL"]


def test_what_a_sampler_fixes_stays_fixed():
    study = study_of("random", n=12)
    study.sampler = optuna.samplers.PartialFixedSampler({"kind": "c"}, SAMPLERS["random"]())
    advised = advice_of().apply(study)
    advised.optimize(objective, n_trials=3)
    assert {trial.params["kind"] for trial in advised.trials[12:]} == {"c"}


def test_several_objectives_go_on_as_they_did():
    both = optuna.create_study(directions=["minimize"] * 2, sampler=SAMPLERS["random"]())
    study = advice_of().apply(both)
    assert study.directions == both.directions
    assert isinstance(study.sampler, optuna.samplers.RandomSampler)


def test_distributions_of_a_space_are_those_that_a_study_records():
    assert SPACE.to_optuna() == study_of(n=1).trials[0].distributions


def test_what_no_adapter_can_apply_is_refused():
    with pytest.raises(hx.base.InputError) as caught:
        advice_of().apply([1, 2])
    assert caught.value.argument == "source"
    with pytest.raises(hx.base.InputError) as caught:
        advice_of().apply(study_of(n=2), [7])
    assert caught.value.argument == "actions"
