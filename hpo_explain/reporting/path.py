"""The report's section on the path: how the reasons changed, and what drove the last proposals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from hpo_explain.explainers.path import explainable
from hpo_explain.explanations import DesirabilityPath
from hpo_explain.explanations.path import LATEST
from hpo_explain.facade import desirability_path
from hpo_explain.plotting._text import number
from hpo_explain.plotting.path import plot_path
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run

_PROPOSALS = 12  # at most, each with a model of its own
_ROWS = 200


@dataclass(frozen=True)
class HowReasonsChanged:
    """How the contributions changed over the run, and a sentence on each of the last proposals."""

    anchor: str = "path"
    title: str = "How did the reasons change?"
    how_to_read: str = (
        "Each panel follows one hyperparameter from proposal to proposal: above zero its proposed "
        "value made the configuration more desirable than an average one, below zero less. Where "
        "the part of uncertainty leads the optimizer explores that hyperparameter, where the part "
        "of the mean leads it exploits what it knows."
    )

    def content(self, run: Run) -> Content:
        """Return the path over proposals spread evenly over the run, the last ones included."""
        try:
            proposals, left_out = explainable(run)
            chosen = _thinned(proposals)
            path = desirability_path(run, chosen, background=_ROWS, progress=False)
        except ValueError as error:
            raise NotApplicable(str(error)) from error
        if len(path) < 2:
            raise NotApplicable(
                f"Only trial {path.trials[0]} can be explained so far; a path needs two proposals."
            )
        notes = [*left_out, *path.notes]
        if len(chosen) < len(proposals):
            notes.append(
                f"{len(chosen)} of {len(proposals)} proposals are shown, the last {LATEST} and "
                f"{len(chosen) - LATEST} spread evenly over those before; "
                "hpo_explain.desirability_path explains all of them"
            )
        body = render(
            "path.html.j2",
            sentence=path.sentence,
            plot=figure(
                partial(plot_path, path),
                alt=path.sentence,
                caption="Contributions of each hyperparameter to the proposals' desirability, by "
                "trial.",
            ),
            balance=_balance(path),
            turns=[(name, trial) for name, trial in path.turning_points().items() if trial],
            last=[(e.trial, e.sentence) for e in path.explanations[-LATEST:][::-1]],
            contributions=_mean_contributions(path),
            notes=notes,
        )
        tables = {"path": path.to_frame(), "predictions": path.predictions()}
        return Content(path.sentence, body, tables)


def _thinned(proposals: list[int]) -> list[int]:
    """Return proposals spread evenly, the last few all of them."""
    if len(proposals) <= _PROPOSALS:
        return proposals
    places = np.linspace(0, len(proposals) - LATEST - 1, _PROPOSALS - LATEST).round().astype(int)
    return [proposals[i] for i in sorted({*places.tolist()})] + proposals[-LATEST:]


def _balance(path: DesirabilityPath) -> str:
    balance = path.balance()
    if not balance:
        return ""
    return (
        f"At present: {balance['exploiting']:.0%} of the contributions to the last "
        f"{min(LATEST, len(path))} proposals are about the predicted objective (exploiting), "
        f"{balance['exploring']:.0%} about uncertainty (exploring). Compared with the whole space, "
        "exploring is underestimated: next to an average configuration every proposal looks well "
        "known."
    )


def _mean_contributions(path: DesirabilityPath) -> list[tuple[str, str, str, int]]:
    """Return name, mean absolute contribution of the mean, its share and how often active."""
    try:
        table = path.mean_contributions()
    except ValueError:  # the criterion has no such term
        return []
    return [
        (
            str(name),
            number(row["mean absolute contribution"], 3),
            f"{row['share']:.0%}",
            int(row["proposals"]),
        )
        for name, row in table.iterrows()
    ]
