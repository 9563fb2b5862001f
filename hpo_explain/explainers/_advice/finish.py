"""Stop, or go on: what is still to gain, and what the last trials brought."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.improvement import Candidates, recent
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explanations.advice import Action
from hpo_explain.run import KnowsRegret, Run

_NEGLIGIBLE = 0.001  # share of the spread: below, another trial brings nothing
_LITTLE = 0.01  # and all further ones
_LATELY, _LONG = 0.25, 0.5  # shares of the trials


def stop(analyses: Analyses, candidates: Candidates, prospects: Prospects) -> Action | None:
    """Return that nothing is left to gain; None where something is, or was lately."""
    place = candidates.most_promising()
    improved, brought = recent(analyses.run, _LONG)
    if place is None or improved or not analyses.trust.good_region.enough:
        return None
    if candidates.relative(place) >= _NEGLIGIBLE:
        return None
    expected, bound = prospects.left(candidates.rows)
    if bound >= _LITTLE * candidates.spread:
        return None
    left = _left(analyses.run, expected, bound)
    return Action(
        "stop",
        gain=0.0,
        interval=(0.0, bound),
        certain=True,
        evidence=(brought, *left, candidates.reason(place)),
    )


def go_on(
    analyses: Analyses,
    candidates: Candidates | None,
    prospects: Prospects | None,
    because: Sequence[Fact] = (),
) -> Action:
    """Return that nothing can be changed for certain, and what is expected of further trials."""
    constant = not np.ptp(analyses.run.objective)
    level = analyses.trust.level
    evidence = [fact("nothing_to_change", level=level, constant=constant), *because]
    if candidates is None or prospects is None:
        return Action("go_on", evidence=tuple(evidence))
    evidence.append(recent(analyses.run, _LATELY)[1])
    if not analyses.trust.good_region.enough:
        return Action("go_on", evidence=tuple(evidence))
    expected, bound = prospects.left(candidates.rows)
    return Action(
        "go_on",
        gain=expected,
        interval=(0.0, bound),
        evidence=(*evidence, *_left(analyses.run, expected, bound)),
    )


def _left(run: Run, expected: float, bound: float) -> list[Fact]:
    """Return what is still to gain, under our model and by the framework's own bound."""
    found = [fact("still_to_gain", objective=run.objective_name, expected=expected, bound=bound)]
    if isinstance(run.record, KnowsRegret) and np.asarray(run.feasible).all():
        regret = run.record.regret_bound(np.asarray(run.trials).tolist(), run.objective)
        if regret is not None:
            found.append(fact("regret_bound", bound=regret))
    return found
