"""Importance: shares whose truth is known, which model answers, the words and the figures."""

from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.base.figures import PALE
from hpo_explain.methods.importance.fanova_of_draws import DrawnImportance
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.most import ALL, ALONE, TOGETHER, WITH
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.claims.problems import additive, categorical
from tests.handmade import tuning_run
from tests.shares import one_tree, shares_of

few_draws = pytest.mark.usefixtures("few_draws_here")


def noisy(problem, n, noise, seed=0):
    """A run on random configurations, with noise relative to the signal's spread."""
    X = problem.space.sample(n, seed=seed, method="uniform")
    rng = np.random.default_rng(seed)
    y = problem.cost(X) + noise * problem.scale * rng.standard_normal(n)
    return hx.Run(problem.space, X, y, "minimize")


@pytest.mark.thorough
def test_noise_is_not_told_as_interaction():
    """Additive, noise as large as the signal: a forest's own shares say 57 % for the mains."""
    run = noisy(additive(), 300, 1.0)
    *_, mains = hx.importance(run).claims
    assert (mains.kind, mains.hyperparameters, mains.certain) == ("share", run.space.names, True)
    assert mains.interval[0] > 0.75
    *_, of_trees = hx.importance(run, kind="forest").claims
    assert of_trees.estimate < 0.7
    assert not of_trees.certain


@pytest.mark.thorough
def test_intervals_hold_the_truth_as_often_as_they_should():
    """The goal is 92 % over all problems; a 95 % interval may miss single shares."""
    problem = additive()
    inside = []
    for seed in range(5):
        found = hx.importance(noisy(problem, 100, 1.0, seed)).importance
        truth = np.array([problem.shares[j,] for j in range(len(problem.space))])
        inside += ((found.lower - 0.005 <= truth) & (truth <= found.upper + 0.005)).tolist()
    assert np.mean(inside) >= 0.85


def test_an_irrelevant_category_of_twenty_levels_gets_no_certain_share():
    result = hx.importance(noisy(categorical(), 100, 0.5))
    assert result.importance.loc["irrelevant", "lower"] < 0.01
    # that another one matters more is true, and may be certain
    certain = [c for c in result.claims if c.kind == "share" and c.certain and c.term != ALL]
    assert all("irrelevant" not in claim.hyperparameters for claim in certain)
    assert result.importance["importance"].idxmax() == "kernel"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in (1, 2))]
)
def test_where_there_is_only_noise_nothing_is_certain(seed):
    """Neither over the whole space, nor among the best, nor among the best of the better half."""
    space = unit_cube(3)
    X = space.sample(60, seed=seed, method="uniform")
    y = np.random.default_rng(seed).standard_normal(60)
    run = hx.Run(space, X, y, "minimize")
    of_the_best = {"top": 0.1}
    of_the_better = {"top": 0.1, "within": 0.5}
    for options in ({"order": 2}, of_the_best, of_the_better):
        found = hx.importance(run, **options)
        assert not any(claim.certain for claim in found.claims)


def most(run, **options):
    claim = hx.importance(run, **options).claims[0]
    assert (claim.kind, claim.term) == ("share", WITH)
    return claim


def test_most_is_as_certain_as_it_is_that_no_other_matters_more():
    """Of x1 + x2 each has half: both matter for certain, and which one more is not known."""
    space = unit_cube(2)
    X = space.sample(60, seed=2)
    even = hx.Run(space, X, X.sum(axis=1) + 0.05 * np.sin(40.0 * X[:, 0]), "minimize")
    found = hx.importance(even)
    both = [c for c in found.claims if c.kind == "share" and c.term in (ALONE, TOGETHER)]
    assert [claim.certain for claim in both] == [True, True]
    first = found.claims[0]
    totals = even.belief().anova.totals
    largest = totals[:, space.index(first.hyperparameters[0])] >= totals.max(axis=1)
    assert first.probability == pytest.approx(largest.mean())
    assert not first.certain
    assert f"{first.hyperparameters[0]} matters most for the objective (" in found.sentence
    one = most(hx.Run(space, X, X[:, 0], "minimize"))
    assert (one.hyperparameters, one.certain) == (("x1",), True)


