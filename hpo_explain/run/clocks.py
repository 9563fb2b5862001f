"""Whether trials were timed by clocks that differ: time zones, daylight saving, a change to UTC.

=========  ====================================================================
symbol     meaning
=========  ====================================================================
s          starts of the trials, in the order of their numbers, (n,)
D          the difference between two clocks, a multiple of a quarter of an hour
o          what is added to each start, 0 or D, so that starts ascend, (n,)
=========  ====================================================================
"""

from __future__ import annotations

import numpy as np

from hpo_explain.space import Array, Ints

_STEP = 900.0  # seconds: zones differ by quarters of an hour
_MOST = 26 * 3600.0  # from UTC-12 to UTC+14
_BACK = 300.0  # seconds; workers that ask at the same time are numbered closer than that
_SLACK = 60.0  # seconds by which clocks of the same zone may differ
_SHORT = 300.0  # seconds; longer gaps between starts do not tell one multiple from another
_SEVERAL = 4  # changes of the clock, which do not all fit by chance


def clock_difference(numbers: Ints, started: Array, finished: Array) -> float:
    """Return by how many seconds clocks differ that trials were timed by; 0 where they agree.

    Trials are numbered as they start, so starts ascend with numbers, of parallel ones too. Where
    they jump back, two clocks explain it if one difference D puts all starts in order, and what is
    left of the jumps is as short as the gaps between other starts, or nothing after the trial
    before. Starts in any other order are taken as they are.

    Parameters
    ----------
    numbers : ndarray of int, shape (n,)
        The numbers of the trials.
    started, finished : ndarray of shape (n,)
        Their times in seconds; NaN where they are not known.

    Examples
    --------
    >>> start = np.arange(20) * 60.0
    >>> clock_difference(np.arange(20), start, start + 59.0)
    0.0
    >>> start[8:] -= 3600.0
    >>> clock_difference(np.arange(20), start, start + 59.0)
    3600.0
    """
    timed = np.isfinite(started)
    order = np.argsort(numbers[timed], kind="stable")
    start = started[timed][order]
    finish = finished[timed][order]
    steps = np.diff(start)
    if not (steps < -_BACK).any():
        return 0.0
    # what puts the starts in order is no less than the furthest jump back, and not much more
    furthest = float((np.maximum.accumulate(start) - start).max())
    least = max(int(np.ceil((furthest - _SLACK) / _STEP)), 1)
    most = int(min(_MOST, furthest + 2.0 * float(steps.max()) + _SLACK) / _STEP)
    for difference in (_STEP * np.arange(least, most + 1)).tolist():
        for offsets in (_set_back(start, difference), _two_clocks(start, difference)):
            if offsets is not None and _explains(start, finish, offsets):
                return float(difference)
    return 0.0


def _set_back(start: Array, difference: float) -> Array | None:
    """Return what is added if a clock was set back once; None where starts then do not ascend."""
    first = int(np.argmax(np.diff(start) < -_BACK)) + 1
    offsets = np.where(np.arange(len(start)) >= first, difference, 0.0)
    in_order = (start + offsets)[1:] >= np.maximum.accumulate(start + offsets)[:-1] - _SLACK
    return offsets if in_order.all() else None


def _two_clocks(start: Array, difference: float) -> Array | None:
    """Return what is added if one clock of two is behind; None where starts then do not ascend."""
    offsets = np.zeros(len(start))
    latest = -np.inf
    for i, time in enumerate(start.tolist()):
        if time < latest - _SLACK:
            offsets[i] = difference
        if time + offsets[i] < latest - _SLACK:
            return None
        latest = max(latest, time + offsets[i])
    return offsets


def _explains(start: Array, finish: Array, offsets: Array) -> bool:
    """Return whether what is left of the jumps is as short as other gaps, or nothing."""
    changes = np.flatnonzero(np.diff(offsets) != 0.0)
    gaps = np.diff(start + offsets)
    others = np.delete(gaps, changes)
    if not len(others):
        return False
    usual = max(3.0 * float(np.median(others)), float(np.quantile(others, 0.9)))
    if len(changes) >= _SEVERAL:
        return bool(np.quantile(gaps[changes], 0.9) <= usual)
    # a trial that waited comes late itself before the next one seems early
    around = np.unique([changes, np.maximum(changes - 1, 0)])
    if usual <= _SHORT:
        return bool(gaps[around].max() <= usual)
    pauses = (start + offsets)[1:] - (finish + offsets)[:-1]
    return bool((np.abs(pauses[around]) <= _SLACK).all())
