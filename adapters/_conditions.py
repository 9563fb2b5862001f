"""Conditions of a search space, inferred from which trials have which hyperparameter.

A hyperparameter that some trials lack is active under a condition that is not recorded. The search
is for the shortest conjunction "parent in values and ..." of categorical and integer parents that
is true exactly for the trials that have it; where there is none, one with thresholds on numbers.
With n trials in play, m of which have the hyperparameter, and a parent whose values set e of the
others apart, chance alone does as well with probability at most

    K · C(n - e, m) / C(n, m),      K: number of such sets of values of this parent

so a seed with a value of its own in every trial explains nothing (K is as large as C(n, m)),
and a number of layers explains a lot (K = 2: from a value on, or up to it). Of a number of many
values the set is all between the smallest and the largest one with which trials have it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.numbers import number
from hpo_explain.base.phrases import abridged, join_names, quoted
from hpo_explain.space import Array, IntParameter, Parameter, Range
from hpo_explain.space.shared import values_of

# of a rule that explains everything: as objectives with an `if` are
# common, any rule counts that is less likely by chance
_CHANCE = math.log(0.5)
# over all candidates, where it leaves something unexplained or has a threshold
_CHANCE_OF_PART = math.log(0.01)
# a hyperparameter that other conditions name is the likelier parent
_AGAIN = math.log(20.0)
_VALUES = 1000  # integers with more values are parents by a threshold only
_PICKED = 10  # an integer with more values than this is cut (from, up to, between), not picked

Mask = npt.NDArray[np.bool_]

_NO_PARENT = "no value of another hyperparameter"


@dataclass(frozen=True, eq=False)
class _Parent:
    """A possible parent: its column, and for each row its value's index, -1 where inactive.

    Of a number of many values, which a threshold may divide, `numbers` are those tried, in order.
    """

    column: int
    codes: npt.NDArray[np.int64]
    size: int
    ordered: bool
    numbers: Array | None = None


@dataclass(frozen=True, eq=False)
class _Step:
    """A parent's values (as indices) and the rows that they leave, with the chance of that."""

    parent: _Parent
    values: Mask
    tried: Mask
    rows: Mask
    chance: float