def of_one_and_noise(seed=0, *, signal=0.0):
    """A run of one hyperparameter whose results are noise, and a slope if there is a signal."""
    space = unit_cube(1)
    X = space.sample(60, seed=seed)
    noise = np.random.default_rng(seed).standard_normal(60)
    y = signal * X[:, 0] + noise
    return hx.Run(space, X, y, "minimize")


@pytest.mark.thorough
def test_of_one_hyperparameter_and_noise_alone_nothing_matters_most():
    """Every function's whole variance is the hyperparameter's: 100 % of what is hardly there."""
    for seed in range(3):
        run = of_one_and_noise(seed)
        assert not most(run).certain
        assert not most(run, top=0.1).certain
    assert most(of_one_and_noise(2, signal=10.0)).certain


@pytest.mark.merge
@few_draws
def test_a_summary_names_what_matters_most_where_importance_does():
    for seed in range(3):
        run = of_one_and_noise(seed)
        named = "matters most" in hx.summary(run).lines[1]
        assert named == (most(run).side == "above")
    signal = of_one_and_noise(2, signal=10.0)
    assert hx.summary(signal).lines[1].startswith("x1 matters most (")


def drawn_shares(drawn, *, of_evaluations=1.0):
    """Shares of single hyperparameters in each draw, without any pairs."""
    found = shares_of({(j,): share for j, share in enumerate(drawn.T)})
    scaled = np.full(len(drawn), of_evaluations)
    anova = SimpleNamespace(
        mains=drawn,
        totals=drawn,
        of_evaluations=scaled,
        pairs=(),
        of_pairs=np.empty((len(drawn), 0)),
    )
    held = {f.name: getattr(found, f.name) for f in fields(FanovaImportance)}
    return DrawnImportance(anova=anova, **held)


@pytest.mark.parametrize(
    ("often", "words"),
    [
        (1.0, "x0 matters most for the loss."),
        (0.7, "Probably x0 matters most for the loss (70%)."),
        (0.4, "Perhaps x0 matters most for the loss (40%)."),
    ],
)
def test_most_in_words(often, words):
    """Draws made by hand: x0 has .6 of the variance so often, else every other one has .5."""
    others = np.array([[0.2, 0.5, 0.3], [0.2, 0.3, 0.5]] * 5)[: round(10 * (1 - often))]
    drawn = np.vstack([np.tile([0.6, 0.2, 0.2], (10 - len(others), 1)), others])
    found = drawn_shares(drawn)
    assert found.finding.startswith(words)
    assert found.claims[0].probability == pytest.approx(often)
    nothing = drawn_shares(drawn, of_evaluations=0.01)
    assert nothing.finding == "Nothing is known to matter for the loss yet."
    assert nothing.claims[0].side == "below"


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize("kind", ["auto", "gp"])
def test_shares_and_marginals_are_those_of_the_function(kind, direction):
    """x1 + x2 x3 over the cube: the shares by hand, and both marginals in the objective's units."""
    space = unit_cube(3)
    X = space.sample(80, seed=0)
    run = hx.Run(space, X, X[:, 0] + X[:, 1] * X[:, 2], direction)
    found = hx.importance(run, order=2, kind=kind)
    assert found.share("x1") == pytest.approx(12 / 19, abs=0.03)
    assert found.share("x2", "x3") == pytest.approx(1 / 19, abs=0.02)
    assert found.total_effect("x2") == pytest.approx(4 / 19, abs=0.03)
    assert found.total_variance == pytest.approx(19 / 144, rel=0.1)
    one, two = found.marginal("x1"), found.marginal("x3", "x2")
    np.testing.assert_allclose(one.mean, np.array(one.grid) + 0.25, atol=0.05)
    expected = 0.5 + np.multiply.outer(*map(np.array, two.grid))
    np.testing.assert_allclose(two.mean, expected, atol=0.1)


