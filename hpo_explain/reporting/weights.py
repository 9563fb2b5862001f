"""What matters to several objectives whatever their weights, where that depends on the weights."""

from __future__ import annotations

from collections.abc import Mapping

from hpo_explain import methods
from hpo_explain.base.errors import unless_nothing
from hpo_explain.explanations.fanova import FanovaImportance
from hpo_explain.models.protocols import SupportsJoint
from hpo_explain.reporting._plain import shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.run import Objectives
from hpo_explain.wording import weights as words

_DIVISIONS = 4, 2  # steps from one of two objectives to the other, and from one of more


def ranking_changes(contexts: Mapping[str, Context]) -> bool:
    """Return whether what matters most to one objective certainly matters less to another."""
    found = [_importance(context) for context in contexts.values()]
    known = [result for result in found if result is not None]
    return any(_leads(one, other) for one in known for other in known)


def _importance(context: Context) -> FanovaImportance | None:
    return unless_nothing(lambda: context.importance)


def _leads(one: FanovaImportance, other: FanovaImportance) -> bool:
    """Return whether what matters most to one certainly comes behind the first of the other."""
    first, second = _first(one), _first(other)
    bounds = [other.bounds(i) for i in (first, second)]
    return bounds[0] is not None and bounds[1] is not None and bounds[0][1] < bounds[1][0]


def _first(result: FanovaImportance) -> int:
    return int(result.estimate[: len(result.names)].argmax())


def weights_section(objectives: Objectives) -> Section:
    """Return the section on what matters to the weighted sum of some objectives."""

    def content(_: Context) -> Content:
        smooth = all(isinstance(run.surrogate(), SupportsJoint) for run in objectives.runs.values())
        result = methods.weighted_importance(
            dict(objectives.runs),
            divisions=_DIVISIONS[len(objectives.names) > 2],
            kind="gp" if smooth else "forest",
        )
        plot = figure(result.plot, alt=result.sentence, caption=words.SUBTITLE.capitalize() + ".")
        return shown("weights", result, [plot])

    return Section(
        "weights",
        "What matters, whatever the weights?",
        "A line is the share of the variance of the weighted sum of the objectives that a "
        "hyperparameter explains. Where lines cross, what is worth tuning depends on how much each "
        "objective counts.",
        content,
    )
