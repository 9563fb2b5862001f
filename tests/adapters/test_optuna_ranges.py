"""A range that depends on a category: ``x`` in [0, 1] of kind "a", and in [0, 100] of kind "b".

With u the position of x in its range the objective is (u - 0.3)² of kind "a", and 0.2 + (u - 0.7)²
of kind "b": both have the mean m and the variance v over their range. Over the product measure of
the kind and the two positions

    V_kind = 0.1²,  V_a = V_b = V_kind,a = V_kind,b = v/4.
"""

import math

import numpy as np
import optuna
import pytest
from optuna.samplers import RandomSampler, TPESampler

import hpo_explain as hx
from hpo_explain.adapters.optuna import FanovaImportanceEvaluator, ReviewedSampler, from_optuna
from hpo_explain.space import asked_as
from tests.adapters.spied import SpiedTPE
from tests.adapters.studies import optimized
from tests.noted import noted, the_note

WITHIN = (0.7**5 + 0.3**5) / 5 - (1 / 3 - 0.3 + 0.09) ** 2
WHOLE = 0.01 + WITHIN
A, B = "x (kind = a)", "x (kind = b)"


def two_ranges(trial):
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2
    return 0.2 + (trial.suggest_float("x", 0.0, 100.0) / 100 - 0.7) ** 2


SAMPLERS = {"random": RandomSampler, "tpe": TPESampler}


@pytest.fixture(scope="module", params=SAMPLERS)
def study(request):
    return optimized(two_ranges, 100, SAMPLERS[request.param](seed=0))


def test_each_range_is_a_hyperparameter_of_its_own(study):
    run = from_optuna(study)
    found = {p.name: (p.low, p.high, p.active_when) for p in list(run.space)[1:]}
    assert found == {A: (0.0, 1.0, {"kind": ("a",)}), B: (0.0, 100.0, {"kind": ("b",)})}
    assert the_note(run.notes, "x: its range depends on kind; read as a hyperparameter for each")
    assert not noted(run.notes, "its range changed")


@pytest.mark.alike
def test_configurations_are_those_of_the_trials_by_either_name(study):
    run = from_optuna(study)
    given = [study.trials[number].params for number in run.trials]
    decoded = run.space.decode(run.X)
    assert list(map(run.space.as_asked, decoded)) == [pytest.approx(config) for config in given]
    np.testing.assert_allclose(run.space.encode(given), run.X)
    np.testing.assert_allclose(run.space.encode(decoded), run.X)
    with pytest.raises(ValueError, match="outside its range"):
        run.space.encode({"kind": "a", "x": 50.0})


@pytest.mark.alike
def test_shares_are_those_of_the_closed_form(study):
    found = hx.importance(study, order=2)
    assert found.share("kind") == pytest.approx(0.01 / WHOLE, abs=0.1)
    for members in (A,), (B,), ("kind", A), ("kind", B):
        share = WITHIN / 4 / WHOLE
        assert found.share(*members) == pytest.approx(share, abs=0.1)
    assert found.share(A, B) == pytest.approx(0.0, abs=1e-9)


def test_optunas_importances_have_its_names(study):
    by_optuna = optuna.importance.get_param_importances(
        study, evaluator=FanovaImportanceEvaluator(seed=0), normalize=False
    )
    shares = hx.importance(study)
    assert {*by_optuna} == {"kind", "x"}
    assert by_optuna["x"] == pytest.approx(shares.share(A) + shares.share(B))


def test_what_is_advised_has_a_range_that_the_objective_asks_for():
    study = optimized(two_ranges, 12, RandomSampler(seed=3))
    advice = hx.advise(study)
    tries = [a for a in advice.actions if a.configurations]
    assert tries
    for action in tries:
        assert "'x':" in action.code
        assert "(kind" not in action.code
    going_on = advice.apply(study)
    waiting = [t for t in going_on.trials if not t.state.is_finished()]
    going_on.optimize(two_ranges, len(waiting))
    for trial in going_on.trials[-len(waiting) :]:
        fixed = trial.system_attrs["fixed_params"]
        assert {*fixed} == {"kind", "x"}
        assert trial.params == pytest.approx(fixed)