def infer_conditions(
    parameters: Sequence[Parameter],
    X: Array,
    trials: Sequence[int],
    precedes: Callable[[str, str], bool] | None = None,
) -> tuple[list[Parameter], list[Fact]]:
    """Return the hyperparameters with the conditions that explain which rows have which.

    Parameters
    ----------
    parameters : sequence of Parameter
        The hyperparameters, without conditions.
    X : ndarray of shape (n, d)
        Encoded rows in the order of the trials; NaN where a trial lacks a hyperparameter.
    trials : sequence of int
        The numbers of the trials, for the notes.
    precedes : callable, optional
        Says of two names whether the first is suggested before the second. Parents are sought
        among the hyperparameters that are; trials added by hand may have another order, so where
        none of them explains anything, among all. By default no order is known.

    Returns
    -------
    list of Parameter
        The hyperparameters with `active_when`, or with `optional` where nothing explains them.
    list of Fact
        What was inferred, for each group of hyperparameters that the same trials have; of kind
        "active_at_frequency" where nothing explains them.
    """
    active = ~np.isnan(X)
    patterns: dict[bytes, list[int]] = {}
    for j in range(X.shape[1]):
        patterns.setdefault(active[:, j].tobytes(), []).append(j)
    parent_at = cache(lambda j: _parent(j, parameters[j], X[:, j]))
    counted = {j for j, p in enumerate(parameters) if _is_counted(p)}
    result, notes = list(parameters), []
    named: set[int] = set()
    for children in sorted(patterns.values(), key=lambda c: -int(active[:, c[0]].sum())):
        rows = active[:, children[0]]
        if rows.all():
            continue
        names = [parameters[j].name for j in children]
        # a parent is active in strictly more rows, so that conditions never lead in a circle
        wider = np.flatnonzero(active[rows].all(axis=0) & active[~rows].any(axis=0)).tolist()
        before = [
            k
            for k in wider
            if precedes is None or all(precedes(parameters[k].name, name) for name in names)
        ]
        above = [parent_at(k) for k in wider if k in counted]
        first = [parent_at(k) for k in before if k in counted]
        steps = _complete(rows, first, named) or _complete(rows, above, named)
        if not steps:
            numbers_too = [parent_at(k) for k in before]
            steps = _complete(rows, numbers_too, named, _CHANCE_OF_PART)
        if steps:
            named |= {step.parent.column for step in steps}
            condition = _condition(parameters, steps)
            for j in children:
                result[j] = replace(parameters[j], active_when=condition)
            notes.append(_inferred(parameters, names, steps))
            continue
        midway = _midway(rows, trials)
        steps = [] if midway else _part(rows, first, named)
        condition = _condition(parameters, steps)
        possible = steps[-1].rows if steps else np.ones(len(rows), dtype=bool)
        share = float(rows.sum() / possible.sum())
        # what always comes together is drawn together, where one of them can be a parent
        lead = next((j for j in children if j in counted), None)
        for j in children:
            if lead is None or j == lead:
                result[j] = replace(parameters[j], active_when=condition, optional=share)
            else:
                with_lead = {parameters[lead].name: values_of(parameters[lead])}
                result[j] = replace(parameters[j], active_when=with_lead)
        why = midway or f"{_NO_PARENT} explains which trials have it"
        if steps:
            rules = _rules_of(parameters, steps)
            why = f"inactive unless {rules}, and {_NO_PARENT} explains the rest"
        together = ""
        if len(children) > 1:
            together = ", independently of each other" if lead is None else ", all together"
        text = f"{why}; counts as active at its observed frequency, {share:.2g}{together}"
        kind = "active_at_frequency"
        about = f"{join_names(names)}: {text}"
        notes.append(fact(about, kind=kind, names=names, midway=bool(midway)))
    return result, notes


# ---------------------------------------------------------------------- explanations


def _complete(
    rows: Mask, parents: Sequence[_Parent], named: set[int], most: float = _CHANCE
) -> list[_Step]:
    """Return the shortest conjunction found that is true exactly for `rows`, or nothing.

    By chance there is one with probability at most exp(`most`).
    """
    steps = _search(rows, parents, named)
    if not steps or steps[-1].rows.sum() > rows.sum():
        return []
    if len(steps) > 1 or most < _CHANCE:  # each step was the best of many
        chance = sum(step.chance + math.log(len(parents)) for step in steps)
        if chance > most:
            return []
    return _needed(rows, steps)


def _part(rows: Mask, parents: Sequence[_Parent], named: set[int]) -> list[_Step]:
    """Return conditions that certainly hold in `rows`, though they do not explain all."""
    steps = _search(rows, parents, named)
    certain = [step.chance + math.log(len(parents)) <= _CHANCE_OF_PART for step in steps]
    steps = steps[: (*certain, False).index(False)]
    return _needed(steps[-1].rows, steps) if steps else []


def _search(rows: Mask, parents: Sequence[_Parent], named: set[int]) -> list[_Step]:
    """Return conditions that narrow all rows down towards `rows`, the least accidental first."""
    steps: list[_Step] = []
    left = np.ones(len(rows), dtype=bool)
    while left.sum() > rows.sum():
        found = [s for p in parents if (s := _step(rows, left, p)) and s.chance <= _CHANCE]
        if not found:
            break
        best = min(found, key=lambda s: s.chance - _AGAIN * (s.parent.column in named))
        # what a parent's value says is said less directly by another child's being active
        alike = [s for s in found if (s.rows == best.rows).all()]
        steps.append(next((s for s in [best, *alike] if not (s.values | ~s.tried).all()), best))
        left = steps[-1].rows
    return steps