def test_larger_leaves_are_taken_where_trials_are_noisy():
    exact = noisy(additive(), 60, 0.0).surrogate(kind="forest", n_trees=16)
    assert exact.tuned() is exact
    rough = noisy(additive(), 100, 2.0).surrogate(kind="forest", n_trees=16)
    assert rough.tuned().forest.min_samples_leaf > 1


# ---------------------------------------------------------------------- among the best


def slope(X):
    """Beyond the half of x1 a slope, which most of the variance comes from; before it only x2."""
    return 20.0 * np.maximum(X[:, 0] - 0.5, 0.0) + X[:, 1]


def cliff(n=80):
    space = unit_cube(2)
    X = space.sample(n, seed=0)
    return hx.Run(space, X, slope(X), "minimize")


@pytest.mark.merge
def test_what_decides_the_best_is_not_what_decides_the_worst():
    run = cliff()
    whole, best = hx.importance(run), hx.importance(run, top=0.1)
    assert whole.importance["normalized"].tolist() == pytest.approx([0.99, 0.01], abs=0.02)
    at = (np.arange(400) + 0.5) / 400
    cost = slope(np.stack(np.meshgrid(at, at, indexing="ij"), axis=-1).reshape(-1, 2))
    is_best = (cost <= np.quantile(cost, 0.1)).reshape(400, 400)
    exact = np.array([is_best.mean(axis=1 - j).var() for j in (0, 1)]) / is_best.var()
    # the belief's slope is smooth
    np.testing.assert_allclose(best.estimate, exact, atol=0.08)
    np.testing.assert_allclose(best.normalized, exact / exact.sum(), atol=0.05)
    within = hx.importance(run, top=0.1, within=0.4)
    assert within.normalized[1] > 0.9
    first, *_, mains = best.claims
    assert (first.kind, first.hyperparameters, first.certain) == ("share", ("x2",), True)
    (order,) = (c for c in best.claims if c.kind == "order")
    assert (order.hyperparameters, order.certain) == (("x2", "x1"), True)
    assert mains.term == ALL
    worst = hx.importance(replace(run, direction="maximize"), top=0.1)
    assert worst.normalized[0] > 0.9
    pair = hx.importance(run, top=0.1, order=2)
    assert pair.normalized.sum() == pytest.approx(1.0)
    assert pair.normalized.max() <= 1.0
    assert pair.share("x1", "x2") == pytest.approx(1.0 - exact.sum(), abs=0.15)
    ends = is_best.mean(axis=1)[[0, -1]]
    np.testing.assert_allclose(pair.marginal("x1").mean[[0, -1]], ends, atol=0.05)


@pytest.mark.alike
@pytest.mark.parametrize("seed", [12, 13])
def test_a_cliff_does_not_hide_what_decides_the_best(seed):
    """15 % of the space is bad by twenty spreads: x1 explains 2 % of being among the best 10 %."""
    space = unit_cube(3)
    X = space.sample(60, seed=seed)

    def cost(X):
        bowl = (X[..., 1] - 0.35) ** 2 + 0.8 * (X[..., 2] - 0.6) ** 2
        return np.where(X[..., 0] > 0.85, 3.0, bowl)

    at = (np.arange(60) + 0.5) / 60
    table = cost(np.stack(np.meshgrid(at, at, at, indexing="ij"), axis=-1))
    best = table <= np.quantile(table, 0.1)
    exact = np.array([best.mean(axis=tuple(k for k in range(3) if k != j)).var() for j in range(3)])
    found = hx.importance(hx.Run(space, X, cost(X), "minimize"), top=0.1)
    error = np.abs(found.normalized - exact / exact.sum())
    assert error.mean() <= 0.2
    assert found.normalized.argmax() != 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"top": 0.1, "kind": "forest"}, "which a forest, or a model without a joint posterior"),
        ({"top": 0.1, "n_trees": 8}, "which a forest"),
        ({"top": 0.1, "cap": "50%"}, "which cap does not have"),
        ({"top": 0.1, "given": {"x1": [0.0, 0.5]}}, "which given does not have"),
        ({"within": 0.5}, r"within was given without top.* Give top=0\.1 as well"),
        ({"top": 0.0}, "top must lie between 0 and 1"),
        ({"top": 1.5}, "top must lie between 0 and 1"),
        ({"top": 10}, r"but was 10. Did you mean top=0.1\?"),
        ({"top": 0.5, "within": 0.2}, "top must lie between 0 and 0.2"),
        ({"top": 0.1, "within": 0.0}, "within must be a share of the space"),
    ],
)
def test_what_cannot_be_said_of_the_best_is_told(asked, message):
    with pytest.raises(ValueError, match=message):
        hx.importance(cliff(20), **asked)


