"""Importance: shares whose truth is known, which model answers, the words and the figures."""

from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods.importance.fanova_result import ShareIntervals
from tests.analytic import unit_cube
from tests.claims.problems import additive, categorical
from tests.handmade import tuning_run
from tests.shares import one_tree, shares_of


def noisy(problem, n, noise, seed=0):
    """A run on random configurations, with noise relative to the signal's spread."""
    X = problem.space.sample(n, seed=seed, method="uniform")
    rng = np.random.default_rng(seed)
    y = problem.cost(X) + noise * problem.spread * rng.standard_normal(n)
    return hx.Run(problem.space, X, y, "minimize")


def test_noise_is_not_told_as_interaction():
    """Additive, noise as large as the signal: a forest's own shares say 57 % for the mains."""
    run = noisy(additive(), 300, 1.0)
    result = hx.importance(run)
    _, lower, upper = result.intervals.mains
    assert result.subject.model == "a GP"
    assert lower > 0.75
    assert upper > 0.995
    assert "the rest" not in result.sentence
    forest = run.surrogate(kind="forest")
    own = hx.FanovaExplainer(forest).explain().shares.sum(axis=1).mean()
    tuned = hx.importance(run, kind="forest")
    assert own < 0.7 < tuned.intervals.mains[0]


def test_intervals_hold_the_truth_as_often_as_they_should():
    """The goal is 85 % over all problems; a 95 % interval may miss single shares."""
    problem = additive()
    inside = []
    for seed in range(5):
        found = hx.importance(noisy(problem, 100, 1.0, seed), kind="gp").intervals
        truth = np.array([problem.shares[name,] for name in problem.space.names])
        inside += ((found.lower - 0.005 <= truth) & (truth <= found.upper + 0.005)).tolist()
    assert np.mean(inside) >= 0.85


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_an_irrelevant_category_of_twenty_levels_gets_no_certain_share(kind):
    result = hx.importance(noisy(categorical(), 100, 0.5), kind=kind)
    assert result.importance.loc["irrelevant", "lower"] < 0.01
    certain = {name for c in result.claims if c.certain for name in c.hyperparameters}
    named = [c for c in result.claims if c.kind == "importance" and c.certain]
    assert all("irrelevant" not in claim.hyperparameters for claim in named)
    assert result.importance["importance"].idxmax() == "kernel"
    assert certain <= set(result.names)


def test_where_models_disagree_beyond_their_intervals_that_comes_first():
    space = unit_cube(2)
    X = space.sample(40, seed=0)
    mine = hx.importance(hx.Run(space, X, X[:, 0], "minimize"))
    seen = ShareIntervals(np.array([0.2, 0.7]), np.zeros(2), np.array([0.4, 1.0]), (0.9, 0.8, 1.0))
    other = replace(mine, intervals=seen, subject=replace(mine.subject, model="a forest"))
    both = mine.compared(other)
    assert [(d.name, d.model, d.importance) for d in both.differences] == [("x1", "a forest", 0.2)]
    first, *rest = both.claims
    assert (first.kind, first.hyperparameters, first.certain) == ("models_differ", ("x1",), False)
    assert both.sentence.startswith("Two models disagree: a forest predicts held-out trials about")
    assert not any(claim.certain for claim in rest if "x1" in claim.hyperparameters)
    assert mine.compared(mine).differences == ()


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