def _needed(rows: Mask, steps: list[_Step]) -> list[_Step]:
    """Return the steps without those that the others make superfluous, weak ones first."""
    kept = list(steps)
    for step in sorted(steps, key=lambda s: -s.chance):
        others = [other for other in kept if other is not step]
        if others and (_region(others) == rows).all():
            kept = others
    for k, step in enumerate(kept):
        kept[k] = _untried(replace(step, rows=rows), _region(kept[:k] + kept[k + 1 :]))
    return kept


def _untried(step: _Step, left: Mask | np.bool_) -> _Step:
    """Return a step in which an integer that was not tried goes with its nearest neighbour.

    Tried means: in a trial that meets the other conditions, `left`. One step after the other, so
    that no trial is let in.
    """
    codes = step.parent.codes[left & (step.parent.codes >= 0)]
    tried = np.bincount(codes, minlength=len(step.values)) > 0
    values = step.values
    if step.parent.ordered and step.parent.numbers is None:
        at = np.flatnonzero(tried)
        away = np.abs(np.arange(len(values))[:, None] - at[None, :])
        values = values[at[away.argmin(axis=1)]]
    return replace(step, tried=tried, values=values)


def _region(steps: Sequence[_Step]) -> Mask | np.bool_:
    """Return the rows that meet the conditions of all steps (all rows where there is none)."""
    meets: Mask | np.bool_ = np.True_
    for step in steps:
        meets = meets & (step.parent.codes >= 0) & step.values[step.parent.codes]
    return meets


def _step(rows: Mask, left: Mask, parent: _Parent) -> _Step | None:
    """Return what a parent's values tell about `rows` among the rows `left`."""
    seen = parent.codes[left]
    tried = np.bincount(seen[seen >= 0], minlength=parent.size) > 0
    values = np.bincount(parent.codes[rows], minlength=parent.size) > 0
    if parent.numbers is not None:
        first, last = np.flatnonzero(values)[[0, -1]]
        values[first : last + 1] = True
    remaining = left & (parent.codes >= 0) & values[parent.codes]
    n, m, kept = int(left.sum()), int(rows.sum()), int(remaining.sum())
    if kept == n:
        return None
    chance = min(
        0.0, _rules(values[tried], parent.ordered) + _log_choose(kept, m) - _log_choose(n, m)
    )
    return _Step(parent, values, tried, remaining, chance)


def _rules(chosen: Mask, ordered: bool) -> float:
    """Return the logarithm of the number of sets of values that are as simple as this one."""
    k, j = len(chosen), int(chosen.sum())
    if not ordered:
        return _log_choose(k, j)
    runs = int(chosen[0]) + int((chosen[1:] & ~chosen[:-1]).sum())
    if runs == 1 and (chosen[0] or chosen[-1]):
        return math.log(2.0)
    if runs > 1 and k > _PICKED:
        return math.inf
    return _log_choose(j - 1, runs - 1) + _log_choose(k - j + 1, runs)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _midway(rows: Mask, trials: Sequence[int]) -> str:
    """Say from or until which trial there is a hyperparameter, if `rows` shows just that."""
    changes = np.flatnonzero(rows[1:] != rows[:-1])
    if len(changes) != 1 or min(rows.sum(), (~rows).sum()) < 2:
        return ""
    trial = trials[int(changes[0]) + 1]
    return f"{'added' if rows[-1] else 'dropped'} at trial {trial}"


# ---------------------------------------------------------------------- values


def _is_counted(parameter: Parameter) -> bool:
    """Say whether each value of a parent counts for itself, and not a threshold only."""
    if isinstance(parameter, IntParameter):
        return parameter.size <= _VALUES
    return parameter.is_category


def _parent(j: int, parameter: Any, column: Array) -> _Parent:
    codes = np.full(len(column), -1, dtype=np.int64)
    active = ~np.isnan(column)
    if not _is_counted(parameter):
        tried, codes[active] = np.unique(column[active], return_inverse=True)
        numbers = np.array(parameter.decode(tried), dtype=float)
        return _Parent(j, codes, len(numbers), True, numbers)
    codes[active] = parameter.codes(column[active])
    ordered = isinstance(parameter, IntParameter)
    if isinstance(parameter, IntParameter):
        codes[active] = (codes[active] - parameter.low) // parameter.step
    return _Parent(j, codes, parameter.size, ordered)


