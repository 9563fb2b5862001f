"""The report's sections on proposals: why the optimizer tried the best and the latest one."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.facts import fact
from hpo_explain.diagnostics.told import caution
from hpo_explain.explainers.proposal import why_unexplained
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.candidates import beside_candidates
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.run import Run
from hpo_explain.wording import format_value
from hpo_explain.wording import report as words
from hpo_explain.wording.contents import line
from hpo_explain.wording.numbers import number, signed
from hpo_explain.wording.proposal import absent, doubts

_LONG = 300


def _best_content(context: Context) -> Content:
    best = _best(context.run)
    return _content(context, best, lead=words.best_lead(context.run, best))


def _latest_content(context: Context) -> Content:
    latest = _latest(context.run)
    if latest is not None and latest == _best(context.run):
        raise NothingToExplain(fact("latest_is_best", trials=[latest]))
    return _content(context, latest, lead=words.latest_lead(context.run, latest))


def _latest(run: Run) -> int | None:
    """Return the latest proposal, one that runs before any that is finished; None without any."""
    running = [t for t in run.pending if run.without_result[t].explainable]
    return max(running or run.proposals or (), default=None)


def _best(run: Run) -> int | None:
    """Return the best proposal that can be explained (feasible ones first), None without any."""
    left = {*(run.proposals or ())}
    while left:
        best = run.best(sorted(left))
        if why_unexplained(run, best) is None:
            return best
        left.remove(best)
    return run.best(run.proposals) if run.proposals else None  # whose explanation says why not


def _content(context: Context, trial: int | None, *, lead: str) -> Content:
    result = context.proposal("latest" if trial is None else trial)
    body = render(
        "proposal.html.j2",
        lead=lead,
        sentence=result.sentence,
        doubts=doubts(result),
        caution=caution(result),
        plot=_figure(result),
        meanings=words.meanings(result),
        acquisition=result.subject.acquisition,
        terms=result.terms if len(result.terms) > 1 else (),
        has_intervals=result.standard_error is not None,
        has_model=result.model_std is not None,
        rows=_rows(result),
        payout=[_signed(result.payout[name], result) for name in _columns(result)],
        notes=result.notes,
        candidates=beside_candidates(context, result),
    )
    brief = f"Trial {result.trial}: {line(result)}"
    return Content(result.sentence, body, {f"proposal_{result.trial}": result.to_frame()}, brief)


def _figure(result: ProposalExplanation) -> Markup:
    payout = _signed(result.payout["total"], result)
    alt = f"{result.sentence} Contributions add up to {payout}."
    return figure(result.plot, alt=alt, caption=words.caption(result))


def _columns(result: ProposalExplanation) -> list[str]:
    return ["total", *(result.terms if len(result.terms) > 1 else ())]


def _signed(value: float, result: ProposalExplanation) -> str:
    payout = [abs(value) for value in result.payout.values()]
    return signed(value, max(*payout, float(np.abs(result.phi).max(initial=0.0))))


def _rows(result: ProposalExplanation) -> list[dict[str, object]]:
    """Return name, value and (contribution, half its interval) by column; what is inactive last."""
    half, model = result.half_width(), result.model_half_width()
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
                "value": format_value(result.config[name], width=_LONG)
                if active
                else absent(result, name),
                "active": active,
                "cells": cells,
                "model": "" if model is None else number(model[j, -1], 2),
            }
        )
    return rows


_HOW_TO_READ = (
    "An optimizer with a model tries what looks most desirable to that model; the bars divide how "
    "much more desirable this configuration looked than an average one among its hyperparameters. "
    "Bars to the right spoke for the proposed value, bars to the left against it."
)

BEST_PROPOSAL = Section(
    "best",
    "Why the best proposal?",
    _HOW_TO_READ,
    _best_content,
    folded=True,
    concerns=lambda run: run.proposes,
)
LATEST_PROPOSAL = Section(
    "latest",
    "Why the latest proposal?",
    _HOW_TO_READ,
    _latest_content,
    folded=True,
    concerns=lambda run: run.proposes,
)
