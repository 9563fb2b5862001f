"""What a player's joining earns by each term, and of a split criterion by mean and uncertainty.

Symbols as in `models.acquisition.split`. Shapley values are means of gains over coalitions, so that
the shares of their gains are shares of the values; and D needs no other predictions than those of
all coalitions, or of a walk.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hpo_explain.methods._engines.coalitions import all_coalitions, shapley_weights
from hpo_explain.models import Acquisition, Split
from hpo_explain.space import Array

SHARES = ("mean", "uncertainty")


def columns_of(acquisition: Acquisition) -> tuple[str, ...]:
    """Return what is known of each player: the terms, and of a split criterion the shares."""
    names = acquisition.term_names
    return (*names, *SHARES) if isinstance(acquisition, Split) else names


def with_shares(gains: Array, crossed: Array, own: int) -> Array:
    """Return gains (..., terms) and the shares of the sum of the first `own`; D is `crossed`."""
    whole = gains[..., :own].sum(axis=-1)
    shares = np.stack([whole + crossed, whole - crossed], axis=-1) / 2.0
    return np.concatenate([gains, shares], axis=-1)


def step_gains(acquisition: Acquisition, walked: Mapping[str, Array]) -> Array:
    """Return what each step of walks earns, (..., steps, columns).

    `walked` holds each term, (..., steps + 1), before the first step and after each.
    """
    gains = [np.diff(walked[name]) for name in acquisition.term_names]
    stacked = np.stack(gains, axis=-1)
    if not isinstance(acquisition, Split):
        return stacked
    before = {name: values[..., :-1] for name, values in walked.items()}
    after = {name: values[..., 1:] for name, values in walked.items()}
    crossed = acquisition.crossed(before, after)
    return with_shares(stacked, crossed, acquisition.own)


def crossed_in_coalitions(criterion: Split, valued: Mapping[str, Array], n_players: int) -> Array:
    """Return the mean D of each player over coalitions, (rows, players).

    `valued` holds each term, (rows, 2ⁿ), in the order of `all_coalitions`.
    """
    members, weights = all_coalitions(n_players), shapley_weights(n_players)
    crossed = []
    for member, weight in zip(members.T, weights, strict=True):
        before = {name: values[:, ~member] for name, values in valued.items()}
        after = {name: values[:, member] for name, values in valued.items()}
        crossed.append(criterion.crossed(before, after) @ weight[member])
    return np.stack(crossed, axis=1)
