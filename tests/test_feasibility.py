"""The classifier of feasible configurations: on constraints that are known."""

import numpy as np

from hpo_explain import (
    CategoricalParameter,
    FloatParameter,
    Run,
    SearchSpace,
    optimum,
    partial_dependence,
    recommended_space,
)
from hpo_explain.run import WithoutResult
from tests.analytic import nested_space, unit_cube
from tests.noted import noted

SPACE = unit_cube(3)
NEW = SPACE.sample(1000, seed=99)


def below_a_line(X):
    return X[:, 0] + X[:, 1] < 1.2


def run(n, feasible=below_a_line, space=SPACE, seed=0):
    X = space.sample(n, seed=seed, method="uniform")
    return Run(space, X, np.zeros(n), "minimize", feasible=feasible(X))


def log_loss(probability, truth):
    p = np.clip(np.where(truth, probability, 1.0 - probability), 1e-12, 1.0)
    return -np.log(p).mean()


def test_what_is_said_with_90_percent_is_right_that_often():
    right = []
    for seed in range(4):
        p = run(30, seed=seed).feasibility().probability(NEW)
        sure = np.maximum(p, 1.0 - p) > 0.9
        right += ((p > 0.5) == below_a_line(NEW))[sure].tolist()
    assert len(right) > 1000
    assert np.mean(right) > 0.9


def test_where_nothing_explains_it_the_share_of_feasible_trials_is_the_answer():
    chance = run(120, lambda X: np.random.default_rng(1).random(len(X)) < 0.7)
    probability = chance.feasibility().probability(NEW)
    assert abs(probability.mean() - chance.feasible.mean()) < 0.08
    assert log_loss(probability, np.random.default_rng(2).random(1000) < 0.7) < 0.69  # a coin's


def test_without_infeasible_trials_there_is_no_classifier():
    assert run(20, lambda X: np.ones(len(X), dtype=bool)).feasibility() is None


def test_where_no_trial_was_feasible_it_is_improbable_everywhere_by_laplace_rule():
    none = run(20, lambda X: np.zeros(len(X), dtype=bool)).feasibility()
    np.testing.assert_allclose(none.probability(NEW[:5]), 1.0 / 22.0)
    assert (none.feasible, none.infeasible) == (0, 20)


def test_categories_and_conditions_decide_what_is_feasible():
    space = SearchSpace([CategoricalParameter("kind", ["a", "b", "c"]), FloatParameter("x", 0, 1)])
    classifier = run(60, lambda X: X[:, 0] != 1, space).feasibility()
    at = space.encode([{"kind": kind, "x": 0.5} for kind in "abc"])
    assert (classifier.probability(at) > 0.5).tolist() == [True, False, True]

    nested = nested_space()
    units = nested.index("units_1")  # infeasible where it is active and large

    def small(X):
        return ~(X[:, units] > 0.5)

    rows = nested.sample(300, seed=5)
    found = run(120, small, nested).feasibility().probability(rows) > 0.5
    assert (found == small(rows)).mean() > 0.9


def test_it_knows_no_more_than_was_known_before_a_trial():
    whole = run(30)
    start = int(np.flatnonzero(~whole.feasible)[0])
    assert whole.feasibility(before=start) is None
    part = Run(SPACE, whole.X[:20], whole.objective[:20], "minimize", feasible=whole.feasible[:20])
    np.testing.assert_array_equal(
        whole.feasibility(before=20).probability(NEW), part.feasibility().probability(NEW)
    )


def test_a_trial_that_failed_before_all_was_chosen_tells_of_what_was():
    X = SPACE.sample(60, seed=0)
    fails = X[:, 0] > 0.5
    cut = np.where(fails[:, None] & [False, True, True], np.nan, X)
    lost = {60 + i: WithoutResult("failed", cut[i]) for i in np.flatnonzero(fails).tolist()}
    kept = ~fails
    numbers = np.flatnonzero(kept)
    run = Run(SPACE, X[kept], X[kept, 1], "minimize", trials=numbers, without_result=lost)
    right = run.feasibility().probable(NEW) == (NEW[:, 0] <= 0.5)
    assert right.mean() > 0.85


def test_where_a_result_that_counts_is_rarely_to_be_expected_it_is_said():
    """Whatever the configuration, one trial in five is feasible."""
    space = unit_cube(2)
    X = space.sample(100, seed=0)
    alone = Run(space, X, X[:, 0], "minimize", feasible=np.arange(100) % 5 == 0)
    for found in (optimum(alone), recommended_space(alone)):
        assert noted(found.notes, "less likely than not")


def test_where_trials_fail_no_range_of_an_attainable_best_is_certain():
    """Values rise to the border of what is feasible, where the best is."""
    space = unit_cube(2)
    X = space.sample(80, seed=0)
    bordered = Run(space, X, -X[:, 0], "minimize", feasible=X[:, 0] < 0.7)
    found = partial_dependence(bordered, "x1")
    (best,) = [c for c in found.claims if c.kind == "best" and c.term == "attainable"]
    assert not best.certain
    assert "configurations that may fail are left out" in " ".join(map(str, best.because))
