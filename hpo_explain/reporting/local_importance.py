"""The report's section on local importance: what matters around the best configuration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from hpo_explain.facade import local_importance
from hpo_explain.reporting._around import applied, shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.section import Content
from hpo_explain.run import Run
from hpo_explain.wording.subject import explained


@dataclass(frozen=True)
class WhatMattersAround:
    """How much the prediction varies along each hyperparameter around the incumbent."""

    anchor: str = "local-importance"
    title: str = "What matters around the best configuration?"
    how_to_read: str = (
        "All values stay those of the best configuration but one, which takes all of its values in "
        "turn: a long bar says that the prediction depends much on this hyperparameter here. What "
        "matters over the whole space may matter little here, and the other way round."
    )

    def content(self, run: Run) -> Content:
        """Return the shares of the variance around the incumbent."""
        result = applied(run, partial(local_importance, run))
        plot = figure(
            result.plot,
            alt=result.sentence,
            caption=f"Variance of the {explained(result.subject)} along single hyperparameters.",
        )
        return shown("local_importance", result, [plot])
