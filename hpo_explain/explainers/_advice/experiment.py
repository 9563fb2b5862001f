"""Experiment: the trials that would tell most, where too little is known to change anything."""

from __future__ import annotations

from hpo_explain.base.facts import fact
from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explanations.advice import Action


def experiment(analyses: Analyses) -> Action | None:
    """Return the trials that would narrow the most important effect most; None where unknown."""
    found = list(analyses.experiments)
    if not found:
        return None
    return Action(
        "experiment",
        tuple(found[0]),
        tuple(found[0].values()),
        evidence=(fact("tells_most", n=len(found)),),
        configurations=tuple(found),
    )
