"""Functional ANOVA: closed forms, brute force, scikit-learn, axioms, bad input."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence

import hpo_explain as hx
from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.base.errors import InputError
from hpo_explain.base.subject import Subject
from hpo_explain.methods import FanovaExplainer
from hpo_explain.methods.importance.most import ALL
from hpo_explain.models import ForestSurrogate
from hpo_explain.models.box_sums import total_cost
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube
from tests.models.forests import SPACES, data, fitted, fitted_with_missing
from tests.models.test_tree_boxes import five_nodes
from tests.split_grid import cells_of, marginal, predict_cells, tree_variances


def brute_force(space, trees, columns, **options):
    """V_U / V of every set of hyperparameters, averaged over trees, by brute force."""
    found = [tree_variances(space, tree, columns, **options) for tree in trees]
    return {u: np.mean([parts[u] / (whole or 1.0) for whole, parts in found]) for u in found[0][1]}


def assert_shares(result, expected):
    for members, share in expected.items():
        names = [result.names[j] for j in members]
        assert result.share(*names) == pytest.approx(share, rel=1e-9, abs=1e-10)


# ---------------------------------------------------------------------- closed forms


def test_a_tree_of_five_nodes_has_the_shares_worked_out_by_hand():
    # 0 on half of the square, 10 on an eighth, 20 on three eighths: V = 85.9375
    result = FanovaExplainer(five_nodes()).explain(order=2)
    assert result.share("x1") == pytest.approx(76.5625 / 85.9375, rel=1e-14)
    assert result.share("x2") == pytest.approx(4.6875 / 85.9375, rel=1e-14)
    assert result.share("x2", "x1") == pytest.approx(4.6875 / 85.9375, rel=1e-14)
    assert result.total_effect("x1") == pytest.approx(81.25 / 85.9375, rel=1e-14)
    assert result.total_effect("x2") == pytest.approx(9.375 / 85.9375, rel=1e-14)
    assert result.total_variance == pytest.approx(85.9375, rel=1e-14)


def fit(space, f, n=2000, n_trees=16):
    X = space.sample(n, seed=0)
    return ForestSurrogate.fit(space, X, f(*X.T), n_trees=n_trees, seed=0)


def test_a_quadratic_has_the_shares_of_its_closed_form():
    # on the unit square V_1 = 10²·4/45 + 10/12 + 1/48, V_2 = 4/45 + 1/12 + 1/48, V_12 = 1/144
    parts = np.array([400 / 45 + 10 / 12 + 1 / 48, 4 / 45 + 1 / 12 + 1 / 48, 1 / 144])
    expected = parts / parts.sum()
    np.testing.assert_allclose(expected, [0.9799, 0.0194, 0.0007], atol=5e-5)
    forest = fit(unit_cube(2), lambda a, b: 10 * a**2 + a * b + b**2)
    result = FanovaExplainer(forest).explain(order=2)
    found = [result.share("x1"), result.share("x2"), result.share("x1", "x2")]
    # the forest's own error
    np.testing.assert_allclose(found, expected, atol=0.003)


def test_that_trees_tell_an_interaction_without_effects_too_small_is_said():
    # the sign of a product of three: all its variance is that of the three together
    forest = fit(unit_cube(3), lambda a, b, c: np.sign((a - 0.5) * (b - 0.5) * (c - 0.5)), n=100)
    result = FanovaExplainer(forest).explain(order=3)
    assert result.share("x1", "x2", "x3") < 0.5
    assert "can be too small where its hyperparameters have no effect alone" in result.sentence
    assert "too small" not in FanovaExplainer(forest).explain(order=2).sentence


# ---------------------------------------------------------------------- brute force


@pytest.mark.parametrize("kind", [fitted, fitted_with_missing])
@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_shares_of_any_order_are_those_of_brute_force_and_add_up_to_1(space, kind):
    surrogate, columns, trees = kind(space)
    result = FanovaExplainer(surrogate).explain(order=3)
    expected = brute_force(space, trees, columns)
    assert_shares(result, expected)
    np.testing.assert_allclose(result.shares.sum(axis=1), 1.0, rtol=1e-9)
    for j, name in enumerate(space.names):
        total = sum(share for u, share in expected.items() if j in u)
        assert result.total_effect(name) == pytest.approx(total, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize(
    ("direction", "clip"), [("minimize", np.minimum), ("maximize", np.maximum)]
)
def test_a_cap_clips_the_worse_side(direction, clip):
    space = SPACES["mixed"]
    surrogate, columns, trees = fitted(space)
    cap = float(np.median(data(space)[1]))
    result = FanovaExplainer(surrogate, direction=direction).explain(order=2, cap=cap)
    expected = brute_force(space, trees, columns, clip=lambda values: clip(values, cap))
    assert_shares(result, {u: share for u, share in expected.items() if len(u) <= 2})
    side = "above" if direction == "minimize" else "below"
    told = f"predictions {side} {cap:.6g} count as {cap:.6g}"
    assert [str(note) for note in result.notes].count(told) == 1


SUB_SPACES = {
    "categories": ("mixed", {"booster": ["b", "d"]}),
    "one category": ("mixed", {"booster": ["c"]}),
    "integers": ("mixed", {"layers": [1, 4, 5]}),
    "a range on a log scale": ("mixed", {"lr": (1e-3, 0.05)}),
    "several at once": ("mixed", {"lr": (1e-3, 0.05), "layers": [2, 3], "booster": ["a", "d"]}),
    "a range of steps": ("counted on a log scale", {"momentum": (0.3, 0.6)}),
    "integers on a log scale": ("counted on a log scale", {"units": [1, 2, 17, 64]}),
    "a parent": ("conditional", {"booster": ["dart"]}),
    "two parents": ("conditional", {"booster": ["gbtree", "dart"]}),
    "a nested parent": ("nested", {"root": ["c"], "middle": [2, 3, 4]}),
    "an optional one, present": ("optional", {"warmup": (0.2, 0.9)}),
}


@pytest.mark.parametrize("kind", [fitted, fitted_with_missing])
@pytest.mark.parametrize(("name", "given"), SUB_SPACES.values(), ids=SUB_SPACES)
def test_a_sub_space_is_analysed_as_brute_force_does_it(name, given, kind):
    space = SPACES[name]
    surrogate, columns, trees = kind(space)
    result = FanovaExplainer(surrogate).explain(order=3, given=given)
    assert_shares(result, brute_force(space, trees, columns, given=given))


def test_a_conditional_hyperparameter_that_is_given_restricts_its_parents():
    surrogate, _, _ = fitted(SPACES["conditional"])
    explainer = FanovaExplainer(surrogate)
    alone = explainer.explain(order=3, given={"rate_drop": (0.2, 0.6)})
    both = explainer.explain(
        order=3, given={"rate_drop": (0.2, 0.6), "booster": ["dart", "gblinear"]}
    )
    np.testing.assert_array_equal(alone.shares, both.shares)
    assert alone.axes[1].activity == 1.0


# ---------------------------------------------------------------------- marginals


@pytest.mark.parametrize("name", ["mixed", "counted on a log scale", "conditional", "nested"])
def test_marginals_are_those_of_brute_force_at_the_values_shown(name):
    space = SPACES[name]
    surrogate, columns, trees = fitted(space)
    result = FanovaExplainer(surrogate).explain()
    for size in (1, 2):
        for members in combinations(range(3), size):
            shown = result.marginal(*[space.names[j] for j in members])
            expected = []
            for tree in trees:
                cells = cells_of(space, tree)
                for j, values in zip(members, shown.axes, strict=True):
                    # the marginal itself needs no weights of what it is a function of
                    positions = space.parameters[j].encode(values)
                    cells[j] = (positions, np.full(len(positions), 1.0))
                values = marginal(predict_cells(space, tree, cells, columns), cells, members)
                others = tuple(j for j in range(3) if j not in members)
                expected.append(values.squeeze(others))
            np.testing.assert_allclose(shown.mean, np.mean(expected, axis=0), rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(shown.std, np.std(expected, axis=0), rtol=1e-9, atol=1e-9)


def test_marginals_are_scikit_learns_partial_dependence_over_all_configurations():
    space = space_of(a=range(1, 7), b=range(2), c=list("xyz"))
    X, y = data(space)
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    result = FanovaExplainer(ForestSurrogate(space, forest)).explain()
    everything = np.stack(
        np.meshgrid(*[p.grid()[0] for p in space.parameters], indexing="ij"), axis=-1
    ).reshape(-1, 3)
    for members in ([0], [1], [2], [0, 2], [1, 0]):
        theirs = partial_dependence(
            forest, everything, members, method="brute", kind="average", grid_resolution=10
        )["average"][0]
        ours = result.marginal(*[space.names[j] for j in members]).mean
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_a_marginal_of_a_sub_space_is_that_of_the_sub_space():
    space = SPACES["mixed"]
    surrogate, columns, trees = fitted(space)
    given = {"booster": ["b", "d"], "lr": (1e-3, 0.05)}
    shown = FanovaExplainer(surrogate).explain(given=given).marginal("layers")
    expected = []
    for tree in trees:
        cells = cells_of(space, tree, given)
        values = predict_cells(space, tree, cells, columns)
        expected.append(marginal(values, cells, [1]).ravel())
    assert shown.axes == ((1, 2, 3, 4, 5),)
    np.testing.assert_allclose(shown.mean, np.mean(expected, axis=0), rtol=1e-10)


# ---------------------------------------------------------------------- axioms


def parameters(name):
    bounds = st.integers(1, 4)
    optional = st.sampled_from([1.0, 0.3, 0.7])
    return st.one_of(
        st.builds(
            lambda log, o: FloatParameter(name, 1e-3, 1.0, log=log, optional=o),
            st.booleans(),
            optional,
        ),
        st.builds(
            lambda n, log, o: IntParameter(name, 1, n, log=log, optional=o),
            bounds,
            st.booleans(),
            optional,
        ),
        st.builds(
            lambda n, o: CategoricalParameter(name, list(range(n)), optional=o), bounds, optional
        ),
    )


@st.composite
def mixed_spaces(draw):
    """Two to four hyperparameters of any kind, the last one perhaps conditional on the first."""
    d = draw(st.integers(2, 4))
    chosen = [draw(parameters(f"p{j}")) for j in range(d)]
    if not isinstance(chosen[0], FloatParameter) and draw(st.booleans()):
        value = chosen[0].decode(chosen[0].grid()[0])[-1]
        chosen[-1] = FloatParameter(f"p{d - 1}", 0.0, 1.0, active_when={"p0": [value]})
    return SearchSpace(chosen)


@pytest.mark.merge
@settings(max_examples=25)  # each fits a forest and tries every cell of its splits
@over(mixed_spaces(), st.integers(0, 3))
def test_shares_are_fractions_that_add_up(space, seed):
    surrogate, columns, trees = fitted_with_missing(space, n=40, seed=seed, n_estimators=2)
    result = FanovaExplainer(surrogate).explain(order=len(space))
    assert (result.shares >= 0.0).all()
    assert (result.shares <= 1.0 + 1e-9).all()
    sums = result.shares.sum(axis=1)
    np.testing.assert_allclose(sums, np.where(result.variances > 0.0, 1.0, 0.0), rtol=1e-9)
    for pair in combinations(range(len(space)), 2):
        below = [i for i, u in enumerate(result.members) if set(u) <= set(pair)]
        assert (result.shares[:, below].sum(axis=1) <= 1.0 + 1e-9).all()
    assert_shares(result, brute_force(space, trees, columns))


def test_a_constant_objective_gives_zeros():
    space = nested_space()
    X = space.sample(50, seed=0)
    result = FanovaExplainer(ForestSurrogate.fit(space, X, np.full(50, 3.0), n_trees=4)).explain(
        order=2
    )
    assert not result.shares.any()
    assert not result.totals.any()
    assert result.total_variance == 0.0
    (claim,) = result.claims
    assert (claim.kind, claim.side, claim.certain) == ("share", "below", False)
    assert result.marginal("lr").mean == pytest.approx(3.0)
    (claim,) = result.marginal("lr").claims
    assert (claim.kind, claim.side, claim.certain) == ("difference", "below", False)


def test_claims_are_the_largest_shares_with_their_std_and_what_all_mains_explain():
    space = unit_cube(4)
    X = space.sample(200, seed=0)
    forest = ForestSurrogate.fit(space, X, X[:, 0] * X[:, 1] + 0.5 * X[:, 2], n_trees=8)
    result = FanovaExplainer(forest).explain(order=2)
    *largest, mains = result.claims
    rows = result.to_frame().head(3)
    assert [claim.hyperparameters for claim in largest] == rows["members"].tolist()
    assert [claim.estimate for claim in largest] == pytest.approx(rows["importance"].tolist())
    assert not any(claim.certain or claim.interval for claim in result.claims)
    assert {claim.kind for claim in result.claims} == {"share"}
    assert (mains.term, mains.hyperparameters) == (ALL, result.names)
    assert [c.hyperparameters for c in result.interactions] == [
        u for u in rows["members"] if len(u) == 2
    ]
    assert mains.estimate == pytest.approx(result.shares[:, :4].sum(axis=1).mean())
    alone = FanovaExplainer(ForestSurrogate.fit(unit_cube(1), X[:, :1], X[:, 0])).explain()
    assert [(claim.kind, claim.estimate) for claim in alone.claims] == [("share", 1.0)]


@pytest.mark.parametrize(("direction", "best"), [("minimize", "low"), ("maximize", "high")])
def test_the_best_marginal_value_goes_by_the_direction(direction, best):
    space = SearchSpace([CategoricalParameter("kind", ["high", "low"]), FloatParameter("x", 0, 1)])
    X = space.sample(100, seed=0)
    forest = ForestSurrogate.fit(space, X, X[:, 1] - 3.0 * X[:, 0], n_trees=8)
    result = FanovaExplainer(forest, direction=direction).explain()
    marginal = result.marginal("kind")
    (claim,) = marginal.claims
    assert (claim.kind, claim.hyperparameters, claim.values) == ("best", ("kind",), ((best,),))
    assert claim.estimate == marginal.mean[marginal.axes[0].index(best)]
    at = {"minimize": 0.0, "maximize": 1.0}[direction]
    (both,) = result.marginal("kind", "x").claims
    assert both.values[0] == (best,)
    assert np.mean(both.values[1]) == pytest.approx(at, abs=0.1)


def test_the_same_seed_gives_the_same_shares_on_any_number_of_threads(monkeypatch):
    space = SPACES["mixed"]
    X, y = data(space)
    results = []
    for threads in (1, 3):
        monkeypatch.setattr("hpo_explain.models._threads.n_threads", lambda n=threads: n)
        forest = ForestSurrogate.fit(space, X, y, n_trees=8)
        results.append(FanovaExplainer(forest).explain(order=2))
    np.testing.assert_array_equal(results[0].shares, results[1].shares)
    np.testing.assert_array_equal(results[0].totals, results[1].totals)


# ---------------------------------------------------------------------- other surrogates


def test_a_model_without_a_joint_posterior_is_distilled_and_its_fidelity_is_told():
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: 3.0 * X[:, 0] + X[:, 1])
    result = FanovaExplainer(surrogate, n_trees=16).explain(order=2)
    assert 0.95 < result.fidelity <= 1.0
    told = f"the model was distilled into a forest with R² = {result.fidelity:.3f}"
    assert told in [str(note) for note in result.notes]
    # 9 : 1, and the distilled forest is a forest
    assert result.share("x1") == pytest.approx(0.9, abs=0.02)
    assert result.share("x2") == pytest.approx(0.1, abs=0.02)


# ---------------------------------------------------------------------- from a run


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.random(n), "k": rng.integers(1, 4, n)})
    frame["loss"] = 2.0 * frame.x + 0.1 * frame.k
    return frame


def test_the_importance_of_a_run_is_that_of_its_forest():
    run = hx.from_frame(table(), objective="loss", hyperparameters=["x", "k"])
    forest = run.surrogate(kind="forest", n_trees=8, seed=3)
    expected = FanovaExplainer(forest).explain(order=2)
    result = hx.importance(run, order=2, n_trees=8, seed=3)
    np.testing.assert_array_equal(result.shares, expected.shares)
    assert result.subject.objective_name == "loss"
    assert result.subject.incumbent == run.incumbent


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_sub_space_has_the_best_feasible_configuration_of_its_own_as_incumbent(direction):
    space = SearchSpace([FloatParameter("x", 0.0, 1.0), CategoricalParameter("kind", ["a", "b"])])
    X = np.array([[0.1, 0], [0.5, 0], [0.6, 1], [0.7, 0], [0.9, 1]])
    sign = 1.0 if direction == "minimize" else -1.0
    run = hx.Run(space, X, sign * X[:, 0], direction, feasible=[True, False, True, True, True])
    explainer = FanovaExplainer(run.surrogate(kind="forest", n_trees=4), subject=Subject.of(run))

    def incumbent(**given):
        return explainer.explain(given=given).subject.incumbent

    assert incumbent() == {"x": 0.1, "kind": "a"}
    assert incumbent(x=(0.4, 1.0), kind=["a"]) == {"x": pytest.approx(0.7), "kind": "a"}
    assert incumbent(kind=["b"]) == {"x": pytest.approx(0.6), "kind": "b"}
    assert incumbent(x=(0.45, 0.55)) == {}
    by_hand = Subject(space, direction, incumbent={"x": 0.2, "kind": "a"})
    explainer = FanovaExplainer(run.surrogate(kind="forest", n_trees=4), subject=by_hand)
    assert incumbent(x=(0.0, 0.5)) == {"x": 0.2, "kind": "a"}
    assert incumbent(x=(0.5, 1.0)) == {}


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_cap_is_a_number_a_quantile_from_the_best_on_or_a_configuration(direction):
    frame = table()
    run = hx.from_frame(frame, objective="loss", direction=direction, hyperparameters=["x", "k"])
    share = 0.25 if direction == "minimize" else 0.75
    quantile = hx.importance(run, n_trees=4, cap="25%")
    assert quantile.cap == pytest.approx(np.quantile(frame.loss, share))
    number = hx.importance(run, n_trees=4, cap=quantile.cap)
    np.testing.assert_array_equal(quantile.shares, number.shares)
    tried = frame.iloc[7]
    config = {"x": float(tried.x), "k": int(tried.k)}
    assert hx.importance(run, n_trees=4, cap=config).cap == pytest.approx(tried.loss)
    untried = {"x": 0.5 * (run.space["x"].low + run.space["x"].high), "k": 2}
    predicted = run.surrogate(kind="forest", n_trees=4).predict(run.space.encode(untried))[0][0]
    assert hx.importance(run, n_trees=4, cap=untried).cap == pytest.approx(predicted)


@pytest.mark.parametrize(
    ("direction", "capped"), [("minimize", np.minimum), ("maximize", np.maximum)]
)
def test_a_run_s_forest_learns_the_capped_objective(direction, capped):
    frame = table()
    run = hx.from_frame(frame, objective="loss", direction=direction, hyperparameters=["x", "k"])
    cap = float(np.median(run.objective))
    found = hx.importance(run, order=2, n_trees=8, cap=cap, seed=3)
    by_hand = hx.models.ForestSurrogate.fit(
        run.space, run.X, capped(run.objective, cap), n_trees=8, seed=3
    )
    expected = FanovaExplainer(by_hand, direction=direction).explain(order=2)
    np.testing.assert_allclose(found.shares, expected.shares, rtol=1e-9)
    clipped = FanovaExplainer(run.surrogate(kind="forest", n_trees=8, seed=3), direction=direction)
    assert not np.allclose(clipped.explain(order=2, cap=cap).shares, found.shares, atol=1e-3)
    capped_twice = [str(note) for note in found.notes if "capped" in str(note)]
    assert capped_twice == ["the forest has learned the trials' objectives capped in this way"]
    assert any(f"count as {found.cap:.6g}" in str(note) for note in found.notes)


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("cap", "message"),
    [
        (1e9, "cap must lie within the observed loss.* but was 1e.09"),
        (-5.0, "cap must lie within the observed loss.* but was -5"),
        ("0%", "cap must be a number, a quantile such as '25%'"),
        ("best", "cap must be a number, a quantile such as '25%'"),
        ([1.0, 2.0], "cap must be a number"),
        (True, "cap must be a number"),
        ({"x": 0.5}, "k is missing"),
        ({"x": 0.5, "k": 1, "z": 1}, "cap names 'z', which is not"),
    ],
)
def test_a_cap_outside_of_the_data_or_of_another_kind_is_told(cap, message):
    with pytest.raises(ValueError, match=message):
        hx.importance(table(), objective="loss", hyperparameters=["x", "k"], n_trees=2, cap=cap)


def test_total_effects_that_cost_too_much_are_left_out_and_told(monkeypatch):
    surrogate, _, _ = fitted(SPACES["mixed"])

    def up_to(pairs):
        for module in ("fanova", "fanova_of_forest"):
            monkeypatch.setattr(f"hpo_explain.methods.importance.{module}.MOST_PAIRS", pairs)
        return FanovaExplainer(surrogate).explain()

    result = up_to(10.0)
    assert np.isnan(result.totals).all()
    pairs = total_cost(result.boxes)
    left_out = f"total effects are left out: they need {pairs:.1e} pairs of leaves"
    assert left_out in [str(note) for note in result.notes]
    with pytest.raises(InputError, match=r"total effects need .* pairs of leaves"):
        result.total_effect("lr")
    as_many = up_to(pairs)
    assert np.isfinite(as_many.totals).all()
    assert left_out not in [str(note) for note in as_many.notes]


def test_trees_without_variance_have_no_say():
    """Few bootstraps draw the one trial that differs; the others see a constant."""
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    X = space.sample(20, seed=0)
    y = np.zeros(20)
    y[7] = 1.0
    run = hx.Run(space, X, y, "minimize")
    result = hx.importance(run, order=2, kind="forest")
    constant = int((result.variances == 0.0).sum())
    assert 10 < constant < 54  # of 64: some of both, for the test to say anything
    assert result.shares.shape == (64 - constant, 3)
    np.testing.assert_allclose(result.shares.sum(axis=1), 1.0, rtol=1e-9)
    assert result.totals.shape == (64 - constant, 2)
    assert (result.totals >= result.shares[:, :2] - 1e-9).all()
    told = f"{constant} of 64 trees are constant and have no shares"
    assert told in [str(note) for note in result.notes]
    alone = hx.importance(
        run.__class__(hx.SearchSpace([space["x"]]), X[:, :1], y, "minimize"), kind="forest"
    )
    assert alone.share("x") == pytest.approx(1.0)


def test_a_pair_that_is_never_active_together_has_no_marginal():
    space = space_of(
        model=["svm", "rf"],
        C=(0.1, 10.0),
        depth=range(1, 21),
        when={"C": {"model": ["svm"]}, "depth": {"model": ["rf"]}},
    )
    X = space.sample(30, seed=0)
    result = hx.importance(hx.Run(space, X, np.nansum(X, axis=1), "minimize"))
    with pytest.raises(ValueError, match=r"never active together .*model = svm.*model = rf"):
        result.marginal("C", "depth")
    assert result.marginal("model", "C").mean.shape[0] == 2
