"""Points of skopt that a person reviews before they are told."""

import pickle

import numpy as np
import pytest
from skopt import Optimizer
from skopt.space import Categorical, Integer, Real

import hpo_explain as hx
from hpo_explain.adapters.skopt import review
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Origin
from hpo_explain.explainers.proposal import ProposalExplainer
from tests.noted import the_note

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")

QUICK = ProposalExplainer(background=20)
INITIAL = 4


def value(point):
    return (point[0] - 0.3) ** 2 + 0.1 * point[1] + (point[2] == "b")


def optimizer_of(acq_func="LCB", base="GP"):
    return Optimizer(
        [Real(0.0, 1.0, name="x"), Integer(1, 5, name="k"), Categorical(["a", "b"], name="c")],
        base_estimator=base,
        n_initial_points=INITIAL,
        acq_func=acq_func,
        acq_optimizer_kwargs={"n_points": 200, "n_restarts_optimizer": 1},
        random_state=0,
    )


def told(optimizer, ask, n=7):
    for _ in range(n):
        point = ask(optimizer)
        optimizer.tell(point, value(point))
    return optimizer


@pytest.mark.parametrize(("acq_func", "base"), [("LCB", "GP"), ("gp_hedge", "GP"), ("EI", "ET")])
def test_an_optimizer_whose_points_are_accepted_is_the_one_without_reviews(acq_func, base):
    seen = []

    def ask(optimizer):
        return review(optimizer, seen.append, explainer=QUICK)

    reviewed = told(optimizer_of(acq_func, base), ask, n=6)
    plain = told(optimizer_of(acq_func, base), Optimizer.ask, n=6)
    assert reviewed.Xi == plain.Xi
    assert [e.trial for e in seen] == [4, 5]
    run = hx.from_skopt(reviewed)
    assert not run.reviewed
    assert run.proposals == (4, 5)


def test_what_a_person_set_is_told_and_known_afterwards():
    seen = []

    def reviewer(explanation):
        seen.append(explanation)
        return {"x": 0.125, "c": "b"} if explanation.trial == 5 else None

    optimizer = told(
        optimizer_of(), lambda o: review(o, reviewer, names=["x", "k", "c"], explainer=QUICK)
    )
    assert optimizer.Xi[5] == [0.125, seen[1].config["k"], "b"]
    result = pickle.loads(pickle.dumps(optimizer.get_result()))
    run = hx.from_skopt(result, names=["lr", "depth", "kind"])
    assert run.origin(5) is Origin.PERSON
    assert run.proposals == (4, 6)
    changed = run.reviewed[5].set_by_person
    assert changed in {("lr", "kind"), ("lr",)}  # b may have been proposed
    explanation = QUICK.explain(run, 5)
    assert [*explanation.config.values()] == pytest.approx([*seen[1].config.values()])
    np.testing.assert_allclose(explanation.phi, seen[1].phi, rtol=1e-9)
    assert the_note(explanation.notes, "changed_by_person").names == changed


def test_after_a_refusal_the_next_point_of_a_batch_is_proposed():
    seen = []

    def reviewer(explanation):
        seen.append([*explanation.config.values()])
        return "refuse" if len(seen) < 3 else None

    optimizer = told(optimizer_of(), Optimizer.ask, n=5)
    point = review(optimizer, reviewer, explainer=QUICK)
    assert len(seen) == 3
    batch = optimizer.ask(n_points=4)
    assert [list(p) for p in batch[1:3]] == [pytest.approx(p) for p in seen[1:]]
    assert point == list(batch[2])
    optimizer.tell(point, value(point))
    run = hx.from_skopt(optimizer)
    assert run.space.decode(run.reviewed[5].refused)[0]["x"] == pytest.approx(seen[0][0])
    assert run.origin(5) is Origin.MODEL


@pytest.mark.parametrize("answer", [{"x": 7.0}, {"z": 1.0}, 3])
def test_an_answer_that_cannot_be_told_is_logged(answer, caplog):
    optimizer = told(optimizer_of(), Optimizer.ask, n=5)
    proposed = list(optimizer.ask())
    assert review(optimizer, lambda _: answer, explainer=QUICK) == proposed
    assert "its review failed" in caplog.text


def test_a_point_that_was_told_in_place_of_the_reviewed_one_is_not_a_persons():
    optimizer = told(optimizer_of(), Optimizer.ask, n=5)
    review(optimizer, lambda _: {"x": 0.125}, explainer=QUICK)
    optimizer.tell([0.75, 2, "a"], 1.0)
    assert not hx.from_skopt(optimizer).reviewed


def test_only_an_optimizer_can_be_asked():
    result = told(optimizer_of(), Optimizer.ask, n=5).get_result()
    with pytest.raises(InputError) as raised:
        review(result, lambda _: None)
    assert raised.value.argument == "optimizer"
