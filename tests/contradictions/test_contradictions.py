"""No two answers about a run contradict each other."""

from copy import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base import share_not_settled
from hpo_explain.base.claim import Claim
from hpo_explain.belief.decisions import Decision
from hpo_explain.methods.advice.advise_result import Action
from tests.claims.problems import functions
from tests.claims.runs import Setting, make_run
from tests.contradictions import rules
from tests.contradictions.answers import Answers
from tests.contradictions.doors import Told, through_a_file
from tests.contradictions.rules import RULES, contradictions

SAMPLE = [
    ("conditional", "tpe", 40, 0.1),
    ("pure noise", "random", 40, 1.0),
    ("steep learning rate", "tpe", 40, 0.1),
    ("hyper-ellipsoid", "skopt", 20, 0.1),
]
MORE = [
    ("three categories", "tpe", 60, 0.5),
    ("product", "random", 40, 0.01),
    ("layers", "random", 40, 0.1),
    ("disk", "tpe", 40, 0.5),
]
pytestmark = [
    pytest.mark.merge,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("few_draws", "answers_stay"),
]


def asked(name, sampler, n, noise):
    maximize = sampler == "random"
    setting = Setting(functions()[name], sampler, n, 0, noise, maximize)
    return Answers(make_run(setting))


@pytest.mark.parametrize(
    "which",
    [SAMPLE[0], *(pytest.param(one, marks=pytest.mark.thorough) for one in (*SAMPLE[1:], *MORE))],
    ids=lambda which: which[0],
)
def test_no_two_answers_about_a_run_contradict_each_other(which):
    assert contradictions(asked(*which)) == []


@pytest.mark.thorough
@pytest.mark.parametrize("which", [*SAMPLE, *MORE], ids=lambda which: which[0])
def test_all_doors_tell_one_number_of_what_is_in_a_file(which, tmp_path):
    assert through_a_file(asked(*which).run, tmp_path) == []


# ---------------------------------------------------------------------- each rule can be broken


@pytest.fixture(scope="module")
def answers(few_draws, answers_stay):
    """Answers about a bowl whose best observed trial was lucky, and is not to be kept."""
    space = hx.SearchSpace(
        [
            hx.FloatParameter("x", 0.0, 1.0),
            hx.FloatParameter("y", 0.0, 1.0),
            hx.CategoricalParameter("kind", ["a", "b", "c"]),
        ]
    )
    X = space.sample(60, seed=3)
    loss = (X[:, 0] - 0.3) ** 2 + 0.2 * X[:, 1] + 0.3 * (X[:, 2] == 2.0)
    loss += 0.05 * np.random.default_rng(3).standard_normal(60)
    loss[np.argsort(loss)[30]] = loss.min() - 0.01
    run = hx.Run(space, X, loss, "minimize", bounds=(-1.0, 2.0))
    found = Answers(run)
    assert not found.same_as_observed
    assert found.space.narrowed
    return found


def other(answers, **changed):
    """Return the answers with some of them changed."""
    different = copy(answers)
    for name, answer in changed.items():
        setattr(different, name, answer)
    return different


def of_actions(answers, *actions):
    advice = replace(answers.advice, actions=(*answers.advice.actions, *actions))
    return other(answers, advice=advice)


def claiming(answers, claim):
    """Return the answers, of which one makes a claim more."""
    return other(answers, around=SimpleNamespace(claims=(claim,), notes=()))


def of_optimum(answers, **changed):
    return other(answers, optimum=replace(answers.optimum, **changed))


def of_space(answers, **changed):
    return other(answers, space=replace(answers.space, **changed))


def outside(answers):
    """Return the box of something else."""
    kept = answers.optimum.config["x"]
    part = hx.FloatParameter("x", 0.0, kept / 2.0)
    return hx.SearchSpace([part, *list(answers.run.space)[1:]])


def mostly_in_pairs(importance):
    shares = [0.1 if len(names) == 1 else 0.2 for names in importance.sets]
    same = np.tile(shares, (len(importance.shares), 1))
    return replace(importance, shares=same)


def another_trial(answers):
    (trial,) = {*range(2)} - {answers.optimum.keep, 1}
    return trial


