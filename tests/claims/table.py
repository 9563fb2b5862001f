"""The table of claims: made, certain, right, and what an oracle could have claimed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from tests.claims.runs import all_settings
from tests.claims.scored import Scored, ScoredRun

RIGHT = 0.95
"""Share of the certain claims of a kind that must be right."""
OFTEN = 0.5
"""Claimed as often, of what an oracle could claim."""
COVERED = 0.85
"""Intervals of shares hold the truth as often."""


@dataclass(frozen=True)
class Row:
    """The claims of one kind by one method."""

    kind: str
    method: str
    made: int
    certain: int
    judged: int
    right: int
    could: int
    could_clean: int
    right_clean: int

    @property
    def share(self) -> float:
        """Share of right ones among the certain claims that the truth decides over."""
        return self.right / self.judged if self.judged else math.nan

    @property
    def claimed(self) -> float:
        """Certain and right claims, of those an oracle could make."""
        return self.right / self.could if self.could else math.nan

    @property
    def claimed_clean(self) -> float:
        """The same over the runs without noise."""
        return self.right_clean / self.could_clean if self.could_clean else math.nan

    @property
    def misses(self) -> tuple[str, ...]:
        """The goals that are missed, by the numbers as they are."""
        found = []
        if self.judged and self.share < RIGHT:
            found.append("right")
        if self.could and not self.claimed >= OFTEN:
            found.append("often")
        return tuple(found)


def rows(runs: Sequence[ScoredRun]) -> list[Row]:
    """A row for each kind and method, those of the same kind next to each other."""
    keys = {(claim.kind, claim.method) for run in runs for claim in run.claims}
    keys |= {key for run in runs for key in run.could}
    found = []
    for kind, method in sorted(keys):
        mine = [
            (run, c) for run in runs for c in run.claims if (c.kind, c.method) == (kind, method)
        ]
        judged = [(run, c) for run, c in mine if c.certain and c.right is not None]
        clean = [run for run in runs if run.setting.noise == 0.0]
        found.append(
            Row(
                kind=kind,
                method=method,
                made=len(mine),
                certain=sum(c.certain for _, c in mine),
                judged=len(judged),
                right=sum(bool(c.right) for _, c in judged),
                could=sum(run.could[kind, method] for run in runs),
                could_clean=sum(run.could[kind, method] for run in clean),
                right_clean=sum(bool(c.right) for r, c in judged if r.setting.noise == 0.0),
            )
        )
    return found


def written(runs: Sequence[ScoredRun], command: str) -> str:
    """The page: what was run, the table, the intervals, the recommended space, pure noise."""
    claims, verdicts = [], []
    for row in rows(runs):
        (verdicts if row.method == "trust" else claims).append(row)
    parts = [
        "# Are the claims right?",
        INTRODUCTION.format(
            n=len(runs),
            all=len(all_settings()),
            optimizers=", ".join(sorted({run.setting.optimizer for run in runs})),
            problems=len({run.setting.problem for run in runs}),
            claims=sum(len(run.claims) for run in runs),
            command=command,
        ),
        "## Claims",
        _table(claims),
        "## Intervals of shares",
        _intervals(runs),
        "## Recommended spaces",
        _spaces(runs),
        "## Verdicts of trust",
        TRUST,
        _verdicts(verdicts),
        "## Under pure noise",
        _noise(runs),
        "## Left out",
        _left_out(runs),
    ]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """\
{n} of {all} runs ({optimizers}; CMA-ES is not installed here, so quasi-random search takes its \
place) of {problems} functions whose truth is known made {claims} claims and verdicts. \
`tests/claims/scoring` says when each kind is right.

```sh
{command}
```

