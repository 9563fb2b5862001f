"""The report's section on importance: which hyperparameters the objective depends on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from markupsafe import Markup

from hpo_explain._words import counted
from hpo_explain.explanations import FanovaImportance
from hpo_explain.facade import importance
from hpo_explain.plotting import plot_importance, plot_marginal
from hpo_explain.plotting._text import listed
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run
from hpo_explain.wording.trust import caution

_MARGINALS = 3
_WORTH_A_MARGINAL = 0.01  # of the variance: below, a curve shows the forest's noise
_MOST_ROWS = 30
_MOST_CONDITIONAL = 12
_MOST_FOR_PAIRS = 100  # hyperparameters: the number of pairs grows with their square


@dataclass(frozen=True)
class WhatMatters:
    """Which hyperparameters the objective depends on, alone and together, and how."""

    anchor: str = "importance"
    title: str = "What matters?"
    how_to_read: str = (
        "A bar is the share of the variance of the predicted objective, over the whole search "
        "space, that a hyperparameter explains alone. Its whisker is the standard deviation over "
        "the trees of a random forest fitted to the trials; where whiskers of two bars overlap, "
        "their order is not certain. A hatched bar is an interaction: what hyperparameters "
        "explain together, beyond what each of them explains alone."
    )

    def content(self, run: Run) -> Content:
        """Return the shares of variance of a run's objective, and the largest effects."""
        if len(run) >= 2 and np.ptp(run.objective) == 0.0:
            raise NotApplicable(
                f"The {run.objective_name} is constant ({run.objective[0]:g} in all {len(run)} "
                "trials): no hyperparameter made a difference."
            )
        d = len(run.space)
        try:
            result = importance(run, order=2 if 2 <= d <= _MOST_FOR_PAIRS else 1)
        except ValueError as error:
            raise NotApplicable(str(error)) from error
        if result.total_variance == 0.0:
            raise NotApplicable(result.sentence)
        body = render(
            "importance.html.j2",
            caution=caution(result.trust),
            sentence=result.sentence,
            plot=_bars(result),
            conditional=_conditional(result),
            marginals=_marginals(result),
            objective=result.objective_name,
            has_totals=result.totals is not None,
            rows=_rows(result),
            left_out=counted(max(0, len(result.members) - _MOST_ROWS), "smaller one"),
            cut=len(result.members) > _MOST_ROWS,
            notes=result.notes,
        )
        return Content(result.sentence, body, {"importance": result.to_frame()})


def _bars(result: FanovaImportance) -> Markup:
    caption = (
        f"Share of the variance of the predicted {result.objective_name} that each hyperparameter "
        "and each interaction explains."
    )
    return figure(partial(plot_importance, result), alt=result.sentence, caption=caption)


def _conditional(result: FanovaImportance) -> str:
    """Name the hyperparameters that are not always active, the least active first."""
    partly = [(axis.activity, name) for name, axis in zip(result.names, result.axes, strict=True)]
    partly = sorted(entry for entry in partly if entry[0] < 1.0)
    return listed([f"{name} in {share:.0%} of it" for share, name in partly], _MOST_CONDITIONAL)


def _marginals(result: FanovaImportance) -> list[Markup]:
    shares = result.shares[:, : len(result.names)].mean(axis=0)
    largest = np.argsort(-shares, kind="stable")[:_MARGINALS]
    return [_marginal(result, j) for j in largest if shares[j] >= _WORTH_A_MARGINAL]


def _marginal(result: FanovaImportance, j: int) -> Markup:
    name = result.names[j]
    marginal = result.marginal(name)
    caption = (
        f"Predicted {result.objective_name} by {name}, which explains {result.share(name):.0%} of "
        "the variance alone."
    )
    return figure(partial(plot_marginal, marginal), alt=caption, caption=caption)


def _rows(result: FanovaImportance) -> list[dict[str, str]]:
    shares, spread = result.shares.mean(axis=0), result.shares.std(axis=0)
    rows = []
    for i in np.argsort(-shares, kind="stable")[:_MOST_ROWS]:
        members = result.members[i]
        alone = len(members) == 1
        total = ""
        if alone and result.totals is not None:
            total = _percent(float(result.totals[:, members[0]].mean()))
        rows.append(
            {
                "names": " × ".join(result.names[j] for j in members),
                "kind": "alone" if alone else "interaction",
                "share": _percent(float(shares[i])),
                "std": _percent(float(spread[i])),
                "total": total,
                "active": f"{result.axes[members[0]].activity:.0%}" if alone else "",
            }
        )
    return rows


def _percent(share: float) -> str:
    return f"{share:.1%}"
