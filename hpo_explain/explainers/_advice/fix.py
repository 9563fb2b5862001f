"""Fix: keep what does not matter at the incumbent's values."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from hpo_explain.base.facts import fact
from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.changes import change
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explanations.advice import Action
from hpo_explain.space import CategoricalParameter, Parameter


def fix(analyses: Analyses, prospects: Prospects, others: Collection[str]) -> Action | None:
    """Return what can stay fixed; None where nothing can for certain.

    What can stay fixed can do so together only: none is where one of them is widened.
    """
    fixed = {
        name: value
        for claim in analyses.subspace.claims
        if claim.kind == "fix" and claim.certain
        for name, value in zip(claim.hyperparameters, claim.values, strict=True)
    }
    if not fixed or fixed.keys() & {*others}:
        return None
    space = analyses.run.space
    parameters = [only(space[name], value) for name, value in fixed.items()]
    return change("fix", parameters, prospects, [fact("little_lost", names=fixed)], certain=True)


def only(parameter: Parameter, value: Any) -> Parameter:
    """Return a hyperparameter with a single value."""
    if isinstance(parameter, CategoricalParameter):
        return replace(parameter, choices=[value])
    return replace(parameter, low=value, high=value)
