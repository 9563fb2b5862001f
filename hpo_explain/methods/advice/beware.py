"""What to know before more trials are made: what fails, what was never tried, what was forgotten.

Whether failures depend on a category or a range, or on a pair of these, is tested by Fisher's exact
test [1]_, each p-value times the number of all that were tested.

References
----------
.. [1] Fisher, R. A. (1922). On the interpretation of χ² from contingency tables, and the
   calculation of P. Journal of the Royal Statistical Society 85(1), 87-94.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base import Origin, State, counted, fact, spans
from hpo_explain.methods.advice.advise_result import Action, settings_of
from hpo_explain.run import Run
from hpo_explain.space import Array, Parameter

_Rows = npt.NDArray[np.bool_]
_LOST = {"failed": "failed", "pruned": "were pruned", "infeasible": "were infeasible"}

_LEVEL = 0.01
# trials that failed: to be told, and to give up what they have in common
_FEWEST, _MANY = (3, 10)
_SIMPLER = 10.0  # a pair must be so many times less probable than a single one
_OFTEN = 10  # trials per category, where one was never tried
_CUTS = 15  # of the values of a number


@dataclass(frozen=True)
class _Rule:
    """Values with which trials fail, and how often.

    Attributes
    ----------
    names, values : tuple
        Hyperparameters with a category or a range each.
    inside : ndarray of bool, shape (n,)
        Which trials have them.
    p : float
        The p-value.
    """

    names: tuple[str, ...]
    values: tuple[Any, ...]
    inside: _Rows
    p: float


def beware(run: Run) -> list[Action]:
    """Return what to know before more trials are made."""
    actions = [_failing(run, "failed"), _failing(run, "pruned")]
    actions.append(_rule_of(run, run.X, ~np.asarray(run.feasible), "infeasible"))
    actions += [_never_tried(run), _unanswered(run)]
    return [action for action in actions if action is not None]


def _failing(run: Run, state: State) -> Action | None:
    lost = [trial.x for trial in run.without_result.values() if trial.state == state]
    X = np.vstack([run.X, *(x[None] for x in lost)])
    return _rule_of(run, X, np.arange(len(X)) >= len(run), state)


def _rule_of(run: Run, X: Array, failed: _Rows, state: str) -> Action | None:
    """Return a warning of the values with which trials fail more often than by chance."""
    if failed.sum() < _FEWEST or failed.all():
        return None
    rule = _best_rule(run, X, failed)
    if rule is None:
        return None
    n, k = int(rule.inside.sum()), int((rule.inside & failed).sum())
    where = settings_of(rule.names, rule.values, " with ")
    evidence = fact(
        f"{k} of {counted(n, 'trial')} {_LOST[state]} with {where}, and {failed.sum() - k} of "
        f"{len(X) - n} others; the probability of that by chance is {rule.p:.1g}",
        kind="fails_where",
        names=rule.names,
    )
    return Action(
        "beware",
        rule.names,
        rule.values,
        certain=True,
        evidence=(evidence,),
        parameters=_without(run, rule) if k == n and state != "pruned" else (),
    )


def _best_rule(run: Run, X: Array, failed: _Rows) -> _Rule | None:
    """Return the rule that explains failures best, if it does so better than chance."""
    rules = list(_singles(run, X))
    if not rules:
        return None
    inside = np.array([rows for _, _, rows in rules])  # (R, n)
    column = np.array([run.space.index(name) for name, _, _ in rules])
    singly = _p_values(inside.sum(axis=1), (inside & failed).sum(axis=1), failed)
    members = inside.astype(float)
    counts = (members @ members.T).round().astype(int)
    lost = (members @ (members * failed).T).round().astype(int)
    both = _p_values(counts, lost, failed)
    both[column[:, None] >= column] = 1.0  # of two hyperparameters, and each pair once
    tests = len(rules) + int((column[:, None] < column).sum())
    which, p = [int(np.argmin(singly))], float(singly.min())
    a, b = np.unravel_index(int(np.argmin(both)), both.shape)
    if both[a, b] * _SIMPLER < p:
        which, p = [int(a), int(b)], float(both[a, b])
    names, values, _ = zip(*(rules[i] for i in which), strict=True)
    rule = _Rule(names, values, np.asarray(inside[which].all(axis=0)), tests * p)
    return rule if rule.p < _LEVEL else None


def _p_values(
    n: npt.NDArray[np.int64], k: npt.NDArray[np.int64], failed: _Rows
) -> npt.NDArray[np.float64]:
    """Return one-sided p-values of Fisher's test: of k or more failures among n trials by chance.

    1 where fewer than three of them failed: so few are not told.
    """
    from scipy.stats import hypergeom

    p, there = np.ones(k.shape), k >= _FEWEST
    p[there] = hypergeom.sf(k[there] - 1, len(failed), failed.sum(), n[there])
    return p


def _singles(run: Run, X: Array) -> Iterator[tuple[str, Any, _Rows]]:
    """Return each category, and both sides of a few cuts of each number."""
    for j, parameter in enumerate(run.space):
        column = X[:, j]
        if parameter.is_category:
            for code, choice in enumerate(parameter.choices):
                yield parameter.name, choice, column == code
            continue
        values = np.unique(column[~np.isnan(column)])
        if len(values) < 2:
            continue
        middle = (values[1:] + values[:-1]) / 2.0
        for cut in middle[np.unique(np.linspace(0, len(middle) - 1, _CUTS).astype(int))]:
            (value,) = parameter.decode(parameter.nearest(np.array([cut])))
            with np.errstate(invalid="ignore"):
                yield parameter.name, (parameter.low, value), column < cut
                yield parameter.name, (value, parameter.high), column > cut


def _without(run: Run, rule: _Rule) -> tuple[Parameter, ...]:
    """Return a hyperparameter without the only category or range with which every trial fails."""
    if len(rule.names) != 1 or rule.inside.sum() < _MANY:
        return ()
    parameter, value = run.space[rule.names[0]], rule.values[0]
    if parameter.is_category:
        return (replace(parameter, choices=[c for c in parameter.choices if c is not value]),)
    low, high = value
    left = {"low": high} if low == parameter.low else {"high": low}
    return (replace(parameter, **left),)


def _never_tried(run: Run) -> Action | None:
    """Return categories that no trial has although there were enough."""
    rows = run.tried
    missing: list[tuple[str, Any]] = []
    for j, parameter in enumerate(run.space):
        column = rows[:, j]
        if not parameter.is_category:
            continue
        if (~np.isnan(column)).sum() < _OFTEN * len(parameter.choices):
            continue
        left = [c for i, c in enumerate(parameter.choices) if not (column == i).any()]
        missing += [(parameter.name, choice) for choice in left]
    if not missing:
        return None
    names, values = zip(*missing, strict=True)
    evidence = fact(
        f"none of {counted(len(rows), 'trial')} has {'it' if len(names) == 1 else 'them'}",
        kind="category_never_tried",
        names=names,
    )
    return Action("beware", names, values, certain=True, evidence=(evidence,))


def _unanswered(run: Run) -> Action | None:
    """Return configurations that the user enqueued and whose trials ended without a result.

    Not those that have a result from another trial.
    """
    answered = {row.tobytes() for row in run.X}
    complete = [
        number
        for number, trial in run.without_result.items()
        if trial.origin is Origin.ENQUEUED
        and not trial.under_way
        and trial.x.tobytes() not in answered
        and run.space.is_valid(trial.x[None])[0]
    ]
    if not complete:
        return None
    config = run.space.decode(run.without_result[complete[0]].x[None])[0]
    trials = f"{counted(len(complete), 'trial')} ({spans(complete)})"
    evidence = fact(
        f"enqueued by a person, but without a result: {trials}",
        kind="enqueued_without_result",
        trials=complete,
    )
    return Action(
        "beware",
        certain=True,
        evidence=(evidence,),
        configurations=(config,),
        trials=tuple(complete),
    )
