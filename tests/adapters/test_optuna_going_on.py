"""A sampler that goes on by the belief: what it proposes, and that it never harms a study."""

import logging

import numpy as np
import optuna
import pytest
from optuna.samplers import NSGAIISampler, RandomSampler, TPESampler

import hpo_explain as hx
from hpo_explain.adapters.optuna import BeliefSampler, from_optuna
from hpo_explain.adapters.optuna._sampler import BELIEVED
from hpo_explain.base.facts import Origin
from tests.adapters.studies import optimized


def bowl(trial):
    x, y = (trial.suggest_float(name, -1.0, 1.0) for name in "xy")
    return (x - 0.3) ** 2 + 4.0 * (y + 0.5) ** 2


def sampler_of(seed=0, **options):
    return BeliefSampler(RandomSampler(seed=seed), seed=seed, **options)


def believed(study):
    return [
        trial.params
        for trial in study.trials
        if BELIEVED in trial.system_attrs
    ]


def test_twenty_trials_come_nearer_to_an_optimum_than_random_ones():
    for seed in range(2):
        ours = optimized(bowl, 20, sampler_of(seed)).best_value
        assert (
            ours
            < 0.05 * optimized(bowl, 20, RandomSampler(seed=seed)).best_value
        )


def test_larger_is_better_where_the_study_says_so():
    found = optimized(
        lambda trial: -bowl(trial), 16, sampler_of(), direction="maximize"
    )
    assert found.best_value > -0.01


def test_the_same_seed_proposes_the_same_and_another_one_something_else():
    one, same = (optimized(bowl, 14, sampler_of()) for _ in range(2))
    assert [trial.params for trial in one.trials] == [
        trial.params for trial in same.trials
    ]
    other = optuna.create_study(sampler=sampler_of(1))
    other.add_trials(one.trials[:12])
    other.optimize(bowl, n_trials=1)
    assert other.trials[12].params != one.trials[12].params


def test_the_first_trials_are_the_other_samplers():
    study = optimized(bowl, 9, sampler_of(n_startup_trials=8))
    random = optimized(bowl, 8, RandomSampler(seed=0))
    assert [trial.params for trial in study.trials[:8]] == [
        t.params for t in random.trials
    ]
    assert [BELIEVED in trial.system_attrs for trial in study.trials] == [
        False
    ] * 8 + [True]


def test_a_run_knows_which_trials_it_proposed():
    study = optuna.create_study(sampler=sampler_of())
    study.add_trials(optimized(bowl, 20, TPESampler(seed=0)).trials)
    study.optimize(bowl, n_trials=3)
    run = from_optuna(study)
    assert run.optimizer == "Optuna's TPESampler"
    assert {run.origin(number) for number in (20, 21, 22)} == {Origin.UNKNOWN}


def falling(trial):
    """It falls towards a border, beyond which trials raise."""
    x, y = (trial.suggest_float(name, 0.0, 1.0) for name in "xy")
    if x > 0.6:
        raise ValueError("out of memory")
    return -x + 0.1 * y


def cut_short(trial):
    """The same, and those that raise have no y."""
    if trial.suggest_float("x", 0.0, 1.0) > 0.6:
        raise ValueError("out of memory")
    return falling(trial)


@pytest.mark.parametrize(
    ("objective", "most"), [(falling, 0.25), (cut_short, 0.55)]
)
def test_where_trials_fail_it_rather_does_not_go(objective, most):
    study = optimized(objective, 35, sampler_of(), catch=(ValueError,))
    proposals = [
        trial for trial in study.trials if BELIEVED in trial.system_attrs
    ]
    failed = [
        trial.state == optuna.trial.TrialState.FAIL for trial in proposals
    ]
    assert len(proposals) >= 16
    assert np.mean(failed) <= most
    assert study.best_value < -0.59


def test_failures_at_random_do_not_keep_it_from_the_best():
    rng = np.random.default_rng(0)

    def unlucky(trial):
        value = bowl(trial)
        if rng.random() < 0.25:
            raise ValueError("a node died")
        return value

    assert (
        optimized(unlucky, 28, sampler_of(), catch=(ValueError,)).best_value
        < 0.02
    )


