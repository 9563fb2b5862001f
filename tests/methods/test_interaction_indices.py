"""Interaction indices: closed forms, their definitions by brute force, axioms, and shapiq."""

from itertools import chain, combinations
from math import comb, factorial

import numpy as np
import pytest

from hpo_explain.base.options import INDICES
from hpo_explain.methods._engines.coalitions import (
    all_coalitions,
    shapley_weights,
)
from hpo_explain.methods.importance.interaction_indices import (
    interaction_weights,
    sets_up_to,
)

ORDERS = (1, 2, 3)


def subsets(players):
    players = list(players)
    return chain.from_iterable(
        combinations(players, k) for k in range(len(players) + 1)
    )


def code(members):
    return sum(1 << i for i in members)


def derivative(v, members, others):
    """Return what the members do together where the others are there: Δ_S(T)."""
    return sum(
        (-1) ** (len(members) - len(u)) * v[code(u) | code(others)]
        for u in subsets(members)
    )


def random_game(n, seed=0):
    return np.random.default_rng(seed).normal(size=2**n)


@pytest.mark.parametrize("index", INDICES)
def test_a_product_of_two_players_is_theirs_together_and_a_sum_is_each_ones(
    index,
):
    """v = 3 x0 + 2 x1 x2 - x3: its dividends are its coefficients."""
    x = all_coalitions(4).astype(float)
    v = 5.0 + 3.0 * x[:, 0] + 2.0 * x[:, 1] * x[:, 2] - x[:, 3]
    found = dict(
        zip(
            sets_up_to(4, 2), interaction_weights(4, 2, index) @ v, strict=True
        )
    )
    expected = {(0,): 3.0, (3,): -1.0, (1, 2): 2.0}
    for members, value in found.items():
        assert value == pytest.approx(expected.get(members, 0.0), abs=1e-12), (
            members
        )


def test_a_product_of_three_players_by_hand():
    """Above the order the indices differ: shares of a dividend of three for pairs and singles."""
    v = (all_coalitions(3).all(axis=1)).astype(float)
    by_index = {i: interaction_weights(3, 2, i) @ v for i in INDICES}
    # SII of a pair 1/2, Shapley 1/3: k-SII of one is 1/3 - (1/2)(1/2 + 1/2)
    np.testing.assert_allclose(by_index["k-SII"], [-1 / 6] * 3 + [1 / 2] * 3)
    np.testing.assert_allclose(
        by_index["STII"], [0.0] * 3 + [1 / 3] * 3, atol=1e-15
    )


@pytest.mark.parametrize("n", [2, 4, 6])
def test_the_highest_order_is_a_mean_of_discrete_derivatives(n):
    """The definitions of SII, STII and FSII of the highest order (Tsai et al., Eq. 3, 4 and 20)."""
    v, k = random_game(n), 2
    chance = {
        "k-SII": lambda t: (
            factorial(n - t - k) * factorial(t) / factorial(n - k + 1)
        ),
        "STII": lambda t: k / (n * comb(n - 1, t)),
        "FSII": lambda t: (
            factorial(2 * k - 1)
            / factorial(k - 1) ** 2
            * factorial(n - t - 1)
            * factorial(t + k - 1)
            / factorial(n + k - 1)
        ),
    }
    for index in INDICES:
        found = dict(
            zip(
                sets_up_to(n, k),
                interaction_weights(n, k, index) @ v,
                strict=True,
            )
        )
        for pair in combinations(range(n), k):
            others = set(range(n)) - set(pair)
            expected = sum(
                chance[index](len(t)) * derivative(v, pair, t)
                for t in subsets(others)
            )
            assert found[pair] == pytest.approx(expected, abs=1e-10)


def test_the_faithful_index_is_the_best_approximation_by_shapleys_weights():
    """Weighted least squares with the two ends held (Tsai et al., Eq. 8 and Theorem 19)."""
    n, k = 5, 2
    v, sets = random_game(n), sets_up_to(n, k)
    x = all_coalitions(n)
    design = np.array(
        [[set(s) <= set(np.flatnonzero(c)) for s in sets] for c in x],
        dtype=float,
    )
    size = x.sum(axis=1)
    inner = (size > 0) & (size < n)
    weight = np.array([1.0 / (comb(n, s) * s * (n - s)) for s in size[inner]])
    normal = design[inner].T @ (weight[:, None] * design[inner])
    right = design[inner].T @ (weight * (v - v[0])[inner])
    ones = np.ones(len(sets))
    system = np.block(
        [[normal, ones[:, None]], [ones[None, :], np.zeros((1, 1))]]
    )
    expected = np.linalg.solve(system, [*right, v[-1] - v[0]])[:-1]
    np.testing.assert_allclose(
        interaction_weights(n, k, "FSII") @ v, expected, atol=1e-10
    )


@pytest.mark.parametrize("index", INDICES)
def test_of_order_one_every_index_is_shapleys(index):
    np.testing.assert_allclose(
        interaction_weights(5, 1, index), shapley_weights(5), atol=1e-14
    )


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("order", ORDERS)
def test_efficiency_symmetry_and_dummies(index, order):
    n = 6
    v = random_game(n)
    assert (interaction_weights(n, order, index) @ v).sum() == pytest.approx(
        v[-1] - v[0]
    )
    x = all_coalitions(n)
    # players 0 and 1 are counted alike, player 2 does nothing
    symmetric = np.sin(x[:, 0] + x[:, 1] + 2.0 * x[:, 3] * x[:, 4] + x[:, 5])
    found = dict(
        zip(
            sets_up_to(n, order),
            interaction_weights(n, order, index) @ symmetric,
            strict=True,
        )
    )
    for members, value in found.items():
        swapped = tuple(sorted({0: 1, 1: 0}.get(i, i) for i in members))
        assert value == pytest.approx(found[swapped], abs=1e-12)
        if 2 in members:
            assert value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("index", INDICES)
def test_the_order_of_all_players_gives_the_dividends(index):
    n = 4
    v = random_game(n)
    found = interaction_weights(n, n, index) @ v
    if (
        index != "k-SII"
    ):  # whose values of all players are other ones of the same sum
        np.testing.assert_allclose(
            found, [derivative(v, s, ()) for s in sets_up_to(n, n)]
        )
    assert found[-1] == pytest.approx(derivative(v, range(n), ()))


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("order", ORDERS)
def test_shapiq_finds_the_same(index, order):
    shapiq = pytest.importorskip("shapiq")
    n = 6
    v = random_game(n)

    def game(coalitions):
        return v[np.atleast_2d(coalitions).astype(int) @ (1 << np.arange(n))]

    reference = shapiq.ExactComputer(n_players=n, game=game)(index, order)
    expected = [reference[s] for s in sets_up_to(n, order)]
    # shapiq solves a least squares problem with large weights for FSII, which is exact to 1e-8
    found = interaction_weights(n, order, index) @ v
    np.testing.assert_allclose(
        found, expected, atol=1e-7 if index == "FSII" else 1e-12
    )