@few_draws
def test_what_decides_the_best_in_words_and_as_a_figure():
    found = hx.importance(cliff(), top=0.1)
    assert found.finding.startswith(
        "x2 matters most for being among the best 10%. Shares of the variance: x2 ("
    )
    rows = found.described()
    assert rows.heading == "What decides whether a configuration is among the best 10%"
    assert rows.label == "share of the variance of being among the best 10%"
    within = hx.importance(cliff(), top=0.1, within=0.5)
    assert "matters most for being among the best 10% of the better 50%" in within.finding
    assert "over the better 50%" in within.described().subtitle
    assert (within.to_dict()["top"], within.to_dict()["within"]) == (0.1, 0.5)


# ---------------------------------------------------------------------- words and figures

SHARES = {(0,): [0.1, 0.3], (1,): [0.5, 0.3], (0, 1): [0.3, 0.3]}
PAIRS = {(0,): [0.1, 0.1], (0, 1): [0.1, 0.3], (1, 2): [0.05, 0.05], (0, 3): [0.0, 0.01]}


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            shares_of(SHARES),
            "Shares of the variance of the loss: x1 (40%, sd 10% alone), x0 × x1 (30%, sd 0% by "
            "their interaction) and x0 (20%, sd 10% alone). Without interactions all "
            "hyperparameters explain 60%, sd 0%.",
        ),
        (
            one_tree(0.75, 0.25, given={"x0": [0.1, 0.5]}),
            "Shares of the variance of the loss given x0 between 0.1 and 0.5: x0 (75%, sd 0% "
            "alone) and x1 (25%, sd 0% alone). Without interactions all hyperparameters explain "
            "100%, sd 0%.",
        ),
        (one_tree(1.0), "Shares of the variance of the loss: x0 (100%, sd 0% alone)."),
        (
            one_tree(0.0, variances=np.zeros(1)),
            "The predicted loss is constant: no hyperparameter matters.",
        ),
    ],
    ids=["interactions", "sub-space", "one", "constant"],
)
def test_the_sentence(result, sentence):
    assert result.finding == sentence


@few_draws
def test_bars_are_the_shares_with_their_spread_or_interval_and_totals():
    found = shares_of(SHARES, totals=[0.5, 0.7], activity={0: 0.33})
    rows = found.described()
    assert rows.labels == [("x1",), ("x0", "(active in 33% of the space)"), ("x0 ×", "x1")]
    shares = [bar for bar in rows.bars if bar.kind != PALE]
    assert [bar.end for bar in shares] == pytest.approx([0.4, 0.2, 0.3])
    assert [bar.half for bar in shares] == pytest.approx([0.1, 0.1, 0.0])
    assert [bar.fill for bar in shares] == [0, 0, 1]
    totals = {bar.row: bar.end for bar in rows.bars if bar.kind == PALE}
    assert totals == {0: 0.7, 1: 0.5}
    without = shares_of(SHARES).described()
    assert len(without.bars) == len(shares)
    assert rows.label == "share of the variance of the predicted loss"
    known = hx.importance(tuning_run(30))
    first = known.described().bars[0]
    lower, upper = known.to_frame()[["lower", "upper"]].iloc[0]
    assert first.half == pytest.approx((first.end - lower, upper - first.end))