def test_constraints_of_the_other_sampler_are_kept_and_known():
    def constraints(trial):
        return (trial.params["x"] - 0.1,)  # x = 0.3 would be best

    inner = TPESampler(seed=0, constraints_func=constraints)
    study = optimized(bowl, 26, BeliefSampler(inner))
    run = from_optuna(study)
    assert run.feasible[np.asarray(run.trials) >= 10].mean() >= 0.6
    best = min(
        value
        for value, good in zip(run.objective, run.feasible, strict=True)
        if good
    )
    assert best < 0.04 + 0.03  # on the border 0.04 is left


def conditional(trial):
    kind = trial.suggest_categorical("kind", ["a", "b"])
    units = trial.suggest_int("units", 1, 9)
    if kind == "b":
        return (trial.suggest_float("rate", 0.0, 1.0) - 0.7) ** 2 + 0.01 * (
            units - 4
        ) ** 2
    return 0.2 + 0.01 * (units - 4) ** 2


def test_of_a_conditional_space_what_is_active_is_proposed_together():
    study = optimized(conditional, 26, sampler_of())
    assert len(believed(study)) == 16
    for config in believed(study):
        assert ("rate" in config) == (config["kind"] == "b")
        assert config["units"] in range(1, 10)
    assert study.best_params["units"] == 4
    assert study.best_value < 1e-3


def test_a_hyperparameter_that_no_trial_had_is_the_other_samplers():
    study = optimized(bowl, 12, sampler_of())
    trial = study.ask()
    assert -1.0 <= trial.suggest_float("x", -1.0, 1.0) <= 1.0
    assert trial.suggest_int("new", 3, 5) in (3, 4, 5)
    # outside of what was searched so far
    assert 2.0 <= study.ask().suggest_float("y", 2.0, 3.0) <= 3.0


def test_trials_that_run_are_believed_at_their_mean():
    study = optimized(bowl, 12, sampler_of())
    asked = [study.ask() for _ in range(3)]
    found = [
        tuple(trial.suggest_float(name, -1.0, 1.0) for name in "xy")
        for trial in asked
    ]
    assert len(set(found)) == 3


def test_upon_an_error_the_other_sampler_proposes_and_it_is_logged(
    monkeypatch, caplog
):
    def broken(*_, **__):
        raise RuntimeError("no such thing")

    monkeypatch.setattr(
        "hpo_explain.adapters.optuna.going_on.proposed", broken
    )
    with caplog.at_level(logging.WARNING, logger="hpo_explain"):
        study = optimized(
            bowl, 13, BeliefSampler(TPESampler(seed=0, multivariate=True))
        )
    plain = optimized(bowl, 13, TPESampler(seed=0, multivariate=True))
    assert [trial.params for trial in study.trials] == [
        trial.params for trial in plain.trials
    ]
    assert [record.message for record in caplog.records] == [
        f"Trial {number} is proposed by TPESampler" for number in (10, 11, 12)
    ]


def test_several_objectives_are_the_other_samplers():
    def both(trial):
        return bowl(trial), trial.params["x"]

    inner = NSGAIISampler(seed=0, population_size=4)
    study = optimized(
        both, 14, BeliefSampler(inner), directions=["minimize"] * 2
    )
    assert believed(study) == []


def test_trials_that_all_give_the_same_do_not_stop_it():
    study = optimized(
        lambda trial: 0.0 * trial.suggest_float("x", 0.0, 1.0),
        13,
        sampler_of(),
    )
    assert len(study.trials) == 13


def test_it_is_copied_without_what_it_learned():
    sampler = sampler_of()
    optimized(bowl, 11, sampler)
    assert sampler._learned is not None
    assert sampler.__getstate__()["_learned"] is None


@pytest.mark.parametrize(
    ("argument", "options"),
    [
        ("sampler", {"independent_sampler": "tpe"}),
        ("space", {"space": "x"}),
        ("n_startup_trials", {"n_startup_trials": 1}),
        ("seed", {"seed": -1}),
    ],
)
def test_arguments_that_it_cannot_use_are_named(argument, options):
    with pytest.raises(hx.base.InputError) as caught:
        BeliefSampler(**options)
    assert caught.value.argument == argument
