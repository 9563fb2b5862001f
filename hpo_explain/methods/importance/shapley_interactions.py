"""Shapley interactions of a prediction or an acquisition at a configuration.

The game is that of `shapley`: v(S) is the mean of what is explained over the background, where the
hyperparameters S have the explained configuration's values. All coalitions are valued by the
surrogate's own structure, without composed rows where that is possible, and one matrix makes
interactions of their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    NORMAL_95,
    Criterion,
    Direction,
    Subject,
    check_count,
    check_option,
)
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.background import complete, hypercubes
from hpo_explain.methods._engines.coalitions import EXACT_PLAYERS, free_columns
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.uncertainty import widened
from hpo_explain.methods.importance.interaction_indices import (
    Sets,
    interaction_weights,
    sets_up_to,
)
from hpo_explain.methods.importance.sets import about_players, half_of_samples, players_of
from hpo_explain.methods.importance.shapley_interactions_result import ShapleyInteractions
from hpo_explain.models import Acquisition, Surrogate
from hpo_explain.question import Question, accepted_criterion, explained_of, explains
from hpo_explain.space import Array, Config

_DRAWN = 8192  # composed rows at which functions are drawn
_LEAST = 4  # background rows of these
_RANKED_BY = 50  # background rows from which those that play as one are chosen


@explains(without=("acquisition",))
def shapley_interactions(
    question: Question,
    config: Config | int | None = None,
    *,
    of: Literal["prediction", "acquisition"] = "prediction",
    order: int = 2,
    background: int | Config | npt.ArrayLike = 500,
    acquisition: Criterion | Acquisition = "auto",
) -> ShapleyInteractions:
    """Divide a prediction or an acquisition value among hyperparameters and their interactions.

    With a default as `background` and a good trial as `config` this is the ablation game of
    HyperSHAP [3]_; with several baselines it is their mean.

    Parameters
    ----------
    config : dict or int, optional
        The configuration, or the number of a trial; by default the one to keep.
    of : {"prediction", "acquisition"}, default "prediction"
        What to explain: the predicted objective, or the acquisition function that chose the trial,
        with its terms.
    order : int, default 2
        The size of the largest sets, at least 2.
    background : int, dict or ndarray of shape (n, d), default 500
        What the configuration is compared with: a number of random rows (ten independent Latin
        hypercubes, which give intervals), one configuration such as a default, or encoded rows.
    acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition, default "auto"
        The acquisition function, as in `explain_proposal`.

    Returns
    -------
    ShapleyInteractions
        Values of sets of hyperparameters that add up to the difference from the background.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the configuration is not in the space, or an option
        is not allowed.

    References
    ----------
    .. [1] Muschalik, M. et al. (2024). shapiq: Shapley interactions for machine learning. NeurIPS.
       https://arxiv.org/abs/2410.01649
    .. [2] Lundberg, S. M. et al. (2020). From local explanations to global understanding with
       explainable AI for trees. Nature Machine Intelligence 2, 56-67.
    .. [3] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> baseline = {"x": 0.1, "y": 0.1}
    >>> found = hx.methods.shapley_interactions(table, 1, objective="loss", background=baseline)
    >>> round(abs(found.efficiency_gap), 9)
    0.0
    """
    check_option("of", of, ("prediction", "acquisition"))
    accepted_criterion(acquisition)
    at, trial = question.config("config", config), question.trial(config)
    if of == "acquisition":
        before = trial if question.before is None else question.before
        question = replace(question, acquisition=acquisition, before=before)
    return interactions_at(
        question.model,
        at,
        order=order,
        background=background,
        subject=question.subject(trial),
        seed=question.seed,
    )


def interactions_at(
    model: Surrogate | Acquisition,
    config: Config,
    *,
    order: int = 2,
    background: int | Config | npt.ArrayLike = 500,
    direction: Direction = "minimize",
    subject: Subject | None = None,
    seed: int = 0,
) -> ShapleyInteractions:
    """Return the Shapley interactions of a prediction or an acquisition at a configuration.

    Parameters
    ----------
    model : Surrogate or Acquisition
        The model of the objective, or an acquisition to explain in its place.
    config : dict
        The configuration, in the user's units, without inactive hyperparameters.
    order, background, seed
        As in `shapley_interactions`.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained; by default it is made from the model and `direction`.

    Raises
    ------
    ValueError
        If `model` is neither, an option is not allowed, or the configuration is not of the space.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in ("x", "y", "z")])
    >>> X = space.sample(60, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0] * X[:, 1] + X[:, 2])
    >>> found = interactions_at(surrogate, {"x": 1.0, "y": 1.0, "z": 1.0}, background=100)
    >>> found.value("x", "y") > 5 * abs(found.value("x", "z"))
    True
    """
    explained, subject = explained_of(model, subject, direction)
    check_count("order", order, minimum=2)
    space = explained.space
    if isinstance(background, Mapping):
        background = space.row(background, "background")[None, :]
    if np.ndim(background) == 0:
        cubes = hypercubes(space, cast(int, background), seed=seed)
    else:
        cubes = [complete(space, background, seed=seed)]
    x = space.row(config, "config")
    game = CoalitionGame.of(explained.game, x, estimator="auto", seed=seed)
    interactions = _interactions(game, cubes, order)
    rows = np.vstack(cubes)
    at_x = float(explained(x[None, :])[0])
    elsewhere = explained(space.project(rows))
    baseline = float(elsewhere.mean())
    by_term = _over_cubes(interactions.by_cube, cubes)
    values = by_term.sum(axis=1)
    half_width = np.full(len(values), np.nan)
    if len(cubes) > 1:
        half_width = half_of_samples(interactions.by_cube.sum(axis=2))
    belief, draws = explained.draws(seed), values[None]
    if belief.joint and 0 < len(interactions.players) <= EXACT_PLAYERS:
        of_draws = _values_of_draws(belief, x, interactions, rows, order)
        error = np.nan_to_num(half_width) / NORMAL_95
        draws = widened(values + of_draws - of_draws.mean(axis=0), error)
    return ShapleyInteractions(
        subject=subject,
        players=tuple(tuple(space.names[j] for j in player) for player in interactions.players),
        sets=interactions.sets,
        values=values,
        draws=draws,
        half_width=half_width,
        order=min(order, max(len(interactions.players), 2)),
        coalitions=interactions.coalitions,
        of="prediction" if explained.of_objective else "acquisition",
        config=space.decode(x[None, :])[0],
        terms=explained.game.term_names,
        by_term=by_term,
        prediction=at_x,
        baseline=baseline,
        efficiency_gap=at_x - baseline - float(values.sum()),
        spread=float(elsewhere.std()),
        background_size=len(rows),
        notes=(*about_players(space, interactions.players), *subject.notes),
    )


@dataclass(frozen=True, eq=False)
class _Interactions:
    """Interactions (hypercube, set, term), the columns of each player, and the game's values."""

    players: list[list[int]]
    sets: Sets
    by_cube: Array
    coalitions: Array


