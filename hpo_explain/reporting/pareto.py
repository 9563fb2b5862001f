"""The report's first tab where there are several objectives: their Pareto front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.catalog.methods import PARETO
from hpo_explain.methods.runs.pareto import front_of
from hpo_explain.reporting._sections import figures_of, shown
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section, shortened
from hpo_explain.run import Objectives, Run


def joined(runs: Mapping[str, Run]) -> Objectives | None:
    """Return several objectives, if the runs are of the same trials."""
    if len(runs) < 2:
        return None
    try:
        return Objectives.of(runs)
    except (InputError, NothingToExplain):
        return None


def pareto_section(objectives: Objectives) -> Section:
    """Return the section on the Pareto front of some objectives."""

    def content(context: Context) -> Content:
        models = {
            name: run.surrogate() for name, run in objectives.runs.items()
        }
        result = front_of(objectives, models)
        found = shown("pareto", result, figures_of(PARETO, result, context))
        return replace(found, brief=shortened(result.sentence))

    return Section(
        "pareto",
        "Which trials are best, and what does one objective cost in another?",
        "No other trial is better in all objectives than one on the front. A hyperparameter whose "
        "bars point both ways is what one objective is bought with in the other.",
        content,
    )
