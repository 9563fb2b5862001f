from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.wording.lime import footer
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.handmade import TRUSTED


def explained(mean=lambda X: 3.0 * X[:, 0] - X[:, 1], model="linear", **options):
    explainer = hx.LimeExplainer(AnalyticSurrogate(unit_cube(2), mean), model=model, **options)
    found = explainer.explain({"x1": 0.2, "x2": 0.2})
    found = replace(found, std_kind="posterior")
    return replace(
        found, subject=replace(found.subject, trial=3, objective_name="loss", trust=TRUSTED)
    )


def test_effects_are_told_with_their_sign():
    assert explained().sentence == (
        "In a linear model around trial 3 (held-out R² = 1.00) the predicted loss changes by +3 "
        "for x1 from 0 to 1 and by -1 for x2 from 0 to 1."
    )
    step = explained(lambda X: np.where(X[:, 0] > 0.5, 2.0, 0.0), "tree", max_depth=1, sample=64)
    step = replace(step, held_out=1.0)
    assert replace(step, statements=(step.statements[0],)).sentence == (
        "In a small tree around trial 3 (held-out R² = 1.00) no hyperparameter changes the "
        "predicted loss, which is 0."
    )
    threshold = str(step.statements[1].values[0])
    assert step.sentence.endswith(f"the predicted loss changes by +2 where {threshold}.")


def unsure(model_std, **changes):
    found = explained()
    said = tuple(replace(s, std=0.0, model_std=model_std) for s in found.statements)
    return replace(found, statements=said, **changes)


def test_what_is_within_its_uncertainty_is_told_apart():
    start = "In a linear model around trial 3 (held-out R² = 1.00) the "
    assert unsure(0.25).sentence == (
        f"{start}predicted loss changes by +3.0 ± 0.5 for x1 from 0 to 1 and by -1.0 ± 0.5 for x2 "
        "from 0 to 1."
    )
    assert unsure(1.0).sentence == (
        f"{start}predicted loss changes by +3 ± 2 for x1 from 0 to 1; within its uncertainty: "
        "-1 ± 2 for x2 from 0 to 1."
    )
    assert unsure(2.0).sentence == (
        f"{start}largest changes of the predicted loss are within their uncertainty: +3 ± 4 for "
        "x1 from 0 to 1 and -1 ± 4 for x2 from 0 to 1."
    )


def test_why_an_effect_is_not_certain_is_told():
    found = unsure(0.25)
    untrusted = replace(found, subject=replace(found.subject, trust=None))
    assert untrusted.sentence.endswith(
        " This is not certain: it is not known how well the model predicts among the good trials."
    )


@pytest.mark.parametrize(
    ("over", "text"),
    [
        ("posterior", "and the surrogate's own uncertainty, observation noise excluded"),
        ("trees", "which is not a confidence interval"),
        ("", "the surrogate's own uncertainty is not in it"),
    ],
)
def test_what_the_whiskers_are_is_told_on_the_plot(over, text):
    found = replace(explained(), std_kind=over)
    assert footer(found).endswith(f"{text}.")


@pytest.mark.parametrize(
    ("model", "other"),
    [("linear", "a tree"), ("lasso", "a tree"), ("tree", "more depth"), ("rules", "more depth")],
)
def test_a_model_that_misses_most_comes_with_a_caution(model, other):
    found = replace(explained(model=model), held_out=0.123, statements=())
    name = {
        "linear": "linear model",
        "lasso": "linear model by the LASSO",
        "tree": "small tree",
        "rules": "set of rules",
    }[model]
    assert found.sentence == (
        f"In a {name} around trial 3 (held-out R² = 0.12) no hyperparameter changes the predicted "
        f"loss, which is 0.4. The {name} misses most of what the surrogate does here (held-out R² "
        f"= 0.12): do not interpret it. Try a smaller kernel_width, sampling='local', or {other}."
    )


def test_statements():
    def text(kind, values):
        return hx.LimeStatement(("a",), kind, values, 0.0, 0.0, 1.0).text

    assert text("range", (1e-5, 0.1)) == "a from 1e-05 to 0.1"
    assert text("category", ("gbtree", None)) == "a = None, not gbtree"
    assert text("presence", (True, False)) == "a absent"
    assert text("leaf", ()) == "everywhere"
    rule = (hx.Condition("a", up_to=0.5), hx.Condition("b", categories=("x",)))
    assert text("rule", rule) == "a ≤ 0.5 and b = x"
