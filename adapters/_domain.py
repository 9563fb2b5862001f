"""Domains: what a framework says of a hyperparameter, and the one place that makes it ours.

A reader describes each hyperparameter as a small neutral `Domain`, whatever the framework has for
it (a distribution, a dimension, an expression, an entry of a dict); `parameter_of` makes a
hyperparameter of it and notes what was assumed on the way:

    parameter, notes = parameter_of("lr", Domain(1e-4, 0.1, log=True))
    parameter, notes = parameter_of("layers", Domain(1, 5, whole=True))
    parameter, notes = parameter_of("booster", Domain(choices=["dart", "gbtree"]))
    parameter, notes = parameter_of("batch", listed([16, 32, 64]))        # of a grid
    parameter, notes = parameter_of("x", normal(0.0, 1.0, tried))         # without bounds

A reader deals with nothing but its framework's own rules: which of the ends is left out, how
values are rounded to steps. Constants, integers beyond exact floats, steps on a logarithmic scale,
grids as fine as a continuum, choices that are weighed or in order are dealt with here. Conditions
are set on the hyperparameter: ``replace(parameter, active_when=...)``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.numbers import format_value
from hpo_explain.base.phrases import join_names
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    category_index,
)

_TAIL = 3.0902323061678132  # standard deviations beyond which a normal value lies in 0.1 %, a side
FINEST_GRID = 100_000  # steps beyond which a grid of real numbers is as good as continuous


@dataclass(frozen=True)
class Domain:
    """What a framework says of a hyperparameter: a range of numbers, or choices.

    Attributes
    ----------
    low, high : float
        The ends, both included.
    log, whole : bool
        Whether its scale is logarithmic, and whether its values are integers.
    step : float or None
        The distance of its values.
    choices : sequence or None
        The choices; None for a range.
    law : str
        The distribution, where it is not uniform on the range.
    grid : bool
        Whether only some values of the range may be tried.
    weighed, ordered : bool
        Whether choices have probabilities of their own, and whether they have an order.
    """

    low: float = math.nan
    high: float = math.nan
    log: bool = False
    whole: bool = False
    step: float | None = None
    choices: Sequence[Any] | None = None
    law: str = ""
    grid: bool = False
    weighed: bool = False
    ordered: bool = False


def parameter_of(name: str, domain: Domain) -> tuple[Parameter, list[Fact]]:
    """Return the hyperparameter that has a domain, and notes on what was assumed.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> parameter, _ = parameter_of("lr", Domain(1e-4, 0.1, log=True))
    >>> parameter == FloatParameter("lr", 1e-4, 0.1, log=True)
    True
    >>> parameter, (note,) = parameter_of("x", Domain(8, 512, log=True, whole=True, step=8))
    >>> str(note)
    'x: read as continuous, without its steps of 8'
    """
    notes: list[Fact] = []
    if domain.choices is not None:
        if domain.ordered:
            notes.append(fact(f"{name}: ordinal; read as choices, without their order"))
        notes += [choices_weighed([name])] if domain.weighed else []
        return CategoricalParameter(name, domain.choices), notes
    low, high, log, step = domain.low, domain.high, domain.log, domain.step
    if domain.grid:
        notes.append(grid_as_range([name]))
    if domain.law:
        scale = "logarithmic" if log else "linear"
        drawn = f"{name}: drawn from the distribution {domain.law}"
        notes.append(
            fact(f"{drawn}; here every value of its range weighs the same, on a {scale} scale")
        )
    if domain.whole and (not log or step in (None, 1)):
        if max(abs(low), abs(high)) > LARGEST_WHOLE:
            many = "integers beyond 2**45 are too many to be told apart; read as real-valued"
            notes.append(fact(f"{name}: {many}"))
            return FloatParameter(name, float(low), float(high), log=log), notes
        whole = IntParameter(name, int(low), int(high), log=log, step=1 if log else int(step or 1))
        return whole, notes
    if step is not None and (log or (high - low) / step > FINEST_GRID):
        steps = format_value(step)
        notes.append(fact(f"{name}: read as continuous, without its steps of {steps}"))
        step = None
    return FloatParameter(name, float(low), float(high), log=log, step=step), notes


def grid_as_range(names: Sequence[str]) -> Fact:
    """Return a note on grids of numbers, of which the values between may be asked for."""
    return fact(
        f"{join_names(names)}: a grid, read as a range of numbers; what is said about values "
        "between is predicted, not tried"
    )


def choices_weighed(names: Sequence[str]) -> Fact:
    """Return a note on choices that an optimizer drew with probabilities of their own."""
    return fact(
        f"prior: the choices of {join_names(names)} were drawn with probabilities of their own; "
        "here every choice weighs the same"
    )


def listed(values: Sequence[Any]) -> Domain:
    """Return the domain of values that are listed: a range if they are several numbers."""
    if len(values) < 2 or not all(map(is_number, values)):
        return Domain(choices=values)
    whole = all(isinstance(value, (int, np.integer)) for value in values)
    log = scale_of([float(value) for value in values]).log
    return Domain(min(values), max(values), log=log, whole=whole, grid=True)


def normal(
    mean: float, sd: float, tried: Iterable[Any] = (), *, log: bool = False
) -> tuple[float, float]:
    """Return the range that holds 99.8 % of a normal distribution, and what was tried."""
    ends = [mean - _TAIL * sd, mean + _TAIL * sd]
    seen = [value for value in map(float, tried) if math.isfinite(value)]
    numbers = [*(map(math.exp, ends) if log else ends), *seen]
    return min(numbers), max(numbers)


def is_number(value: Any) -> bool:
    """Say whether a value is a number; True and False are not."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_among(values: Sequence[Any], value: Any) -> bool:
    """Say whether a value is one of some, which are told apart as choices are."""
    return category_index(values, value) is not None


