"""Stop, or go on: what is still to gain, and what the last trials brought."""

from __future__ import annotations

from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.improvement import Candidates, recent
from hpo_explain.explanations import Action
from hpo_explain.facts import fact

_NEGLIGIBLE = 0.001  # share of the spread: below, another trial brings nothing
_LATELY, _LONG = 0.25, 0.5  # shares of the trials


def stop(analyses: Analyses, candidates: Candidates) -> Action | None:
    """Return that nothing is left to gain; None where something is, or was lately."""
    place = candidates.most_promising()
    improved, brought = recent(analyses.run, _LONG)
    if place is None or improved or not analyses.trust.good_region.enough:
        return None
    if candidates.relative(place) >= _NEGLIGIBLE:
        return None
    return Action("stop", gain=0.0, evidence=(brought, candidates.reason(place)))


def go_on(analyses: Analyses, candidates: Candidates | None) -> Action:
    """Return that nothing can be changed for certain, and what is expected of further trials."""
    evidence = [fact("nothing_to_change", level=analyses.trust.level)]
    if candidates is None:
        return Action("go_on", evidence=tuple(evidence))
    evidence.append(recent(analyses.run, _LATELY)[1])
    place = candidates.most_promising()
    if analyses.trust.good_region.enough and place is not None:
        evidence.append(candidates.reason(place))
    return Action("go_on", evidence=tuple(evidence))
