"""The report's section on the H-statistic: what acts together with what matters most."""

from __future__ import annotations

from hpo_explain.reporting._render import figure
from hpo_explain.reporting._sections import shown
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import h_statistic as words


def _content(context: Context) -> Content:
    result = context.h_statistic
    plot = figure(result.plot, alt=result.sentence, caption=words.whiskers(result))
    lead = f"{result.focus} is the hyperparameter that matters most alone."
    return shown("h_statistic", result, [plot], lead=lead)


H_STATISTIC = Section(
    "h-statistic",
    "Which hyperparameters act together?",
    "A bar is the share of the joint effect of two hyperparameters that is beyond the sum of "
    "their own effects. A long one says that the best value of one depends on that of the other. "
    "It is relative: where both hardly matter, a long bar means little.",
    _content,
    folded=True,
)
