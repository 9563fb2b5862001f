"""The report's section on ablation: which changes led to the best configuration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from hpo_explain.facade import ablation
from hpo_explain.plotting import plot_ablation, plot_ablation_shares
from hpo_explain.reporting._around import applied, shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.section import Content
from hpo_explain.run import Run


@dataclass(frozen=True)
class WhatMadeTheDifference:
    """Which changes lead from the first trial to the best one."""

    anchor: str = "ablation"
    title: str = "Which changes made the difference?"
    how_to_read: str = (
        "From top to bottom one value after the other is changed from that of the source to that "
        "of the target, always the one that improves the prediction most; the length of a stair is "
        "what it gains. Where changes act together, the order decides what each seems worth: "
        "averages over all orders, the hatched bars under it, are then the fair shares."
    )

    def content(self, run: Run) -> Content:
        """Return the path from the first trial to the incumbent, and the fair shares."""
        result = applied(run, partial(ablation, run))
        plots = [
            figure(
                partial(plot_ablation, result),
                alt=result.sentence,
                caption=f"The {result.explained} along the path from {result.ends}.",
            )
        ]
        if result.order_matters:
            plots.append(
                figure(
                    partial(plot_ablation_shares, result),
                    alt="Gains of the steps beside their Shapley values.",
                    caption="What each change gained when it was made, beside its Shapley value.",
                )
            )
        return shown("ablation", result, plots)
