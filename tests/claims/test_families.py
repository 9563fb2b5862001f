"""Claims on learning curves, several runs and objectives, beside what is true."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from tests.claims.families import FADING, counted, mixed, other_of, settings, told
from tests.claims.problems import Problem
from tests.claims.scoring import families as truth

RISK = 0.01  # that claims of which 95 % are right fail here, by the bad luck of few
SPACE = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in ("a", "b")])
A = Problem("a", SPACE, lambda X: X[:, 0])
B = Problem("b", SPACE, lambda X: X[:, 1])
BOTH = Problem("both", SPACE, lambda X: X[:, 0] + X[:, 1])


def claim(kind, *args, **options):
    return Claim(kind, *args, **options)


def test_a_share_is_larger_in_the_problem_that_is_named():
    more = claim("difference", ("b",), estimate=0.5, interval=(0.4, 0.6))
    assert truth.change([A, BOTH], more).right
    assert truth.change([A, BOTH], more).covered
    assert not truth.change([BOTH, A], more).right
    assert not truth.change([A, BOTH], replace(more, interval=(0.6, 0.9))).covered


def test_what_matters_everywhere_matters_in_each():
    assert truth.everywhere([A, BOTH], claim("share", ("a",))).right
    assert not truth.everywhere([A, BOTH, B], claim("share", ("a",))).right


def test_one_configuration_loses_what_it_loses_in_the_worst_run():
    tried = [SPACE.sample(50), SPACE.sample(50)]
    found = claim("keep", ("a", "b"), (0.0, 0.25), interval=(0.0, 0.55))
    assert truth.default([A, B], tried, found).right  # 0.25 of 0.5 in the second
    assert not truth.default([A, B], tried, replace(found, interval=(0.0, 0.3))).right


def test_who_pays_is_who_changes_what_costs():
    before, after = np.array([0.0, 0.0]), np.array([1.0, 0.5])
    np.testing.assert_allclose(truth.shapley(BOTH, before, after), [1.0, 0.5])
    worse = claim("contribution", ("b",), estimate=-0.4, interval=(-0.6, -0.3))
    assert truth.trade(BOTH, before, after, worse) == (True, "gain -0.5", True)
    assert not truth.trade(BOTH, after, before, worse).right


def test_a_saving_loses_little_and_saves_what_is_said():
    rows = {0: np.array([0.0, 1.0]), 1: np.array([0.01, 0.5])}
    found = claim("difference", values=(1, 0, 0.01), estimate=0.5, interval=(0.4, 0.6))
    assert truth.saving(A, B, rows, 0.02, 1.0, found).right
    assert not truth.saving(A, B, rows, 0.005, 1.0, found).right  # it loses 0.01
    assert not truth.saving(A, B, rows, 0.02, 1.0, replace(found, interval=(0.55, 0.6))).right


def test_ranks_are_known_from_where_the_values_are_the_final_ones():
    def at(step, X):
        return B.cost(X) if step == 0 else A.cost(X)

    for step, right in ((0.0, False), (1.0, True)):
        found = claim("order", values=(step,), interval=(0.9, 1.0))
        judged = truth.early_rank(at, [0.0, 1.0, 2.0], 0.8, 2, found)
        assert (judged.right, judged.covered) == (right, right)


def test_what_a_pruner_costs_is_the_best_that_it_leaves():
    final, stopped = np.array([1.0, 2.0, 4.0]), np.array([True, False, False])
    assert truth.pruning(final, stopped, claim("difference", estimate=1.0)).right
    assert not truth.pruning(final, stopped, claim("difference", estimate=0.0)).right


def test_as_much_is_explored_as_is_near_trials():
    even, half = SPACE.sample(60), SPACE.sample(60) * [0.5, 1.0]
    found = claim("tried", SPACE.names, interval=(0.9, 1.0))
    assert truth.explored(even, found).right
    assert not truth.explored(half, found).right


def test_the_best_in_all_is_beaten_in_none():
    values = np.array([[1.0, 2.0], [1.0, 1.0], [3.0, 1.0]])
    assert truth.best_in_all(values, 1).right
    assert not truth.best_in_all(values, 0).right


def test_settings_are_problems_with_a_known_truth():
    assert len({s.problem.name for s in settings()[:20]}) > 3
    one = settings()[0].problem
    assert mixed(one, other_of(one), FADING[-1]).shares == pytest.approx(one.shares, abs=1e-9)


@pytest.mark.thorough
def test_certain_claims_are_right_nineteen_times_in_twenty():
    found = [one for setting in settings()[:40] for one in told(setting)]
    kinds = {kind for _, kind in counted(found)}
    assert kinds >= {"tried", "order", "difference", "share", "keep", "contribution"}
    for (method, kind), (right, of, *_) in counted(found).items():
        assert binom.cdf(right, of, 0.95) > RISK, (method, kind, right, of)
