"""Interactions: closed forms, their definition by brute force, axioms, and shapiq."""

from itertools import chain, combinations
from math import factorial

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.methods._engines.coalitions import all_coalitions, shapley_weights
from hpo_explain.methods.importance.interaction_indices import interaction_weights, sets_up_to
from tests.analytic import AnalyticSurrogate, unit_cube

ORDERS = (1, 2, 3)


def subsets(players):
    players = list(players)
    return chain.from_iterable(combinations(players, k) for k in range(len(players) + 1))


def code(members):
    return sum(1 << i for i in members)


def derivative(v, members, others):
    """Return what the members do together where the others are there: Δ_S(T)."""
    return sum(
        (-1) ** (len(members) - len(u)) * v[code(u) | code(others)] for u in subsets(members)
    )


def random_game(n, seed=0):
    return np.random.default_rng(seed).normal(size=2**n)


def test_a_product_of_two_players_is_theirs_together_and_a_sum_is_each_ones():
    """v = 3 x0 + 2 x1 x2 - x3: its dividends are its coefficients."""
    x = all_coalitions(4).astype(float)
    v = 5.0 + 3.0 * x[:, 0] + 2.0 * x[:, 1] * x[:, 2] - x[:, 3]
    found = dict(zip(sets_up_to(4, 2), interaction_weights(4, 2) @ v, strict=True))
    expected = {(0,): 3.0, (3,): -1.0, (1, 2): 2.0}
    for members, value in found.items():
        assert value == pytest.approx(expected.get(members, 0.0), abs=1e-12), members


def test_a_product_of_three_players_by_hand():
    """Shares of a dividend of three for pairs and singles, above the order."""
    v = (all_coalitions(3).all(axis=1)).astype(float)
    # SII of a pair 1/2, Shapley 1/3: k-SII of one is 1/3 - (1/2)(1/2 + 1/2)
    np.testing.assert_allclose(interaction_weights(3, 2) @ v, [-1 / 6] * 3 + [1 / 2] * 3)


@pytest.mark.parametrize("n", [2, 4, 6])
def test_the_highest_order_is_a_mean_of_discrete_derivatives(n):
    """The definition of SII, as which k-SII ends (Tsai et al., Eq. 3)."""
    v, k = random_game(n), 2
    found = dict(zip(sets_up_to(n, k), interaction_weights(n, k) @ v, strict=True))
    for pair in combinations(range(n), k):
        others = set(range(n)) - set(pair)
        expected = sum(
            factorial(n - len(t) - k)
            * factorial(len(t))
            / factorial(n - k + 1)
            * derivative(v, pair, t)
            for t in subsets(others)
        )
        assert found[pair] == pytest.approx(expected, abs=1e-10)


def test_of_order_one_it_is_shapleys():
    np.testing.assert_allclose(interaction_weights(5, 1), shapley_weights(5), atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_efficiency_symmetry_and_dummies(order):
    n = 6
    v = random_game(n)
    assert (interaction_weights(n, order) @ v).sum() == pytest.approx(v[-1] - v[0])
    x = all_coalitions(n)
    # players 0 and 1 are counted alike, player 2 does nothing
    symmetric = np.sin(x[:, 0] + x[:, 1] + 2.0 * x[:, 3] * x[:, 4] + x[:, 5])
    found = dict(zip(sets_up_to(n, order), interaction_weights(n, order) @ symmetric, strict=True))
    for members, value in found.items():
        swapped = tuple(sorted({0: 1, 1: 0}.get(i, i) for i in members))
        assert value == pytest.approx(found[swapped], abs=1e-12)
        if 2 in members:
            assert value == pytest.approx(0.0, abs=1e-12)


def test_what_all_players_do_together_is_their_dividend():
    n = 4
    v = random_game(n)
    found = interaction_weights(n, n) @ v
    assert found[-1] == pytest.approx(derivative(v, range(n), ()))


# ---------------------------------------------------------------------- shapiq


@pytest.mark.parametrize("order", ORDERS)
def test_shapiq_finds_the_same(order):
    shapiq = pytest.importorskip("shapiq")
    n = 6
    v = random_game(n)

    def game(coalitions):
        return v[np.atleast_2d(coalitions).astype(int) @ (1 << np.arange(n))]

    reference = shapiq.ExactComputer(n_players=n, game=game)("k-SII", order)
    expected = [reference[s] for s in sets_up_to(n, order)]
    found = interaction_weights(n, order) @ v
    np.testing.assert_allclose(found, expected, atol=1e-12)


def played(f, d=3, **options):
    space = unit_cube(d)
    X = space.sample(30, seed=1)
    run = hx.Run(space, X, X[:, 0], "minimize")
    return hx.methods.shapley_interactions(
        run,
        dict.fromkeys(space.names, 1.0),
        background=100,
        surrogate=AnalyticSurrogate(space, f),
        **options,
    )


@pytest.mark.parametrize("of", ["prediction", "acquisition"])
def test_the_game_of_a_result_is_that_of_its_values(of):
    shapiq = pytest.importorskip("shapiq")
    space = unit_cube(3)
    X = space.sample(30, seed=1)
    run = hx.Run(space, X, X[:, 0] * X[:, 1], "minimize")
    found = hx.methods.shapley_interactions(run, of=of, kind="gp")
    game = found.to_shapiq()
    theirs = shapiq.ExactComputer(game, game.n_players)("k-SII", order=2)
    expected = [theirs[members] for members in found.sets]
    np.testing.assert_allclose(found.values, expected, atol=1e-9 * np.abs(found.values).max())
    assert game.player_name_lookup == {"x1": 0, "x2": 1, "x3": 2}


def test_other_indices_are_shapiqs_on_that_game():
    """f = x1 x2 x3 at (1, 1, 1) over a mean of 1/2: STII of a pair by its definition."""
    shapiq = pytest.importorskip("shapiq")
    found = played(lambda X: X.prod(axis=1))
    v = found.coalitions
    game = found.to_shapiq()
    theirs = shapiq.ExactComputer(game, game.n_players)("STII", order=2)
    for i, j in combinations(range(3), 2):
        other = {0, 1, 2} - {i, j}
        by_definition = 2.0 / 3.0 * derivative(v, (i, j), ()) + 2.0 / 6.0 * derivative(
            v, (i, j), other
        )
        assert theirs[(i, j)] == pytest.approx(by_definition, abs=1e-12)


def test_where_nothing_plays_there_is_no_game():
    space = unit_cube(2)
    run = hx.Run(space, space.sample(8, seed=1), np.zeros(8), "minimize")
    found = hx.methods.shapley_interactions(run, kind="forest")
    with pytest.raises(NothingToExplain, match="no game"):
        found.to_shapiq()
