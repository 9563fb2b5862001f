"""How much of an optimization's time its reports may take, and which report that is enough for."""

from __future__ import annotations

from enum import Enum
from time import perf_counter

_GROWTH = 1.5  # the next report may take longer than the last one did


class Extent(Enum):
    """How much a report shows."""

    FULL = "full"
    BRIEF = "brief"


# Seconds of one processor, assumed until a report was measured: 3 s are spent on imports.
_START, _SECTION = 3.0, 1.4
_SECTIONS = {Extent.FULL: 16, Extent.BRIEF: 4}


class Budget:
    """The account of the time that reports take.

    Parameters
    ----------
    share : float or None
        Share of the optimization's own time that reports may take; None for no limit.
    sections : int, optional
        Number of parts of a full report, if not all.
    """

    def __init__(self, share: float | None, sections: int | None = None) -> None:
        self.share = share
        counts = _SECTIONS if sections is None else _SECTIONS | {Extent.FULL: sections}
        self._assumed = {extent: _START + _SECTION * count for extent, count in counts.items()}
        self._begun: float | None = None
        self._within = 0.0  # seconds for which the optimization itself stood still
        self._last = 0.0  # of them, those of the last time
        self._spent = 0.0
        self._costs: dict[Extent, float] = {}

    def begin(self, lasted: float) -> None:
        """Note that the first trial has finished, which lasted so many seconds."""
        if self._begun is None:
            self._begun = perf_counter() - lasted

    def stood_still(self, seconds: float) -> None:
        """Pay for seconds that the optimization waited."""
        self._within += seconds
        self._last = seconds
        self._spent += seconds

    def pay(self, seconds: float, extent: Extent) -> None:
        """Pay for a report that took so many seconds of a processor."""
        self._spent += seconds
        self._costs[extent] = seconds

    @property
    def spent(self) -> float:
        """Seconds paid so far."""
        return self._spent

    def cost(self, extent: Extent) -> float:
        """Return how many seconds the next report of an extent is expected to take."""
        if extent in self._costs:
            return _GROWTH * (self._costs[extent] + self._last)
        # a machine or a study on which one of them took longer than assumed: so will the other
        ratios = [seconds / self._assumed[other] for other, seconds in self._costs.items()]
        return self._assumed[extent] * max(ratios, default=1.0)

    def has_room(self, extent: Extent) -> bool:
        """Return whether a report of an extent fits into what is left of the budget."""
        if self.share is None:
            return True
        if self._begun is None:
            return False
        own = perf_counter() - self._begun - self._within
        return self.cost(extent) <= self.share * own - self._spent
