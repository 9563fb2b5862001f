"""The report's sections on proposals: how the reasons changed; the best and the latest one."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.numbers import signed
from hpo_explain.base.phrases import spans
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.proposals.contributions_result import (
    ProposalExplanation,
)
from hpo_explain.methods.proposals.densities_result import ProposalDensities
from hpo_explain.models.densities.ratio import DensityRatio
from hpo_explain.reporting._render import estimates, figure, render
from hpo_explain.reporting._sections import shown
from hpo_explain.reporting.context import (
    Context,
    best_proposal,
    latest_proposal,
)
from hpo_explain.reporting.section import Content, Section
from hpo_explain.run import Run

_MOST_CURVES = 9
_MEANINGS = {
    "mean": "the {objective} that the model predicts with this value speaks for it",
    "uncertainty": "how unsure the model is with this value speaks for it",
    "good": "such a value is common among good trials (log l)",
    "bad": "such a value is rare among the other trials (−log g)",
    "noise": "results scatter less there than on average",
}
_LATEST_IS_BEST = declared_fact(
    "latest_is_best",
    "the latest proposal, trial {trials}, is the best of the proposals as well; "
    "it is explained above",
)


def _best_content(context: Context) -> Content:
    best = best_proposal(context.run)
    return _content(context, best, _best_lead(context.run, best))


def _latest_content(context: Context) -> Content:
    run = context.run
    latest = latest_proposal(run)
    if latest is not None and latest == best_proposal(run):
        raise NothingToExplain(_LATEST_IS_BEST(trials=[latest]))
    lead = f"Trial {latest} is the latest proposal."
    if latest in run.without_result:
        others = [t for t in run.running_at(None) if t != latest]
        lead += " It is running: it has no result yet."
        lead += f" Also running: {spans(others)}." if others else ""
    return _content(context, latest, lead)


def _best_lead(run: Run, best: int | None) -> str:
    """Say which trial is the best of the run, and which the best of the proposals."""
    if run.feasible is not None and not run.feasible.any():
        return (
            f"No trial is feasible; trial {best} is the best of the proposals."
        )
    if best == run.incumbent_trial:
        return f"Trial {best} is the best of the run."
    why, of = (
        "No model selected it: it belongs to the initial design, or was set by hand",
        "",
    )
    if run.incumbent_trial in (run.proposals or ()):
        why, of = (
            "Too little was known for a model before it",
            " that can be explained",
        )
    return (
        f"The best of the run is trial {run.incumbent_trial}. {why}. Trial {best} is the best of "
        f"the proposals{of}."
    )


def _content(context: Context, trial: int | None, lead: str) -> Content:
    result = context.proposal("latest" if trial is None else trial)
    payout = signed(result.payout["total"], result.payout["total"])
    plot = figure(
        result,
        alt=f"{result.sentence} Contributions add up to {payout}.",
        caption="How much each proposed value added to "
        f"{'an assumed' if result.assumed else 'its'} acquisition function, {result.acquisition}, "
        f"compared with the average over the search space. {_meanings(result)}",
    )
    candidates = _beside_candidates(context, result)
    name = f"proposal_{result.trial}"
    made = shown(name, result, [plot], lead=lead)
    first = result.claims[0]
    brief = (
        made.brief
        if first.side == "below"
        else f"Trial {result.trial}: {first.text}."
    )
    return replace(made, body=made.body + candidates, brief=brief)


def _meanings(result: ProposalExplanation, where: str = "To the right") -> str:
    """Say what the terms mean where they are positive."""
    told = [
        f"{term}: {_MEANINGS[term].format(objective=result.objective_name)}"
        for term in result.terms
        if term in _MEANINGS
    ]
    return f"{where}, {'; '.join(told)}." if told else ""


def _beside_candidates(
    context: Context, result: ProposalExplanation
) -> Markup:
    """Return the same proposal compared with the sampler's own candidates; empty without any."""
    if result.assumed or result.trial is None:
        return Markup("")
    own = context.run.own_acquisition(result.trial)
    if own is None or not isinstance(own.acquisition, DensityRatio):
        return Markup("")
    other = context.against_candidates(result.trial)
    scale = max(abs(result.payout["total"]), abs(other.payout["total"]))
    uniform, drawn = (
        signed(e.payout["total"], scale) for e in (result, other)
    )
    plot = figure(
        other,
        alt=f"Compared with candidates: {other.sentence} Contributions add up to {drawn}.",
        caption="The same proposal, compared with candidates drawn from the density of good trials "
        "instead of the average over the search space.",
    )
    densities = _densities(context.densities(result.trial))
    return render(
        "candidates.html.j2",
        uniform=uniform,
        drawn=drawn,
        plot=plot,
        densities=densities,
    )


def _densities(found: ProposalDensities) -> Markup:
    """Return the plot of the densities, of the hyperparameters that tell most."""
    order = found.order()[:_MOST_CURVES]
    if not order:
        return Markup("")
    drawn = replace(
        found, curves=tuple(found.curves[i] for i in sorted(order))
    )
    caption = (
        "Where good trials were, and where the others, when this was proposed."
    )
    left_out = len(found.curves) - len(drawn.curves)
    if left_out:
        caption += f" Those in which the proposed value differs most; not shown: {left_out}."
    return figure(drawn, alt=found.sentence, caption=caption)


def _path_content(context: Context) -> Content:
    path = context.path
    plot = figure(
        path,
        alt=path.sentence,
        caption="Contributions of each hyperparameter to the proposals' desirability, by trial. "
        f"{_meanings(path.explanations[-1], 'Above zero')}",
    )
    told = replace(path, notes=(*context.path_notes, *path.notes))
    lead = (
        "This is about the optimizer's choices. What weighs much here may matter little to the "
        "objective, and the other way round."
    )
    tables = {
        "path": estimates(path.to_frame()),
        "predictions": path.predictions(),
    }
    return replace(shown("path", told, [plot], lead=lead), tables=tables)


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
PATH = Section(
    "path",
    "How did the reasons change?",
    "Each panel follows one hyperparameter from proposal to proposal: above zero its proposed "
    "value made the configuration more desirable than an average one, below zero less. The black "
    "line is the whole contribution, the colored ones are its parts. Where a part is uncertainty "
    "and leads, the optimizer explores that hyperparameter; where the predicted objective leads, "
    "it exploits what it knows.",
    _path_content,
    concerns=lambda run: run.proposes,
)
