"""Games of several runs: the value of a coalition over data sets (HyperSHAP's multi-data games).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
v_r(S)     the value of a coalition in run r, by its own model
v(S)       the mean, the least, the largest or a quantile of v_r(S) over the runs
=========  ============================================================================

Interactions are those of v. The models of the runs know nothing of each other, so that functions
are drawn from each by itself, and what v would be is computed function by function. HyperSHAP joins
values rather than gains over the default, which is the same where the default's are equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hpo_explain.base.facts import fact
from hpo_explain.base.options import Over
from hpo_explain.explainers._shared_subject import shared_subject
from hpo_explain.explainers.games import GameExplainer, players_of
from hpo_explain.explainers.interaction_indices import interaction_weights
from hpo_explain.explanations.games import GameExplanation
from hpo_explain.explanations.set_values import SetValues
from hpo_explain.space import Array, Config

_UNEVEN = 10.0  # times the value of all hyperparameters in the run where it is least


def shared_players(explainers: Mapping[str, GameExplainer], default: Config) -> list[list[int]]:
    """Return the columns of each player: those that matter in some run, the same in all."""
    spread = np.array([explainer.spread(default) for explainer in explainers.values()])
    somewhere = ~np.isnan(spread).all(axis=0)
    return players_of(np.where(somewhere, np.nansum(spread, axis=0), np.nan))


def shared_game(games: Mapping[str, GameExplanation], over: Over | float) -> GameExplanation:
    """Return the game whose value of a coalition is that over several runs.

    Parameters
    ----------
    games : mapping of str to GameExplanation
        The game of each run, with the same default, players, index and order.
    over : {"mean", "min", "max"} or float
        How the values of the runs become one; a number between 0 and 1 is their quantile.
    """
    each = tuple(games.values())
    first, total = each[0], each[0].total
    values = _over(np.stack([game.coalitions for game in each]), over)
    weights = np.zeros((0, len(values)))
    if total.players:
        weights = interaction_weights(len(total.players), first.order, first.index)
    phi = weights @ values
    std, whole_std, drawn, coalitions = _known(each, over, weights, values, phi)
    subject = shared_subject(first.subject.space, [game.subject for game in each])
    notes = tuple(dict.fromkeys(note for game in each for note in game.notes))
    wholes = np.abs([game.whole for game in each])
    if over == "mean" and wholes.max() > _UNEVEN * wholes.min():
        most = list(games)[int(np.argmax(wholes))]
        notes = (fact("runs_uneven", name=most, share=float(wholes.max() / wholes.sum())), *notes)
    return replace(
        first,
        subject=subject,
        notes=notes,
        default_trial=None,
        default_prediction=float(np.mean([game.default_prediction for game in each])),
        total=SetValues(total.players, total.sets, phi, _half_width(each, over), std, drawn),
        coalitions=values,
        whole_std=whole_std,
        rows=None,
        reference=None,
        drawn=coalitions,
        over=over,
        games=dict(games),
    )


def _over(values: Array, over: Over | float) -> Array:
    """Return values of runs, (R, ...), as one."""
    if over == "mean":
        return np.asarray(values.mean(axis=0))
    quantile = {"min": 0.0, "max": 1.0}[over] if isinstance(over, str) else over
    return np.asarray(np.quantile(values, quantile, axis=0))


def _known(
    games: tuple[GameExplanation, ...],
    over: Over | float,
    weights: Array,
    values: Array,
    phi: Array,
) -> tuple[Array | None, float | None, Array | None, Array | None]:
    """Return the std of the sets and of the whole, and draws of sets and of coalitions."""
    stds = [game.total.model_std for game in games if game.total.model_std is not None]
    wholes = [game.whole_std for game in games if game.whole_std is not None]
    of_coalitions = [game.drawn for game in games if game.drawn is not None]
    of_runs = [game.total.drawn for game in games if game.total.drawn is not None]
    coalitions = drawn = None
    if len(of_coalitions) == len(games):
        coalitions = _over(np.stack(of_coalitions), over)
        drawn = coalitions @ weights.T
    elif over == "mean" and len(of_runs) == len(games):
        drawn = np.mean(of_runs, axis=0)
    if over == "mean":
        if len(stds) < len(games):
            return None, None, None, None
        std = np.sqrt(np.sum(np.square(stds), axis=0)) / len(games)
        return std, float(np.sqrt(np.sum(np.square(wholes)))) / len(games), drawn, coalitions
    if coalitions is None or drawn is None:
        return None, None, None, None
    # the largest of several draws is larger than that of their means: this counts as well
    away = (coalitions[:, -1] - coalitions[:, 0]) - (values[-1] - values[0])
    std = np.sqrt(((drawn - phi) ** 2).mean(axis=0))
    return std, float(np.sqrt((away**2).mean())), drawn, coalitions


def _half_width(games: tuple[GameExplanation, ...], over: Over | float) -> Array | None:
    """Return half the intervals of integrating: of a mean, or at most that of the worst run."""
    halves = [game.total.half_width for game in games if game.total.half_width is not None]
    if len(halves) < len(games):
        return None
    if over == "mean":
        return np.asarray(np.sqrt(np.sum(np.square(halves), axis=0)) / len(games))
    return np.asarray(np.max(halves, axis=0))
