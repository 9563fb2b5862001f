"""The report's section on local importance: what matters around the best configuration."""

from __future__ import annotations

from hpo_explain.reporting._plain import shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import local_importance as words


def _content(context: Context) -> Content:
    result = context.local_importance
    plot = figure(result.plot, alt=result.sentence, caption=words.caption(result))
    return shown("local_importance", result, [plot])


LOCAL_IMPORTANCE = Section(
    "local-importance",
    "What matters around the best configuration?",
    "All values stay those of the best configuration but one, which takes all of its values in "
    "turn: a long bar says that the prediction depends much on this hyperparameter here. What "
    "matters over the whole space may matter little here, and the other way round.",
    _content,
    folded=True,
)
