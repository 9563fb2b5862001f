"""How learning curves are drawn: ranks, the curves themselves, and shares, each by step."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import counted, join_words
from hpo_explain.base.figures import Axis, Curves, Dots, Line, View, broken
from hpo_explain.methods.runs.learning_curves_result import LearningCurves
from hpo_explain.space import Array

_MOST_CURVES = 150
_MOST_SHARES = 5  # hyperparameters
_FEW_STEPS = 30  # that have marks


def ranks(result: LearningCurves) -> Curves:
    """Draw the rank correlation of the values at each step with the final ones."""
    rho, name, from_ = (result.correlation, result.curves.step_name, result.known_from)
    early = from_ is not None and from_ < result.steps[-1]
    lowest = float(np.nanmin([*result.lower, *rho, 0.0]))
    done = counted(len(result.final) - result.unfinished, "finished trial")
    without = f"; {result.unfinished} without a final value are not among them"
    half = np.array([rho - result.lower, result.upper - rho])
    return Curves(
        x=_steps(result),
        y=Axis(label="rank correlation", limits=(max(-1.05, lowest - 0.05), 1.05)),
        lines=[Line(result.steps, rho, half, marks=len(result.steps) <= _FEW_STEPS)],
        levels=[(result.enough, "limit")],
        guide=from_ if early else None,
        heading=f"How early the final rank of the {result.objective_name} is known",
        subtitle=f"from {name} {from_:g} on ranks are known as well as asked"
        if early
        else f"no {name} before the end is known to rank trials as asked",
        footer=f"{done}{without if result.unfinished else ''}. Interval over trials.",
        means={"main": "rank correlation, with its 95% interval", "limit": "asked for"},
    )


def curves(result: LearningCurves) -> Curves:
    """Draw the learning curves: of finished trials, of those without a result, and of the best."""
    values, final, steps = result.curves.held(), result.final, result.steps
    cost = final if result.direction == "minimize" else -final
    best = int(np.nanargmin(cost))
    shown = np.random.default_rng(0).permutation(len(values))[:_MOST_CURVES]
    finished = shown[~np.isnan(final[shown])]
    ended = shown[np.isnan(final[shown])]
    lines, dots, footer = [Line(steps, values[best])], list[Dots](), ""
    if len(ended):
        last = [np.flatnonzero(~np.isnan(values[i]))[-1] for i in ended]
        lines.insert(0, Line(*broken(steps, values[ended]), look="unfinished"))
        dots = [Dots(steps[last], values[ended, last], look="unfinished")]
    if len(shown) < len(values):
        footer = (
            f"{len(shown)} of {len(values)} curves are drawn: a random sample, and the best one."
        )
    return Curves(
        x=_steps(result),
        y=Axis(label=result.objective_name, limits=_zoomed(values)),
        thin=broken(steps, values[finished]),
        lines=lines,
        dots=dots,
        heading=f"The {result.objective_name} of {counted(len(values), 'trial')} step by step",
        footer=footer,
        means={"thin": "finished", "unfinished": "pruned or ended early", "main": "the best"},
    )


def shares(result: LearningCurves) -> Curves:
    """Draw the shares of the five most important hyperparameters at a few steps."""
    at, rows = sorted(result.shares), result.shares_by_step()
    counts = dict(zip(rows[result.curves.step_name], rows["trials"], strict=True))
    counts_in_words = [f"{n} at {result.curves.step_name} {step:g}" for step, n in counts.items()]
    lines, dots, means = list[Line](), list[Dots](), dict[str, str]()
    estimates = np.array([result.shares[step].estimate[: len(result.names)] for step in at])
    order = np.argsort(-estimates.max(axis=0), kind="stable") if at else np.empty(0, int)
    largest = order[:_MOST_SHARES].tolist()
    for place, j in enumerate(largest):
        ends = np.array([result.shares[step].bounds(j) for step in at]).T
        x = np.array(at) + 0.01 * (at[-1] - at[0]) * (place - (len(largest) - 1) / 2.0)
        share, look = estimates[:, j], str(place)
        lines.append(Line(x, share, look=look))
        dots.append(Dots(x, share, np.array([share - ends[0], ends[1] - share]), look=look))
        means[look] = result.names[j]
    return Curves(
        x=_steps(result),
        y=Axis(label="share of the variance", percent=True, limits=(-0.02, 1.02)),
        lines=lines,
        dots=dots,
        heading=f"What the {result.objective_name} depends on, step by step",
        subtitle="share of the variance of the value at a step, with its 95% interval",
        footer=f"Trials, pruned ones included: {join_words(counts_in_words)}.",
        means=means,
    )


def _steps(result: LearningCurves) -> Axis:
    return Axis(label=result.curves.step_name, whole=bool((result.steps % 1.0 == 0.0).all()))


def _zoomed(values: Array) -> tuple[float | None, float | None]:
    """Return where the axis ends so that what is far worse than nearly all is out of sight."""
    finite = values[np.isfinite(values)]
    low, high = np.quantile(finite, [0.01, 0.99])
    margin = 0.15 * (high - low)
    if margin <= 0.0:
        return None, None
    first, last = (max(finite.min(), low - 2 * margin), min(finite.max(), high + 2 * margin))
    return float(first - margin / 3.0), float(last + margin / 3.0)


VIEWS = {
    "": View(
        ranks,
        "Rank correlation of the values at each {found.curves.step_name} with the final ones.",
    ),
    "curves": View(curves, "What the trials reported.", shown_if=lambda result: False),
    "shares": View(
        shares,
        "What the {found.objective_name} depends on, step by step.",
        shown_if=lambda result: any(
            claim.hyperparameters and claim.certain for claim in result.claims
        ),
    ),
}
