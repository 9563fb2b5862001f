"""Whether numbers spread evenly on a linear or on a logarithmic scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

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


def scale_of(values: npt.ArrayLike) -> Scale:
    """Return the scale on which numbers spread more evenly.

    Numbers with equal distances, or equal ratios, are on that grid. Else the one of two
    distributions decides that has the higher likelihood: uniform between the smallest and the
    largest value, or uniform in the logarithm; below a decade it must be clear that the second has.
    Numbers that crowd count once.

    Parameters
    ----------
    values : array_like of shape (n,)
        The values of a hyperparameter, finite.

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
    inner = _thinned(found)[1:-1]
    width = np.log(high) - np.log(low)
    gain = float(np.sum(np.log((high - low) / width) - np.log(inner)))
    log = gain > (0.0 if ratio >= _DECADE else _CLEAR)
    return Scale(log, abs(gain) > _CLEAR or ratio < _DECADE, decades)


def _is_regular(sorted_values: Array) -> bool:
    """Say whether values have equal distances."""
    steps = np.diff(sorted_values)
    return bool(np.ptp(steps) <= _REGULAR * steps.max())


def _thinned(values: Array) -> Array:
    """Return sorted values without those of which another one of the same cell is left."""
    line = (values - values[0]) / (values[-1] - values[0])
    logs = np.log(values) - np.log(values[0])  # the quotient of values may overflow
    cells = np.floor(np.column_stack([line, logs / logs[-1]]) * _CELLS)
    kept = np.unique(cells, axis=0, return_index=True)[1]
    thinned: Array = values[np.unique([0, *kept, len(values) - 1])]
    return thinned
