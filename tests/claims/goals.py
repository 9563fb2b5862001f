"""The goals, what is reached of each, and whether it is missed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from tests.claims.asked import BROKEN, Scored
from tests.claims.runs import Setting

LARGE, MIDDLE = 0.4, 0.1
"""True shares from which on one is large, and not small."""
ENOUGH = 20  # certain claims of a kind, from which on its share of right ones is a goal
FEWEST = 10  # answers of a group, from which on its Brier score is compared
FEWEST_TOLD = 20  # cases, from which on what is told of them is a goal
ONE, PAIR = "share of one", "share of a pair"
BOX = "keep at"
"""What kinds begin with that are about recommended spaces."""
SETTLED = "settled: "
"""What kinds begin with that are about trials to settle a result."""
LATTICES = ("steps", "pseudo-boolean", "real tasks")
RUGGED = ("rugged", "bbob, rugged")
"""Families whose objective has steps, and of functions that go up and down."""
NEAR = "what if: next to keep"
TOO_MUCH = 0.2  # of R², over the truth
OVER = "trust over by more than .2"
SIZES_OF_H = (("true < .3", 0.0, 0.3), ("true .3 to .6", 0.3, 0.6), ("true ≥ .6", 0.6, np.inf))
TOLD_BEFORE = {
    ONE: (0.62, 0.48, 0.54),
    PAIR: (0.27, 0.09, 0.08),
    "share in the best 10 %": (0.53, 0.41, 0.49),
    "share in the best of the better": (0.29, 0.18, 0.08),
    "best at": (0.65, 0.31, 0.29),
    "difference": (0.65, 0.31, 0.29),
    "keep at 5%": (0.78, 1.0, 1.0),
}
"""What the belief with two scales told of each kind on the tables: by Random and TPE after 100
trials, and by a Gaussian process after 50."""
TOLD_AFTER = {"random": 100, "tpe": 100, "gp": 50}


class Found(NamedTuple):
    """An answer and the run that it is about."""

    setting: Setting
    scored: Scored

    @property
    def sampler(self) -> str:
        """Random, TPE or a Gaussian process."""
        return "gp" if self.setting.sampler == "skopt" else self.setting.sampler

    @property
    def is_table(self) -> bool:
        """Whether the problem is an exact table."""
        return self.setting.problem.family == "tables"

    @property
    def group(self) -> str:
        """Sampler, and tables or functions."""
        return f"{self.sampler}, {'tables' if self.is_table else 'functions'}"


class Goal(NamedTuple):
    """A number that is to be reached.

    `cases` is of how many answers it is; `limit` is what it must be at least, or at most.
    """

    name: str
    reached: float
    at_least: bool
    limit: float
    cases: int

    @property
    def is_missed(self) -> bool:
        """Whether it is known, and on the wrong side of the limit."""
        beyond = self.reached < self.limit if self.at_least else self.reached > self.limit
        return bool(beyond) and self.cases > 0


def only(
    found: Iterable[Found], *kinds: str, where: Callable[[Found], bool] = lambda one: True
) -> list[Found]:
    """Return the answers of some kinds, which begin as named, that meet a condition."""
    return [one for one in found if one.scored.kind.startswith(kinds) and where(one)]


def values(found: Iterable[Found], name: str) -> np.ndarray:
    """Return a number of each answer, NaN where it is not known."""
    each = [getattr(one.scored, name) for one in found]
    return np.array([np.nan if value is None else value for value in each], float)


def mean(found: Iterable[Found], name: str) -> tuple[float, int]:
    """Return the mean of a number over the answers where it is known, and of how many."""
    known = values(found, name)
    known = known[~np.isnan(known)]
    return (float(known.mean()) if len(known) else np.nan), len(known)


def errors(found: Iterable[Found]) -> np.ndarray:
    """Return stated minus known numbers."""
    several = list(found)
    gaps = values(several, "stated") - values(several, "known")
    return gaps[~np.isnan(gaps)]


def right_of_certain(found: Iterable[Found]) -> tuple[float, int]:
    """Return the share of the certain claims that are right, and how many are certain."""
    return mean(
        [one for one in boxes_once(found) if one.scored.made and one.scored.certain], "right"
    )


def boxes_once(found: Iterable[Found]) -> list[Found]:
    """Return answers, of the boxes of a run, which are nested, one that is right if all are."""
    boxes: dict[Setting, list[Found]] = {}
    others = []
    for one in found:
        if not one.scored.kind.startswith(BOX):
            others.append(one)
        elif one.scored.made and one.scored.certain:
            boxes.setdefault(one.setting, []).append(one)
    for several in boxes.values():
        wrong = [one for one in several if not one.scored.right]
        others.append((wrong or several)[0])
    return others


def told(found: Iterable[Found]) -> tuple[float, int]:
    """Return certain and right claims as a share of what could be told, and of how many."""
    could = [one.scored for one in found if one.scored.could]
    said = [scored.certain and bool(scored.right) for scored in could]
    return (float(np.mean(said)) if said else np.nan), len(said)


def brier(found: Iterable[Found]) -> tuple[float, float, int]:
    """Return the Brier score of probabilities, that of their best constant, and of how many."""
    several = list(found)
    stated, known = values(several, "stated"), values(several, "known")
    if not len(known):
        return np.nan, np.nan, 0
    rate = known.mean()
    return (float(((stated - known) ** 2).mean()), float(rate * (1.0 - rate)), len(known))


def size_is(low: float, high: float) -> Callable[[Found], bool]:
    """Return the condition that the true number lies between two ends."""
    return lambda one: low <= one.scored.known < high


def by_group(found: Iterable[Found]) -> dict[str, list[Found]]:
    """Return answers by sampler and tables or functions."""
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.group, []).append(one)
    return dict(sorted(groups.items()))


# ---------------------------------------------------------------------- what must be reached


def goals(found: list[Found]) -> Iterator[Goal]:
    """Return every goal on the families that constants may be chosen by."""
    found = [one for one in found if not one.setting.problem.judges]
    runs = len({one.setting.label for one in found})
    failed = len(only(found, BROKEN))
    yield Goal("questions that fail with an error", float(failed), False, 0.0, runs)
    for part in (
        of_shares,
        of_trade_offs,
        of_certainty,
        of_together,
        of_rugged,
        of_trust,
        of_better,
        of_panel,
        of_narrowing,
        of_advice,
        of_settled,
        of_noise,
    ):
        yield from part(found)


def of_shares(found: list[Found]) -> Iterator[Goal]:
    """Errors, coverage and bias of shares, by true size."""
    ones = only(found, ONE)
    ones = [one for one in ones if one.scored.kind == ONE]
    for sampler, limit in (("tpe", 0.035), ("random", 0.015), ("gp", 0.05)):
        gaps = errors(one for one in ones if one.sampler == sampler)
        error = float(np.abs(gaps).mean()) if len(gaps) else np.nan
        yield Goal(f"error of shares, {sampler}", error, False, limit, len(gaps))
    for label, low, high, limit in (
        ("≥ .4", LARGE, np.inf, 0.92),
        (".1 to .4", MIDDLE, LARGE, 0.94),
    ):
        those = [one for one in ones if size_is(low, high)(one)]
        yield Goal(f"shares {label} covered", *_least(mean(those, "covered"), limit))
        gaps = errors(those)
        bias = float(abs(gaps.mean())) if len(gaps) else np.nan
        yield Goal(f"shares {label}: bias", bias, False, 0.08, len(gaps))
    large = [one for one in ones if size_is(LARGE, np.inf)(one)]
    gaps = errors(one for one in large if one.sampler == "gp")
    bias = float(abs(gaps.mean())) if len(gaps) else np.nan
    yield Goal("shares ≥ .4, gp: bias", bias, False, 0.08, len(gaps))
    pairs = only(found, PAIR, where=size_is(MIDDLE, np.inf))
    yield Goal("pairs ≥ .1 covered", *_least(mean(pairs, "covered"), 0.85))
    yield from _beside_fanova(found, ones)


def _least(number: tuple[float, int], limit: float) -> tuple[float, bool, float, int]:
    reached, cases = number
    return reached, True, limit, cases


def _most(number: tuple[float, int], limit: float) -> tuple[float, bool, float, int]:
    reached, cases = number
    return reached, False, limit, cases


def _beside_fanova(found: list[Found], ones: list[Found]) -> Iterator[Goal]:
    """Return the largest ratio of our error to that of Optuna's fANOVA, over the families."""
    theirs = only(found, "share by fANOVA")
    runs = {one.setting.label for one in theirs}
    ratios = []
    for family in sorted({one.setting.problem.family for one in theirs}):
        ours = errors(
            one
            for one in ones
            if one.setting.label in runs and one.setting.problem.family == family
        )
        other = errors(one for one in theirs if one.setting.problem.family == family)
        if len(ours) and np.abs(other).mean() > 0.0:
            ratios.append(float(np.abs(ours).mean() / np.abs(other).mean()))
    if ratios:
        yield Goal("largest error ÷ fANOVA's, of families", max(ratios), False, 1.0, len(ratios))


