"""The recommended space: what may be given up, what never is, and that the space stays valid."""

import json

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.surrogates.box_sums import clip_worse, marginal_prediction
from tests.analytic import unit_cube


def recommend(space, mean, n=500, direction="minimize", **options):
    X = space.sample(n, seed=2)
    return hx.recommended_space(hx.Run(space, X, mean(X), direction), n_trees=16, **options)


def bowl(X):
    return (X[:, 0] - 0.2) ** 2 + 0.05 * X[:, 1]


def test_a_range_is_narrowed_around_the_best_values():
    recommended = recommend(unit_cube(3), bowl)
    x1 = recommended.space["x1"]
    # the best quarter of (x - 0.2)² on [0, 1] is |x - 0.2| < about 0.13
    assert x1.low <= 0.2 <= x1.high < 0.6
    assert recommended.space["x3"] == unit_cube(3)["x3"]
    claim = recommended.claims[0]
    assert (claim.kind, claim.hyperparameters) == ("keep", ("x1",))
    assert claim.values == ((x1.low, x1.high),)
    assert claim.estimate == recommended.rows[0].kept
    (reason,) = claim.because
    assert (reason.kind, reason["gain"]) == ("little_gain", recommended.rows[0].gain)


def test_maximizing_the_negated_objective_recommends_the_same_space():
    first = recommend(unit_cube(3), bowl)
    second = recommend(unit_cube(3), lambda X: -bowl(X), direction="maximize")
    assert second.space == first.space
    assert second.bound == pytest.approx(-first.bound)


def test_of_a_maximized_objective_the_explainer_keeps_the_high_values():
    X = unit_cube(2).sample(300, seed=1)
    forest = hx.ForestSurrogate.fit(unit_cube(2), X, -bowl(X), n_trees=16)
    x1 = hx.RecommendedSpaceExplainer(forest, direction="maximize").explain().space["x1"]
    assert x1.low <= 0.2 <= x1.high < 0.6


def test_what_is_given_up_gains_less_than_a_tenth_of_the_best_in_the_capped_trees():
    recommended = recommend(unit_cube(2), bowl)
    X = unit_cube(2).sample(500, seed=2)
    result = hx.importance(hx.Run(unit_cube(2), X, bowl(X), "minimize"), n_trees=16)
    axis = result.axes[0]
    gains = recommended.bound - np.mean(
        [
            marginal_prediction(clip_worse(b, recommended.bound, "minimize"), [0], [axis.latent])
            for b in result.boxes
        ],
        axis=0,
    )
    x1 = recommended.space["x1"]
    outside = np.array([not x1.low <= value <= x1.high for value in axis.grid])
    assert outside.any()
    assert gains[outside].max() < 0.1 * gains.max()
    row = recommended.evidence.loc["x1"]
    assert gains[outside].max() / gains.max() <= row["gain"] < 0.1
    assert row["kept"] == pytest.approx(x1.high - x1.low)


def test_the_bound_of_the_good_region_is_the_cap_of_the_analysis():
    X = unit_cube(2).sample(500, seed=2)
    assert recommend(unit_cube(2), bowl, cap="50%").bound == np.median(bowl(X))


