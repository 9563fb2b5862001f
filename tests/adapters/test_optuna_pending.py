"""Trials of a study that have no result: explained as those that have one."""

import math
import pickle
import time

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import RandomSampler, TPESampler
from optuna.trial import TrialState

import hpo_explain as hx
from hpo_explain.adapters.optuna import from_optuna
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Origin
from tests.adapters.spied import SpiedTPE
from tests.noted import noted, the_note

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SPACE = {
    "x": FloatDistribution(-1.0, 1.0),
    "y": FloatDistribution(1e-4, 1.0, log=True),
    "k": IntDistribution(1, 9),
    "c": CategoricalDistribution(["a", "b", "d"]),
}
UNIVARIATE = {"multivariate": False, "constant_liar": False}
LIAR = {"multivariate": False, "constant_liar": True}
JOINT = {"multivariate": True, "constant_liar": True}
FINISHED = 14
ROWS = 40


def value(params):
    loss = (params["x"] - 0.3) ** 2 + abs(math.log(params["y"]) + 3.0) / 10.0
    return loss + params["k"] / 20.0 + (params["c"] == "b")


def tell(study, trial):
    time.sleep(0.001)  # the clock of trials tells what was known when
    study.tell(trial, value(trial.params))
    time.sleep(0.001)


def tried(sampler, n=FINISHED):
    study = optuna.create_study(sampler=sampler)
    for _ in range(n):
        tell(study, study.ask(SPACE))
    return study


def same(one, other):
    """The numbers of two explanations are equal to the last bit."""
    np.testing.assert_array_equal(one.phi, other.phi)
    np.testing.assert_array_equal(one.standard_error, other.standard_error)
    numbers = [(e.config, e.prediction, e.baseline) for e in (one, other)]
    return numbers[0] == numbers[1]


# ---------------------------------------------------------------------- as the sampler chose them


@pytest.mark.parametrize("options", [UNIVARIATE, LIAR, JOINT], ids=["alone", "liar", "joint"])
def test_running_trials_have_tpes_own_values_and_keep_them_when_they_are_told(options):
    sampler = SpiedTPE(seed=2, **options)
    study = tried(sampler)
    asked = [study.ask(SPACE) for _ in range(3)]  # side by side
    explained = [hx.explain_proposal(study, trial, background=ROWS) for trial in asked]
    for trial, explanation in zip(asked, explained, strict=True):
        assert explanation.trial == trial.number
        assert explanation.config == pytest.approx(trial.params)
        assert explanation.prediction["total"] == pytest.approx(sampler.value_at(trial), rel=1e-9)
        assert (explanation.subject.state, explanation.assumed) == ("running", False)
    if options != UNIVARIATE:  # the liar: the last one saw the others running
        beside = from_optuna(study).running_at(asked[2].number)
        assert beside == (asked[0].number, asked[1].number)
    for trial in asked[::-1]:
        tell(study, trial)
    tell(study, study.ask(SPACE))
    for trial, before in zip(asked, explained, strict=True):
        told = hx.explain_proposal(study, trial.number, background=ROWS)
        assert same(before, told)
        assert told.subject.state is None


@pytest.mark.parametrize("state", [TrialState.FAIL, TrialState.PRUNED])
def test_trials_that_failed_or_were_pruned_are_explained_as_if_they_had_not(state):
    studies = []
    for _ in range(2):
        study = tried(SpiedTPE(seed=3, **UNIVARIATE))
        studies.append((study, study.ask(SPACE)))
    (study, ended), (other, finished) = studies
    study.tell(ended, state=state)
    tell(other, finished)
    assert ended.params == finished.params
    found = hx.explain_proposal(study, ended.number, background=ROWS)
    assert same(found, hx.explain_proposal(other, finished.number, background=ROWS))
    assert found.subject.state == {"FAIL": "failed", "PRUNED": "pruned"}[state.name]
    run = from_optuna(study)
    assert (run.pending, run.origin(ended.number)) == ((), Origin.MODEL)
    with pytest.raises(InputError, match=rf"{ended.number} \({found.subject.state}\)") as caught:
        hx.explain_proposal(study, "pending")
    assert caught.value.value == "pending"


# ---------------------------------------------------------------------- not all is chosen yet


def test_what_is_chosen_so_far_is_explained_and_the_rest_is_named():
    study = tried(TPESampler(seed=4, **UNIVARIATE))
    rows = from_optuna(study).space.sample(ROWS, seed=1)
    trial = study.ask()
    with pytest.raises(NothingToExplain) as caught:
        hx.explain_proposal(study, trial)
    assert "so there is nothing to explain" in str(caught.value)
    trial.suggest_float("x", -1.0, 1.0)
    trial.suggest_float("y", 1e-4, 1.0, log=True)
    partly = hx.explain_proposal(study, trial, background=rows)
    assert (dict(partly.config), partly.not_chosen) == (pytest.approx(trial.params), ("k", "c"))
    note = the_note(partly.notes, "no value of k and c was chosen yet")
    assert note.names == ("k", "c")
    assert "as far as it is chosen" in partly.sentence
    assert partly.efficiency_gap["total"] == pytest.approx(0.0, abs=1e-9)
    densities = hx.methods.proposal_densities(study, trial)
    assert densities.not_chosen == ("k", "c")
    # TPE's densities are a sum over hyperparameters: what is open adds its mean
    run = from_optuna(study)
    completed = rows.copy()
    completed[:, :2] = run.without_result[trial.number].x[:2]
    terms = run.acquisition(trial.number).terms(completed)
    expected = float(np.mean(terms["good"] + terms["bad"]))
    assert partly.prediction["total"] == pytest.approx(expected)
    trial.suggest_int("k", 1, 9)
    trial.suggest_categorical("c", ["a", "b", "d"])
    whole = hx.explain_proposal(study, trial, background=rows)
    assert whole.not_chosen == ()
    np.testing.assert_allclose(partly.total[:2], whole.total[:2], rtol=1e-9)
    assert partly.total[2:].tolist() == [0.0, 0.0]
    assert (whole.total[2:] != 0.0).all()


