"""Shapley values from the values of all coalitions, and by `shap.KernelExplainer` of any game.

What is kept out of KernelExplainer's result: the l1 regularization that drops players
(``l1_reg=False``), the rounding of contributions below 1e-10 to zero (outputs are centred and
rescaled), numpy's global random state (a generator of its own takes its place), and memory that
grows with the background: it averages over the background rows before it regresses, so it may as
well be given the averages.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from math import comb
from types import FunctionType
from typing import Any

import numpy as np

from hpo_explain.space import Array, Bools


def all_coalitions(n_players: int) -> Bools:
    """Return all coalitions, (2 ** n, n): player i is in coalition c where bit i of c is set.

    Examples
    --------
    >>> all_coalitions(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    codes = np.arange(2**n_players)
    return np.asarray((codes[:, None] >> np.arange(n_players)) & 1 == 1)


def shapley_weights(n_players: int) -> Array:
    """Return the matrix W, (n, 2ⁿ), with which φ = W v for the values v of all coalitions.

    ``φ_i = Σ_{S ∌ i} |S|! (n - |S| - 1)! / n! (v(S ∪ i) - v(S))``, so that a coalition with
    player i weighs ``1 / (n C(n-1, |S|-1))`` and one without it ``-1 / (n C(n-1, |S|))``.

    Parameters
    ----------
    n_players : int
        Number of players n, at least 1.

    Returns
    -------
    ndarray of shape (n, 2 ** n)
        Column c belongs to row c of `all_coalitions`.

    References
    ----------
    .. [1] Shapley, L. S. (1953). A value for n-person games. Eq. 13.

    Examples
    --------
    >>> shapley_weights(2).tolist()
    [[-0.5, 0.5, -0.5, 0.5], [-0.5, -0.5, 0.5, 0.5]]
    """
    n = n_players
    member = all_coalitions(n).T
    size = member.sum(axis=0)
    joined = np.array(
        [1.0 / (n * comb(n - 1, max(s - 1, 0))) for s in range(n + 1)]
    )
    missed = np.array(
        [1.0 / (n * comb(n - 1, min(s, n - 1))) for s in range(n + 1)]
    )
    return np.asarray(np.where(member, joined[size], -missed[size]))


EXACT_PLAYERS = 11  # up to here every coalition is valued: 2^11 - 2 = 2046
_SPREAD = (
    1e6  # outputs span this much, so that shap's 1e-10 is 1e-16 of the spread
)

Game = Callable[[Bools], Array]


def kernel_shap(game: Game, n_players: int, *, seed: int = 0) -> Array:
    """Return Shapley values of a game.

    Parameters
    ----------
    game : callable
        ``game(coalitions)`` returns the values, (m, number of outputs), of coalitions given by
        membership, (m, n_players).
    n_players : int
        Number of players, at least 1.
    seed : int, default 0
        Seed of the coalitions drawn where there are too many to value each.

    Returns
    -------
    ndarray of shape (n_players, number of outputs)
        The Shapley values: exact up to 11 players, sampled above.

    References
    ----------
    .. [1] Lundberg, S. M. and Lee, S.-I. (2017). A unified approach to interpreting model
       predictions. NeurIPS, Theorem 2. https://arxiv.org/abs/1705.07874

    Examples
    --------
    >>> import numpy as np
    >>> def game(coalitions):  # two players earn 6 together, either one nothing
    ...     return 6.0 * coalitions.all(axis=1, keepdims=True)
    >>> kernel_shap(game, 2).round(9).tolist()
    [[3.0], [3.0]]
    """
    one = np.eye(n_players, dtype=bool)
    nobody = np.zeros((1, n_players), dtype=bool)
    first = game(np.vstack([~nobody, nobody, one, ~one]))
    whole = first[0]
    spread = np.abs(first - whole).max(axis=0)
    scale = np.divide(
        _SPREAD, spread, out=np.ones_like(spread), where=spread > 0
    )

    def scaled(missing: Array) -> Array:
        return np.asarray((game(missing == 0) - whole) * scale)

    n_coalitions = 2**n_players - 2 if n_players <= EXACT_PLAYERS else "auto"
    explainer = _explainer_with(seed)(scaled, np.ones((1, n_players)))
    values = explainer.shap_values(
        np.zeros((1, n_players)),
        nsamples=n_coalitions,
        l1_reg=False,
        silent=True,
    )
    return np.asarray(values[0] / scale)


def _explainer_with(seed: int) -> Any:
    """Return shap's KernelExplainer with a generator of its own, and without tqdm.

    Its method `explain` draws from ``np.random``, which all threads of the process share, and
    `shap_values` asks tqdm, which leaves a thread and fixes how processes are started; here the
    same code finds another ``np`` and another ``tqdm``.
    """
    kernel = _shap().KernelExplainer
    others = {
        "np": _NumpyDrawing(np.random.default_rng(seed)),
        "tqdm": lambda rows, **options: rows,
    }
    methods = {
        name: _finding(others, getattr(kernel, name))
        for name in ("explain", "shap_values")
    }
    return type("SeededKernelExplainer", (kernel,), methods)


def _shap() -> Any:
    """Return the package shap, whose import warns of what it does itself."""
    if "shap" in sys.modules:
        import shap

        return shap
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap
    return shap


def _finding(others: dict[str, Any], function: Any) -> FunctionType:
    """Return a function that finds other things under some of its module's names."""
    made = FunctionType(
        function.__code__,
        {**function.__globals__, **others},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


class _NumpyDrawing:
    """numpy, but for its random numbers."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
