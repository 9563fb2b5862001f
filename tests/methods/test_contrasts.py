"""Contrasts: closed forms, and how often a best value is wrongly ruled out."""

import numpy as np
import pytest
from scipy.stats import norm

from hpo_explain.methods._engines.contrasts import Contrasts, covariance_of_trees


def contrasts(cost, covariance, tried=None):
    cost = np.asarray(cost, dtype=float)
    tried = np.ones(len(cost), dtype=bool) if tried is None else np.asarray(tried)
    return Contrasts(cost, np.asarray(covariance, dtype=float), tried)


@pytest.mark.parametrize(("gap", "kept"), [(1.5, True), (1.8, False)])
def test_of_two_values_the_limit_is_the_normal_quantile(gap, kept):
    # the difference has variance 1; up to 1.645 (by draws) it is none
    assert contrasts([0.0, gap], 0.5 * np.eye(2)).best.tolist() == [True, kept]


def test_many_values_need_larger_differences():
    k, gap = 50, 2.6  # beyond one normal quantile, not beyond the largest of many
    assert not contrasts([0.0, gap], 0.5 * np.eye(2)).best[1]
    assert contrasts([0.0] + [gap] * (k - 1), 0.5 * np.eye(k)).best[1]


def test_the_best_value_is_ruled_out_at_most_one_time_in_twenty():
    rng = np.random.default_rng(0)
    grid = np.linspace(0, 1, 12)
    covariance = 0.1 * np.exp(-0.5 * ((grid[:, None] - grid) / 0.3) ** 2) + 0.01 * np.eye(12)
    root = np.linalg.cholesky(covariance)
    true = 3 * (grid - 0.6) ** 2
    found = [contrasts(true + root @ rng.standard_normal(12), covariance).best for _ in range(400)]
    kept = np.mean([best[np.argmin(true)] for best in found])
    assert kept >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / 400)
    assert np.mean(found) < 0.9  # and others are


def test_what_was_not_tried_is_never_ruled_out_and_never_the_best():
    found = contrasts([0.0, 1.0, 9.0], 1e-6 * np.eye(3), [False, True, False])
    assert found.place == 1
    assert found.best.tolist() == [True, True, True]


def test_a_value_without_a_configuration_is_no_candidate():
    covariance = 1e-6 * np.eye(3)
    covariance[1] = covariance[:, 1] = np.nan
    found = contrasts([0.0, np.nan, 1.0], covariance)
    assert found.best.tolist() == [True, False, False]


def test_an_interval_against_the_best_is_simultaneous():
    gap, half = contrasts([0.0, 2.0], 0.5 * np.eye(2)).against_best(1)
    assert (gap, half) == pytest.approx((2.0, norm.ppf(0.975)), rel=0.06)
    _, wider = contrasts([0.0] + [2.0] * 30, 0.5 * np.eye(31)).against_best(1)
    assert wider > 1.3 * half


def test_the_covariance_of_a_forest_is_half_of_its_trees():
    trees = np.random.default_rng(0).standard_normal((200, 3))
    np.testing.assert_allclose(covariance_of_trees(trees), np.cov(trees.T, bias=True) / 2)
    assert covariance_of_trees(np.zeros((4, 2, 3))).shape == (6, 6)
