"""Advice applied to scikit-optimize: new dimensions, and the trials within them."""

import skopt
from skopt.space import Categorical, Integer, Real

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods.advice.advise_result import Action, Advice

DIMENSIONS = [
    Real(1e-3, 1.0, prior="log-uniform", name="lr"),
    Integer(1, 9, name="depth"),
    Categorical(["a", "b", "c"], name="kind"),
]


def loss(point):
    lr, depth, kind = point
    return abs(lr - 0.1) + (depth - 5) ** 2 / 10.0 + "abc".index(kind)


def result_of(n=20):
    return skopt.gp_minimize(
        loss, DIMENSIONS, n_calls=n, n_initial_points=n, random_state=0
    )


def applied(result, *actions):
    run = hx.from_skopt(result)
    return Advice(
        subject=Subject.of(run), actions=actions, space=run.space
    ).apply(result)


def test_it_goes_on_within_the_dimensions_advised_with_the_trials_inside():
    result = result_of()
    narrower = (
        hx.IntParameter("depth", 3, 7),
        hx.CategoricalParameter("kind", ["a", "b"]),
    )
    found = applied(result, Action("narrow", parameters=narrower))
    inside = [
        (x, y)
        for x, y in zip(result.x_iters, result.func_vals.tolist(), strict=True)
        if 3 <= x[1] <= 7 and x[2] in ("a", "b")
    ]
    assert list(zip(found["x0"], found["y0"], strict=True)) == inside
    later = skopt.gp_minimize(loss, n_calls=3, random_state=0, **found)
    assert len(later.x_iters) == len(inside) + 3
    assert all(3 <= x[1] <= 7 and x[2] in ("a", "b") for x in later.x_iters)
    assert len(result.x_iters) == 20


def test_a_wider_range_keeps_all_trials():
    result = result_of()
    wider = Action(
        "widen", parameters=(hx.FloatParameter("lr", 1e-3, 10.0, log=True),)
    )
    found = applied(result, wider)
    assert found["dimensions"][0].high == 10.0
    assert found["dimensions"][2].categories == ("a", "b", "c")
    assert found["x0"] == result.x_iters