def of_trade_offs(found: list[Found]) -> Iterator[Goal]:
    """Shares between two objectives, and what changes with the weight."""
    those = only(found, "share between objectives")
    yield Goal("shares between objectives covered", *_least(mean(those, "covered"), 0.94))
    changes = only(found, "change between objectives")
    yield Goal("changes between objectives covered", *_least(mean(changes, "covered"), 0.94))
    nothing = [one for one in changes if one.setting.problem.name == "the same twice"]
    wrong = [one.scored for one in nothing if one.scored.certain]
    yield Goal("certain changes where nothing changes", float(len(wrong)), False, 0.0, len(nothing))
    for kind in ("share of the Pareto rank", "share of the least dominated"):
        yield Goal(f"{kind} covered", *_least(mean(only(found, kind), "covered"), 0.94))
    for kind in ("best at a trade-off", "extends a front"):
        apart = errors(only(found, kind))
        gap = float(abs(apart.mean())) if len(apart) else np.nan
        yield Goal(f"{kind}: told and true apart", gap, False, 0.1, len(apart))


def of_certainty(found: list[Found]) -> Iterator[Goal]:
    """Certain claims that are right, over all and in every kind; what is told on tables."""
    yield Goal("certain claims right", *_least(right_of_certain(found), 0.97))
    for kind in sorted({one.scored.kind for one in found}):
        right, cases = right_of_certain(one for one in found if one.scored.kind == kind)
        if cases >= ENOUGH:
            yield Goal(f"certain and right: {kind}", right, True, 0.95, cases)
    for sampler, limit in (("random", 0.65), ("tpe", 0.5)):
        those = [
            one
            for one in found
            if one.scored.kind == ONE
            and one.is_table
            and one.setting.sampler == sampler
            and one.setting.n == 100
        ]
        yield from _told(f"matters told, {sampler} 100, tables", those, limit)
    yield from _told_as_before(found)
    noise = [
        one
        for one in found
        if one.setting.problem.family == "pure noise" and not one.scored.kind.startswith(SETTLED)
    ]
    runs = len({one.setting.label for one in noise})
    wrong = sum(one.scored.certain and is_of_nothing(one.scored) for one in noise)
    if runs:
        yield Goal("pure noise: certain claims in 20 runs", 20.0 * wrong / runs, False, 1.0, runs)


