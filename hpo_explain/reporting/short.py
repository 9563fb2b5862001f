"""The report's first section: how far to believe it, what matters, and what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base.errors import unless_nothing
from hpo_explain.diagnostics._trust import Trust
from hpo_explain.explanations.fanova import FanovaImportance
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.reporting._render import render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import trust as trust_words
from hpo_explain.wording.fanova import between, disagreement
from hpo_explain.wording.history import best_so_far
from hpo_explain.wording.numbers import percent

_MOST_BARS, _MOST_ACTIONS = 5, 3
_LEAST_BAR = 0.01  # of the variance
_LONGEST_NAME = 48  # columns


def _content(context: Context) -> Content:
    best = best_so_far(context.history)
    actions = context.advice.actions[:_MOST_ACTIONS]
    importance = unless_nothing(lambda: context.importance)
    body = render(
        "short.html.j2",
        best=best,
        verdicts=[
            (trust_words.where(scope), found.level, trust_words.needed(scope))
            for scope, found in trust_words.lines(_trust(context))
        ],
        disagreement="" if importance is None else disagreement(importance),
        bars=[] if importance is None else _bars(importance),
        actions=actions,
    )
    return Content(best, body)


def _trust(context: Context) -> Trust:
    """Return the verdicts, that on the proposals of the densities that chose them."""
    densities = unless_nothing(lambda: context.trust_of_proposals)
    if densities is None:
        return context.trust
    return replace(context.trust, proposals=densities.proposals)


def _bars(result: FanovaImportance) -> list[dict[str, Any]]:
    """Return name, share and interval of what matters most."""
    rows = result.importance.sort_values("importance", ascending=False, kind="stable")
    shown = rows[rows["importance"] >= _LEAST_BAR][:_MOST_BARS]
    names = abbreviated((plain(name) for name in shown.index), _LONGEST_NAME)
    return [
        {
            "name": name,
            "share": percent(float(row["importance"])),
            "size": f"{100.0 * float(np.clip(row['importance'], 0.0, 1.0)):.1f}",
            "interval": between(float(row["lower"]), float(row["upper"])),
        }
        for name, (_, row) in zip(names, shown.iterrows(), strict=True)
    ]


SHORT = Section(
    "short",
    "In short",
    "The verdicts say what the model's predictions of trials that it had not seen are worth. A bar "
    "is the share of the variance of the predicted objective that a hyperparameter explains.",
    _content,
)
