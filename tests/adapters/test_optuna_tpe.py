"""TPE's own densities: rebuilt as the sampler computed them, whatever its settings."""

import copy
import math
import pickle
import threading
import time

import numpy as np
import optuna
import pytest
from optuna.samplers import PartialFixedSampler, TPESampler

import hpo_explain as hx
from hpo_explain.adapters.optuna import from_optuna
from tests.adapters.spied import SpiedTPE, every_kind, spied_study
from tests.adapters.studies import optimized
from tests.noted import the_note

UNIVARIATE = {"multivariate": False, "constant_liar": False}
JOINT = {"multivariate": True, "constant_liar": True}
GROUPS = {"multivariate": True, "group": True, "constant_liar": True}


def value_of(run, trial):
    """log l - log g of a trial as it is rebuilt."""
    terms = run.acquisition(before=trial).terms(run.X[[run.row(trial)]])
    return float(terms["good"][0] + terms["bad"][0])


def assert_rebuilt(study, sampler, trials=None, within=1e-9, **reading):
    run = from_optuna(study, **{"sampler": sampler, **reading})
    for number in run.proposals[::-3] if trials is None else trials:
        expected = sampler.value_at(study.trials[number])
        assert value_of(run, number) == pytest.approx(expected, rel=within, abs=within), number
    assert run.proposals


# ---------------------------------------------------------------------- equal to what TPE computed


