"""The report's first tab where there are several runs: them side by side."""

from __future__ import annotations

from collections.abc import Mapping

from hpo_explain import methods
from hpo_explain.catalog.methods import COMPARE
from hpo_explain.reporting._sections import figures_of, shown
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.run import Run
from hpo_explain.space import Shared


def comparable(runs: Mapping[str, Run]) -> bool:
    """Return whether runs share a hyperparameter, so that they can be compared."""
    return Shared.of([run.space for run in runs.values()]).space is not None


def comparison_section(runs: Mapping[str, Run]) -> Section:
    """Return the section on several runs side by side."""

    def content(context: Context) -> Content:
        result = methods.compare(dict(runs))
        return shown(
            "comparison", result, figures_of(COMPARE, result, context)
        )

    return Section(
        "comparison",
        "What do the runs have in common?",
        "A bar is the share of the variance that a hyperparameter explains on average over the "
        "runs, a dot that in one run. Runs that differ in their seed only show how far an "
        "explanation depends on chance.",
        content,
    )
