"""What came before what, by time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

Numbers = npt.NDArray[np.int64]


def is_before(times: Array, numbers: Numbers, time: float, number: int) -> npt.NDArray[np.bool_]:
    """Say which times of trials lie before that of another trial (an unknown one does not).

    A coarse clock gives several trials the same time: then their numbers tell.
    """
    earlier: npt.NDArray[np.bool_] = (times < time) | ((times == time) & (numbers < number))
    return earlier


def ran_at_once(started: Array, finished: Array) -> bool:
    """Say whether a trial started while another one was running (unknown times say nothing)."""
    known = ~np.isnan(started) & ~np.isnan(finished)
    order = np.argsort(started[known], kind="stable")
    start, until = started[known][order], np.maximum.accumulate(finished[known][order])
    return bool((start[1:] < until[:-1]).any())
