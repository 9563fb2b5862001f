"""The report's section around the best: what led there, and what matters near it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.context import Context, unless_nothing
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import ablation as ablation_words
from hpo_explain.wording.numbers import format_value, percent, plus_minus
from hpo_explain.wording.trust import caution

_LONG = 120
_MOST_ROWS = 15


def _content(context: Context) -> Content:
    ablation = context.ablation
    table = _table(context)
    body = render(
        "around.html.j2",
        caution=caution(ablation),
        sentence=ablation.sentence,
        plot=figure(
            ablation.plot,
            alt=ablation.sentence,
            caption=ablation_words.caption(ablation),
            place="around",
        ),
        columns=[*table.columns],
        rows=[(str(name), [*row]) for name, row in table[:_MOST_ROWS].iterrows()],
        more=len(table) - _MOST_ROWS,
    )
    return Content(ablation.sentence, body, {"around_the_best": table})


def _table(context: Context) -> pd.DataFrame:
    """Return value, gain on the way, local share and local effect, the largest gain first."""
    ablation = context.ablation
    columns: dict[str, dict[str, str]] = {
        "value": {n: format_value(v, width=_LONG) for n, v in ablation.target.items()}
    }
    order = [
        name
        for i in np.argsort(-np.abs(ablation.gains), kind="stable")
        for name in ablation.steps[i]
    ]
    stds = [None] * len(ablation.steps) if ablation.std is None else ablation.std
    columns["gain on the way there"] = {
        name: plus_minus(float(gain), None if std is None else float(std))
        for step, gain, std in zip(ablation.steps, ablation.gains, stds, strict=True)
        for name in step
    }
    local = unless_nothing(lambda: context.local_importance)
    if local is not None:
        columns["matters near it"] = {
            name: percent(share) for name, share in zip(local.names, local.importance, strict=True)
        }
    lime = unless_nothing(lambda: context.lime)
    if lime is not None:
        columns["effect near it"] = {
            s.names[0]: f"{s.text}: {plus_minus(s.effect, s.std)}"
            for s in lime.statements[::-1]
            if s.kind != "leaf"
        }
    names = [*dict.fromkeys([*order, *columns["value"]])]
    frame = pd.DataFrame(columns, index=pd.Index(names, name="hyperparameter"))
    return frame.fillna("")


AROUND = Section(
    "around",
    "Around the best",
    "The figure changes one value after the other from those of the source to those of the best "
    "configuration; the length of a stair is what it gains. The table adds what still matters near "
    "the best.",
    _content,
)
