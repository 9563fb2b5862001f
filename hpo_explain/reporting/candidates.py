"""What the report adds where a sampler chose among draws of its own: those draws, and densities."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.methods.proposals.densities_result import ProposalDensities
from hpo_explain.models.densities.ratio import DensityRatio
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.wording.numbers import signed
from hpo_explain.wording.plots import not_shown

_MOST_CURVES = 9


def beside_candidates(context: Context, result: ProposalExplanation) -> Markup:
    """Return the same proposal compared with the sampler's own candidates; empty without any."""
    if result.subject.assumed or result.trial is None:
        return Markup("")
    own = context.run.own_acquisition(result.trial)
    if own is None or not isinstance(own.acquisition, DensityRatio):
        return Markup("")
    other = context.against_candidates(result.trial)
    scale = max(abs(result.payout["total"]), abs(other.payout["total"]))
    uniform, drawn = (signed(e.payout["total"], scale) for e in (result, other))
    plot = figure(
        other.plot,
        alt=f"Compared with candidates: {other.sentence} Contributions add up to {drawn}.",
        caption="The same proposal, compared with candidates drawn from the density of good trials "
        "instead of the average over the search space.",
    )
    densities = Markup("")
    if isinstance(own.acquisition, DensityRatio):
        densities = _densities(context.densities(result.trial))
    return render(
        "candidates.html.j2", uniform=uniform, drawn=drawn, plot=plot, densities=densities
    )


def _densities(found: ProposalDensities) -> Markup:
    """Return the plot of the densities, of the hyperparameters that tell most."""
    order = found.order()[:_MOST_CURVES]
    if not order:
        return Markup("")
    shown = replace(found, curves=tuple(found.curves[i] for i in sorted(order)))
    left_out = len(found.curves) - len(shown.curves)
    caption = "Where good trials were, and where the others, when this was proposed."
    if left_out:
        caption += " Those in which the proposed value differs most."
        caption += not_shown(left_out, "other", "others")
    return figure(shown.plot, alt=found.sentence, caption=caption)
