"""The recommended space: what may be given up, what never is, and that the space stays valid."""

import json

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.base.figures import HATCHED, PALE
from hpo_explain.base.subject import Subject
from hpo_explain.methods.space.reachable import Difference, reachable
from hpo_explain.methods.space.recommended_space_result import Evidence, Recommendation
from tests.analytic import AnalyticSurrogate, space_of, unit_cube
from tests.claims.runs import Setting, make_run
from tests.handmade import TRUSTED


def recommend(space, mean, n=80, direction="minimize"):
    X = space.sample(n, seed=2)
    return hx.recommended_space(hx.Run(space, X, mean(X), direction))


def bowl(X):
    return (X[:, 0] - 0.2) ** 2 + 0.05 * X[:, 1]


def volume(recommended):
    return np.prod([row.kept for row in recommended.rows])


def inside(space, x):
    return all(p.low <= v <= p.high for p, v in zip(space.parameters, x, strict=True))


@pytest.mark.parametrize("j", [0, 1])
def test_the_bound_of_a_value_is_never_above_what_the_reference_reaches_with_it(j):
    """Of the bowl about the reference the bound is known; where x2 does nothing, nothing is worse.

    What the reference alone shows spares the search, so the search's rows must not matter.
    """
    space, calls = unit_cube(3), []

    def mean(X):
        calls.append(len(X))
        return (X[:, 0] - 0.2) ** 2

    at = Difference((AnalyticSurrogate(space, mean),), np.array([0.2, 0.5, 0.5]), 1.0, 1.0)
    values = np.linspace(0.0, 1.0, 7)
    bounds = reachable(at, space, j, values, space.sample(30, seed=0), 0)
    np.testing.assert_allclose(bounds, (values - 0.2) ** 2 if j == 0 else 0.0, atol=1e-12)
    assert (max(calls) > len(values)) == (j == 0)


# ---------------------------------------------------------------------- what is given up


def test_a_range_is_narrowed_around_the_best_values():
    recommended = recommend(unit_cube(3), bowl)
    x1 = recommended.space["x1"]
    assert x1.low <= 0.2 <= x1.high < 0.5
    assert recommended.space["x3"] == unit_cube(3)["x3"]
    claim = recommended.claims[0]
    assert (claim.kind, claim.hyperparameters) == ("keep", ("x1",))
    assert claim.values == ((x1.low, x1.high),)
    assert claim.estimate == recommended.rows[0].kept == pytest.approx(x1.high - x1.low)
    assert claim.certain
    (reason,) = claim.because
    assert (reason.kind, reason["bound"]) == ("worse_at_best", recommended.rows[0].bound)


def test_what_is_given_up_cannot_reach_what_was_reached():
    recommended = recommend(unit_cube(2), bowl)
    x1, row = recommended.space["x1"], recommended.rows[0]
    outside = np.linspace(0.0, 1.0, 31)
    outside = outside[(outside < x1.low) | (outside > x1.high)]
    best = bowl(np.stack([outside, np.zeros_like(outside)], axis=1)).min()
    # the bound is optimistic: no more than the truth, which is worse than what was reached
    assert row.reached < row.bound <= best + 1e-6
    # the bowl's own best is 0, which no trial reached
    assert row.reached == pytest.approx(0.0, abs=0.003)
    assert row.trials >= 1


def test_maximizing_the_negated_objective_recommends_the_same_space():
    first = recommend(unit_cube(2), bowl)
    second = recommend(unit_cube(2), lambda X: -bowl(X), direction="maximize")
    assert second.space == first.space
    assert second.rows[0].bound == pytest.approx(-first.rows[0].bound)


