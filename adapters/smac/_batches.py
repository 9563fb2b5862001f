"""Which configurations SMAC chose by the same model, and what it knew then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Batch:
    """Trials that were chosen one after the other by the same model.

    Attributes
    ----------
    trials : tuple of int
        Their numbers.
    known : tuple of smac.runhistory.TrialKey
        The results that were known when the first was chosen.
    """

    trials: tuple[int, ...]
    known: tuple[Any, ...]


def batches_of(
    results: Mapping[Any, Any], chosen: Sequence[int], retrained_after: int
) -> tuple[Batch, ...]:
    """Return the batches of trials, in their order.

    Parameters
    ----------
    results : mapping of smac.runhistory.TrialKey to smac.runhistory.TrialValue
        All results, in the order in which their evaluations began.
    chosen : sequence of int
        The trials after the initial design, in their order.
    retrained_after : int
        After how many configurations SMAC trains its model again.
    """
    first: dict[int, int] = {}
    for place, key in enumerate(results):
        first.setdefault(int(key.config_id) - 1, place)
    keys, found = [*results], []
    for start in range(0, len(chosen), retrained_after):
        trials = tuple(chosen[start : start + retrained_after])
        place = first[trials[0]]
        asked = float(results[keys[place]].starttime)
        known = (k for k in keys[:place] if not asked or float(results[k].endtime) <= asked)
        found.append(Batch(trials, tuple(known)))
    return tuple(found)
