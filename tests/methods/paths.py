"""Paths made by hand."""

from dataclasses import replace

import numpy as np

from hpo_explain.methods.proposals.desirability_path_result import DesirabilityPath
from tests.handmade import explanation, subject_of


def path(
    phis,
    *,
    trials=None,
    names=None,
    each=None,
    **changes,
):
    """A path of proposals with these contributions (T, d, terms), the latest `T` of all trials."""
    phis = [np.asarray(phi, dtype=float) for phi in phis]
    trials = list(range(5, 5 + len(phis))) if trials is None else trials
    names = tuple(names or (f"x{j}" for j in range(len(phis[0]))))
    each = each or [{}] * len(phis)
    space = subject_of(names).space
    n = max(trials) + 1
    X = space.sample(n)
    known = {"tried": X, "incumbent": {}}
    explanations = tuple(
        explanation(phi, names=names, trial=trial, **{**known, **changes, **own})
        for phi, trial, own in zip(phis, trials, each, strict=True)
    )
    return DesirabilityPath(
        subject=replace(explanations[-1].subject, trial=None),
        explanations=explanations,
        observed=np.linspace(1, 0, n)[trials],
    )


def random_path(T, d, seed=0, **changes):
    return path(np.random.default_rng(seed).normal(size=(T, d, 2)), **changes)