@pytest.mark.parametrize(
    "direction", ["minimize", pytest.param("maximize", marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize("options", [UNIVARIATE, JOINT, GROUPS, {}], ids=str)
def test_every_kind_of_hyperparameter(options, direction):
    study, sampler = spied_study(every_kind, 34, options=options, direction=direction)
    assert_rebuilt(study, sampler)


@pytest.mark.parametrize(
    "settings",
    [
        {"gamma": lambda n: n // 3},
        {"weights": lambda n: np.linspace(1.0, 3.0, n)},
        {"prior_weight": 0.3},
        {"consider_endpoints": True},
        {"n_ei_candidates": 3, "n_startup_trials": 4},
    ],
    ids=lambda settings: next(iter(settings)),
)
@pytest.mark.parametrize("options", [UNIVARIATE, JOINT], ids=["univariate", "joint"])
def test_the_samplers_own_settings(settings, options):
    study, sampler = spied_study(every_kind, 24, options={**options, **settings})
    assert_rebuilt(study, sampler)


def test_kernels_narrower_than_the_digits_of_a_position():
    """Without the clip, two equal values have kernels of width 1e-12."""
    options = {**UNIVARIATE, "consider_magic_clip": False}
    study, sampler = spied_study(every_kind, 24, options=options)
    assert_rebuilt(study, sampler, within=1e-5)


@pytest.mark.parametrize("options", [UNIVARIATE, JOINT], ids=["univariate", "joint"])
def test_pruned_and_failed_trials(options):
    def objective(trial):
        value = every_kind(trial)
        for step in range(trial.number % 5):
            trial.report(value if step < 3 else math.nan, step)
        if trial.number % 4 == 1:
            raise optuna.TrialPruned
        if trial.number % 7 == 3:
            raise RuntimeError
        return value

    study, sampler = spied_study(objective, 34, options=options, catch=(RuntimeError,))
    assert_rebuilt(study, sampler)


@pytest.mark.parametrize("options", [UNIVARIATE, JOINT], ids=["univariate", "joint"])
def test_constraints(options):
    def objective(trial):
        value = every_kind(trial)
        trial.set_user_attr("constraints", [trial.params["x"], 3.0 - trial.params["k"]])
        return value

    study, sampler = spied_study(
        objective,
        28,
        options={**options, "constraints_func": lambda trial: trial.user_attrs["constraints"]},
    )
    assert_rebuilt(study, sampler, infeasible="keep")


@pytest.mark.parametrize("options", [UNIVARIATE, JOINT, {}], ids=["univariate", "joint", "default"])
def test_several_objectives(options):
    study, sampler = spied_study(
        lambda trial: (every_kind(trial), trial.params["x"]),
        30,
        options=options,
        directions=["minimize", "maximize"],
    )
    assert_rebuilt(study, sampler, target=0)


@pytest.mark.parametrize("options", [{"multivariate": False, "constant_liar": True}, JOINT, GROUPS])
def test_trials_that_run_beside_it_count_as_the_constant_liar_counts_them(options):
    """Three trials at a time, asked for and told in turns."""
    sampler = SpiedTPE(seed=1, **options)
    study = optuna.create_study(sampler=sampler)
    waiting = []
    for _ in range(36):
        trial = study.ask()
        waiting.append((trial, every_kind(trial)))
        time.sleep(0.001)  # the clock of trials tells what was known when
        if len(waiting) == 3:
            done, value = waiting.pop(trial.number % 3)
            study.tell(done, value)
            time.sleep(0.001)
    assert_rebuilt(study, sampler)
    run = from_optuna(study, sampler=sampler)
    assert len(run.running_at(33)) == 2


def test_ranges_that_change_from_trial_to_trial():
    def objective(trial):
        x = trial.suggest_float("x", -1.0 - trial.number % 3, 1.0)
        return (x - 0.3) ** 2 + trial.suggest_float("y", 0.0, 1.0)

    for options in (UNIVARIATE, JOINT):
        study, sampler = spied_study(objective, 30, options=options)
        assert_rebuilt(study, sampler)


def test_before_the_first_trial_of_the_model_there_is_no_acquisition():
    study, sampler = spied_study(every_kind, 12, options=UNIVARIATE)
    run = from_optuna(study, sampler=sampler)
    assert run.own_acquisition(9) is None
    assert "too few trials were finished for a model" in str(run.record.why_not(9))
    assert run.own_acquisition(10) is not None


def test_without_any_earlier_trial_nothing_is_better_than_anything_else():
    """Both densities are the prior."""
    study, sampler = spied_study(every_kind, 2, options={**UNIVARIATE, "n_startup_trials": 0})
    run = from_optuna(study, sampler=sampler)
    assert value_of(run, 0) == pytest.approx(0.0, abs=1e-12)
    assert sampler.value_at(study.trials[0]) == pytest.approx(0.0, abs=1e-12)


# ---------------------------------------------------------------------- only read


def test_nothing_of_the_study_or_its_sampler_is_changed():
    study, sampler = spied_study(every_kind, 20, options=GROUPS)
    before = copy.deepcopy(sampler.__dict__), copy.deepcopy(study.trials)
    computed = copy.deepcopy(sampler.computed)
    run = from_optuna(study)
    for number in run.proposals:
        run.acquisition(before=number)
    assert sampler.computed == computed
    assert study.trials == before[1]
    assert before[0].keys() == sampler.__dict__.keys()
    np.testing.assert_array_equal(
        sampler._rng.rng.get_state()[1], before[0]["_rng"].rng.get_state()[1]
    )


def test_a_run_can_be_pickled_and_explained_thereafter():
    study, _ = spied_study(every_kind, 15, options=JOINT)
    run = from_optuna(study)
    again = pickle.loads(pickle.dumps(run))
    assert value_of(again, 14) == value_of(run, 14)
    study.sampler = TPESampler(gamma=lambda n: 3, **JOINT)
    own = from_optuna(study)
    by_value = pickle.loads(pickle.dumps(own))
    assert value_of(by_value, 14) == value_of(own, 14) != value_of(run, 14)
    lock = threading.Lock()
    study.sampler = TPESampler(gamma=lambda n: 3 + lock.locked())
    unpicklable = pickle.loads(pickle.dumps(from_optuna(study)))
    assert unpicklable.own_acquisition(14) is None
    why = "the settings of TPESampler are not known; give sampler="
    assert str(unpicklable.record.why_not(14)) == why


# ---------------------------------------------------------------------- settings that are not known


def test_marks_tell_that_hyperparameters_were_sampled_together():
    for options in (JOINT, GROUPS):
        study, sampler = spied_study(every_kind, 30, options=options)
        expected = {n: sampler.value_at(study.trials[n]) for n in range(10, 30)}
        study.sampler = TPESampler(**UNIVARIATE)
        run = from_optuna(study)
        for number in range(20, 30):
            assert value_of(run, number) == pytest.approx(expected[number], rel=1e-9, abs=1e-9)
        assert the_note(run.own_acquisition(29).notes, "trial 29 is marked as sampled jointly")


def test_without_marks_hyperparameters_were_sampled_one_by_one():
    study, sampler = spied_study(every_kind, 20, options=UNIVARIATE)
    expected = sampler.value_at(study.trials[19])
    study.sampler = TPESampler(**JOINT)
    run = from_optuna(study)
    assert value_of(run, 19) == pytest.approx(expected, rel=1e-9)
    assert the_note(run.own_acquisition(19).notes, "trial 19 has no mark of joint sampling")


def test_what_a_partial_fixed_sampler_sets_is_not_chosen():
    base = SpiedTPE(seed=0, **JOINT)
    sampler = PartialFixedSampler({"x": 0.5}, base)
    study = optimized(every_kind, 20, sampler)
    for given in (sampler, base):  # the mark leaves x out, whoever is named
        run = from_optuna(study, sampler=given)
        assert value_of(run, 19) == pytest.approx(base.value_at(study.trials[19]), rel=1e-9)
        explanation = hx.explain_proposal(run, 19, background=50)
        assert explanation.contributions.total["x"] == 0.0


def pipeline(trial):
    kind = trial.suggest_categorical("kind", ["svm", "forest", "linear"])
    if kind == "svm":
        C = trial.suggest_float("C", 1e-3, 1e3, log=True)
        gamma = trial.suggest_float("gamma", 1e-4, 1e1, log=True)
        return 0.2 + 0.01 * (np.log10(C) - 1) ** 2 + 0.02 * gamma**0.5
    if kind == "forest":
        return 0.22 + 0.01 * abs(trial.suggest_int("depth", 2, 20) - 8)
    return 0.4


@pytest.mark.parametrize("options", [UNIVARIATE, GROUPS], ids=str)
@pytest.mark.parametrize("estimator", ["auto", "kernel", "sampling"])
def test_what_a_parent_is_told_of_is_its_own_densities(options, estimator):
    study = optimized(pipeline, 40, TPESampler(seed=0, **options))
    run = from_optuna(study)
    number = [t for t in run.proposals if "C" in run.config(t)][-1]
    rows = run.space.sample(30, seed=5)
    found = hx.explain_proposal(run, number, background=rows, estimator=estimator)
    ratio, j = run.acquisition(before=number), run.space.index("kind")
    at = run.space["kind"].encode([run.config(number)["kind"]])
    own, others = (
        {"good": np.log(good), "bad": -np.log(bad)}
        for good, bad in (ratio.marginal(j, x) for x in (at, rows[:, j]))
    )
    # sampled orders draw rows of the background
    error = {"rel": 1e-9} if estimator != "sampling" else {"abs": 0.2}
    for term in ("good", "bad"):
        expected = own[term][0] - others[term].mean()
        told = found.contributions[term]
        assert told["kind"] == pytest.approx(expected, **error)
        assert told["depth"] == 0.0
        gap = {"abs": 1e-9} if estimator != "sampling" else {"abs": 0.5}
        assert told.sum() == pytest.approx(found.payout[term], **gap)


def test_samplers_without_an_acquisition_function_say_so():
    study = optimized(every_kind, 15)
    run = from_optuna(study)
    assert run.own_acquisition(12) is None
    why = "no acquisition function chose this: RandomSampler has none"
    assert str(run.record.why_not(12)) == why
    explanation = hx.explain_proposal(run, 12, background=20)
    assert the_note(explanation.notes, why)


def test_a_sampler_that_computes_something_else_is_not_passed_off_as_tpe():
    class Other(TPESampler):
        def _compute_acquisition_func(self, samples, below, above):
            return 2.0 * super()._compute_acquisition_func(samples, below, above)

    study = optimized(every_kind, 15, Other(seed=0, **UNIVARIATE))
    run = from_optuna(study)
    assert run.own_acquisition(14) is None
    why = "its acquisition function is not the difference of the log-densities that it builds"
    assert str(run.record.why_not(14)).endswith(f"(checked with 4.5 and 5.0): {why}")


def test_a_version_that_answers_otherwise_is_named(monkeypatch):
    study, _ = spied_study(every_kind, 15, options=UNIVARIATE)
    monkeypatch.delattr(optuna.samplers.TPESampler, "_compute_acquisition_func")
    monkeypatch.delattr(SpiedTPE, "_compute_acquisition_func")
    run = from_optuna(study)
    assert run.own_acquisition(14) is None
    versions = f"Optuna {optuna.__version__} (checked with 4.5 and 5.0)"
    text = f"the densities of TPESampler could not be rebuilt with {versions}: AttributeError: "
    assert str(run.record.why_not(14)).startswith(text.replace("TPESampler", "SpiedTPE"))
