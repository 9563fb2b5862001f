"""Beware: what trials fail of, what was evaluated twice, and what nobody tried.

Whether failures depend on a category or a range, or on a pair of these, is tested by Fisher's exact
test [1]_, each p-value times the number of all that were tested.

References
----------
.. [1] Fisher, R. A. (1922). On the interpretation of χ² from contingency tables, and the
   calculation of P. Journal of the Royal Statistical Society 85(1), 87-94.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Origin, fact
from hpo_explain.base.options import State
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explanations.advice import Action
from hpo_explain.run import Run
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace

_LEVEL = 0.01
_FEWEST, _MANY = 3, 10  # trials that failed: to be told, and to give up what they have in common
_SIMPLER = 10.0  # a pair must be so many times less probable than a single one
_OFTEN = 10  # trials per category, where one was never tried
_CUTS = 15  # of the values of a number

_Rows = npt.NDArray[np.bool_]


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


def beware(run: Run, prospects: Prospects | None) -> list[Action]:
    """Return what to know before more trials are made."""
    found = [_failing(run, "failed", prospects), _failing(run, "pruned", prospects)]
    found += [_infeasible(run, prospects), _duplicates(run), _never_tried(run), _default(run)]
    return [action for action in found if action is not None]


# ---------------------------------------------------------------------- failures


def _failing(run: Run, state: State, prospects: Prospects | None) -> Action | None:
    lost = [trial.x for trial in run.without_result.values() if trial.state == state]
    if len(lost) < _FEWEST:
        return None
    X = np.vstack([run.X, *(x[None] for x in lost)])
    failed = np.arange(len(X)) >= len(run)
    return _rule_of(run, X, failed, state, prospects)


def _infeasible(run: Run, prospects: Prospects | None) -> Action | None:
    failed = ~np.asarray(run.feasible)
    return _rule_of(run, run.X, failed, "infeasible", prospects)


def _rule_of(
    run: Run, X: Array, failed: _Rows, state: str, prospects: Prospects | None
) -> Action | None:
    if failed.sum() < _FEWEST or failed.all():
        return None
    found = _best_rule(run, X, failed)
    if found is None:
        return None
    n, k = int(found.inside.sum()), int((found.inside & failed).sum())
    gain = None if prospects is None else prospects.of_sparing(k / len(X))
    return Action(
        "beware",
        found.names,
        found.values,
        gain=float("nan") if gain is None else gain.estimate,
        interval=None if gain is None else gain.interval,
        certain=True,
        evidence=(
            fact(
                "fails_where",
                names=found.names,
                values=found.values,
                state=state,
                failed=k,
                n=n,
                elsewhere=int(failed.sum()) - k,
                others=len(X) - n,
                p=found.p,
            ),
        ),
        parameters=_without(run, found) if k == n and state != "pruned" else (),
    )


def _best_rule(run: Run, X: Array, failed: _Rows) -> _Rule | None:
    """Return the rule that explains failures best; None where chance may."""
    rules = list(_singles(run, X))
    if not rules:
        return None
    inside = np.array([rows for _, _, rows in rules])  # (R, n)
    column = np.array([run.space.index(names[0]) for names, _, _ in rules])
    singly = _p_values(inside.sum(axis=1), (inside & failed).sum(axis=1), failed)
    members = inside.astype(float)
    counts = (members @ members.T).round().astype(int)
    lost = (members @ (members * failed).T).round().astype(int)
    both = _p_values(counts, lost, failed)
    both[column[:, None] >= column] = 1.0  # of two hyperparameters, and each pair once
    tests = len(rules) + int((column[:, None] < column).sum())
    single, (a, b) = int(np.argmin(singly)), np.unravel_index(int(np.argmin(both)), both.shape)
    if both[a, b] * _SIMPLER < singly[single]:
        (first, x, one), (second, y, two) = rules[a], rules[b]
        found = _Rule((*first, *second), (*x, *y), one & two, tests * float(both[a, b]))
    else:
        names, values, rows = rules[single]
        found = _Rule(names, values, rows, tests * float(singly[single]))
    return found if found.p < _LEVEL else None


def _p_values(
    n: npt.NDArray[np.int64], k: npt.NDArray[np.int64], failed: _Rows
) -> npt.NDArray[np.float64]:
    """Return how probable it is that of n trials k or more fail; 1 where too few do."""
    from scipy.stats import hypergeom

    found = hypergeom.sf(k - 1, len(failed), int(failed.sum()), n)
    return np.where(k < _FEWEST, 1.0, found)


def _singles(run: Run, X: Array) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...], _Rows]]:
    """Return each category, and both sides of a few cuts of each number."""
    for j, parameter in enumerate(run.space):
        column = X[:, j]
        if isinstance(parameter, CategoricalParameter):
            for code, choice in enumerate(parameter.choices):
                yield (parameter.name,), (choice,), column == code
            continue
        known = np.unique(column[~np.isnan(column)])
        if len(known) < 2:
            continue
        middle = (known[1:] + known[:-1]) / 2.0
        for cut in middle[np.unique(np.linspace(0, len(middle) - 1, _CUTS).astype(int))]:
            (value,) = parameter.decode(parameter.nearest(np.array([cut])))
            with np.errstate(invalid="ignore"):
                yield (parameter.name,), ((parameter.low, value),), column < cut
                yield (parameter.name,), ((value, parameter.high),), column > cut


def failing(space: SearchSpace, warnings: Sequence[Action]) -> Callable[[Array], _Rows]:
    """Return what tells of encoded rows (n, d) whether trials there failed, (n,)."""
    known = [action for action in warnings if action.evidence[0].kind == "fails_where"]

    def found(rows: Array) -> _Rows:
        hit = np.zeros(len(rows), dtype=bool)
        for action in known:
            hit |= _hit(space, rows, action)
        return hit

    return found


def _hit(space: SearchSpace, rows: Array, action: Action) -> _Rows:
    """Return which encoded rows have the values of an action that warns of them, (n,)."""
    inside = np.ones(len(rows), dtype=bool)
    for name, value in zip(action.hyperparameters, action.values, strict=True):
        parameter, column = space[name], rows[:, space.index(name)]
        low_high = [value] if isinstance(parameter, CategoricalParameter) else list(value)
        ends = parameter.encode(low_high)
        with np.errstate(invalid="ignore"):
            inside &= (column >= ends.min()) & (column <= ends.max())
    return inside


def _without(run: Run, rule: _Rule) -> tuple[Parameter, ...]:
    """Return a hyperparameter without the only category or range with which every trial fails."""
    if len(rule.names) != 1 or rule.inside.sum() < _MANY:
        return ()
    parameter, value = run.space[rule.names[0]], rule.values[0]
    if isinstance(parameter, CategoricalParameter):
        return (replace(parameter, choices=[c for c in parameter.choices if c is not value]),)
    low, high = value
    if low == parameter.low:
        return (replace(parameter, low=high),)
    return (replace(parameter, high=low),)


# ---------------------------------------------------------------------- what was done twice


def _duplicates(run: Run) -> Action | None:
    """Return trials of the same configuration that ran at the same time, and so unknowingly."""
    if run.started is None or run.finished is None:
        return None
    seen: dict[bytes, list[int]] = {}
    for i, row in enumerate(run.X):
        seen.setdefault(row.tobytes(), []).append(i)
    twice = sorted(
        {
            later
            for rows in seen.values()
            for earlier, later in combinations(rows, 2)
            if run.started[later] < run.finished[earlier]
            and run.started[earlier] < run.finished[later]
        }
    )
    if len(twice) < _FEWEST:
        return None
    trials = np.asarray(run.trials)[twice].tolist()
    return Action(
        "beware",
        certain=True,
        evidence=(fact("parallel_duplicates", trials=trials, n=len(run)),),
        trials=tuple(trials),
    )


# ---------------------------------------------------------------------- what nobody tried


def _never_tried(run: Run) -> Action | None:
    """Return categories that no trial has although there were enough."""
    tried = np.vstack([run.X, *(t.x[None] for t in run.without_result.values())])
    missing: list[tuple[str, Any]] = []
    for j, parameter in enumerate(run.space):
        column = tried[:, j]
        if not isinstance(parameter, CategoricalParameter):
            continue
        if (~np.isnan(column)).sum() < _OFTEN * len(parameter.choices):
            continue
        left = [c for i, c in enumerate(parameter.choices) if not (column == i).any()]
        missing += [(parameter.name, choice) for choice in left]
    if not missing:
        return None
    names, values = zip(*missing, strict=True)
    evidence = fact("category_never_tried", names=names, values=values, n=len(tried))
    return Action("beware", names, values, certain=True, evidence=(evidence,))


def _default(run: Run) -> Action | None:
    """Return configurations that a person asked for and that have no result."""
    lost = [
        (number, trial)
        for number, trial in run.without_result.items()
        if trial.origin is Origin.ENQUEUED and not trial.under_way
    ]
    known = {row.tobytes() for row in run.X}
    lost = [(t, trial) for t, trial in lost if trial.x.tobytes() not in known]
    complete = [t for t, trial in lost if run.space.is_valid(trial.x[None])[0]]
    if not complete:
        return None
    configs = tuple(run.space.decode(run.without_result[t].x[None])[0] for t in complete)
    return Action(
        "beware",
        certain=True,
        evidence=(fact("enqueued_without_result", trials=complete),),
        configurations=configs[:1],
        trials=tuple(complete),
    )