def _told_as_before(found: list[Found]) -> Iterator[Goal]:
    """Return what is told of each kind on the tables, which must not be less than before."""
    for kind, before in TOLD_BEFORE.items():
        for (sampler, n), least in zip(TOLD_AFTER.items(), before, strict=True):
            those = [
                one
                for one in found
                if one.scored.kind == kind
                and one.is_table
                and one.setting.sampler == sampler
                and one.setting.n == n
            ]
            yield from _told(f"told: {kind}, {sampler} {n}, tables", those, least)


def _told(name: str, found: list[Found], least: float) -> Iterator[Goal]:
    """Return the goal on what is told, where that rests on enough cases."""
    reached, cases = told(found)
    if cases >= FEWEST_TOLD:
        yield Goal(name, reached, True, least, cases)


def is_of_nothing(scored: Scored) -> bool:
    """Whether a claim about pure noise says that something matters."""
    return scored.right is False or scored.kind.startswith("best at")


def of_together(found: list[Found]) -> Iterator[Goal]:
    """H of pairs, bands of effects, and explained predictions."""
    strengths = only(found, "H of a pair")
    for label, low, high in SIZES_OF_H:
        those = [one for one in strengths if size_is(low, high)(one)]
        yield Goal(f"H of a pair, {label}, covered", *_least(mean(those, "covered"), 0.9))
    bands = only(found, "band")
    yield Goal("bands: values held", *_least(mean(bands, "stated"), 0.9))
    moved = only(found, "contribution")
    yield Goal("contributions covered", *_least(mean(moved, "covered"), 0.9))


def of_rugged(found: list[Found]) -> Iterator[Goal]:
    """Rugged functions without noise."""
    those = [
        one for one in found if one.setting.problem.family in RUGGED and one.setting.noise == 0.0
    ]
    name = "rugged without noise"
    yield Goal(f"{name}: certain claims right", *_least(right_of_certain(those), 0.97))
    near = only(those, NEAR)
    yield Goal(f"{name}: next to keep, covered", *_least(mean(near, "covered"), 0.9))
    yield Goal(f"{name}: {OVER}", *_most(too_trusting(those), 0.05))


def too_trusting(found: Iterable[Found]) -> tuple[float, int]:
    """Return how often trust says too large an R², and of how many."""
    gaps = errors(only(found, "trust "))
    share = float((gaps > TOO_MUCH).mean()) if len(gaps) else np.nan
    return share, len(gaps)


def of_trust(found: list[Found]) -> Iterator[Goal]:
    """R² stated beside the truth."""
    those = only(found, "trust ")
    gaps = np.abs(errors(those))
    error = float(np.median(gaps)) if len(gaps) else np.nan
    yield Goal("trust: error of R², median", error, False, 0.08, len(gaps))
    tpe = [one for one in those if one.sampler == "tpe"]
    rank = np.nan
    if len(tpe) > 2:
        rank = float(spearmanr(values(tpe, "stated"), values(tpe, "known")).statistic)
    yield Goal("trust: rank correlation, tpe", rank, True, 0.75, len(tpe))