# ---------------------------------------------------------------------- instances


def on_folds(slope=0.0):
    """Three folds of different difficulty, each with all configurations of a grid."""
    rows = [
        {"lr": lr, "fold": f"fold {i}", "loss": 2.0 * lr + i + slope * (i == 2) * lr}
        for lr in np.linspace(0.0, 1.0, 7)
        for i in range(3)
    ]
    return pd.DataFrame(rows)


@pytest.mark.merge
def test_the_instance_can_be_a_hyperparameter_in_place_of_being_averaged():
    """Var of 2 lr is 4/12, that of the folds' difficulty 0, 1, 2 is 2/3."""
    found = hx.importance(on_folds(), 2, objective="loss", instance="fold", instances=True)
    assert found.names == ("lr", "instance")
    assert found.share("lr") == pytest.approx(1 / 3, abs=0.03)
    assert found.share("instance") == pytest.approx(2 / 3, abs=0.03)
    assert found.share("lr", "instance") < 0.02
    averaged = hx.importance(on_folds(), objective="loss", instance="fold")
    assert averaged.names == ("lr",)
    both = hx.importance(on_folds(6.0), 2, objective="loss", instance="fold", instances=True)
    slopes, levels = np.array([2.0, 2.0, 8.0]), np.array([0.0, 1.0, 2.0])
    mean = slopes.mean() ** 2 / 12.0
    fold = np.var(levels + slopes / 2.0)  # what a fold adds on average over lr
    together = np.var(slopes) / 12.0
    expected = np.array([mean, fold, together]) / (mean + fold + together)
    shares = [both.share("lr"), both.share("instance"), both.share("lr", "instance")]
    np.testing.assert_allclose(shares, expected, atol=0.03)


def test_shares_of_instances_are_those_of_a_table_in_which_they_are_hyperparameters():
    table = on_folds(3.0)
    found = hx.importance(
        table, 2, objective="loss", instance="fold", instances=True, kind="forest", seed=1
    )
    read = hx.importance(
        table.rename(columns={"fold": "instance"}),
        2,
        objective="loss",
        hyperparameters=["lr", "instance"],
        space=[hx.FloatParameter("lr", 0.0, 1.0)],
        kind="forest",
        seed=1,
    )
    assert found.labels == read.labels == ["lr", "instance", "lr × instance"]
    np.testing.assert_allclose(found.estimate, read.estimate, rtol=1e-9)


def test_columns_that_describe_instances_are_read_as_hyperparameters():
    """Hutter et al. (2014), Section 3.3, without averaging: of Θ × Π, by the features of Π."""
    table = pd.DataFrame(
        [
            {"lr": lr, "rows": rows, "loss": 2.0 * lr + rows}
            for lr in np.linspace(0.0, 1.0, 6)
            for rows in np.linspace(0.0, 4.0, 6)
        ]
    )
    found = hx.importance(table, 2, objective="loss", hyperparameters=["lr", "rows"])
    assert found.share("rows") == pytest.approx(16.0 / (16.0 + 4.0), abs=0.02)
    assert found.share("lr") == pytest.approx(4.0 / (16.0 + 4.0), abs=0.02)


def test_instances_that_are_not_there_are_asked_for():
    own = AnalyticSurrogate(hx.SearchSpace([hx.FloatParameter("lr", 0.0, 1.0)]), 1.0)
    table = on_folds()
    averaged_over_nothing = {"hyperparameters": ["lr", "fold"]}
    by_a_model = {"instance": "fold", "surrogate": own}
    for options in (averaged_over_nothing, by_a_model):
        with pytest.raises(InputError, match="instances was True, but") as caught:
            hx.importance(table, objective="loss", instances=True, **options)
        assert caught.value.argument == "instances"
        assert "instance" in caught.value.remedy
