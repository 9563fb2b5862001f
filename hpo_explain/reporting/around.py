"""The report's section around the best: what led there, and what matters near it."""

from __future__ import annotations

import pandas as pd

from hpo_explain.base.errors import unless_nothing
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import pareto as pareto_words
from hpo_explain.wording.contents import line
from hpo_explain.wording.numbers import format_value, percent, plus_minus
from hpo_explain.wording.trust import brief_caution

_TITLE = "Around the best"
_LONG = 120
_MOST_ROWS = 15


def _content(context: Context) -> Content:
    ablation = context.ablation
    table = _table(context)
    body = render(
        "around.html.j2",
        caution=brief_caution(ablation),
        sentence=ablation.sentence,
        saving="" if context.saving is None else pareto_words.saving_in_words(context.saving),
        plot=context.figure_once(
            "ablation",
            _TITLE,
            lambda: figure(
                ablation.plot,
                alt=ablation.sentence,
                caption=f"The {ablation.what} along the path from {ablation.ends}.",
            ),
        ),
        columns=[*table.columns],
        rows=[(str(name), [*row]) for name, row in table[:_MOST_ROWS].iterrows()],
        more=len(table) - _MOST_ROWS,
    )
    return Content(ablation.sentence, body, {"around_the_best": table}, line(ablation))


def _table(context: Context) -> pd.DataFrame:
    """Return value, gain, local share and local effect, in the order of the path."""
    ablation = context.ablation
    halves = ablation.halves
    columns: dict[str, dict[str, str]] = {
        "value": {n: format_value(v, width=_LONG) for n, v in ablation.target.items()}
    }
    order = [name for step in ablation.steps for name in step]
    columns["gain on the way"] = {
        name: plus_minus(float(gain), None if halves is None else float(halves[i]))
        for i, (step, gain) in enumerate(zip(ablation.steps, ablation.gains, strict=True))
        for name in step
    }
    local = unless_nothing(lambda: context.local_importance)
    if local is not None:
        columns["share near the best"] = {
            name: percent(share) for name, share in zip(local.names, local.importance, strict=True)
        }
    lime = unless_nothing(lambda: context.lime)
    if lime is not None:
        columns["effect near the best"] = {
            s.names[0]: f"{s.change}: {plus_minus(s.effect, s.half)}"
            for s in lime.statements[::-1]
            if s.kind != "leaf"
        }
    names = [*dict.fromkeys([*order, *columns["value"]])]
    frame = pd.DataFrame(columns, index=pd.Index(names, name="hyperparameter"))
    return frame.fillna("")


AROUND = Section(
    "around",
    _TITLE,
    "The figure changes one value after the other from those of the source to those of the best "
    "configuration; the length of a stair is what it gains. The table adds, for configurations "
    "near the best, the share of the prediction's variation along each hyperparameter, and what a "
    "linear model fitted there says that a change is worth. ± is half a 95% interval.",
    _content,
)
