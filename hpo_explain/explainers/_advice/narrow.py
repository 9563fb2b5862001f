"""Narrow: search on without the values with which nothing better can be reached."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.changes import change
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explanations.advice import Action
from hpo_explain.explanations.recommended_space import Recommendation


def narrow(analyses: Analyses, prospects: Prospects, others: Collection[str]) -> Action | None:
    """Return what to give up of which hyperparameters; None where nothing is for certain.

    Those named otherwise, which are widened or fixed, stay as they are.
    """
    whole = analyses.recommended_space
    rows = [replace(r, kept=1.0) if r.hyperparameter in others else r for r in whole.rows]
    found: Recommendation = replace(whole, rows=tuple(rows))
    certain = [claim for claim in found.claims if claim.estimate < 1.0 and claim.certain]
    names = [claim.hyperparameters[0] for claim in certain]
    kept = [found.space[name] for name in names if name in found.space.names]
    if not kept:
        return None
    because = [reason for claim in certain for reason in claim.because]
    return change("narrow", kept, prospects, because, certain=True)