*Certain* claims are stated without a reservation. *Right*: of the certain ones that the truth \
decides over. *Oracle*: what could be claimed by one who knows the function, where trials were \
made; *claimed*: certain and right claims as a share of that, over all runs and over those without \
noise. Goals: right ≥ 95 %, claimed ≥ 50 %. **Bold** numbers miss their goal."""

TRUST = """\
"Good" is right where the true R² over the space is at least 0.5, "fair" where it or the rank \
correlation among the fifth predicted to be best is above 0."""


def _table(found: Iterable[Row]) -> str:
    lines = [
        "| kind | by | made | certain | right | oracle | claimed | without noise |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in found:
        right = _percent(row.share, row.judged, "right" in row.misses)
        often = _percent(row.claimed, row.could, "often" in row.misses)
        clean = _percent(row.claimed_clean, row.could_clean, row.claimed_clean < OFTEN)
        lines.append(
            f"| {row.kind} | {row.method} | {row.made} | {row.certain} | {right}"
            f" | {row.could or ''} | {often} | {clean} |"
        )
    return "\n".join(lines)


def _verdicts(found: Iterable[Row]) -> str:
    lines = ["| verdict | given | right |", "|---|--:|--:|"]
    for row in found:
        right = _percent(row.share, row.judged, "right" in row.misses)
        lines.append(f"| {row.kind} | {row.made} | {right} |")
    return "\n".join(lines)


def _percent(share: float, n: int, misses: bool) -> str:
    if not n:
        return ""
    text = f"{100 * share:.0f} %"
    return f"**{text}**" if misses else text


def intervals(runs: Iterable[ScoredRun]) -> dict[tuple[str, str], list[Scored]]:
    """Claims whose interval the truth decides over, by kind and method."""
    found: dict[tuple[str, str], list[Scored]] = {}
    for run in runs:
        for claim in run.claims:
            if claim.covered is not None:
                found.setdefault((claim.kind, claim.method), []).append(claim)
    return found


def _intervals(runs: Sequence[ScoredRun]) -> str:
    lines = ["| kind | by | intervals | hold the truth | median half |", "|---|---|--:|--:|--:|"]
    for (kind, method), judged in sorted(intervals(runs).items()):
        share = sum(bool(c.covered) for c in judged) / len(judged)
        misses = share < COVERED and kind in ("share", "importance", "interaction")
        half = median(c.half for c in judged)
        shown = _percent(share, len(judged), misses)
        lines.append(f"| {kind} | {method} | {len(judged)} | {shown} | {half:.2g} |")
    return "\n".join(lines)


def _spaces(runs: Sequence[ScoredRun]) -> str:
    spaces = [run.space for run in runs if run.space is not None]
    if not spaces:
        return "None was asked for."
    narrowed = [holds for holds, kept, _ in spaces if kept < 1.0]
    could = [kept for _, kept, most in spaces if most <= 0.25]
    held = sum(holds for holds, _, _ in spaces) / len(spaces)
    text = f"Of {len(spaces)} runs {len(narrowed)} narrow the space."
    if narrowed:
        text += f" Of these {_share(sum(narrowed), len(narrowed), RIGHT)} keep the optimum"
        text += f" (of all {100 * held:.0f} %)."
    if could:
        kept = median(could)
        shown = f"{100 * kept:.0f} %" if kept <= 0.5 else f"**{100 * kept:.0f} %**"
        text += (
            f" Where an oracle could keep a quarter or less ({len(could)} runs), {shown} of the"
            " volume is kept in the median (goal: 50 % or less)."
        )
    return text


def _share(n: int, of: int, goal: float) -> str:
    return _percent(n / of, of, n / of < goal)


def trusted_noise(runs: Iterable[ScoredRun]) -> tuple[int, int]:
    """Verdicts over pure noise, and how many of them are fair or better."""
    noise = [run for run in runs if run.setting.problem == "pure noise"]
    levels = [c.kind for run in noise for c in run.claims if c.method == "trust"]
    return len(levels), sum(level in ("good", "fair") for level in levels)


def _noise(runs: Sequence[ScoredRun]) -> str:
    n, trusted = trusted_noise(runs)
    mine = [run for run in runs if run.setting.problem == "pure noise"]
    if not n:
        return "No such run."
    certain = sum(c.certain for run in mine for c in run.claims if c.method != "trust")
    shown = _percent(trusted / n, n, trusted / n > 0.05)
    return (
        f"Trust is fair or better in {shown} of {n} runs (goal: 5 % or less). They make {certain}"
        f" certain claims, {certain / n:.1f} a run."
    )


def _left_out(runs: Sequence[ScoredRun]) -> str:
    refused = sum(len(run.refused) for run in runs)
    late = sum(len(run.late) for run in runs)
    errors = [(run.setting.label, method) for run in runs for method, _ in run.errors]
    text = f"{refused} times a method said that there is nothing to explain; {late} times the time"
    text += f" did not suffice; {len(errors)} times a method failed."
    return text


def worst(runs: Iterable[ScoredRun], *, row: Row | None = None, most: int = 4) -> str:
    """Wrong certain claims, of one row or all, by problem: how many, and an example of each."""
    wrong: dict[tuple[str, str], dict[str, list[str]]] = {}
    for run in runs:
        for c in run.claims:
            mine = row is None or (c.kind, c.method) == (row.kind, row.method)
            if mine and c.certain and c.right is False:
                text = f"{run.setting.label}: {c.claimed} | true: {c.truth}"
                by_problem = wrong.setdefault((c.kind, c.method), {})
                by_problem.setdefault(run.setting.problem, []).append(text)
    lines = []
    for (kind, method), by_problem in sorted(wrong.items()):
        counts = {name: len(texts) for name, texts in by_problem.items()}
        ordered = sorted(counts, key=lambda name: -counts[name])
        told = ", ".join(f"{name} {counts[name]}" for name in ordered)
        lines.append(f"- {kind} ({method}), wrong {sum(counts.values())}: {told}")
        lines += [f"    - {by_problem[name][0]}" for name in ordered[:most]]
    return "\n".join(lines)
