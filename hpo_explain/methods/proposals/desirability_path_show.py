"""How a desirability path is drawn: contributions and payouts by trial."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import counted, listed, sentences, spans, told_apart
from hpo_explain.base.figures import Axis, Curves, Line, Note, Panels, View
from hpo_explain.methods.proposals.contributions_result import criterion
from hpo_explain.methods.proposals.desirability_path_result import DesirabilityPath

_MOST_CRITERIA = 3


def contributions(path: DesirabilityPath) -> Panels:
    """Draw the contributions by trial, a panel per hyperparameter, the largest first.

    The dark line is the contribution to the whole acquisition; thinner lines are the terms. An
    upright line marks the trial from which the mean led, not uncertainty. Lines are broken where
    the hyperparameter is inactive. Proposals of several criteria, whose units differ, are drawn as
    shares.
    """
    shares, scale = len(path.acquisitions) > 1, np.ones((len(path), 1))
    if shares:
        whole = np.abs(path.total).sum(axis=1, keepdims=True)
        scale = np.where(whole > 0.0, whole, 1.0)
    active = np.stack([e.active for e in path.explanations])
    terms = path.terms if len(path.terms) > 1 else ()  # the only one is the total
    looks = ["total", *map(str, range(len(terms)))]
    series = [
        np.where(active, values / scale, np.nan)
        for values in (path.total, *np.moveaxis(path.phi, 2, 0))
    ]
    order = np.argsort(-np.nan_to_num(np.abs(series[0])).mean(axis=0), kind="stable").tolist()
    order = [j for j in order if active[:, j].any()]
    shown = order[: Panels.FEW] or [0]
    smaller = [path.names[j] for j in order if j not in shown]
    never = [name for j, name in enumerate(path.names) if j not in order]
    turns = {
        name: [Note(turn.trial, f"from {turn.trial}")]
        for name, turn in path.turns.items()
        if turn.certain
    }
    return Panels(
        panels=[
            Curves(
                heading=path.names[j],
                x=Axis(label="trial", whole=True),
                y=Axis(label="share of all contributions" if shares else "contribution"),
                lines=[
                    Line(path.trials.astype(float), values[:, j], look=look)
                    for look, values in zip(looks, series, strict=False)
                ],
                levels=[(0.0, "zero")],
                notes=turns.get(path.names[j], []),
            )
            for j in shown
        ],
        same_x=True,
        heading=_asked(path),
        subtitle="Above 0 a value made the proposal more desirable than an average configuration.",
        means={
            **dict(zip(looks, ("total", *terms), strict=True)),
            "turn": "the mean outweighs uncertainty from here on",
        },
        footer=sentences(
            _footer(path, shares=shares),
            smaller and f"Smaller, without a panel: {listed(smaller)}.",
            never and f"Inactive in every proposal: {listed(never)}.",
        ),
    )


def _asked(path: DesirabilityPath) -> str:
    """Return the question, and whose acquisition functions answer it."""
    one = len(path) == 1
    question = f"Why {'trial' if one else 'trials'} {spans(path.trials)}?"
    each = {e.acquisition: e.subject for e in reversed(path.explanations)}
    through = listed([criterion(each[name]) for name in path.acquisitions], _MOST_CRITERIA)
    assumed = [e.assumed for e in path.explanations]
    seen = "it" if one else "them"
    if all(assumed):
        return f"{question} As {through} would have seen {seen} (assumed)"
    if any(assumed):
        return f"{question} Through {through} (partly assumed)"
    return f"{question} As {path.optimizer} saw {seen}: {through}"


def _footer(path: DesirabilityPath, *, shares: bool) -> str:
    """Say what is not drawn."""
    conditional = any(not e.active.all() for e in path.explanations)
    return sentences(
        shares
        and "Criteria have different units, so contributions are divided by the sum of the "
        "proposal's absolute contributions.",
        conditional and "A line is broken where the hyperparameter is inactive.",
        told_apart(n for n in path.notes if n.kind == "proposals_left_out"),
    )


# ---------------------------------------------------------------------- payouts


def payouts(path: DesirabilityPath) -> Panels:
    """Draw prediction, average and between them the payout by trial: a panel per term.

    Each panel has its own scale; in all of them up is more desirable. The total comes first, one
    for each criterion, whose lines are broken where another one proposed.
    """
    kinds = dict.fromkeys(
        (e.acquisition, term)
        for e in path.explanations
        # the only term is the total
        for term in ("total", *(e.own_terms if len(e.own_terms) > 1 else ()))
    )
    sizes = sorted({e.background_size for e in path.explanations} - {0})
    size = " to ".join(map(str, dict.fromkeys(sizes[:1] + sizes[-1:])))
    return Panels(
        panels=[_payout(path, *kind) for kind in kinds],
        same_x=True,
        same_y=False,
        heading=f"Payouts of {counted(len(path), 'proposal')} by {', '.join(path.acquisitions)}",
        subtitle="Up is more desirable. The payout is what the contributions add up to.",
        means={"main": "the proposal", "doubt": "average configuration", "band": "payout"},
        footer=sentences(
            "Each panel has its own scale.",
            size and f"The average is over a background of {size} configurations.",
            len(path.acquisitions) > 1 and "Lines are broken where another criterion proposed.",
        ),
    )


def _payout(path: DesirabilityPath, acquisition: str, term: str) -> Curves:
    here, mean = np.full((2, len(path)), np.nan)
    for i, e in enumerate(path.explanations):
        if e.acquisition == acquisition:
            here[i], mean[i] = e.prediction[term], e.baseline[term]
    x, apart = path.trials.astype(float), here - mean
    payout = np.stack([np.maximum(apart, 0.0), np.maximum(-apart, 0.0)])
    return Curves(
        heading=f"total: {acquisition}" if term == "total" else term,
        x=Axis(label="trial", whole=True),
        y=Axis(label="utility"),
        lines=[Line(x, here, payout), Line(x, mean, look="doubt")],
    )


# ---------------------------------------------------------------------- predictions


def predictions(path: DesirabilityPath) -> Panels:
    """Draw the objective of every proposal, and the mean and the std that were predicted of it."""
    table = path.predictions()
    headings = {"objective": "reached", "mean": "predicted mean", "std": "predicted std"}
    return Panels(
        panels=[
            Curves(
                heading=heading,
                x=Axis(label="trial", whole=True),
                y=Axis(label=path.objective_name),
                lines=[Line(path.trials.astype(float), table[name].to_numpy())],
            )
            for name, heading in headings.items()
            if name == "objective" or table[name].notna().any()
        ],
        same_x=True,
        same_y=False,
        heading=f"What was predicted of {counted(len(path), 'proposal')}, each by its own model",
        footer="Lines are broken where a proposal has no result or no model."
        if table[[*headings]].isna().any(axis=None)
        else "",
    )


VIEWS = {
    "": View(
        contributions,
        "Contributions of each hyperparameter to the proposals' desirability, by trial.",
    ),
    "payouts": View(
        payouts, "Prediction and average of each term, by trial.", shown_if=lambda _: False
    ),
    "predictions": View(
        predictions, "Objective, predicted mean and std, by trial.", shown_if=lambda _: False
    ),
}