def of_better(found: list[Found]) -> Iterator[Goal]:
    """Brier scores of "better exists" as shares of a constant's, over all and by group."""
    those = only(found, "better exists")
    score, constant, cases = brier(those)
    ratio = score / constant if constant else np.nan
    yield Goal("better exists: Brier ÷ a constant's", ratio, False, 0.82, cases)
    for group, some in by_group(those).items():
        score, constant, cases = brier(some)
        if cases >= FEWEST and constant > 0.0:
            name = f"better exists: Brier ÷ constant, {group}"
            yield Goal(name, score / constant, False, 1.0, cases)
    seeds = only(found, "by seed")
    yield Goal("probability, standard deviation by seed", *_most(mean(seeds, "stated"), 0.03))
    lattices = only(
        found, "better exists", where=lambda one: one.setting.problem.family in LATTICES
    )
    score, constant, cases = brier(lattices)
    ratio = score / constant if constant else np.nan
    yield Goal("better exists: Brier ÷ constant, lattices", ratio, False, 1.0, cases)
    left = only(found, "what is left")
    yield Goal("what is left: covered within a factor of 10", *_least(mean(left, "covered"), 0.92))
    gains = only(found, "gain of more")
    yield Goal("expected gain ≤ what is possible", *_least(mean(gains, "right"), 0.9))
    promised = only(found, "best at", where=lambda one: "attainable" in one.scored.kind)
    share, cases = mean(promised, "covered")
    yield Goal("attainable best covered (92 to 97 %)", share, True, 0.92, cases)


def of_panel(found: list[Found]) -> Iterator[Goal]:
    """What the panel says of configurations: intervals, and chances of a better one."""
    for kind in ("what if: space", "what if: next to keep"):
        those = only(found, kind)
        yield Goal(f"{kind}, covered", *_least(mean(those, "covered"), 0.9))
        score, constant, cases = brier(those)
        ratio = score / constant if constant else np.nan
        yield Goal(f"{kind}, Brier of chances ÷ a constant's", ratio, False, 0.82, cases)


def of_narrowing(found: list[Found]) -> Iterator[Goal]:
    """Boxes: right, small, without crashes."""
    boxes = only(boxes_once(found), BOX)
    yield Goal("narrowing right", *_least(mean(boxes, "right"), 0.95))
    usual = values(only(found, "keep at 5%"), "width")
    volume = float(np.exp(np.log(usual).mean())) if len(usual) else np.nan
    yield Goal("volume at 5 %, geometric mean", volume, False, 0.05, len(usual))
    crashing = only(found, "box crashes")
    yield Goal("of the recommended space crashes", *_most(mean(crashing, "stated"), 0.15))


def of_advice(found: list[Found]) -> Iterator[Goal]:
    """Proposals that crash, and gains of changes."""
    works, cases = mean(
        only(found, "proposal works", where=lambda one: not one.setting.problem.is_whole), "right"
    )
    yield Goal("proposals that crash, where some do", 1.0 - works, False, 0.05, cases)
    gains = right_of_certain(only(found, "changes gain"))
    yield Goal("gains of changes right", *_least(gains, 0.95))


def of_settled(found: list[Found]) -> Iterator[Goal]:
    """Trials to settle a result: what they leave of its intervals as was said of them."""
    those = only(found, SETTLED)
    promised = [one for one in those if one.scored.made]
    gaps = errors(promised)
    bias = float(abs(gaps.mean())) if len(gaps) else np.nan
    yield Goal("what is left of settled intervals: bias", bias, False, 0.1, len(gaps))
    left = values(promised, "known")
    narrower = float((left < 1.0).mean()) if len(left) else np.nan
    yield Goal("settled intervals are narrower", narrower, True, 0.8, len(left))
    nothing = [one for one in those if one.setting.problem.family == "pure noise"]
    said = [one.scored.made for one in nothing]
    share = float(np.mean(said)) if said else np.nan
    yield Goal("narrower intervals promised, pure noise", share, False, 0.05, len(said))


def of_noise(found: list[Found]) -> Iterator[Goal]:
    """The noise of one evaluation: within a factor of two, and covered."""
    those = only(found, "noise", where=lambda one: one.scored.kind == "noise")
    yield Goal("noise within a factor of 2", *_least(mean(those, "right"), 0.9))
    every = those + only(found, "small noise")
    covered, cases = mean(every, "covered")
    yield Goal("settled noise covered by its 90 % (85 to 95 %)", covered, True, 0.85, cases)
    most = only(found, "noise at most")
    yield Goal("noise told as at most is no larger", *_least(mean(most, "right"), 0.95))
