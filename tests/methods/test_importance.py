"""Importance: shares whose truth is known, which model answers, the words and the figures."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods.importance.fanova_result import ALONE
from tests.analytic import unit_cube
from tests.claims.problems import additive, categorical
from tests.handmade import tuning_run
from tests.shares import one_tree, shares_of


def noisy(problem, n, noise, seed=0):
    """A run on random configurations, with noise relative to the signal's spread."""
    X = problem.space.sample(n, seed=seed, method="uniform")
    rng = np.random.default_rng(seed)
    y = problem.cost(X) + noise * problem.scale * rng.standard_normal(n)
    return hx.Run(problem.space, X, y, "minimize")


def test_noise_is_not_told_as_interaction():
    """Additive, noise as large as the signal: a forest's own shares say 57 % for the mains."""
    run = noisy(additive(), 300, 1.0)
    *_, mains = hx.importance(run).claims
    assert (mains.kind, mains.hyperparameters, mains.certain) == ("share", run.space.names, True)
    assert mains.interval[0] > 0.75
    *_, of_trees = hx.importance(run, kind="forest").claims
    assert of_trees.estimate < 0.7
    assert not of_trees.certain


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
    certain = [c for c in result.claims if c.certain and c.term != ALONE]
    assert all("irrelevant" not in claim.hyperparameters for claim in certain)
    assert result.importance["importance"].idxmax() == "kernel"


def test_where_there_is_only_noise_nothing_is_certain():
    space = unit_cube(3)
    for seed in range(3):
        X = space.sample(60, seed=seed, method="uniform")
        y = np.random.default_rng(seed).standard_normal(60)
        found = hx.importance(hx.Run(space, X, y, "minimize"), order=2)
        assert not any(claim.certain for claim in found.claims)


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


# ---------------------------------------------------------------------- words and figures

SHARES = {(0,): [0.1, 0.3], (1,): [0.5, 0.3], (0, 1): [0.3, 0.3]}
PAIRS = {(0,): [0.1, 0.1], (0, 1): [0.1, 0.3], (1, 2): [0.05, 0.05], (0, 3): [0.0, 0.01]}


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            shares_of(SHARES),
            "What the loss depends on most: x1 (40% ± 10%), x0 × x1 (30% ± 0%) and x0 (20% ± 10%) "
            "of its variance. Single hyperparameters explain 60% ± 0% together.",
        ),
        (
            one_tree(0.75, 0.25, given={"x0": [0.1, 0.5]}),
            "What the loss depends on most given x0 between 0.1 and 0.5: x0 (75% ± 0%) and x1 "
            "(25% ± 0%) of its variance. Single hyperparameters explain 100% ± 0% together.",
        ),
        (one_tree(1.0), "What the loss depends on most: x0 (100% ± 0%) of its variance."),
        (
            one_tree(0.0, variances=np.zeros(1)),
            "The predicted loss is constant: no hyperparameter matters.",
        ),
    ],
    ids=["interactions", "sub-space", "one", "constant"],
)
def test_the_sentence(result, sentence):
    assert result.finding == sentence


def test_bars_are_the_shares_with_their_spread_or_interval_and_totals():
    found = shares_of(SHARES, totals=[0.5, 0.7], activity={0: 0.33})
    rows = found.described()
    assert rows.labels == [("x1",), ("x0 ×", "x1"), ("x0", "(active in 33% of the space)")]
    assert [bar.end for bar in rows.bars] == pytest.approx([0.4, 0.3, 0.2])
    assert [bar.half for bar in rows.bars] == pytest.approx([0.1, 0.0, 0.1])
    assert [bar.fill for bar in rows.bars] == [0, 1, 0]
    (totals,) = rows.dots
    assert (totals.x.tolist(), totals.y.tolist()) == ([0.7, 0.5], [0.0, 2.0])
    assert shares_of(SHARES).described().dots == []
    assert rows.label == "share of the variance of the predicted loss"
    known = hx.importance(tuning_run(30))
    first = known.described().bars[0]
    lower, upper = known.to_frame()[["lower", "upper"]].iloc[0]
    assert first.half == pytest.approx((first.end - lower, upper - first.end))


def test_every_pair_stands_in_one_cell_the_largest_interactions_first():
    cells = shares_of(PAIRS, given={"x0": [0.1, 0.5]}).described("interactions")
    assert (cells.x.names, cells.y.names) == (["x1", "x0", "x2"], ["x0", "x2", "x3"])
    np.testing.assert_allclose(
        cells.values.T, [[0.2, np.nan, np.nan], [0.05, 0.0, np.nan], [0.0, 0.005, 0.0]]
    )
    assert cells.texts[0][0].startswith("20 ± 10")
    assert cells.texts[0][1] == "5.0 ± 0.0"
    assert cells.subtitle.startswith("given x0 between 0.1 and 0.5: all pairs together explain 26%")
    assert cells.ends() == (0.0, 0.2)
    wide = shares_of({(i, j): [0.1 / (i + j)] for i in range(30) for j in range(i + 1, 30)})
    cells = wide.described("interactions")
    assert (len(cells.x.names), len(cells.texts)) == (19, 0)
    assert "10 hyperparameters with smaller interactions not shown" in cells.footer
    with pytest.raises(ValueError, match=r"its order is 1\. Ask for them with importance"):
        one_tree(0.5, 0.4).plot_interactions()