def number(value: Any) -> float:
    """Return a number; NaN for None."""
    return math.nan if value is None else float(value)


def plain(value: Any) -> Any:
    """Return a value of NumPy as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def tried_values(configs: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the values that configurations have, by hyperparameter."""
    tried: dict[str, list[Any]] = {}
    for config in configs:
        for name, value in config.items():
            tried.setdefault(name, []).append(value)
    return tried


# ---------------------------------------------------------------------- scales

_DECADE, _DECADES = 10.0, 1000.0
_CELLS = 50  # values of one cell, on both scales, count once: an optimizer crowds where it is good
_CLEAR = 2.0  # difference of log likelihoods from which the scale is not asked for
_REGULAR = 1e-6
_MOST_OF_A_GRID = 50


@dataclass(frozen=True)
class Scale:
    """The scale on which numbers spread more evenly.

    Attributes
    ----------
    log : bool
        Whether that is the logarithmic one.
    clear : bool
        Whether the numbers leave no doubt; False for a toss-up over a decade or more.
    decades : float
        How many decades they span; 0 where one is not positive.
    """

    log: bool
    clear: bool
    decades: float


def scale_of(values: npt.ArrayLike, first: npt.ArrayLike = ()) -> Scale:
    """Return the scale on which numbers spread more evenly.

    Numbers with equal distances, or equal ratios, are on that grid. Else the one of two
    distributions decides that has the higher likelihood: uniform between the smallest and the
    largest value, or uniform in the logarithm; below a decade it must be clear that the second has.
    Numbers that crowd count once. What was tried first says more than the rest: later an optimizer
    crowds, which at one end of a range looks like the other scale.

    Parameters
    ----------
    values : array_like of shape (n,)
        The values of a hyperparameter, finite.
    first : array_like of shape (k,), default ()
        Those of the first trials, where their order is known.

    Examples
    --------
    >>> scale_of([1, 10, 100]).log, scale_of([1, 2, 3, 4, 5]).log
    (True, False)
    >>> scale_of([0.0005, 0.02, 0.0015, 0.006, 0.0009, 0.003]).log
    True
    """
    found = np.unique(np.asarray(values, dtype=float))
    low, high = float(found[0]), float(found[-1])
    if low <= 0.0 or len(found) < 2:
        return Scale(False, True, 0.0)
    ratio = high / low
    decades = float(np.log10(high) - np.log10(low))
    if len(found) == 2:
        return Scale(ratio >= _DECADE, ratio < _DECADE or ratio >= _DECADES, decades)
    if len(found) <= _MOST_OF_A_GRID:
        if _is_regular(found):
            return Scale(False, True, decades)
        if _is_regular(np.log(found)):
            return Scale(True, True, decades)
    evidence = _evidence_of_log(_thinned(found)[1:-1], low, high)
    if ratio < _DECADE:
        return Scale(evidence > _CLEAR, True, decades)
    start = np.asarray(first, dtype=float)
    is_sorted = bool((np.diff(start) >= 0.0).all() or (np.diff(start) <= 0.0).all())
    early = 0.0
    if len(start) and not is_sorted:
        ends = np.unique([low, *start, high])
        early = _evidence_of_log(_thinned(ends), low, high)
    disagree = early * evidence < 0.0
    if abs(early) <= _CLEAR:
        early += evidence
    clear = abs(early) > _CLEAR and not disagree
    return Scale(early > 0.0, clear, decades)


def _evidence_of_log(values: Array, low: float, high: float) -> float:
    """Return the difference of log likelihoods of values between two ends; 0 without any."""
    inner = values[(values > low) & (values < high)]
    width = np.log(high) - np.log(low)
    return float(np.sum(np.log((high - low) / width) - np.log(inner)))


def _is_regular(sorted_values: Array) -> bool:
    """Say whether values have equal distances."""
    steps = np.diff(sorted_values)
    return bool(np.ptp(steps) <= _REGULAR * steps.max())


def _thinned(values: Array) -> Array:
    """Return sorted values without those of which another one of the same cell is left."""
    line = (values - values[0]) / (values[-1] - values[0])
    # the quotient of values may overflow
    logs = np.log(values) - np.log(values[0])
    cells = np.floor(np.column_stack([line, logs / logs[-1]]) * _CELLS)
    kept = np.unique(cells, axis=0, return_index=True)[1]
    thinned: Array = values[np.unique([0, *kept, len(values) - 1])]
    return thinned
