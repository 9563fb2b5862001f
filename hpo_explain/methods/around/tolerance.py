"""How exactly the trial to keep must be met: how far each hyperparameter may move.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f_s        a draw of the cost, noise excluded
x          the trial to keep
x[j = v]   x with hyperparameter j at value v
ε          what counts: more may not be lost
=========  ============================================================================

A draw tolerates the connected stretch of values around x_j in which ``f_s(x[j = v]) - f_s(x)`` is
at most ε. With the others free it is the least ``f_s(z[j = v]) - f_s(x)`` over x, the configuration
expected to be best, and that expected to be best in the part of the range that holds v. The result
is the widest stretch that 95 % of the draws tolerate as a whole, with losses as far from their
median as intervals are stretched. What is less sure to give a result than x is not tolerated.

Draws are smooth, and an objective may go up and down between the trials. So a stretch is certain
only where what trials scatter about the draws hardly exceeds ε at any of its values, or repeats
tell that it is noise: of functions that go up and down half of the stretches were wrong
(tests/claims). Where they scatter by more and the reliability is poor, no other value than x's own
is known to be tolerated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    Claim,
    Fact,
    Result,
    Table,
    attributes,
    fact,
    format_values,
    join_names,
    percent,
    printable,
)
from hpo_explain.belief import LEVEL, STRETCH, Draws, stretched
from hpo_explain.methods._engines.decision_words import MOST, few
from hpo_explain.methods._engines.rows_at import composed
from hpo_explain.question import (
    RARELY_FEASIBLE,
    Explained,
    Question,
    RunDecision,
    WhatCounts,
    explains,
)
from hpo_explain.space import Array, Bools, Ints, Parameter, SearchSpace, ranked

_STEPS = 31  # positions on either side of a number's value, dense beside it

# standard deviations that the difference of two configurations exceeds in 5 % of whole stretches
_LARGEST = math.sqrt(2.0) * NormalDist().inv_cdf(1.0 - (1.0 - LEVEL) / (2 * _STEPS))
_SINGLE = fact("the model does not say how its predictions vary together")


@dataclass(frozen=True, eq=False)
class Stretch:
    """The values that a hyperparameter may take.

    Attributes
    ----------
    values : tuple
        ``(low, high)``, or the categories, in the user's units.
    probability : float
        That none of them loses more than is allowed; NaN where the model does not tell.
    width : float
        Of its scale what they are: of numbers without the ends' own width.
    """

    values: tuple[Any, ...]
    probability: float
    width: float

    def text(self, parameter: Parameter) -> str:
        """Return the values in words: "0.1 to 1", or "a or b"."""
        if parameter.is_category:
            return " or ".join(format_values(self.values))
        ends = format_values(self.values)
        return " to ".join(ends[: len({*self.values})])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tolerance(Result):
    """How far each hyperparameter may move from the trial to keep before too much is lost.

    Attributes
    ----------
    config : mapping
        The configuration of the trial to keep, in the user's units; what is inactive is left out.
    epsilon : float
        How much may be lost, in the objective's units.
    alone, free : tuple of Stretch
        The values that each active hyperparameter may take, all others as they are, and all others
        at their best.
    doubts : tuple of Fact
        Why nothing of it is certain; empty where it is.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> x = np.linspace(0.0, 1.0, 21)
    >>> run = hx.Run(space, x[:, None], (x - 0.5) ** 2, "minimize")
    >>> found = hx.methods.tolerance(run, epsilon=0.04)
    >>> low, high = found.alone[0].values
    >>> 0.29 < low < 0.35, 0.65 < high < 0.71
    (True, True)
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "value": lambda result: np.array([*result.config.values()], dtype=object),
            "alone": lambda result: result.texts(result.alone),
            "probability": lambda result: [one.probability for one in result.alone],
            "free": lambda result: result.texts(result.free),
            "free_probability": lambda result: [one.probability for one in result.free],
        },
        order="order",
        held=attributes(
            "epsilon",
            "config",
            alone=lambda result: [vars(one) for one in result.alone],
            free=lambda result: [vars(one) for one in result.free],
        ),
    )
    config: Mapping[str, Any]
    epsilon: float
    alone: tuple[Stretch, ...]
    free: tuple[Stretch, ...]
    doubts: tuple[Fact, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters that are active in the configuration."""
        return tuple(self.config)

    def order(self) -> Ints:
        """Return the places of the hyperparameters, first what must be met most exactly."""
        return ranked(np.array([one.width for one in self.alone]))

    def texts(self, stretches: tuple[Stretch, ...]) -> list[str]:
        """Return the values of each hyperparameter in words."""
        each = zip(self.names, stretches, strict=True)
        return [one.text(self.subject.space[name]) for name, one in each]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How far the three may move that must be met most exactly, and what may not move.

        Nothing is certain where there are doubts.
        """
        order, space = self.order().tolist(), self.subject.space
        stays = [i for i in order if len({*self.alone[i].values}) < 2]
        moves = [i for i in order if i not in stays][:MOST]
        stays = [i for i in stays if space[self.names[i]].size != 1]
        claims = [*map(self._claim, moves)]
        if stays:
            names = [self.names[i] for i in stays]
            little = "as little" if moves else f"at most {self.epsilon:.2g}"
            text = f"No other value of {few(names)} is known to lose {little}."
            values = tuple(self.alone[i].values for i in stays)
            claims.append(Claim("keep", tuple(names), values=values, text=printable(text)))
        return tuple(claims)

    def _claim(self, i: int) -> Claim:
        one, name, parameter = self.alone[i], self.names[i], self.subject.space[self.names[i]]
        sure = "by the model" if self.doubts else f"{percent(LEVEL)} sure"
        alone, free = one.text(parameter), self.free[i].text(parameter)
        best = f"; {free} if the others follow" if free != alone else ""
        return Claim(
            "keep",
            (name,),
            values=(one.values,),
            probability=one.probability,
            certain=not self.doubts,
            because=self.doubts,
            text=printable(f"{name} ({alone}{best})"),
            frame=f"At most {self.epsilon:.2g} is lost ({sure}) while one value of {self.where} "
            "moves alone: {each}.",
        )


@explains(of="surrogate", without=("kind",))
def tolerance(question: Question) -> Tolerance:
    """Say how far each hyperparameter may move from the trial to keep before too much is lost.

    What may be lost is what counts, `epsilon`.

    Returns
    -------
    Tolerance
        The values that each hyperparameter may take, alone and with the others at their best.

    Raises
    ------
    ValueError
        If fewer than two trials are finished.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": np.linspace(0.0, 1.0, 40)})
    >>> table["loss"] = (table.x - 0.3) ** 2
    >>> found = hx.methods.tolerance(table, objective="loss", epsilon=0.01)
    >>> low, high = found.alone[0].values
    >>> bool(0.15 < low < 0.3 < high < 0.45)
    True
    """
    run, decision = question.run, question.decision
    run.check_differences()
    subject = Explained.of(question.model, run.direction).completed(question.subject(question.keep))
    draws = question.draws.at_best if decision is None else decision.draws
    counts = WhatCounts.of(run, draws) if decision is None else decision.counts
    config = run.config(question.keep)
    poor = () if decision is None else decision.doubts
    scatter = () if decision is None else _scatter(decision)
    may_be_lost = (
        -np.inf if poor and scatter else counts.epsilon
    )  # then none is known to be as good
    alone, free = tolerated(draws, run.space.row(config, "config"), may_be_lost)
    return Tolerance(
        subject=subject,
        config=config,
        epsilon=counts.epsilon,
        alone=alone,
        free=free,
        doubts=(_SINGLE,) if decision is None else (*poor, *scatter),
        notes=(*_notes(run.space, config, draws), *subject.notes),
    )


def tolerated(
    draws: Draws, x: Array, epsilon: float
) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """Return the values of each active hyperparameter that lose at most ε: alone, others free.

    Parameters
    ----------
    draws : Draws
        Functions that the trials allow.
    x : ndarray of shape (d,)
        The encoded configuration.
    epsilon : float
        What may be lost, in the objective's units.
    """
    alone, free = list[Stretch](), list[Stretch]()
    varies = np.ptp(draws.landscape.values, axis=1) > 0.0
    varies |= ~varies.any()  # a constant draw does not tell that nothing is lost
    for j in np.flatnonzero(~np.isnan(x)).tolist():
        parameter = draws.space.parameters[j]
        at = _positions(parameter, x[j])
        own = int(np.abs(at - x[j]).argmin())
        lost = _lost(draws, x, _candidates(draws, x, j, at), j, at)[varies]
        for stretches, least in ((alone, lost[:, 0]), (free, lost.min(axis=1))):
            held = least <= epsilon
            held[:, own] = True
            stretches.append(_set(parameter, at, own, held))
    return tuple(alone), tuple(free)


def _positions(parameter: Parameter, own: float) -> Array:
    """Return encoded values of a hyperparameter, (G,): all where they are few, or categories."""
    grid = parameter.grid(2 * _STEPS)
    if grid is not None:
        return grid[0]
    if parameter.is_category:
        return np.arange(parameter.size, dtype=float)
    away = np.linspace(0.0, 1.0, _STEPS) ** 2
    return np.unique(parameter.nearest(np.concatenate([own * (1 - away), own + (1 - own) * away])))


def _candidates(draws: Draws, x: Array, j: int, at: Array) -> Array:
    """Return rows among which the best of each value of a column is looked for, (3, G, d).

    These are the configuration, the one expected to be best, and the one expected to be best in
    the part of the range that the value lies in.
    """
    land = draws.landscape
    mean = np.where(land.possible, land.all_values.mean(axis=0), np.inf)
    levels = [np.flatnonzero(land.level[:, j] == i) for i in range(len(land.axes[j].centers))]
    best = [rows[np.argmin(mean[rows])] if len(rows) else np.argmin(mean) for rows in levels]
    of_parts = land.all_rows[np.array(best)[land.axes[j].level(at)]]
    same = np.broadcast_to(x, of_parts.shape)
    return np.stack([same, np.broadcast_to(land.all_rows[np.argmin(mean)], same.shape), of_parts])


def _lost(draws: Draws, x: Array, rows: Array, j: int, at: Array) -> Array:
    """Return what each draw loses at values of a column by each of rows (m, G, d), (k, m, G)."""
    z = rows.reshape(-1, len(x))
    z, possible = composed(draws.space, z, [j], np.tile(at, len(rows))[:, None])
    possible[possible] = _safe(draws, x, z[possible])
    lost = np.full((len(draws.landscape.values), len(z)), np.inf)
    costs = draws.costs(np.vstack([x, z[possible]])).astype(float)
    lost[:, possible] = stretched(costs[:, 1:] - costs[:, :1], STRETCH["average"])
    return lost.reshape(len(lost), len(rows), len(at))


def _safe(draws: Draws, x: Array, X: Array) -> Bools:
    """Return which rows give a result as surely as x does, or as 95 % of what is usual, (n,)."""
    results = draws.feasibility
    if results is None:
        return np.ones(len(X), bool)
    least = min(float(results.probability(x[None])[0]), LEVEL * results.usual)
    return np.asarray(results.probability(X) >= least)


def _set(parameter: Parameter, at: Array, own: int, held: Bools) -> Stretch:
    """Return the most values that 95 % of the draws tolerate all at once, the own one among them.

    Parameters
    ----------
    parameter : Parameter
        The hyperparameter.
    at : ndarray of shape (G,)
        Its encoded values.
    own : int
        The place of its own one.
    held : ndarray of bool, shape (k, G)
        Whether each draw tolerates each.
    """
    if parameter.is_category:
        order = np.argsort(-held.mean(axis=0), kind="stable")
        order = np.append(own, order[order != own])
        together = np.logical_and.accumulate(held[:, order], axis=1).mean(axis=0)
        last = int((together >= LEVEL).sum()) - 1
        values, share = np.sort(at[order[: last + 1]]), together[last]
        width = len(values) / len(at)
    else:
        below = np.logical_and.accumulate(held[:, own::-1], axis=1)
        above = np.logical_and.accumulate(held[:, own:], axis=1)
        shares = below.T.astype(float) @ above / len(held)
        widths = at[own:] - at[own::-1, None]
        widest = int(np.argmax(np.where(shares >= LEVEL, widths, -1.0)))
        first, last = divmod(widest, widths.shape[1])
        values, share = at[[own - first, own + last]], shares[first, last]
        width = widths[first, last]
    probability = float(share) if len(held) > 1 else np.nan
    return Stretch(tuple(parameter.decode(values)), probability, float(width))


def _scatter(decision: RunDecision) -> tuple[Fact, ...]:
    """Return that trials scatter by more than may be lost, which need not be noise."""
    scatter = decision.draws.roughness
    if _LARGEST * scatter <= decision.epsilon:
        return ()
    text = f"trials scatter by {scatter:.2g} about the model, which may be noise or the objective"
    return (fact(text, kind="scatter", scatter=scatter),)


def _notes(space: SearchSpace, config: Mapping[str, Any], draws: Draws) -> tuple[Fact, ...]:
    inactive = [name for name in space.names if name not in config]
    notes = [RARELY_FEASIBLE] if draws.rarely_feasible else []
    if inactive:
        text = f"left out, because inactive there: {join_names(inactive)}"
        notes.append(fact(text, names=inactive))
    return tuple(notes)
