"""The report's section on the noise: where results scatter, and what that depends on."""

from __future__ import annotations

from hpo_explain.reporting._render import figure
from hpo_explain.reporting._sections import shown
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import noise as words


def _content(context: Context) -> Content:
    result = context.noise
    plot = figure(result.plot, alt=result.sentence, caption=words.footer(result))
    return shown("noise", result, [plot])


NOISE = Section(
    "noise",
    "Where do results scatter?",
    "A dot is the standard deviation of the results of one configuration that was evaluated "
    "several times. Where it is large, one good result says little, and another evaluation of the "
    "same configuration may differ.",
    _content,
    folded=True,
)
