"""The result of functions drawn from a posterior."""

from __future__ import annotations

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.subject import Subject
from hpo_explain.explainers._latent_forest import LatentForest
from hpo_explain.explainers._share_intervals import credible
from hpo_explain.explanations.fanova import Axis, FanovaImportance
from hpo_explain.models._latent_means import MOST_CATEGORIES, nodes_of, of_many_categories
from hpo_explain.models.anova import NODES
from hpo_explain.models.protocols import AnovaDraws
from hpo_explain.space import SearchSpace


def of_draws(subject: Subject, draws: AnovaDraws, seed: int) -> FanovaImportance:
    """Return draws of the functional ANOVA as a result.

    Parameters
    ----------
    subject : Subject
        What is explained.
    draws : AnovaDraws
        The draws.
    seed : int
        Seed of the sample that estimates where hyperparameters are active.
    """
    activity = LatentForest(subject, (), {}).activity(seed)
    axes = []
    for j, parameter in enumerate(subject.space.parameters):
        at = nodes_of(parameter, NODES[1]).positions
        at = at[~np.isnan(at)]
        axes.append(Axis(tuple(parameter.decode(at)), at, float(activity[j])))
    note = fact("shares_drawn", draws=len(draws.shares), kernels=draws.functions.kernels)
    return FanovaImportance(
        subject=subject,
        order=len(draws.members[-1]),
        members=draws.members,
        rows="draws",
        shares=draws.shares,
        variances=draws.variances,
        axes=tuple(axes),
        intervals=credible(draws),
        functions=draws.functions,
        drawn_totals=draws.totals,
        notes=(note, *_counted(subject.space), *subject.notes),
    )


def _counted(space: SearchSpace) -> tuple[Fact, ...]:
    """Return of which hyperparameters not every category is counted by itself; empty if of none."""
    names = [space.names[j] for j in of_many_categories(space)]
    return (fact("categories_counted", names=names, most=MOST_CATEGORIES),) if names else ()