def test_an_interaction_protects_values_that_are_bad_on_average():
    # low x1 is bad on average, and the best where x2 is low
    def crossed(X):
        return np.where(X[:, 1] < 0.3, X[:, 0], 2.0 - X[:, 0])

    assert recommend(unit_cube(2), crossed).space["x1"].low == 0.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_is_worse_than_a_plateau_of_equally_good_values_is_given_up(sign):
    space = hx.SearchSpace([hx.IntParameter("k", 1, 9), hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(100, seed=0)
    k = np.array([config["k"] for config in space.decode(X)])
    run = hx.Run(space, X, sign * np.where(k > 3, 0.9, 1.0), "minimize" if sign > 0 else "maximize")
    recommended = hx.recommended_space(run)
    assert recommended.space["k"].low in (3, 4)
    assert recommended.space["k"].high == 9
    assert recommended.space["x"] == space["x"]


@pytest.mark.parametrize("seed", range(2))
def test_a_bowl_that_tpe_searched_is_narrowed_around_its_optimum(seed):
    run = make_run(Setting("hyper-ellipsoid", "tpe", 60, 0.0, seed))
    recommended = hx.recommended_space(run)
    assert volume(recommended) < 0.6
    assert inside(recommended.space, [0.4] * 4)


# ---------------------------------------------------------------------- what never is


@pytest.mark.parametrize("seed", range(3))
def test_what_nobody_tried_is_not_given_up(seed):
    """The optimum is at x = 1, of which nothing is known."""
    space = unit_cube(2)
    X = space.sample(60, seed=seed) * [0.45, 1.0]
    cost = (X[:, 0] - 0.2) ** 2 + 0.1 * X[:, 1] - 5.0 * (X[:, 0] > 0.9)
    found = hx.recommended_space(hx.Run(space, X, cost, "minimize"), seed=seed)
    assert found.space["x1"].high == 1.0
    low, high = found.rows[0].untried[-1]
    assert low < 0.55
    assert high == pytest.approx(1.0, abs=0.01)
    # what is said of the others holds only as far as the model extrapolates
    assert not any(claim.certain for claim in found.claims if claim.estimate < 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_a_narrow_optimum_that_tpe_never_saw_is_kept(seed):
    run = make_run(Setting("narrow optimum", "tpe", 60, 0.0, seed))
    assert run.cost.min() > -0.5  # the well is at -1
    space = hx.recommended_space(run).space
    assert space["x0"].high > 0.85
    assert space["x1"].high > 0.85


def test_noise_alone_narrows_nothing():
    space = hx.SearchSpace([*unit_cube(3), hx.CategoricalParameter("kind", list("abcd"))])
    kept = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = space.sample(40, seed=seed)
        run = hx.Run(space, X, rng.normal(size=40), "minimize")
        kept += [row.kept == 1.0 for row in hx.recommended_space(run).rows]
    assert np.mean(kept) >= 0.95


def test_the_incumbents_values_are_never_given_up():
    space = unit_cube(2)
    X = space.sample(80, seed=2)
    y = bowl(X)
    lucky = int(np.argmax(X[:, 0]))
    y[lucky] = -1.0
    run = hx.Run(space, X, y, "minimize")
    narrower = hx.recommended_space(run).space
    assert narrower.is_valid(narrower.encode(run.incumbent)).all()


def test_an_infeasible_trial_reaches_nothing():
    """The left half is better and was never feasible: it may not rule out the right one."""
    space = unit_cube(1)
    X = space.sample(60, seed=1)
    feasible = X[:, 0] > 0.5
    run = hx.Run(space, X, X[:, 0], "minimize", feasible=feasible)
    x1 = hx.recommended_space(run).space["x1"]
    assert x1.low <= X[feasible, 0].min() <= x1.high


# ---------------------------------------------------------------------- categories and branches


def kinds():
    return space_of(
        x=(0.0, 1.0),
        kind=["low", "high", "bad", None],
        bad_only=(0.0, 1.0),
        either=range(1, 5),
        deep=(0.0, 1.0),
        when={
            "bad_only": {"kind": ["bad"]},
            "either": {"kind": ["bad", "high"]},
            "deep": {"either": [1, 2]},
        },
    )


def costs(X):
    """'low' is best for low x, 'high' for high x; 'bad' is worse by 0.5, None between the two."""
    x, kind = X[:, 0], X[:, 1]
    table = np.stack([x, 1.0 - x, 1.5 + 0.0 * x, np.full(len(x), 0.5)])
    return table[kind.astype(int), np.arange(len(x))]


def test_a_category_that_cannot_reach_the_best_is_dropped():
    recommended = recommend(kinds(), costs, n=120)
    assert "bad" not in recommended.space["kind"].choices
    assert {"low", "high"} <= set(recommended.space["kind"].choices)
    row = recommended.to_frame().loc["kind"]
    # "bad" is at 1.5 everywhere and None, if it is given up, at 0.5; 0 is reached
    assert 0.0 < row["bound"] <= 1.5
    assert row["reached"] == pytest.approx(0.0, abs=0.1)
    claim = next(c for c in recommended.claims if c.hyperparameters == ("kind",))
    assert claim.values == (recommended.space["kind"].choices,)


def test_conditions_stay_valid_and_what_can_no_longer_be_active_is_left_out():
    recommended = recommend(kinds(), costs, n=120)
    assert "bad_only" not in recommended.space.names
    assert recommended.space["either"].active_when == {"kind": ("high",)}
    (note,) = [note for note in recommended.notes if note.kind == "never_active"]
    assert note.names == ("bad_only",)
    (row,) = [row for row in recommended.rows if row.hyperparameter == "bad_only"]
    assert (row.after, row.reason.kind) == ((), "never_active")
    X = recommended.space.sample(200, seed=0)
    configs = recommended.space.decode(X)
    assert kinds().is_valid(kinds().encode(configs)).all()


@pytest.mark.parametrize("tried", [0, 2])
def test_a_category_that_was_hardly_tried_is_never_dropped(tried):
    space = space_of(x=(0.0, 1.0), kind=["a", "b", "c"])
    X = space.sample(100, seed=0)
    X[:, 1] %= 2
    X[:tried, 1] = 2
    run = hx.Run(space, X, X[:, 0] + 5.0 * (X[:, 1] == 2) + 5.0 * (X[:, 1] == 1), "minimize")
    recommended = hx.recommended_space(run)
    assert recommended.space["kind"].choices == ("a", "c")
    assert recommended.rows[1].untried == (("c", "c"),)


def boosters(n_dart):
    space = space_of(
        booster=["tree", "dart", "linear"], drop=(0.0, 1.0), when={"drop": {"booster": ["dart"]}}
    )
    X = space.sample(150, seed=3, latent=True)
    X[:, 0] = np.where(np.arange(150) < n_dart, 1, 2 * (np.arange(150) % 2))
    X = space.project(X)
    cost = np.where(X[:, 0] == 1, 0.5 + 4.0 * (np.nan_to_num(X[:, 1]) - 0.2) ** 2, 0.3)
    return hx.recommended_space(hx.Run(space, X, cost, "minimize"))


def test_a_conditional_range_is_judged_in_its_branch():
    """All of the branch is worse than the other families, and still its own best is kept."""
    row = boosters(50).rows[1]
    if row.after:  # "dart" itself may be given up
        assert row.after[0] <= 0.2 <= row.after[1] < 0.75


def test_a_branch_of_few_trials_is_kept():
    found = boosters(2)
    assert "dart" in found.space["booster"].choices
    assert found.rows[1].kept == 1.0
    assert boosters(8).rows[1].kept == 1.0


# ---------------------------------------------------------------------- every kind of number


@pytest.mark.parametrize(
    "parameter",
    [
        hx.FloatParameter("p", 1e-4, 1.0, log=True),
        hx.FloatParameter("p", 0.0, 10.0, step=0.5),
        hx.IntParameter("p", 1, 1024, log=True),
        hx.IntParameter("p", 2, 200, step=3),
        hx.IntParameter("p", 1, 9),
        hx.FloatParameter("p", 0.0, 1.0, optional=0.5),
    ],
    ids=["log", "step", "log integer", "integer with step", "integer", "optional"],
)
def test_every_kind_of_number_is_narrowed_on_its_own_scale(parameter):
    space = hx.SearchSpace([parameter, hx.FloatParameter("q", 0.0, 1.0)])
    X = space.sample(100, seed=2)
    y = np.abs(np.nan_to_num(X[:, 0], nan=1.0) - 0.3)
    recommended = hx.recommended_space(hx.Run(space, X, y, "minimize"))
    narrower = recommended.space["p"]
    low, high = parameter.encode([narrower.low, narrower.high])
    nearest = parameter.nearest(np.array([0.3]))[0]
    assert low <= nearest <= high < 0.75
    assert (narrower.log, narrower.step) == (parameter.log, parameter.step)
    assert 0.0 < recommended.to_frame().loc["p", "kept"] < 0.75
    configs = recommended.space.decode(recommended.space.sample(100, seed=1))
    assert space.is_valid(space.encode(configs)).all()


# ---------------------------------------------------------------------- how it is shown


def told(*rows, **about):
    """A recommendation made by hand, of a number and a category."""
    space = space_of(lr=(0.0001, 1.0, "log"), kind=["a", None])
    subject = Subject(space, objective_name="loss", **about)
    return Recommendation(subject=subject, space=space, rows=rows, level=0.95)


def test_the_sentence_the_table_and_the_figure_of_a_narrower_space():
    worse = fact(
        "worse_at_best", names=["lr"], bound=0.31234, reached=0.25, near=4, level=0.95,
        objective="loss",
    )  # fmt: skip
    known = {"bound": 0.31234, "reached": 0.25, "trials": 4, "reason": worse}
    lr = Evidence("lr", (1e-4, 1.0), (1e-3, 0.0123456), 0.25, **known, untried=((1e-3, 2e-3),))
    kind = Evidence("kind", ("a", None), ("a", None), untried=((None, None),))
    result = told(lr, kind)
    nothing = "No range can be narrowed with confidence yet for a better loss."
    assert told(kind).sentence == nothing
    assert result.sentence == (
        f"{nothing} Perhaps values of lr can be left out: 25% of the space would remain."
    )
    frame = result.to_frame()
    assert frame.index.tolist() == ["lr", "kind"]
    assert frame[["before", "after", "untried", "reason"]].values.tolist() == [
        [
            "[0.0001, 1]",
            "[0.001, 0.01235]",
            "[0.001, 0.002]",
            "given up: loss 0.3123 at best (95% bound), 0.25 is reached; at least 4 trials near "
            "each value",
        ],
        ["{a, None}", "{a, None}", "{None}", "no value can be given up with confidence yet"],
    ]
    assert json.loads(json.dumps(result.to_dict()))["evidence"][0]["bound"] == 0.31234
    figure = result.described()
    assert figure.labels == [("lr", "[0.001, 0.01235]"), ("kind", "{a, None}")]
    fills = [(bar.row, bar.kind) for bar in figure.bars]
    assert fills == [(0, PALE), (0, HATCHED), (0, 0), (1, 0), (1, HATCHED)]
    assert figure.ends == (0.0, 1.0)
    doubtful = Evidence("kind", ("a", None), ("a",), 0.5, **{**known, "tried": False})
    both = told(lr, doubtful, trust=TRUSTED)
    assert [claim.certain for claim in both.claims] == [True, False]
    assert both.sentence == (
        "For a better loss the search can leave out values of lr: 25% of the space remains. This "
        "rests on the model's bounds: with the values left out even the best choice of the others "
        "is worse than what is predicted to be best (95% certainty), with at least 4 trials near "
        "each of them. Perhaps values of kind can be left out as well."
    )
    assert str(fact("never_active", names=["x", "y"])).endswith("recommended space: x and y")