def test_an_interaction_protects_values_that_are_bad_on_average():
    # low x1 is bad on average, and the best where x2 is low
    def crossed(X):
        return np.where(X[:, 1] < 0.3, X[:, 0], 2.0 - X[:, 0])

    x1 = recommend(unit_cube(2), crossed).space["x1"]
    assert x1.low == 0.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_is_worse_than_a_plateau_of_equally_good_values_is_given_up(sign):
    space = hx.SearchSpace([hx.IntParameter("k", 1, 9), hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(200, seed=0)
    k = np.array([config["k"] for config in space.decode(X)])
    run = hx.Run(space, X, sign * np.where(k > 3, 0.9, 1.0), "minimize" if sign > 0 else "maximize")
    recommended = hx.recommended_space(run, n_trees=16)
    assert (recommended.space["k"].low, recommended.space["k"].high) == (4, 9)
    assert recommended.space["x"] == space["x"]


def test_noise_alone_narrows_nothing():
    rng = np.random.default_rng(3)
    space = hx.SearchSpace([*unit_cube(4), hx.CategoricalParameter("kind", list("abcd"))])
    assert recommend(space, lambda X: rng.normal(size=len(X))).space == space


def test_a_constant_objective_narrows_nothing():
    recommended = recommend(unit_cube(2), lambda X: np.zeros(len(X)))
    assert recommended.space == unit_cube(2)
    (claim,) = recommended.claims
    assert (claim.kind, claim.hyperparameters, claim.estimate) == ("keep", ("x1", "x2"), 1.0)
    assert claim.values == ((0.0, 1.0), (0.0, 1.0))


def test_the_incumbents_values_are_never_given_up():
    space = unit_cube(2)
    X = space.sample(400, seed=2)
    y = bowl(X)
    lucky = int(np.argmax(X[:, 0]))
    y[lucky] = -1.0
    run = hx.Run(space, X, y, "minimize")
    narrower = hx.recommended_space(run, n_trees=16).space
    assert narrower.is_valid(narrower.encode(run.incumbent)).all()


def kinds():
    return hx.SearchSpace(
        [
            hx.FloatParameter("x", 0.0, 1.0),
            hx.CategoricalParameter("kind", ["low", "high", "bad", None]),
            hx.FloatParameter("bad_only", 0.0, 1.0, active_when={"kind": ["bad"]}),
            hx.IntParameter("either", 1, 4, active_when={"kind": ["bad", "high"]}),
            hx.FloatParameter("deep", 0.0, 1.0, active_when={"either": [1, 2]}),
        ]
    )


def costs(X):
    """'low' is best for low x, 'high' for high x; 'bad' is worse by 0.5, None between the two."""
    x, kind = X[:, 0], X[:, 1]
    table = np.stack([x, 1.0 - x, 1.5 + 0.0 * x, np.full(len(x), 0.5)])
    return table[kind.astype(int), np.arange(len(x))]


def test_a_category_that_is_never_best_is_dropped_with_its_margin():
    recommended = recommend(kinds(), costs, n=1500)
    assert "bad" not in recommended.space["kind"].choices
    assert {"low", "high"} <= set(recommended.space["kind"].choices)
    row = recommended.evidence.loc["kind"]
    # the best of the others is at most 0.5, so 'bad' is at least 1 behind everywhere
    assert row["margin"] == pytest.approx(1.0, abs=0.15)
    (claim,) = recommended.claims
    assert (claim.kind, claim.hyperparameters) == ("keep", ("kind",))
    assert claim.values == (recommended.space["kind"].choices,)
    (reason,) = claim.because
    assert (reason.kind, reason["margin"]) == ("never_best", row["margin"])
    assert "bad" in reason["categories"]


def test_conditions_stay_valid_and_what_can_no_longer_be_active_is_left_out():
    recommended = recommend(kinds(), costs, n=1500)
    assert "bad_only" not in recommended.space.names
    assert recommended.space["either"].active_when == {"kind": ("high",)}
    (note,) = [note for note in recommended.notes if note.kind == "never_active"]
    assert note.names == ("bad_only",)
    (row,) = [row for row in recommended.rows if row.hyperparameter == "bad_only"]
    assert (row.after, row.reason.kind) == ((), "never_active")
    X = recommended.space.sample(200, seed=0)
    configs = recommended.space.decode(X)
    assert kinds().is_valid(kinds().encode(configs)).all()


def test_a_category_best_at_one_end_only_is_kept():
    space = hx.SearchSpace(
        [hx.FloatParameter("x", 0.0, 1.0), hx.CategoricalParameter("kind", ["a", "b"])]
    )
    recommended = recommend(
        space, lambda X: np.where(X[:, 1] == 1, np.where(X[:, 0] > 0.9, -1.0, 2.0), 0.0)
    )
    assert recommended.space["kind"].choices == ("a", "b")


def test_a_category_tried_twice_is_not_called_dominated():
    space = hx.SearchSpace(
        [hx.FloatParameter("x", 0.0, 1.0), hx.CategoricalParameter("kind", ["a", "b", "c"])]
    )
    X = space.sample(300, seed=0)
    X[:, 1] %= 2
    X[:2, 1] = 2
    run = hx.Run(space, X, X[:, 0] + 5.0 * (X[:, 1] == 2), "minimize")
    recommended = hx.recommended_space(run, n_trees=16)
    assert "c" in recommended.space["kind"].choices


def test_a_conditional_range_is_judged_where_it_is_active():
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("booster", ["tree", "dart", "linear"]),
            hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
        ]
    )

    def mean(X):
        return np.where(X[:, 0] == 1, 4.0 * (np.nan_to_num(X[:, 1]) - 0.2) ** 2, 0.3)

    drop = recommend(space, mean, cap=0.4).space["drop"]
    assert drop.low <= 0.2 <= drop.high < 0.75


def test_the_space_stays_within_the_sub_space_that_was_asked_for():
    given = {"kind": ["low", "high"], "x": (0.0, 0.6)}
    recommended = recommend(kinds(), costs, n=1500, given=given)
    assert recommended.space["x"].high <= 0.6
    assert set(recommended.space["kind"].choices) <= {"low", "high"}


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
    X = space.sample(500, seed=2)
    y = np.abs(np.nan_to_num(X[:, 0], nan=1.0) - 0.3)
    recommended = hx.recommended_space(hx.Run(space, X, y, "minimize"), n_trees=16)
    narrower = recommended.space["p"]
    low, high = parameter.encode([narrower.low, narrower.high])
    assert low <= 0.3 <= high < 0.75
    assert (narrower.log, narrower.step) == (parameter.log, parameter.step)
    assert 0.0 < recommended.evidence.loc["p", "kept"] < 0.75
    configs = recommended.space.decode(recommended.space.sample(100, seed=1))
    assert space.is_valid(space.encode(configs)).all()


def test_table_plot_and_dictionary_show_the_evidence():
    recommended = recommend(kinds(), costs, n=400)
    assert recommended.to_frame().index.tolist() == list(kinds().names)
    ax = recommended.plot()
    bars = [bar for container in ax.containers for bar in container]
    assert [bar.get_width() for bar in bars] == [row.kept for row in recommended.rows]
    assert "kind {low, high, None}" in [label.get_text() for label in ax.get_yticklabels()]
    assert json.loads(json.dumps(recommended.to_dict()))["bound"] == recommended.bound
    assert "<svg" in recommended._repr_html_()


@pytest.mark.parametrize("seed", range(6))
def test_what_nobody_tried_is_not_given_up(seed):
    """The optimum is at x = 1, of which nothing is known."""
    space = unit_cube(2)
    X = space.sample(60, seed=seed) * [0.45, 1.0]
    cost = (X[:, 0] - 0.2) ** 2 + 0.1 * X[:, 1] - 5.0 * (X[:, 0] > 0.9)
    found = hx.recommended_space(hx.Run(space, X, cost, "minimize"), seed=seed)
    assert found.space["x1"].high == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_what_was_tried_often_and_is_bad_is_given_up(seed):
    space = unit_cube(2)
    X = space.sample(300, seed=seed)
    found = hx.recommended_space(hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize"), seed=seed)
    assert found.space["x1"].high < 0.6
