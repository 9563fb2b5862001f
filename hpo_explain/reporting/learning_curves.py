"""The report's section on learning curves: how early ranks are known, what pruners would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.base.numbers import number, percent
from hpo_explain.base.text import filled
from hpo_explain.catalog.methods import LEARNING_CURVES as METHOD
from hpo_explain.methods.runs.learning_curves_result import LearningCurves
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section, line

if TYPE_CHECKING:
    import pandas as pd


def _content(context: Context) -> Content:
    result = context.learning_curves
    finding = result.ranks
    changes = [c for c in result.claims if c.kind == "share_changes" and c.certain]
    main, late = (filled(METHOD.views[view].caption, found=result) for view in ("", "shares"))
    body = render(
        "learning_curves.html.j2",
        finding=finding,
        changes=[claim.text for claim in changes],
        plot=figure(result.plot, alt=finding, caption=main),
        pruners=_pruned(result),
        shares=figure(result.plot_shares, alt=late, caption=late) if changes else "",
        notes=result.notes,
    )
    return Content(finding, body, _tables(result), line(result), folded=not _known(result))


def _pruned(result: LearningCurves) -> list[tuple[str, str, str, str]]:
    """Return of each pruner what it is, saves and loses, and how often it stops the best.

    The latter in other orders of the same trials; empty where none was replayed.
    """
    return [
        (
            f"{replay.label}, the run's own" if replay.own else replay.label,
            percent(replay.saved),
            "nothing" if replay.rank == 1 else number(replay.regret, 2),
            percent(replay.best_stopped) if replay.orders else "",
        )
        for replay in result.replays
    ]


def _known(result: LearningCurves) -> bool:
    return any(claim.kind == "early_rank" and claim.certain for claim in result.claims)


def _tables(result: LearningCurves) -> dict[str, pd.DataFrame]:
    return {
        "ranks": result.to_frame(),
        "pruners": result.pruners(),
        "shares": result.shares_by_step(),
    }


LEARNING_CURVES = Section(
    "learning-curves",
    "How early is the final rank known?",
    "The line is the rank correlation of what trials reported at a step with their final values: 1 "
    "where they are in their final order. A pruner that stops trials where it is low stops good "
    "ones. The table replays pruners on the trials that reported values: what they save, how much "
    "worse the best trial is that they leave, and how often they stop the best in other orders of "
    "the same trials.",
    _content,
    concerns=lambda run: run.curves is not None,
)
