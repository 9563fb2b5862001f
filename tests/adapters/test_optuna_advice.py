"""Advice applied to a study: where it searches on, with what it knows, for the same objective."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.adapters.optuna import BeliefSampler
from hpo_explain.adapters.optuna._sampler import BELIEVED
from hpo_explain.adapters.optuna.samplers import unwrapped
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
    "multivariate": lambda: optuna.samplers.TPESampler(
        seed=0, multivariate=True
    ),
    "group": lambda: optuna.samplers.TPESampler(
        seed=0, multivariate=True, group=True
    ),
    "random": lambda: optuna.samplers.RandomSampler(seed=0),
}


def objective(trial):
    lr = trial.suggest_float("lr", 1e-4, 1.0, log=True)
    drop = trial.suggest_float("drop", 0.01, 1.0)
    depth = trial.suggest_int("depth", 1, 9, step=2)
    kind = trial.suggest_categorical("kind", ["a", "b", "c"])
    return (
        (np.log10(lr) + 2.0) ** 2 + drop + abs(depth - 5) + "abc".index(kind)
    )


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
def test_a_study_goes_on_within_smaller_ranges_and_fewer_categories(sampler):
    study = study_of(sampler)
    before = [(t.number, t.params, t.value) for t in study.trials]
    advised = advice_of(*NARROWER).apply(study, sampler=SAMPLERS[sampler]())
    advised.optimize(objective, n_trials=15)
    # nothing is lost, and the study given is as it was
    assert [
        (t.number, t.params, t.value) for t in advised.trials[:25]
    ] == before
    assert [(t.number, t.params, t.value) for t in study.trials] == before
    for trial in advised.trials[25:]:
        assert 1e-3 <= trial.params["lr"] <= 1e-1
        assert trial.params["depth"] in (3, 5, 7)
        assert trial.params["kind"] in ("a", "c")
    assert len({trial.params["lr"] for trial in advised.trials[25:]}) == 15


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_fixed_values_stay_and_the_rest_is_searched(sampler):
    fixed = [
        hx.FloatParameter("drop", 0.5, 0.5),
        hx.CategoricalParameter("kind", ["b"]),
    ]
    advised = advice_of(
        *fixed,
        configurations=[{"lr": 0.1, "drop": 0.9, "depth": 3, "kind": "a"}],
    )
    study = advised.apply(study_of(sampler), sampler=SAMPLERS[sampler]())
    study.optimize(objective, n_trials=8)
    first, *later = study.trials[25:]
    assert first.params == {"lr": 0.1, "drop": 0.5, "depth": 3, "kind": "b"}
    assert {(t.params["drop"], t.params["kind"]) for t in later} == {
        (0.5, "b")
    }
    assert len({t.params["lr"] for t in later}) == 7


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_wider_range_is_reached_by_an_objective_that_asks_for_the_old_one(
    sampler,
):
    wider = [
        hx.FloatParameter("drop", 0.01, 3.0),
        hx.IntParameter("depth", 1, 21, step=2),
    ]
    study = advice_of(*wider).apply(
        study_of(sampler), sampler=SAMPLERS[sampler]()
    )
    study.optimize(objective, n_trials=30)
    drawn = [trial.params for trial in study.trials[25:]]
    assert max(p["drop"] for p in drawn) > 1.0
    assert max(p["depth"] for p in drawn) > 9
    assert all(
        p["drop"] <= 3.0 and p["depth"] in range(1, 22, 2) for p in drawn
    )


def test_another_scale_is_searched_by_an_objective_that_asks_for_the_old_one():
    advice = advice_of(hx.FloatParameter("drop", 0.01, 1.0, log=True))
    study = advice.apply(study_of("random"), sampler=SAMPLERS["random"]())
    study.optimize(objective, n_trials=60)
    drawn = np.array([trial.params["drop"] for trial in study.trials[25:]])
    # half of a log-uniform sample lies below the geometric mean of the ends; 9 % of a uniform one
    assert 0.25 < (drawn < 0.1).mean() < 0.75
    assert study.trials[-1].distributions["drop"].log


def test_ask_and_tell_keep_to_the_space_advised():
    study = advice_of(*NARROWER).apply(study_of())
    for _ in range(5):
        trial = study.ask(SPACE.to_optuna())
        assert trial.params["kind"] in ("a", "c")
        study.tell(trial, 1.0)
    assert len(study.trials) == 30


def test_a_range_of_the_objectives_own_stays():
    """A condition may make an objective ask for a part of a range, or for one beyond the space."""
    advised = advice_of(hx.FloatParameter("lr", 1e-3, 1e-1, log=True)).apply(
        study_of()
    )
    trial = advised.ask()
    assert 0.2 <= trial.suggest_float("lr", 0.2, 0.9, log=True) <= 0.9
    assert (
        1e-3 <= advised.ask().suggest_float("lr", 1e-4, 1e-2, log=True) <= 1e-2
    )


def test_a_study_is_kept_where_it_is_asked_to_be(tmp_path):
    url = f"sqlite:///{tmp_path / 'new.db'}"
    study = advice_of(*NARROWER).apply(
        study_of(n=12), storage=url, study_name="advised"
    )
    study.optimize(objective, n_trials=3)
    assert (
        len(optuna.load_study(study_name="advised", storage=url).trials) == 15
    )


def test_advice_after_advice_keeps_wider_ranges_and_is_itself_on_the_whole_space():
    wider = [hx.FloatParameter("drop", 0.01, 3.0)]
    fewer = [hx.CategoricalParameter("kind", ["a", "c"])]
    study = advice_of(*wider, *fewer).apply(
        study_of("random"), sampler=SAMPLERS["random"]()
    )
    study.optimize(objective, n_trials=20)
    assert max(trial.params["drop"] for trial in study.trials[25:]) > 1.5
    narrower = advice_of(hx.FloatParameter("drop", 1.5, 2.5))
    again = narrower.apply(study, sampler=SAMPLERS["random"]())
    again.optimize(objective, n_trials=20)
    assert [t.params for t in again.trials[:45]] == [
        t.params for t in study.trials
    ]
    for trial in again.trials[45:]:
        assert 1.5 <= trial.params["drop"] <= 2.5
    assert "b" not in {trial.params["kind"] for trial in study.trials[25:]}
    assert "b" in {trial.params["kind"] for trial in again.trials[45:]}


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


def test_a_study_goes_on_by_the_belief_within_what_is_advised():
    """The optimum of the part is found: lr 0.01 and depth 5 lie in it, kind "a" does not."""
    part = (
        hx.FloatParameter("drop", 0.5, 2.0),
        hx.CategoricalParameter("kind", ["b", "c"]),
    )
    fixed = hx.IntParameter("depth", 3, 3)
    study = advice_of(*part, fixed).apply(study_of("random"))
    assert isinstance(unwrapped(study.sampler)[0], BeliefSampler)
    study.optimize(objective, n_trials=15)
    later = [trial.params for trial in study.trials[25:]]
    assert all(
        0.5 <= p["drop"] and p["depth"] == 3 and p["kind"] in "bc"
        for p in later
    )
    assert all(BELIEVED in trial.system_attrs for trial in study.trials[25:])
    assert (
        min(trial.value for trial in study.trials[25:]) < 0.5 + 2.0 + 1.0 + 0.1
    )


def test_advice_after_advice_asks_the_first_studys_sampler():
    study = advice_of().apply(advice_of().apply(study_of("random", n=12)))
    inner = unwrapped(study.sampler)[0]
    assert isinstance(inner.independent_sampler, optuna.samplers.RandomSampler)


def test_what_a_sampler_fixes_stays_fixed():
    study = study_of("random", n=12)
    study.sampler = optuna.samplers.PartialFixedSampler(
        {"kind": "c"}, SAMPLERS["random"]()
    )
    advised = advice_of().apply(study)
    advised.optimize(objective, n_trials=3)
    assert {trial.params["kind"] for trial in advised.trials[12:]} == {"c"}
    assert all(BELIEVED in trial.system_attrs for trial in advised.trials[12:])


def test_the_studys_own_sampler_goes_on_with_many_categories_and_with_several_objectives():
    space = hx.SearchSpace(
        [hx.CategoricalParameter(f"op {i}", ["a", "b"]) for i in range(6)]
    )
    many = Advice(subject=Subject(space), actions=(), space=space)
    study = many.apply(study_of("random", n=2))
    assert isinstance(
        unwrapped(study.sampler)[0], optuna.samplers.RandomSampler
    )
    both = optuna.create_study(
        directions=["minimize"] * 2, sampler=SAMPLERS["random"]()
    )
    study = advice_of().apply(both)
    assert isinstance(
        unwrapped(study.sampler)[0], optuna.samplers.RandomSampler
    )


def test_distributions_of_a_space_are_those_that_a_study_records():
    assert SPACE.to_optuna() == study_of(n=1).trials[0].distributions


def test_what_no_adapter_can_apply_is_refused():
    with pytest.raises(hx.base.InputError) as caught:
        advice_of().apply([1, 2])
    assert caught.value.argument == "source"
    with pytest.raises(hx.base.InputError) as caught:
        advice_of().apply(study_of(n=2), [7])
    assert caught.value.argument == "actions"
