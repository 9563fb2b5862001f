"""The report's section on interactions: what acts together with what matters most."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from hpo_explain.explanations import InteractionStrength
from hpo_explain.facade import importance, interactions
from hpo_explain.plotting import plot_interaction_strength
from hpo_explain.reporting._around import applied, shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run

_POINTS = 50


@dataclass(frozen=True)
class WhatActsTogether:
    """The H-statistic of the most important hyperparameter with every other one."""

    anchor: str = "interactions"
    title: str = "What acts together?"
    how_to_read: str = (
        "A bar is the share of the joint effect of two hyperparameters that is beyond the sum of "
        "their own effects. A long one says that the best value of one depends on that of the "
        "other. It is relative: where both hardly matter, a long bar means little."
    )

    def content(self, run: Run) -> Content:
        """Return the interactions of the hyperparameter that matters most."""
        if len(run.space) < 2:
            raise NotApplicable("There is a single hyperparameter, so nothing can act together.")
        result = applied(run, partial(_strongest, run))
        plot = figure(
            partial(plot_interaction_strength, result),
            alt=result.sentence,
            caption=f"How strongly {result.focus} acts together with each other hyperparameter.",
        )
        return shown(
            "interactions",
            result,
            [plot],
            lead=f"{result.focus} is the hyperparameter that matters most alone.",
        )


def _strongest(run: Run) -> InteractionStrength:
    found = importance(run)
    largest = int(np.argmax(found.shares.mean(axis=0)))
    return interactions(run, found.names[found.members[largest][0]], sample=_POINTS)
