"""What was found as Markdown: the goals, and tables by kind, true size, sampler and family."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

import numpy as np

from tests.claims import judged
from tests.claims.asked import BROKEN
from tests.claims.goals import (
    LARGE,
    MIDDLE,
    ONE,
    PAIR,
    SETTLED,
    Found,
    Goal,
    brier,
    by_group,
    errors,
    mean,
    only,
    right_of_certain,
    told,
    values,
)
from tests.claims.problem import Problem


def table(head: Sequence[str], texts: int, rows: Iterable[Sequence[object]]) -> str:
    """Return rows as Markdown, the first columns texts and the others numbers."""
    rule = ["---"] * texts + ["--:"] * (len(head) - texts)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (head, rule, *rows))


def percent(number: float | tuple[float, int]) -> str:
    """Return a share in words; empty where it is not known."""
    share = number[0] if isinstance(number, tuple) else number
    return "" if np.isnan(share) else f"{share:.0%}"


def decimals(number: float) -> str:
    """Return a number with three decimals; empty where it is not known."""
    return "" if np.isnan(number) else f"{number:.3f}"


def of_goals(goals: Iterable[Goal]) -> str:
    """Return each goal, what was reached, and whether it is missed."""
    rows = [
        (
            goal.name,
            f"{'≥' if goal.at_least else '≤'} {goal.limit:g}",
            decimals(goal.reached),
            goal.cases,
            "**misses**" if goal.is_missed else "",
        )
        for goal in goals
    ]
    return table(("goal", "must be", "reached", "of", ""), 1, rows)


def grouped(
    found: Iterable[Found], key: Callable[[Found], Hashable]
) -> dict[Hashable, list[Found]]:
    """Return answers by a key, in the order of the keys."""
    groups: dict[Hashable, list[Found]] = {}
    for one in found:
        groups.setdefault(key(one), []).append(one)
    return {name: groups[name] for name in sorted(groups, key=str)}


def of_claims(found: Iterable[Found]) -> str:
    """Return the claims by kind and group."""
    numbers = (
        "better exists",
        "trust ",
        "noise",
        "small noise",
        "by seed",
        "band",
        BROKEN,
        SETTLED,
        "share by fANOVA",
    )
    claims = [one for one in found if not one.scored.kind.startswith(numbers)]
    rows = []
    for (kind, group), some in grouped(claims, lambda one: (one.scored.kind, one.group)).items():
        made = [one for one in some if one.scored.made]
        certain = [one for one in made if one.scored.certain]
        right = percent(mean(made, "right"))
        of_certain = percent(right_of_certain(made))
        held = percent(mean(made, "covered"))
        rows.append(
            (kind, group, len(made), right, len(certain), of_certain, percent(told(some)), held)
        )
    head = ("kind", "runs by, on", "made", "right", "certain", "right", "told", "hold")
    return table(head, 2, rows)


def size_of(one: Found) -> str:
    """Return whether a true share is small, or of which size."""
    known = one.scored.known
    if known >= LARGE:
        return "≥ .4"
    return ".1 to .4" if known >= MIDDLE else "< .1"


def of_shares(found: Iterable[Found], by: Callable[[Found], str], name: str) -> str:
    """Return errors, bias, coverage and width of shares, by true size and another key."""
    shares = [one for one in found if one.scored.kind in (ONE, PAIR) and one.scored.made]
    rows = []
    key = lambda one: (one.scored.kind, size_of(one), by(one))  # noqa: E731
    for (kind, size, other), some in grouped(shares, key).items():
        gaps = errors(some)
        rows.append(
            (
                kind,
                size,
                other,
                len(some),
                decimals(float(np.abs(gaps).mean())),
                f"{gaps.mean():+.3f}",
                percent(mean(some, "covered")),
                decimals(float(np.nanmean(values(some, "width")))),
                percent(told(some)),
            )
        )
    head = ("share", "true size", name, "n", "error", "bias", "hold", "width", "told")
    return table(head, 3, rows)


def of_better(found: Iterable[Found]) -> str:
    """Return probabilities that something better exists, beside a constant."""
    rows = []
    for group, some in by_group(only(found, "better exists")).items():
        score, constant, cases = brier(some)
        stated, known = mean(some, "stated")[0], mean(some, "known")[0]
        rows.append(
            (group, cases, decimals(score), decimals(constant), percent(stated), percent(known))
        )
    head = ("runs by, on", "n", "Brier", "of a constant", "said on average", "true")
    return table(head, 1, rows)


def of_boxes(found: Iterable[Found]) -> str:
    """Return the recommended spaces by loss and family."""
    boxes = only(found, "keep at")
    rows = []
    for (loss, family), some in grouped(
        boxes, lambda one: (one.scored.kind, one.setting.problem.family)
    ).items():
        made = [one for one in some if one.scored.made]
        volume = float(np.exp(np.log(values(some, "width")).mean()))
        rows.append((loss, family, len(some), percent(mean(made, "right")), decimals(volume)))
    return table(("kind", "family", "n", "right", "volume, geometric mean"), 2, rows)


def of_settled(found: Iterable[Found]) -> str:
    """Return what trials were expected to leave of intervals, and what they left."""
    settled = [one for one in only(found, SETTLED) if not np.isnan(one.scored.known)]
    rows = []
    for (promised, kind), some in grouped(
        settled, lambda one: (not one.scored.made, one.scored.kind)
    ).items():
        left = values(some, "known")
        rows.append(
            (
                f"{kind}{', nothing promised' if promised else ''}",
                len(some),
                percent(mean(some, "stated")),
                percent(float(left.mean())),
                percent(float((left < 1.0).mean())),
            )
        )
    head = ("intervals", "n", "expected to be left", "left", "narrower")
    return table(head, 1, rows)


def of_trust(found: Iterable[Found]) -> str:
    """Return R² as trust says it, beside the truth, and the noise of one evaluation."""
    rows = []
    for group, some in by_group(only(found, "trust ")).items():
        gaps = errors(some)
        rows.append(
            (
                group,
                len(some),
                f"{np.median(gaps):+.2f}",
                f"{np.median(np.abs(gaps)):.2f}",
                percent(mean(some, "covered")),
            )
        )
    head = ("runs by, on", "n", "stated − true R², median", "size of that, median", "hold")
    return table(head, 1, rows)


def of_noise(found: Iterable[Found]) -> str:
    """Return the stated noise of one evaluation as a multiple of the truth."""
    rows = []
    noise = [one for one in only(found, "noise", "small noise") if one.scored.known > 0.0]
    for (kind, group), some in grouped(noise, lambda one: (one.scored.kind, one.group)).items():
        ratio = values(some, "stated") / values(some, "known")
        middle = [f"{np.quantile(ratio, q):.2f}" for q in (0.1, 0.5, 0.9)]
        within = percent(float(((ratio >= 0.5) & (ratio <= 2.0)).mean()))
        rows.append((kind, group, len(some), *middle, within, percent(mean(some, "covered"))))
    head = ("", "runs by, on", "n", "10 %", "median", "90 %", "within 2", "hold")
    return table(head, 2, rows)


def of_judges(found: Iterable[Found]) -> str:
    """Return what is measured on the families that judge, by family and by sampler."""
    judges = judged.of_judges(found)
    groups = {**judged.by_family(judges), **grouped(judges, lambda one: one.sampler)}
    rows = []
    for name, some in groups.items():
        runs = len({one.setting.label for one in some})
        cells = [_cell(*measure.of(some)) for measure in judged.MEASURES]
        rows.append((name, runs, percent(judged.what_is_told(some)), *cells))
    measures = [measure.short for measure in judged.MEASURES]
    return table(("", "runs", "told", *measures), 1, rows)


def _cell(reached: float, cases: int) -> str:
    return "" if np.isnan(reached) else f"{reached:.2f} of {cases}"


def of_families(problems: Iterable[Problem]) -> str:
    """Return which families there are, and whether constants may be chosen by them."""
    rows = [
        (family, len(some), "judges" if some[0].judges else "chooses")
        for family, some in _by_family(problems).items()
    ]
    return table(("family", "problems", ""), 1, rows)


def _by_family(problems: Iterable[Problem]) -> dict[str, list[Problem]]:
    families: dict[str, list[Problem]] = {}
    for problem in problems:
        families.setdefault(problem.family, []).append(problem)
    return families


def of_broken(found: Iterable[Found]) -> str:
    """Return the questions that failed with an error, each once."""
    broken = grouped(only(found, BROKEN), lambda one: one.scored.kind)
    rows = [(kind, some[0].setting.label, len(some)) for kind, some in broken.items()]
    return table(("question and error", "such as", "runs"), 2, rows) if rows else ""