def _interactions(game: CoalitionGame, cubes: list[Array], order: int) -> _Interactions:
    """Return the interactions over each hypercube; of many players the smallest are one."""
    sizes = np.full(len(game.x), np.nan)
    sizes[game.players] = 0.0
    if len(game.players) > EXACT_PLAYERS:
        every = max(1, sum(map(len, cubes)) // _RANKED_BY)
        values = game.shapley([np.vstack(cubes)[::every]])[0][0]
        sizes[game.players] = np.abs(values.sum(axis=1))
    players = players_of(sizes, EXACT_PLAYERS)
    joined = free_columns(players, len(game.x))[:, game.players]
    values = game.values(joined, cubes)
    weights = interaction_weights(len(players), order)
    whole = _over_cubes(values, cubes).sum(axis=1)
    return _Interactions(players, sets_up_to(len(players), order), weights @ values, whole)


def _over_cubes(by_cube: Array, cubes: list[Array]) -> Array:
    """Return the mean over the rows of all hypercubes."""
    sizes = np.array([len(cube) for cube in cubes], dtype=float)
    return np.average(by_cube, axis=0, weights=sizes)


def _values_of_draws(
    belief: Draws, x: Array, interactions: _Interactions, background: Array, order: int
) -> Array:
    """Return the values of sets for each draw, (k, sets), over some rows of the background."""
    p = len(interactions.players)
    weights = interaction_weights(p, order)
    joined = free_columns(interactions.players, len(x))
    most = max(_LEAST, _DRAWN // len(joined))
    in_any_order = np.random.default_rng(belief.seed).permutation(len(background))
    some = background[in_any_order[:most]]
    sums: Array = np.zeros((1, len(weights)))
    batches = -(-len(some) * len(joined) // _DRAWN)
    for rows in np.array_split(some, batches):
        z = np.where(joined, x, rows[:, None]).reshape(-1, len(x))
        values = belief.draws(belief.space.project(z))
        by_row = values.reshape(-1, len(rows), len(joined))
        sums = sums + by_row.sum(axis=1) @ weights.T / len(some)
    return sums