def test_of_a_kind_that_is_given_up_no_range_is_advised():
    study = optimized(two_ranges, 12, RandomSampler(seed=2))
    actions = hx.advise(study).actions
    (narrower,) = [a for a in actions if a.kind == "narrow"]
    assert "kind in a" in narrower.title
    assert B not in narrower.title
    assert "100" not in narrower.code


@pytest.mark.alike
def test_a_narrower_range_is_declared_with_its_condition(study):
    space = hx.recommended_space(study, lose=0.05).space
    (part,) = [p for p in space if asked_as(p) == "x"]
    assert part.name == A
    declared = space.to_optuna()["x"]
    assert (declared.low, declared.high) == (part.low, part.high)
    # of what hardly matters all is kept: how much is narrowed is not what this is about
    assert 0.0 < part.low < 0.3 < part.high <= 1.0
    whole = from_optuna(study).space.to_optuna()["x"]
    assert (whole.low, whole.high) == (0.0, 100.0)


@pytest.mark.parametrize("multivariate", [False, True])
def test_tpe_s_densities_are_those_of_the_range_it_was_asked_for(multivariate):
    sampler = SpiedTPE(seed=1, multivariate=multivariate, constant_liar=False)
    study = optimized(two_ranges, 30, sampler)
    run = from_optuna(study)
    for number in run.proposals[::4]:
        terms = run.acquisition(number).terms(run.X[[run.row(number)]])
        expected = sampler.value_at(study.trials[number])
        value = float(terms["good"][0] + terms["bad"][0])
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_what_is_reviewed_is_what_is_evaluated():
    seen = {}

    def review(explanation):
        if "x" in explanation.config:
            return None  # too few trials to know of two ranges
        seen[explanation.trial] = explanation.config
        return {"x": 0.5} if len(seen) == 2 else None

    sampler = ReviewedSampler(TPESampler(seed=0), review)
    study = optimized(two_ranges, 18, sampler)
    assert len(seen) >= 4
    space = from_optuna(study).space
    changed = list(seen)[1]
    for number, config in seen.items():
        evaluated = study.trials[number].params
        if number != changed:
            assert space.as_asked(config) == pytest.approx(evaluated)
    assert study.trials[changed].params["x"] == 0.5


def of_three(trial):
    """Integers and a logarithm; two of three kinds have the same range."""
    kind = trial.suggest_categorical("kind", ["a", "b", "c"])
    depth = trial.suggest_int("depth", 1, 8 if kind == "c" else 30)
    low = 1e-2 if kind == "a" else 1e-4
    rate = trial.suggest_float("rate", low, 1.0, log=True)
    return depth / 10 + math.log(rate) ** 2


def test_kinds_that_share_a_range_share_a_hyperparameter():
    space = from_optuna(optimized(of_three, 40)).space
    active = {p.name: p.active_when for p in space if p.active_when}
    values = {name: {*when["kind"]} for name, when in active.items()}
    assert sorted(map(sorted, values.values())) == [["a"], ["a", "b"], ["b", "c"], ["c"]]
    assert {p.part_of for p in space if p.active_when} == {"depth", "rate"}
    assert all(p.log for p in space if asked_as(p) == "rate")
    assert {type(p) for p in space if asked_as(p) == "depth"} == {hx.IntParameter}


def test_a_range_that_changed_midway_or_at_random_is_read_as_the_widest():
    def midway(trial):
        trial.suggest_categorical("kind", ["a", "b"])
        return trial.suggest_float("x", 0.0, 1.0 if trial.number < 9 else 2.0)

    rng = np.random.default_rng(0)

    def at_random(trial):
        trial.suggest_categorical("kind", ["a", "b"])
        return trial.suggest_float("x", 0.0, rng.choice([1.0, 2.0]))

    for objective in midway, at_random:
        run = from_optuna(optimized(objective, 20))
        assert run.space.names == ("kind", "x")
        assert run.space["x"].high == 2.0
        assert the_note(run.notes, "x: its range changed during the study")


def test_two_trials_of_two_ranges_are_no_rule():
    run = from_optuna(optimized(two_ranges, 3))
    assert run.space.names == ("kind", "x")
