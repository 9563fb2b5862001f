"""The report's sections on proposals: why the optimizer tried the best and the latest one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from markupsafe import Markup

from hpo_explain.explainers.path import why_unexplained
from hpo_explain.explanations import ProposalExplanation, format_value
from hpo_explain.facade import explain_proposal
from hpo_explain.plotting import plot_proposal
from hpo_explain.plotting._text import number, signed
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.candidates import beside_candidates
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run
from hpo_explain.wording.trust import caution

_HOW_TO_READ = (
    "An optimizer with a model tries what looks most desirable to that model; the bars divide how "
    "much more desirable this configuration looked than an average one among its hyperparameters. "
    "Bars to the right spoke for the proposed value, bars to the left against it."
)
_MEANINGS = {
    "mean": "the model predicts a better {objective} with this value",
    "uncertainty": "the model is unsure about such configurations, so there is something to learn",
    "exploitation": "the model predicts a better {objective} with this value",
    "exploration": "the model is unsure about such configurations, so there is something to learn",
    "good": "such a value is common among good trials (log l, larger than on average)",
    "bad": "such a value is rare among the other trials (−log g, larger than on average)",
}
_LONG = 300


@dataclass(frozen=True)
class BestProposal:
    """Why the optimizer tried the best of its proposals."""

    anchor: str = "best"
    title: str = "Why the best proposal?"
    how_to_read: str = _HOW_TO_READ

    def content(self, run: Run) -> Content:
        """Return the explanation of the best proposal, and say so if a better trial is none."""
        best = _best(run)
        return _content(run, best, lead=_best_lead(run, best))


@dataclass(frozen=True)
class LatestProposal:
    """Why the optimizer tried its latest proposal."""

    anchor: str = "latest"
    title: str = "Why the latest proposal?"
    how_to_read: str = _HOW_TO_READ

    def content(self, run: Run) -> Content:
        """Return the explanation of the latest proposal, unless it is the best as well."""
        latest = max(run.proposals or (), default=None)
        if latest is not None and latest == _best(run):
            raise NotApplicable(
                f"The latest proposal, trial {latest}, is the best of the proposals as well; it "
                "is explained above."
            )
        return _content(run, latest, lead=f"Trial {latest} is the latest proposal.")


def _best(run: Run) -> int | None:
    """Return the best proposal that can be explained (feasible ones first), None without any."""
    left = {*(run.proposals or ())}
    while left:
        best = run.best(sorted(left))
        if not why_unexplained(run, best):
            return best
        left.remove(best)
    return run.best(run.proposals) if run.proposals else None  # which says why it cannot be


def _best_lead(run: Run, best: int | None) -> str:
    if not np.any(run.feasible):
        return f"No trial is feasible; trial {best} is the best of the proposals."
    if best == run.incumbent_trial:
        return f"Trial {best} is the best of the run."
    if run.incumbent_trial in (run.proposals or ()):
        return (
            f"The best of the run is trial {run.incumbent_trial}, before which too little was "
            f"known for a model. Trial {best} is the best of the proposals that can be explained."
        )
    return (
        f"The best of the run is trial {run.incumbent_trial}, which is no proposal (it belongs to "
        f"the initial design, or was set by hand), so there is no reason to explain. Trial {best} "
        "is the best of the proposals."
    )


def _content(run: Run, trial: int | None, *, lead: str) -> Content:
    try:
        result = explain_proposal(run, "latest" if trial is None else trial)
    except ValueError as error:
        raise NotApplicable(str(error)) from error
    sentence = result.sentence
    body = render(
        "proposal.html.j2",
        lead=lead,
        sentence=sentence,
        caution=caution(result.trust),
        plot=_figure(result),
        meanings=[
            (term, _MEANINGS[term].format(objective=result.objective_name))
            for term in result.terms
            if term in _MEANINGS
        ],
        acquisition=result.acquisition,
        terms=result.terms if len(result.terms) > 1 else (),
        has_intervals=result.standard_error is not None,
        rows=_rows(result),
        payout=[_signed(result.payout[name], result) for name in _columns(result)],
        notes=result.notes,
        candidates=beside_candidates(run, result),
    )
    return Content(sentence, body, {f"proposal_{result.trial}": result.to_frame()})


def _figure(result: ProposalExplanation) -> Markup:
    whose = "an assumed acquisition function" if result.assumed else "its acquisition function"
    caption = (
        f"How much each proposed value added to {whose}, {result.acquisition}, compared with the "
        "average over the search space."
    )
    payout = _signed(result.payout["total"], result)
    alt = f"{result.sentence} Contributions add up to {payout}."
    return figure(partial(plot_proposal, result), alt=alt, caption=caption)


def _columns(result: ProposalExplanation) -> list[str]:
    return ["total", *(result.terms if len(result.terms) > 1 else ())]


def _signed(value: float, result: ProposalExplanation) -> str:
    payout = [abs(value) for value in result.payout.values()]
    return signed(value, max(*payout, float(np.abs(result.phi).max(initial=0.0))))


def _rows(result: ProposalExplanation) -> list[dict[str, object]]:
    """Return name, value and (contribution, half its interval) by column; what is inactive last."""
    half = result.half_width()
    rows: list[dict[str, object]] = []
    for j in sorted(result.order(), key=lambda j: not result.active[j]):
        name = result.names[j]
        cells = []
        for column in _columns(result):
            t = -1 if column == "total" else result.terms.index(column)
            value = result.total[j] if column == "total" else result.phi[j, t]
            error = "" if half is None else number(half[j, t], 2)
            cells.append((_signed(value, result), error))
        active = bool(result.active[j])
        rows.append(
            {
                "name": name,
                "value": format_value(result.config[name], width=_LONG) if active else "inactive",
                "active": active,
                "cells": cells,
            }
        )
    return rows
