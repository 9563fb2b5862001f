"""`shap.KernelExplainer` as the engine of any game, without its habits.

What is kept out of the result: the l1 regularization that drops players (``l1_reg=False``), the
rounding of contributions below 1e-10 to zero (outputs are centred and rescaled), numpy's global
random state (a generator of its own takes its place), and memory that grows with the background:
KernelExplainer averages over the background rows before it regresses, so it may as well be given
averages, worked out in batches.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

EXACT_PLAYERS = 11  # up to here every coalition is valued: 2^11 - 2 = 2046
_SPREAD = 1e6  # outputs span this much, so that shap's 1e-10 is 1e-16 of the spread

Game = Callable[[npt.NDArray[np.bool_]], Array]


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
    scale = np.divide(_SPREAD, spread, out=np.ones_like(spread), where=spread > 0)

    def scaled(missing: Array) -> Array:
        return np.asarray((game(missing == 0) - whole) * scale)

    n_coalitions = 2**n_players - 2 if n_players <= EXACT_PLAYERS else "auto"
    explainer = _explainer_with(seed)(scaled, np.ones((1, n_players)))
    values = explainer.shap_values(
        np.zeros((1, n_players)), nsamples=n_coalitions, l1_reg=False, silent=True
    )
    return np.asarray(values[0] / scale)


def _explainer_with(seed: int) -> Any:
    """Return shap's KernelExplainer with a generator of its own.

    Its method `explain` draws from ``np.random``, which all threads of the process share; here the
    same code finds another ``np``.
    """
    import shap

    drawing: Any = shap.KernelExplainer.explain
    names = {**drawing.__globals__, "np": _NumpyDrawing(np.random.default_rng(seed))}
    explain = FunctionType(
        drawing.__code__, names, drawing.__name__, drawing.__defaults__, drawing.__closure__
    )
    return type("SeededKernelExplainer", (shap.KernelExplainer,), {"explain": explain})


class _NumpyDrawing:
    """numpy, but for its random numbers."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
