"""The report's section on what matters and how: shares beside effects, the rest in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from hpo_explain.base.numbers import percent, percent_range
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.reporting import _words as words
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section, line

if TYPE_CHECKING:
    import pandas as pd

_TITLE = "What matters, and how?"


def _content(context: Context) -> Content:
    result = context.importance
    effects = {effect.names[0]: effect for effect in context.effects}
    named = [name for name in context.ranking if name in effects]
    rest = [name for name in context.ranking if name not in effects]
    cautions = {effects[name].caution for name in named}
    shared = "" if len(cautions) > 1 else cautions.pop()
    table: Any = result.importance
    shares = {name: _share(table.loc[name], name) for name in context.ranking}
    body = render(
        "matters.html.j2",
        shared=shared,
        sentence=result.sentence,
        rows=[
            shares[name] | _row(context, effects[name], shared)
            for name in named
        ],
        pairs=[_plot(context, effect) for effect in context.pair_effects],
        rest=words.rest_together(
            len(rest), sum(result.share(name) for name in rest)
        ),
        shares=[*shares.values()],
    )
    return Content(result.sentence, body, brief=line(result))


def _share(row: pd.Series, name: str) -> dict[str, Any]:
    share, low, high = (
        float(row[column]) for column in ("importance", "lower", "upper")
    )
    known = bool(np.isfinite([low, high]).all())
    return {
        "name": name,
        "share": percent(share),
        "size": _width(share),
        "low": _width(low) if known else "",
        "width": _width(high - low) if known else "",
        "ends": [
            (_width(end), percent(end)) if known else ("", "")
            for end in (low, high)
        ],
        "interval": percent_range(low, high) if known else "",
    }


def _width(share: float) -> str:
    return f"{100.0 * float(np.clip(share, 0.0, 1.0)):.1f}"


def _row(context: Context, effect: Effect, shared: str) -> dict[str, Any]:
    return {
        "finding": effect.claims[0].text,
        "caution": "" if shared else effect.caution,
        "plot": _plot(context, effect),
    }


def _plot(context: Context, effect: Effect) -> Markup:
    about = effect.subject
    caption = words.effect_caption(
        about.objective_name, effect.names, about.model
    )
    return context.figure_once(
        f"effect of {effect.names}",
        _TITLE,
        lambda: figure(effect, alt=effect.sentence, caption=caption),
    )


MATTERS = Section(
    "matters",
    _TITLE,
    "A row is a hyperparameter: its share of the variance of the predicted objective with its "
    "interval, and the objective that is predicted for its values, averaged over all others. The "
    "band is the model's uncertainty.",
    _content,
)
