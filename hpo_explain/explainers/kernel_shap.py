"""`shap.KernelExplainer` as the engine of any game, without its habits.

What is kept out of the result: the l1 regularization that drops players (``l1_reg=False``), the
rounding of contributions below 1e-10 to zero (outputs are centred and rescaled), the global random
state (restored), and memory that grows with the background (batches).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

EXACT_PLAYERS = 11  # up to here every coalition is valued: 2^11 - 2 = 2046
BATCH_ROWS = 100  # background rows per call: 2046 × 100 composed rows at once
_SPREAD = 1e6  # outputs span this much, so that shap's 1e-10 is 1e-16 of the spread

Game = Callable[[npt.NDArray[np.bool_], npt.NDArray[np.int64]], Array]


def kernel_shap(game: Game, n_rows: int, n_players: int, *, seed: int = 0) -> Array:
    """Return Shapley values of a game averaged over background rows.

    Parameters
    ----------
    game : callable
        ``game(coalitions, rows)`` returns the values, (m, number of outputs), of `m` pairs of a
        coalition (m, n_players) and a background row (m,) for the players outside it; the row is
        -1 where every player is in the coalition.
    n_rows : int
        Number of background rows.
    n_players : int
        Number of players, at least 1.
    seed : int, default 0
        Seed of the coalitions drawn where there are too many to value each.

    Returns
    -------
    ndarray of shape (n_players, number of outputs)
        The Shapley values: exact for these rows up to 11 players, sampled above.

    References
    ----------
    .. [1] Lundberg, S. M. and Lee, S.-I. (2017). A unified approach to interpreting model
       predictions. NeurIPS, Theorem 2. https://arxiv.org/abs/1705.07874
    """
    import shap

    everyone = np.ones((1, n_players), dtype=bool)
    whole = game(everyone, np.array([-1]))[0]
    # a coalition is handed over as row numbers: 0 is the explained value, i + 1 background row i,
    # so that neither NaN nor two values that shap deems close can get lost
    empty = np.zeros((n_rows, n_players), dtype=bool)
    spread = np.abs(game(empty, np.arange(n_rows)) - whole).max(axis=0)
    scale = np.divide(_SPREAD, spread, out=np.ones_like(spread), where=spread > 0)

    def scaled(numbers: Array) -> Array:
        coalitions = numbers == 0
        rows = numbers.max(axis=1).astype(np.int64) - 1
        return np.asarray((game(coalitions, rows) - whole) * scale)

    n_coalitions = 2**n_players - 2 if n_players <= EXACT_PLAYERS else "auto"
    phi = np.zeros((n_players, len(whole)))
    state = np.random.get_state()  # noqa: NPY002 - shap draws from the global generator
    try:
        for start in range(0, n_rows, BATCH_ROWS):
            batch = np.arange(start, min(start + BATCH_ROWS, n_rows))
            np.random.seed(np.random.SeedSequence(seed).generate_state(1)[0])  # noqa: NPY002
            numbers = np.repeat(batch[:, None] + 1.0, n_players, axis=1)
            explainer = shap.KernelExplainer(scaled, numbers)
            values = explainer.shap_values(
                np.zeros((1, n_players)), nsamples=n_coalitions, l1_reg=False, silent=True
            )
            phi += len(batch) / n_rows * np.asarray(values)[0] / scale
    finally:
        np.random.set_state(state)  # noqa: NPY002
    return phi
