"""How repeated runs are drawn: mean contributions, and their spread over the runs."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import listed, sentences, told_apart
from hpo_explain.base.figures import Bar, Panels, Rows, View
from hpo_explain.methods.proposals.contributions_show import total_marks
from hpo_explain.methods.proposals.desirability_path_show import (
    panels_of,
    terms_mean,
)
from hpo_explain.methods.proposals.repeated_runs_result import RepeatedRuns

_MOST_NAMED = 8


def means(repeated: RepeatedRuns) -> Panels | Rows:
    """Draw mean contributions over runs by proposal, with bands of one standard deviation.

    A panel per hyperparameter, the largest first; bars, where each run has one proposal.
    """
    if len(repeated) == 1:
        return _bars(repeated)
    columns = {
        term: k for k, term in enumerate(("total", *repeated.terms), -1)
    }
    lines = {
        term: (repeated.mean[:, :, k], repeated.std[:, :, k])
        for term, k in columns.items()
    }
    panels, left_out = panels_of(
        np.arange(1.0, len(repeated) + 1),
        repeated.names,
        lines,
        x_label="proposal",
        y_label="mean contribution",
    )
    return Panels(
        panels=panels,
        same_x=True,
        heading=_heading(repeated),
        subtitle="Above 0 a value made the proposals more desirable than average configurations.",
        means={**terms_mean(repeated.terms), "band": "one sd over runs"},
        footer=sentences(
            "Bands: one standard deviation over runs, not the error of their mean.",
            told_apart(repeated.notes),
            left_out,
        ),
    )


def _heading(repeated: RepeatedRuns) -> str:
    return f"Mean contributions to {repeated.acquisition} over {repeated.runs} runs"


def _bars(repeated: RepeatedRuns) -> Rows:
    mean, std = repeated.mean[0], repeated.std[0]
    order = np.argsort(-np.abs(mean[:, -1]), kind="stable").tolist()
    shown, rest = (
        order[: Rows.MOST],
        [repeated.names[j] for j in order[Rows.MOST :]],
    )
    marks = (
        total_marks(mean[shown, -1], std[shown, -1])
        if len(repeated.terms) > 1
        else {}
    )
    return Rows(
        labels=[(repeated.names[j],) for j in shown],
        bars=[
            Bar(i, 0.0, float(mean[j, t]), float(std[j, t]), place=t)
            for i, j in enumerate(shown)
            for t in range(len(repeated.terms))
        ],
        fills=dict(enumerate(repeated.terms)),
        heading=_heading(repeated),
        subtitle="each run's proposal against its average configuration",
        label="contribution: right is more desirable",
        footer=sentences(
            "Whiskers: one sd over runs to each side.",
            rest and f"Smaller, not drawn: {listed(rest, _MOST_NAMED)}.",
        ),
        **marks,
    )


VIEWS = {
    "": View(
        means, "Mean contributions to {found.what} over {found.runs} runs."
    )
}
