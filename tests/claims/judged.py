"""Goals on the families that judge: nothing in the package was chosen by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from tests.claims.asked import BROKEN
from tests.claims.goals import (
    BOX,
    FEWEST_TOLD,
    NEAR,
    OVER,
    PAIR,
    SIZES_OF_H,
    Found,
    Goal,
    brier,
    mean,
    only,
    right_of_certain,
    size_is,
    told,
    too_trusting,
    values,
)
from tests.claims.tolerance import ALONE, FREE

USUAL_BOX = f"{BOX} 5%"


class Measure(NamedTuple):
    """What is measured of answers, in short and in words, and what it must be."""

    short: str
    name: str
    of: Callable[[list[Found]], tuple[float, int]]
    at_least: bool
    limit: float
    in_each: bool = False

    def goal(self, found: list[Found], where: str = "") -> Goal:
        """Return the goal on some answers."""
        reached, cases = self.of(found)
        return Goal(f"{self.name}{where}", reached, self.at_least, self.limit, cases)


def _mean(
    kind: str, number: str, where: Callable[[Found], bool] = lambda one: True
) -> Callable[[list[Found]], tuple[float, int]]:
    return lambda found: mean(only(found, kind, where=where), number)


def _certain(kind: str) -> Callable[[list[Found]], tuple[float, int]]:
    """Return which share of the certain answers of a kind is right."""
    return lambda found: right_of_certain(only(found, kind))


def _brier(found: list[Found]) -> tuple[float, int]:
    """Return the Brier score as a multiple of a constant's."""
    score, constant, cases = brier(only(found, "better exists"))
    return (score / constant if constant else np.nan), cases


def _off(found: list[Found]) -> tuple[float, int]:
    """Return by which factor what 20 more trials are said to gain is off, over all runs."""
    gained = only(found, "gained by more")
    spreads = np.array([one.setting.problem.spread for one in gained])
    said = float((values(gained, "stated") / spreads).sum())
    true = float((values(gained, "known") / spreads).sum())
    if min(said, true) <= 0.0:
        return np.nan, len(gained)
    return max(said / true, true / said), len(gained)


def _volume(found: list[Found]) -> tuple[float, int]:
    """Return the geometric mean of the volumes at a loss of 5 %."""
    volumes = values(only(found, USUAL_BOX), "width")
    mean = float(np.exp(np.log(volumes).mean())) if len(volumes) else np.nan
    return mean, len(volumes)


MEASURES = (
    Measure("right", "certain claims right", right_of_certain, True, 0.98),
    Measure(
        "another better",
        "another trial kept is truly better",
        _mean("another kept", "right"),
        True,
        0.8,
    ),
    Measure(
        "left",
        "what is left: covered within a factor of 10",
        _mean("what is left", "covered"),
        True,
        0.92,
    ),
    Measure(
        "20 more",
        "gain of 20 more: covered within a factor of 10",
        _mean("gained by more", "covered"),
        True,
        0.92,
    ),
    Measure("20 more: factor", "gain of 20 more: over all off by a factor of", _off, False, 2.0),
    Measure(
        "possible", "expected gain ≤ what is possible", _mean("gain of more", "right"), True, 0.9
    ),
    Measure("Brier", "better exists: Brier ÷ a constant's", _brier, False, 0.8),
    Measure("trust over", OVER, too_trusting, False, 0.05),
    Measure(
        "near",
        "predictions near the best covered",
        _mean(NEAR, "covered"),
        True,
        0.93,
        in_each=True,
    ),
    *(
        Measure(
            f"H {label.removeprefix('true ')}",
            f"H of a pair, {label}, covered",
            _mean("H of a pair", "covered", size_is(low, high)),
            True,
            0.9,
        )
        for label, low, high in SIZES_OF_H
    ),
    Measure("pairs", "pairs ≥ .1 covered", _mean(PAIR, "covered", size_is(0.1, np.inf)), True, 0.9),
    Measure("bands", "bands: values held", _mean("band", "stated"), True, 0.9),
    Measure("moved", "contributions covered", _mean("contribution", "covered"), True, 0.9),
    *(
        Measure(kind, f"{kind}, certain: right", _certain(kind), True, 0.95)
        for kind in (ALONE, FREE)
    ),
    Measure("box", "narrowing right", _mean(BOX, "right"), True, 0.95),
    Measure("volume", "volume at 5 %, geometric mean", _volume, False, 0.08),
)
BRIER_IN_EACH = 1.0
TOLD: Mapping[str, float] = {
    "bbob, rugged": 0.24,
    "bbob, smooth": 0.62,
    "pseudo-boolean": 0.43,
    "real tasks": 0.52,
}
"""What was told of what could be, by family, before intervals were told in place of chances."""


def of_judges(found: Iterable[Found]) -> list[Found]:
    """Return the answers about problems that judge."""
    return [one for one in found if one.setting.problem.judges]


def by_family(found: Iterable[Found]) -> dict[str, list[Found]]:
    """Return answers by the family of the problem."""
    families: dict[str, list[Found]] = {}
    for one in found:
        families.setdefault(one.setting.problem.family, []).append(one)
    return dict(sorted(families.items()))


def goals(found: list[Found]) -> Iterator[Goal]:
    """Return every goal on the families that judge."""
    found = of_judges(found)
    runs = len({one.setting.label for one in found})
    failed = len(only(found, BROKEN))
    yield Goal("questions that fail with an error", float(failed), False, 0.0, runs)
    for measure in MEASURES:
        yield measure.goal(found)
        if measure.in_each:
            for family, some in by_family(found).items():
                yield measure.goal(some, f": {family}")
    for family, some in by_family(found).items():
        ratio, cases = _brier(some)
        name = f"better exists: Brier ÷ a constant's: {family}"
        yield Goal(name, ratio, False, BRIER_IN_EACH, cases)
    for family, some in by_family(found).items():
        share, cases = what_is_told(some)
        if cases >= FEWEST_TOLD:
            least = TOLD.get(family, 0.0)
            name = f"told of what could be: {family}"
            yield Goal(name, share, True, least, cases)


def what_is_told(found: Iterable[Found]) -> tuple[float, int]:
    """Return certain and right claims as a share of what could be told: of boxes that at 5 %."""
    return told(
        one for one in found if one.scored.kind == USUAL_BOX or not one.scored.kind.startswith(BOX)
    )
