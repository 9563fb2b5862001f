"""The report's section on LIME: a model one can read around the best configuration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from hpo_explain.facade import lime
from hpo_explain.plotting import plot_lime
from hpo_explain.reporting._around import applied, shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.section import Content
from hpo_explain.run import Run


@dataclass(frozen=True)
class WhatWouldChangeIt:
    """A sparse linear model in place of the surrogate around the incumbent."""

    anchor: str = "lime"
    title: str = "What would change it?"
    how_to_read: str = (
        "A bar is how much the prediction changes, by a linear model fitted around the best "
        "configuration, when a number goes from one end of its range to the other or a category is "
        "replaced by another one. R² says how well that model agrees with the surrogate: near 1 "
        "the bars can be read, below one half they cannot."
    )

    def content(self, run: Run) -> Content:
        """Return the effects of a linear model around the incumbent, with its fidelity."""
        result = applied(run, partial(lime, run))
        plot = figure(
            partial(plot_lime, result),
            alt=result.sentence,
            caption=f"Effects on the {result.explained}, by a linear model around "
            f"{result.subject}.",
        )
        return shown("lime", result, [plot], caution=result.caution)
