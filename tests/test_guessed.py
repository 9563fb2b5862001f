"""A guessed name gets a hint, and each hint leads to something that is there."""

import operator

import pytest

import hpo_explain as hx
from hpo_explain.base import guessed


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("importances", "importance"),
        ("plot_param_importances", "importance"),
        ("pdp", "partial_dependence"),
        ("fanova", "importance"),
        ("shap_values", "explain_prediction"),
        ("best_params", "optimum"),
        ("plot_contour", "methods.contours"),
        ("plot_rank", "methods.contours"),
        ("plot_slice", "methods.slices"),
        ("ablation", "changes"),
        ("recomended_space", "recommended_space"),
        ("LimeExplanation", "methods.lime"),
    ],
)
def test_a_name_of_another_tool_or_a_slip_gets_a_hint(name, meant):
    said = f"has no '{name}'. Did you mean hpo_explain.{meant}?"
    with pytest.raises(AttributeError, match=said):
        getattr(hx, name)


def test_each_hint_leads_to_something():
    for meant in {*guessed._HERE.values()}:
        assert callable(operator.attrgetter(meant)(hx))


def test_what_resembles_nothing_gets_no_hint():
    with pytest.raises(AttributeError, match=r"has no 'xyzzy'\.$"):
        hx.xyzzy  # noqa: B018
    assert not hasattr(hx, "__wrapped__")
    assert not hasattr(hx.methods, "_repr_html_")


def test_methods_hint_at_the_top_and_have_importance_too():
    with pytest.raises(AttributeError, match=r"mean hpo_explain\.report"):
        hx.methods.report  # noqa: B018
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(20, seed=0)
    run = hx.Run(space, X, X[:, 0], "minimize")
    found = hx.methods.importance(run)
    assert found.share("x") == hx.importance(run).share("x")
