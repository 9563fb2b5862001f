"""How contributions at one configuration are drawn: to a proposal, or to a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base.figures import Bar, Dots, Rows, View, folded
from hpo_explain.base.numbers import number, signed
from hpo_explain.base.phrases import counted
from hpo_explain.methods.proposals.contributions_result import (
    NEXT,
    PredictionExplanation,
    ProposalExplanation,
    criterion,
)
from hpo_explain.space import Array

_MOST_INACTIVE = 3
_NEGLIGIBLE = (
    1e-12  # of the values that were subtracted: rounding, not a contribution
)
_MODEL = (
    " Pale lines: 95 % interval of what the model does not know. Contributions go together: where "
    "such lines overlap, one can still be larger than the other."
)


def bars(found: Any) -> Rows:
    """Draw the contributions, the largest on top: a bar per term, and a diamond for their total.

    Whiskers are 95 % intervals of integrating over the background, pale lines behind those of a
    prediction what the trials allow. More than 20 hyperparameters are folded: the last row is the
    sum of the others, whose errors are not independent, so that it has no interval.
    """
    kept, rest = folded([j for j in found.order().tolist() if found.active[j]])
    labels: list[tuple[str, ...]] = [
        (found.names[j], f"= {found.value(j)}") for j in kept
    ]
    if rest:
        labels.append((f"{len(rest)} others (sum)",))
    of = (
        _of_proposal
        if isinstance(found, ProposalExplanation)
        else _of_prediction
    )
    words = of(found, kept, rest)
    quiet = words.pop("inactive", [])
    whiskers = whiskers_of(found.background_size, known=found.half is not None)
    footer = f"{whiskers}{words.pop('besides')}"
    labels += [(text,) for text in quiet]
    return Rows(labels=labels, quiet=len(quiet), footer=footer, **words)


def whiskers_of(size: int, *, known: bool) -> str:
    """Say what whiskers of contributions are: the error of averaging over the background."""
    if not known:
        return "No intervals: the background was given."
    return (
        f"Whiskers: 95 % interval of averaging over a background of "
        f"{counted(size, 'configuration')}; it is not the model's uncertainty."
    )


def _at(half: Array | None, *place: int) -> float | None:
    return None if half is None else float(half[place])


def total_marks(total: Array, half: Array | None) -> dict[str, Any]:
    """Return diamonds for the totals of rows, with their whiskers, and what they mean."""
    marks = Dots(
        x=total, y=np.arange(len(total), dtype=float), half=half, look="total"
    )
    return {"dots": [marks], "means": {"total": "total"}}


def _of_proposal(
    found: ProposalExplanation, kept: list[int], rest: list[int]
) -> dict[str, Any]:
    half, terms = found.half_width(), range(len(found.terms))
    made = [
        Bar(i, 0.0, float(found.phi[j, t]), _at(half, j, t), t)
        for i, j in enumerate(kept)
        for t in terms
    ]
    totals, ends = found.total[kept], None if half is None else half[kept, -1]
    if rest:
        made += [
            Bar(len(kept), 0.0, float(found.phi[rest, t].sum()), place=t)
            for t in terms
        ]
        totals = np.append(totals, found.total[rest].sum())
        ends = None if ends is None else np.append(ends, np.nan)
    none = [name for name in found.names if name not in found.config]
    inactive = [name for name in none if name not in found.not_chosen]
    told = [f"{name}: inactive" for name in inactive]
    if len(inactive) > _MOST_INACTIVE:
        told = [f"{len(inactive)} inactive"]
    sum_of = " None is known for a sum." * (bool(rest) and half is not None)
    return {
        "bars": made,
        "heading": _why(found),
        "subtitle": _payout(found),
        "label": f"contribution to {found.acquisition}: right is more desirable",
        "besides": sum_of + _missed(found),
        "fills": dict(enumerate(found.terms)),
        "inactive": [
            *(f"{name}: not chosen" for name in found.not_chosen),
            *told,
        ],
        "negligible": _NEGLIGIBLE
        * max(map(abs, found.prediction.values()), default=0.0),
        **(total_marks(totals, ends) if len(terms) > 1 else {}),
    }


def _why(found: ProposalExplanation) -> str:
    """Return the question, and whose acquisition function answers it."""
    about, later = found.subject, found.subject.state in NEXT
    asked = f"Why {found.where}{' next, or why not' * later}?"
    if about.assumed:
        would = "would see" if later else "would have seen"
        return f"{asked} As {criterion(about)} {would} it (assumed)"
    return f"{asked} As {about.optimizer} {'sees' if later else 'saw'} it: {criterion(about)}"


def _payout(found: ProposalExplanation) -> str:
    """Return payout and prediction."""
    text = f"{found.judged} {found.compared}"
    here, mean = found.objective_prediction, found.objective_baseline
    if here is None or mean is None:
        return text
    gap, better = (
        here["mean"] - mean["mean"],
        "lower" if found.direction == "minimize" else "higher",
    )
    return (
        f"{text}\npredicted {found.objective_name} {number(here['mean'], 3, apart=gap)} (sd "
        f"{number(here['std'], 2)}), on average {number(mean['mean'], 3, apart=gap)} "
        f"({better} is better)"
    )


def _missed(found: ProposalExplanation) -> str:
    """Say what the contributions miss of the payout, where it is more than rounding."""
    gap, scale = found.efficiency_gap["total"], abs(found.payout["total"])
    if abs(gap) <= 1e-6 * max(
        scale, float(np.abs(found.total).max(initial=0.0))
    ):
        return ""
    return f" The contributions miss {signed(gap, max(scale, abs(gap)))} of the payout."


def _of_prediction(
    found: PredictionExplanation, kept: list[int], rest: list[int]
) -> dict[str, Any]:
    half, model = found.half_width, found.model_half_width
    sign = 1.0 if found.subject.lower_is_better else -1.0
    made = [(float(found.phi[j]), _at(half, j), _at(model, j)) for j in kept]
    made += [(float(found.phi[rest].sum()), None, None)] if rest else []
    inactive, gap = (
        int((~found.active).sum()),
        found.prediction - found.baseline,
    )
    fills = [int(sign * value > 0.0) for value, _, _ in made]
    there = {
        fill for fill, (value, _, _) in zip(fills, made, strict=True) if value
    }
    return {
        "bars": [
            Bar(i, 0.0, value, half, fill=fills[i], model=model)
            for i, (value, half, model) in enumerate(made)
        ],
        "heading": f"Why is this {found.objective_name} predicted for {found.where}?",
        "subtitle": f"predicted {number(found.prediction, apart=gap)}, on average "
        f"{number(found.baseline, apart=gap)}: the bars add up to the difference",
        "label": contribution_to(found),
        "fills": {
            k: what for k, what in enumerate(("better", "worse")) if k in there
        },
        "besides": _MODEL * (model is not None)
        + f" Not shown: {inactive} inactive." * bool(inactive),
        "negligible": _NEGLIGIBLE
        * max(abs(found.prediction), abs(found.baseline)),
    }


def contribution_to(found: Any) -> str:
    """Return the label of an axis of contributions to a prediction."""
    side = "left" if found.subject.lower_is_better else "right"
    return f"contribution to the {found.what}: {side} is better"


VIEWS = {
    "": View(
        bars,
        "What each value adds to the {found.what}, compared with the average over the background.",
    ),
}