def test_with_a_gaussian_process_what_is_open_is_averaged_too():
    study = tried(RandomSampler(seed=0), 12)
    run = from_optuna(study)
    rows = run.space.sample(25, seed=1)
    trial = study.ask({"x": SPACE["x"], "c": SPACE["c"]})
    found = {
        estimator: hx.explain_proposal(study, trial, background=rows, estimator=estimator)
        for estimator in ("exact", "kernel")
    }
    np.testing.assert_allclose(found["exact"].phi, found["kernel"].phi, rtol=1e-6, atol=1e-9)
    completed = rows.copy()
    known = from_optuna(study).without_result[trial.number].x
    completed[:, [0, 3]] = known[[0, 3]]
    terms = run.acquisition(None).terms(completed)
    means = {name: float(terms[name].mean()) for name in terms}
    expected = {**means, "total": float(sum(terms.values()).mean())}
    assert found["exact"].prediction == pytest.approx(expected)
    with pytest.raises(InputError) as caught:
        hx.explain_proposal(study, trial, background="local")
    assert caught.value.argument == "background"


# ---------------------------------------------------------------------- set by hand


def test_an_enqueued_trial_is_explained_as_the_next_configuration_set_by_hand():
    sampler = SpiedTPE(seed=5, **UNIVARIATE)
    study = tried(sampler)
    config = {"x": 0.5, "y": 0.01, "k": 3, "c": "b"}
    study.enqueue_trial(config)
    waiting = hx.explain_proposal(study, "pending", background=ROWS)
    assert (waiting.trial, waiting.subject.state) == (FINISHED, "waiting")
    assert noted(waiting.notes, "was set by hand and waits")
    assert from_optuna(study).origin(FINISHED) is Origin.ENQUEUED
    given = hx.explain_proposal(study, config, background=ROWS)
    assert same(waiting, given)
    assert (given.trial, given.subject.state) == (None, "given")
    assert noted(given.notes, "the given configuration is explained")
    curve = hx.methods.proposal_densities(study, config)["c"]
    assert (curve.proposed, curve.proposed_good) == ("b", pytest.approx(curve.good[1]))
    assert "this configuration would be" in given.sentence
    # once it runs it is what a person chose, as when it is finished
    trial = study.ask(SPACE)
    with pytest.raises(NothingToExplain) as running:
        hx.explain_proposal(study, trial)
    assert "it was enqueued" in str(running.value)
    assert hx.explain_proposal(study, trial, acquisition="lcb", background=ROWS).assumed


def test_a_given_configuration_is_what_tpe_would_have_computed_for_its_next_trial():
    sampler = SpiedTPE(seed=6, **UNIVARIATE)
    study = tried(sampler)
    next_one = SpiedTPE(seed=6, **UNIVARIATE)
    run = from_optuna(study)
    trial = study.ask(SPACE)
    given = hx.explain_proposal(run, trial.params, background=ROWS)
    assert given.prediction["total"] == pytest.approx(sampler.value_at(trial), rel=1e-9)
    assert next_one.computed == {}
    with pytest.raises(InputError):
        hx.explain_proposal(run, {"x": 0.5})
    with pytest.raises(InputError, match="does not exist"):
        # it was asked for after the run was read
        hx.explain_proposal(run, trial)


# ---------------------------------------------------------------------- the run


def test_a_run_holds_them_beside_its_trials():
    study = tried(TPESampler(seed=7, **UNIVARIATE), 12)
    plain = from_optuna(study)
    running, failed = study.ask(SPACE), study.ask(SPACE)
    study.tell(failed, state=TrialState.FAIL)
    study.enqueue_trial({"x": 0.1, "y": 0.1, "k": 2, "c": "a"})
    run = pickle.loads(pickle.dumps(from_optuna(study)))
    held = {t: (trial.state, trial.origin) for t, trial in run.without_result.items()}
    model, by_hand = Origin.MODEL, Origin.ENQUEUED
    assert held == {12: ("running", model), 13: ("failed", model), 14: ("waiting", by_hand)}
    assert run.pending == (12, 14)
    assert run.config(12) == pytest.approx(running.params)
    assert not run.without_result[12].x.flags.writeable
    assert run.proposals == plain.proposals
    np.testing.assert_array_equal(run.X, plain.X)
    assert (run.known_before(13).tolist(), run.running_at(13)) == (list(range(12)), (12,))
    path = hx.methods.desirability_path(run, background=ROWS, progress=False)
    assert path.trials.tolist() == [10, 11, 12, 13]
    assert np.isnan(path.predictions()["objective"].loc[[12, 13]]).all()
    finished = hx.methods.desirability_path(run, pending=False, background=ROWS, progress=False)
    assert finished.trials.tolist() == [10, 11]
