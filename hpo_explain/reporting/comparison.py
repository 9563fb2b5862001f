"""The report's first tab where there are several runs: them side by side."""

from __future__ import annotations

from collections.abc import Mapping

from hpo_explain import methods
from hpo_explain.reporting._render import figure
from hpo_explain.reporting._sections import shown
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.run import Run
from hpo_explain.space import Shared
from hpo_explain.wording import comparison as words


def comparable(runs: Mapping[str, Run]) -> bool:
    """Return whether runs share a hyperparameter, so that they can be compared."""
    return Shared.of([run.space for run in runs.values()]).space is not None


def comparison_section(runs: Mapping[str, Run]) -> Section:
    """Return the section on several runs side by side."""

    def content(_: Context) -> Content:
        result = methods.compare(dict(runs))
        caption = words.effects_heading(result)
        plots = [
            figure(result.plot, alt=result.sentence, caption=words.footer(result)),
            figure(result.plot_effects, alt=caption, caption=f"{words.EFFECTS_SUBTITLE}."),
        ]
        return shown("comparison", result, plots)

    return Section(
        "comparison",
        "What do the runs have in common?",
        "A bar is the share of the variance that a hyperparameter explains on average over the "
        "runs, a dot that in one run. Runs that differ in their seed only show how far an "
        "explanation depends on chance.",
        content,
    )
