"""Numbers at the ends of what floating point holds: every function answers in numbers, or refuses.

What a function refuses it explains. Nothing warns (warnings are errors), nothing is NaN that JSON
would refuse, and everything is drawn.
"""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hpo_explain as hx
from hpo_explain.run import Curves
from tests.noted import the_note

pytestmark = pytest.mark.usefixtures("few_draws")

UNIT = hx.FloatParameter("x", 0.0, 1.0)
SPACES = {
    "unit": UNIT,
    "wide": hx.FloatParameter("x", -1e300, 1e300),
    "wide log": hx.FloatParameter("x", 1e-300, 1e300, log=True),
    "small": hx.FloatParameter("x", 0.0, 1e-290),
    "denormal log": hx.FloatParameter("x", 1e-310, 1e-300, log=True),
    "far": hx.FloatParameter("x", 1e15, 1e15 + 64.0),
    "many whole": hx.IntParameter("x", 0, 2**45),
    "many whole log": hx.IntParameter("x", 1, 2**40, log=True),
    "large log": hx.FloatParameter("x", 1e307, 1.7e308, log=True),
    "widest": hx.FloatParameter("x", -8.9e307, 8.9e307),
    "largest": hx.FloatParameter("x", 0.0, 1.7e308),
}
OBJECTIVES = (1.0, 1e140, 1e300, 1e308, 1e-300, 1e-320)
FACADES = {
    "importance": lambda run: hx.importance(run, order=2, n_trees=8),
    "changes": lambda run: hx.changes(run, 0),
    "proposal": lambda run: hx.explain_proposal(run, 11, background=20),
    "path": lambda run: hx.methods.desirability_path(run, background=20, proposals=[10, 11]),
    "effect": lambda run: hx.partial_dependence(run, "x", sample=20, grid_size=5),
    "pair": lambda run: hx.partial_dependence(run, ("x", "n"), sample=20, grid_size=4),
    "regions": lambda run: hx.partial_dependence(run, "x", regions=True, sample=20, grid_size=5),
    "local importance": hx.methods.local_importance,
    "lime": lambda run: hx.methods.lime(run, 3),
    "interactions": lambda run: hx.methods.h_statistic(run),
    "space": hx.recommended_space,
    "prediction": hx.explain_prediction,
    "advice": hx.advise,
    "overview": lambda run: hx.partial_dependence(run, sample=20, grid_size=4),
    "accumulated": lambda run: hx.partial_dependence(run, "x", kind="accumulated", grid_size=4),
    "interaction values": lambda run: hx.methods.shapley_interactions(run, 3, background=20),
    "tunability": lambda run: hx.methods.tunability(run, 3),
    "sensitivity": lambda run: hx.methods.tunability(run, 3, kind="sensitivity"),
    "comparison": lambda run: hx.compare({"one": run, "two": run}),
    "front": lambda run: hx.pareto(with_sizes(run)),
    "noise": lambda run: hx.methods.noise(repeated(run)),
    "pruning": lambda run: hx.pruning(with_curves(run)),
    "history": hx.history,
    "slices": lambda run: hx.methods.slices(run, most=2),
    "contours": lambda run: hx.methods.contours(run, most=2),
}


def with_sizes(run):
    sizes = np.nan_to_num(run.X).sum(axis=1)
    size = hx.Run(run.space, run.X, sizes, "minimize", objective_name="size")
    return {"loss": replace(run, objective_name="loss"), "size": size}


def repeated(run):
    y = run.objective
    return hx.Run(
        run.space, np.vstack([run.X] * 3), np.concatenate([y, 0.5 * y, 0.2 * y]), "minimize"
    )


def with_curves(run):
    values = np.stack([0.25 * run.objective, 0.5 * run.objective, run.objective], axis=1)
    return replace(run, curves=Curves(run.trials, run.X, np.arange(1.0, 4.0), values))


def run_of(parameter, factor):
    """Twelve trials of three hyperparameters, whose objective spans so much."""
    space = hx.SearchSpace(
        [parameter, hx.IntParameter("n", 1, 5), hx.CategoricalParameter("c", ["a", "b"])]
    )
    X = space.sample(12, seed=1)
    y = (X[:, 0] - 0.3) ** 2 + 0.2 * X[:, 1] + 0.1 * X[:, 2]
    return hx.Run(space, X, factor * y, "minimize")


def check(function, run):
    try:
        result = function(run)
    except ValueError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert re.search(r"\w.*[.)]$", refused, re.DOTALL)
        return
    json.dumps(result.to_dict(), allow_nan=False)
    frame = result.to_frame()
    assert len(frame.columns)
    axes = np.ravel(np.asarray(result.plot(), dtype=object))
    axes[0].figure.figure.draw_without_rendering()
    assert "nan" not in re.findall(r"[a-z]+", str(result).lower())


# what was wrong once
@pytest.mark.parametrize(
    ("facade", "space", "factor"),
    [
        *(("effect", space, 1.0) for space in SPACES),
        *(("proposal", "unit", factor) for factor in OBJECTIVES[1:]),
        ("proposal", "wide", 1e140),
        ("proposal", "widest", 1.0),
        ("effect", "wide", 1e140),
        ("importance", "many whole log", 1.0),
        ("changes", "unit", 1e300),
        ("sensitivity", "unit", 1e140),
        ("noise", "large log", 1.0),
        ("noise", "widest", 1.0),
        ("pair", "widest", 1.0),
        ("front", "unit", 1e308),
        ("contours", "widest", 1.0),
        ("slices", "unit", 1e-320),
    ],
)
def test_extremes_are_answered_or_refused(facade, space, factor):
    check(FACADES[facade], run_of(SPACES[space], factor))


@pytest.mark.thorough
@pytest.mark.parametrize("facade", FACADES)
@settings(max_examples=20)
@given(st.sampled_from([*SPACES]), st.sampled_from(OBJECTIVES))
def test_every_function_answers_extremes_or_refuses(facade, space, factor):
    check(FACADES[facade], run_of(SPACES[space], factor))


def test_objectives_too_large_to_be_squared_are_not_called_constant():
    with pytest.raises(
        hx.base.NothingToExplain, match=r"1e150.*Divide the objective by a constant"
    ):
        hx.explain_proposal(run_of(UNIT, 1e300), 11)


def test_answers_do_not_depend_on_the_unit_of_the_objective():
    plain, tiny = (
        hx.explain_proposal(run_of(UNIT, f), 11, background=50).contributions["total"]
        for f in (1.0, 2.0**-1000)
    )
    np.testing.assert_allclose(tiny * 2.0**1000, plain, rtol=1e-6)


def test_values_near_the_largest_number_are_drawn_in_a_unit_that_the_axis_tells():
    run = run_of(SPACES["largest"], 1.0)
    ax = hx.partial_dependence(run, "x", sample=20, grid_size=5).plot()
    assert ax.get_xlabel() == "x / 1e+300"
    assert ax.get_xlim()[1] == pytest.approx(1.7e8, rel=0.1)
    assert "1e+300" not in ax.get_title(loc="left")


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_is_clipped_so_that_squares_stay_finite_is_told(sign):
    y = np.linspace(0.0, 1e140, 12)
    y[5] = sign * 1e200
    run = hx.Run(run_of(UNIT, 1.0).space, run_of(UNIT, 1.0).X, y, "minimize")
    note = the_note(run.notes, "diverged" if sign > 0 else "overflow_clipped")
    assert note.trials == (5,)
    assert np.abs(run.learned_cost()).max() <= 1e150
    assert sign > 0 or "counts as -1e+150, to avoid overflow" in str(note)