WIDENED = hx.FloatParameter("x", 0.0, 2.0)
UNLIKELY = share_not_settled(label="x", threshold=0.27, probability=0.0)
BROKEN = {
    rules.one_number_a_fact: lambda known: other(
        known, told=[*known.told, Told("somebody", "trial to keep", "run", -1)]
    ),
    rules.nothing_improbable_is_told: lambda known: claiming(
        known, Claim("share", ("x",), because=(UNLIKELY,), text="x (3%)")
    ),
    rules.what_certainly_differs_differs_in_its_interval: lambda known: claiming(
        known, Claim("contribution", ("x",), 1.0, (-1.0, 3.0))
    ),
    rules.one_trial_is_to_be_kept: lambda known: of_optimum(known, keep=another_trial(known)),
    rules.why_it_is_not_the_best_observed_one: lambda known: of_optimum(known, why_another=()),
    rules.nothing_near_is_expected_to_be_worse_than_it: lambda known: of_optimum(
        known, estimate=1.0, interval=(0.9, 1.1)
    ),
    rules.the_box_holds_what_is_kept_and_tried: lambda known: of_space(known, space=outside(known)),
    rules.what_is_narrowed_is_the_box: lambda known: of_actions(
        known, Action("narrow", parameters=(hx.FloatParameter("x", 0.9, 1.0),))
    ),
    rules.no_end_is_widened_that_is_given_up: lambda known: of_actions(
        known, Action("widen", parameters=(WIDENED,))
    ),
    rules.what_fails_is_not_recommended: lambda known: of_actions(
        known, Action("beware", parameters=(hx.FloatParameter("x", 0.9, 1.0),))
    ),
    rules.what_was_never_tried_is_not_given_up: lambda known: of_actions(
        known,
        Action("beware", ("kind",), ("d",), evidence=(hx.base.fact(kind="category_never_tried"),)),
    ),
    rules.one_loss_counts: lambda known: of_space(known, lose=2.0 * known.space.lose),
    rules.no_stop_where_something_better_is_probable: lambda known: of_actions(
        of_optimum(known, better=replace(known.optimum.better, probability=1)), Action("stop")
    ),
    rules.no_part_is_more_probable_than_the_whole: lambda known: of_actions(
        of_optimum(known, better=replace(known.optimum.better, probability=0)),
        Action("try", probability=0.9),
    ),
    rules.nobody_gains_more_than_is_left: lambda known: of_actions(known, Action("try", gain=1e6)),
    rules.poor_trust_is_said_where_a_box_is: lambda known: other(
        known, trust=replace(known.trust, level="poor")
    ),
    rules.what_matters_most_matters_most: lambda known: other(
        known, importance=mostly_in_pairs(known.importance)
    ),
    rules.nothing_leaves_the_bounds: lambda known: of_optimum(
        known, estimate=3.0, interval=(2.0, 4.0)
    ),
    rules.every_trial_exists: lambda known: of_actions(known, Action("repeat", trials=(1000,))),
}
REFUSED = {rules.no_share_exceeds_the_whole, rules.every_estimate_lies_in_its_interval}


def test_the_answers_to_be_broken_do_not_contradict_each_other(answers):
    assert contradictions(answers) == []


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.__name__)
def test_a_rule_that_is_broken_says_so(answers, rule):
    assert [*rule(BROKEN[rule](answers))]


def test_what_cannot_be_is_no_claim_nor_decision():
    assert {*RULES} == {*BROKEN} | REFUSED
    for wrong in ({"estimate": 0.5, "interval": (0.6, 0.7)}, {"estimate": 0.5, "probability": 1.2}):
        with pytest.raises(ValueError, match="must lie in its interval"):
            Claim("share", ("x",), **wrong)
    Claim("difference", estimate=1.2, interval=(1.2, float("inf")))
    with pytest.raises(ValueError, match="must lie in its interval"):
        Decision(1.0, (2.0, 3.0), 0.5, False, 0.0, 0.0)
    with pytest.raises(ValueError, match="must lie in its interval"):
        Decision(2.5, (2.0, 3.0), 1.5, False, 0.0, 0.0)
