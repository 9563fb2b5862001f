"""How contributions at one configuration are drawn: to a proposal, or to a prediction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base import BETTER, ROUNDING, number, sentences, signed
from hpo_explain.base.figures import Bar, Dots, Rows, View
from hpo_explain.methods.proposals.contributions_result import (
    NEXT,
    PredictionExplanation,
    ProposalExplanation,
    criterion,
)

_MOST_INACTIVE = 3
_MODEL = (
    "Whiskers: 95 % intervals of the model's uncertainty. Contributions are correlated: one can be "
    "certainly larger than another although their whiskers overlap."
)


def bars(explanation: ProposalExplanation | PredictionExplanation) -> Rows:
    """Draw the contributions, the largest on top: a bar per term, and a diamond for their total.

    Whiskers of a prediction are 95 % intervals of what the trials allow. More than 20
    hyperparameters are folded: the last row is the sum of the others, which has no interval.
    """
    active = [j for j in explanation.order().tolist() if explanation.active[j]]
    shown, rest = Rows.folded(active)
    labels: list[tuple[str, ...]] = [
        (explanation.names[j], f"= {explanation.value(j)}") for j in shown
    ]
    if rest:
        labels.append((f"{len(rest)} others (sum)",))
    if isinstance(explanation, ProposalExplanation):
        return _of_proposal(explanation, labels, shown, rest)
    return _of_prediction(explanation, labels, shown, rest)


def _of_proposal(
    explanation: ProposalExplanation,
    labels: list[tuple[str, ...]],
    shown: list[int],
    rest: list[int],
) -> Rows:
    has_terms = len(explanation.terms) > 1
    made = [
        Bar(i, 0.0, float(explanation.phi[j, t]), place=t)
        for i, j in enumerate(shown)
        for t in range(len(explanation.terms))
    ]
    totals = explanation.total[shown]
    if rest:
        of_rest = explanation.phi[rest].sum(axis=0).tolist()
        made += [Bar(len(shown), 0.0, value, place=t) for t, value in enumerate(of_rest)]
        totals = np.append(totals, sum(of_rest))
    quiet = _without_value(explanation)
    return Rows(
        labels=[*labels, *((text,) for text in quiet)],
        quiet=len(quiet),
        bars=made,
        heading=_why(explanation),
        subtitle=_payout(explanation),
        label=f"contribution to {explanation.acquisition}: right is more desirable",
        footer=_missed(explanation),
        fills=dict(enumerate(explanation.terms)),
        negligible=ROUNDING * max(map(abs, explanation.prediction.values()), default=0.0),
        dots=[Dots(totals, np.arange(len(totals), dtype=float), look="total")] * has_terms,
        means={"total": "total"} if has_terms else {},
    )


def _without_value(explanation: ProposalExplanation) -> list[str]:
    """Return what is said of hyperparameters without a value."""
    without = [*explanation.not_chosen, *explanation.config]
    inactive = [name for name in explanation.names if name not in without]
    missing = [f"{name}: not chosen" for name in explanation.not_chosen]
    if len(inactive) > _MOST_INACTIVE:
        return [*missing, f"{len(inactive)} inactive"]
    return [*missing, *(f"{name}: inactive" for name in inactive)]


def _why(explanation: ProposalExplanation) -> str:
    """Return the question, and whose acquisition function answers it."""
    about, later = explanation.subject, explanation.subject.state in NEXT
    question = f"Why {explanation.where}{' next, or why not' * later}?"
    if about.assumed:
        would = "would see" if later else "would have seen"
        return f"{question} As {criterion(about)} {would} it (assumed)"
    return f"{question} As {about.optimizer} {'sees' if later else 'saw'} it: {criterion(about)}"


def _payout(explanation: ProposalExplanation) -> str:
    """Return payout and prediction."""
    text = f"{explanation.judged} {explanation.compared}"
    here, mean = (explanation.objective_prediction, explanation.objective_baseline)
    if here is None or mean is None:
        return text
    gap, better = (here["mean"] - mean["mean"], BETTER[explanation.direction])
    return (
        f"{text}\npredicted {explanation.objective_name} {number(here['mean'], 3, apart=gap)} (sd "
        f"{number(here['std'], 2)}), on average {number(mean['mean'], 3, apart=gap)} "
        f"({better} is better)"
    )


def _missed(explanation: ProposalExplanation) -> str:
    """Say what the contributions miss of the payout, where it is more than rounding."""
    gap, scale = (explanation.efficiency_gap["total"], abs(explanation.payout["total"]))
    if abs(gap) <= 1e-6 * max(scale, float(np.abs(explanation.total).max(initial=0.0))):
        return ""
    return f"The contributions miss {signed(gap, max(scale, abs(gap)))} of the payout."


def _of_prediction(
    explanation: PredictionExplanation,
    labels: list[tuple[str, ...]],
    shown: list[int],
    rest: list[int],
) -> Rows:
    half = explanation.model_half_width
    sign = explanation.subject.value_sign
    values = explanation.phi[shown].tolist()
    if rest:
        values.append(float(explanation.phi[rest].sum()))
    fills = [int(sign * value > 0.0) for value in values]
    made = [
        Bar(i, 0.0, value, fill=fill)
        for i, (value, fill) in enumerate(zip(values, fills, strict=True))
    ]
    for i, j in enumerate(shown):
        made[i] = replace(made[i], half=float(half[j]))
    inactive = int((~explanation.active).sum())
    gap = explanation.prediction - explanation.baseline
    there = {bar.fill for bar in made if bar.end}
    return Rows(
        labels=labels,
        bars=made,
        heading=f"Why is this {explanation.objective_name} predicted for {explanation.where}?",
        subtitle=f"predicted {number(explanation.prediction, apart=gap)}, on average "
        f"{number(explanation.baseline, apart=gap)}: the bars add up to the difference",
        label=contribution_to(explanation),
        footer=sentences(
            len(explanation.draws) > 1 and _MODEL,
            inactive and f"Not shown: {inactive} inactive.",
        ),
        fills={k: what for k, what in enumerate(("better", "worse")) if k in there},
        negligible=ROUNDING * max(abs(explanation.prediction), abs(explanation.baseline)),
    )


def contribution_to(result: Any) -> str:
    """Return the label of an axis of contributions to a prediction."""
    side = "left" if result.subject.lower_is_better else "right"
    return f"contribution to the {result.what}: {side} is better"


VIEWS = {
    "": View(
        bars,
        "What each value adds to the {found.what}, compared with the average over the background.",
    )
}