def _condition(
    parameters: Sequence[Parameter], steps: Sequence[_Step]
) -> dict[str, Sequence[Any] | Range]:
    """Return `active_when`."""
    condition: dict[str, Sequence[Any] | Range] = {}
    for step in steps:
        parameter = parameters[step.parent.column]
        condition[parameter.name] = (
            _chosen(parameter, step.values)
            if step.parent.numbers is None
            else _range(parameter, step)[0]
        )
    return condition


def _range(parameter: Any, step: _Step) -> tuple[Range, list[tuple[float, float]]]:
    """Return the values of a number for which others are active, and where each end may lie.

    An end is the number of fewest digits between the last value tried on one side of it and the
    first on the other, as people write a threshold.
    """
    numbers: Any = step.parent.numbers
    tried = np.flatnonzero(step.tried)
    inside = np.flatnonzero(step.tried & step.values)
    gaps = {}
    if tried[0] < inside[0]:
        gaps["low"] = tried[tried < inside[0]][-1], inside[0]
    if tried[-1] > inside[-1]:
        gaps["high"] = inside[-1], tried[tried > inside[-1]][0]
    between = {k: numbers[[*gap]].tolist() for k, gap in gaps.items()}
    ends = {side: _between(below, above, parameter.log) for side, (below, above) in between.items()}
    return Range(**ends), [(low, high) for low, high in between.values()]


def _between(below: float, above: float, log: bool) -> float:
    """Return the number of fewest digits between two."""
    middle = below + (above - below) / 2.0
    if log:
        middle = math.sqrt(below) * math.sqrt(above)
    for digits in range(1, 18):
        rounded = float(f"{middle:.{digits}g}")
        if below < rounded < above:
            return rounded
    return above


# ---------------------------------------------------------------------- notes


def _inferred(
    parameters: Sequence[Parameter], names: Sequence[str], steps: Sequence[_Step]
) -> Fact:
    untried = ""
    for step in steps:
        if not step.parent.ordered and not step.tried.all():
            parameter = parameters[step.parent.column]
            never = f"{parameter.name} = {_listed(_chosen(parameter, ~step.tried))}"
            untried += f" ({never} was never tried there and counts as inactive)"
    text = f"active when {_rules_of(parameters, steps)}, inferred from the trials that have it"
    return fact(f"{join_names(names)}: {text}{untried}", names=names, role="check")


def _rules_of(parameters: Sequence[Parameter], steps: Sequence[_Step]) -> str:
    return " and ".join(_rule(parameters[step.parent.column], step) for step in steps)


def _rule(parameter: Parameter, step: _Step) -> str:
    """Say for which values of a parent its children are active."""
    name = parameter.name
    if step.parent.numbers is not None:
        found, gaps = _range(parameter, step)
        ends = [f"{number(below, 6)} and {number(above, 6)}" for below, above in gaps]
        return f"{found.of(name)} (the value lies between {' and between '.join(ends)})"
    chosen = _chosen(parameter, step.values)
    if len(chosen) == 1 < len(step.values):
        return f"{name} = {quoted(chosen[0])}"
    if len(chosen) == len(step.values):
        return f"{name} is active"
    first, *_, last = np.flatnonzero(step.values).tolist()
    if step.parent.ordered and last - first == len(chosen) - 1:
        if last == len(step.values) - 1:
            return f"{name} >= {chosen[0]}"
        return f"{chosen[0]} <= {name} <= {chosen[-1]}"
    return f"{name} in {{{_listed(chosen)}}}"


def _listed(choices: Sequence[Any]) -> str:
    return abridged([repr(choice) for choice in choices])


def _chosen(parameter: Parameter, mask: Mask) -> tuple[Any, ...]:
    values = values_of(parameter)
    return tuple(values[k] for k in np.flatnonzero(mask))
