"""The report's section on ablation: which changes led to the best configuration."""

from __future__ import annotations

from hpo_explain.reporting._plain import shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import ablation as words

_TITLE = "Which changes made the difference?"


def _content(context: Context) -> Content:
    result = context.ablation
    plots = [
        context.figure_once(
            "ablation",
            _TITLE,
            lambda: figure(result.plot, alt=result.sentence, caption=words.caption(result)),
        )
    ]
    if result.order_matters:
        plots.append(
            figure(result.plot_shares, alt=words.SHARES_CAPTION, caption=words.SHARES_CAPTION)
        )
    return shown("ablation", result, plots)


ABLATION = Section(
    "ablation",
    _TITLE,
    "From top to bottom one value after the other is changed from that of the source to that of "
    "the target, always the one that improves the prediction most; the length of a stair is what "
    "it gains. Where changes act together, the order decides what each seems worth: averages over "
    "all orders, the hatched bars under it, are then the fair shares.",
    _content,
    folded=True,
)
