"""The report's section on LIME: a model one can read around the best configuration."""

from __future__ import annotations

from hpo_explain.reporting._plain import shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import lime as words


def _content(context: Context) -> Content:
    result = context.lime
    plot = figure(result.plot, alt=result.sentence, caption=words.caption(result))
    return shown("lime", result, [plot])


LIME = Section(
    "lime",
    "What would change the prediction?",
    "A bar is how much the prediction changes, by a linear model fitted around the best "
    "configuration, when a number goes from one end of its range to the other or a category is "
    "replaced by another one. R² says how well that model agrees with the surrogate: near 1 the "
    "bars can be interpreted, below one half they cannot.",
    _content,
    folded=True,
)
