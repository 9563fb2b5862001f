"""The measurement of what advice brings: its problems, its ways to go on, and its tables."""

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from tests.source_tree import ROOT

EXAMPLES = ROOT / "examples"
KNOWN = ("hyper-ellipsoid", "Styblinski-Tang", "conditional", "trap")


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)


def runs(values):
    """A table of runs: values after one and two trials, by problem, seed and arm."""
    rows = [
        {"problem": p, "optimizer": "tpe", "seed": s, "arm": arm, "1": start, "2": a, "3": b}
        for (p, s), by_arm in values.items()
        for arm, (start, a, b) in by_arm.items()
    ]
    return pd.DataFrame(rows)


def test_no_sampled_configuration_is_better_than_the_optimum_and_descent_reaches_it():
    from regret.problems import problem_of
    from scipy.optimize import minimize

    for name in KNOWN:
        problem = problem_of(name)
        space, X = problem.space, problem.space.sample(500, seed=0)
        values = np.array([problem.value(config) for config in space.decode(X)])
        assert values.min() > problem.least
        starts = X[np.argsort(values)[:5]]

        def value(x, start, space=space, problem=problem):
            fixed = np.isnan(start) | [isinstance(p, hx.CategoricalParameter) for p in space]
            row = np.where(fixed, start, np.clip(x, 0.0, 1.0))
            return problem.value(space.decode(row[None])[0])

        found = [
            minimize(value, np.nan_to_num(start), (start,), "Nelder-Mead", options={"maxiter": 900})
            for start in starts
        ]
        if name == "trap":  # no start lies in the well
            found.append(minimize(value, np.full(3, 0.84), (starts[0],), "Nelder-Mead"))
        assert min(one.fun for one in found) == pytest.approx(problem.least, abs=1e-3)


def test_a_random_narrowing_keeps_as_much_with_the_incumbent_inside():
    from regret.arms import extents, narrowed_at_random, volume

    space = hx.SearchSpace(
        [
            hx.FloatParameter("lr", 1e-4, 1.0, log=True),
            hx.FloatParameter("x", 0.0, 2.0),
            hx.FloatParameter("y", 0.0, 1.0),
            hx.CategoricalParameter("kind", ["a", "b", "c"]),
        ]
    )
    changed = [
        hx.FloatParameter("lr", 1e-3, 1e-1, log=True),  # half
        hx.FloatParameter("x", 0.0, 3.0),  # wider
        hx.CategoricalParameter("kind", ["a", "c"]),
    ]
    assert extents(space, changed) == pytest.approx({"lr": 0.5, "x": 1, "y": 1, "kind": 0.5})
    assert volume(space, changed) == pytest.approx(1 / 3)
    incumbent = {"lr": 0.9, "x": 0.1, "y": 0.5, "kind": "b"}
    subject = hx.Subject(space, incumbent=incumbent)
    narrowed = set()
    for seed in range(20):
        found = narrowed_at_random(subject, changed, seed)
        assert volume(space, found) == pytest.approx(1 / 3)
        for p in found:
            assert (
                hx.SearchSpace([p])
                .is_valid(hx.SearchSpace([p]).encode([{p.name: incumbent[p.name]}]))
                .all()
            )
        narrowed |= {p.name for p in found}
    assert narrowed == {"lr", "x", "y", "kind"}


def test_regrets_are_compared_with_going_on_as_before():
    from regret.arms import ARMS
    from regret.tables import by_problem, over_trials, overall, regrets

    before, first, every, again, random = ARMS
    table = runs(
        {
            ("hyper-ellipsoid", seed): {
                before: (9.0, 4.0, 2.0 + seed / 2),
                first: (9.0, 4.0, 2.0 + seed / 2),
                every: (9.0, 1.0, 1.0),
                again: (9.0, 4.0, 0.5),
                random: (9.0, 9.0, 8.0),
            }
            for seed in range(3)
        }
    )
    regret = regrets(table)
    found = by_problem(regret, trials=1).set_index("arm")
    assert found["median"].to_dict() == {
        before: 2.5,
        first: 2.5,
        every: 1.0,
        again: 0.5,
        random: 8.0,
    }
    assert found.at[every, "ratio"] == pytest.approx(0.4)
    assert found.loc[every, ["better", "equal", "worse", "sooner"]].tolist() == [1, 0, 0, 1]
    assert found.loc[first, ["better", "equal", "worse", "not later"]].tolist() == [0, 1, 0, 1]
    assert found.loc[random, ["better", "equal", "worse", "sooner"]].tolist() == [0, 0, 1, 0]
    assert found["trials needed"].to_dict() == {
        before: 2,
        first: 2,
        every: 1,
        again: 2,
        random: np.inf,
    }
    # the bootstrap of a constant has no width, and that of 2, 2.5 and 3 reaches both ends
    assert found.loc[every, ["low", "high"]].tolist() == [1.0, 1.0]
    assert found.loc[before, ["low", "high"]].tolist() == [2.0, 3.0]
    assert overall(found.reset_index()).set_index("arm").at[every, "largest ratio"] == 0.4
    late = over_trials(regret, [1, 3]).set_index(["arm", "trials"])["median"]
    assert late[before, 1] == 9.0
    assert late[random, 3] == 8.0


def test_who_asks_again_follows_advice_after_every_five_trials(monkeypatch):
    from regret import arms

    told = []
    ask = arms._advised
    monkeypatch.setattr(
        arms, "_advised", lambda study, *args: told.append(len(study.trials)) or ask(study, *args)
    )
    setting = arms.Setting("hyper-ellipsoid", "tpe", 0, 12, 11)
    once, again = arms.continued(setting, ("all advice", "asked again"))
    finished = [n for n in told if n > 12]
    assert (told[0], len(finished)) == (12, 2)
    assert [one.actions.count(",") for one in (once, again)] == [0, 2]
    assert len(once.values) == len(again.values) == 23
