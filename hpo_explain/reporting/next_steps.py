"""The report's section on what to do next: a narrower space, and trials worth their cost."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hpo_explain.explanations import FanovaImportance, format_value
from hpo_explain.facade import importance, next_experiments
from hpo_explain.reporting._render import render
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run

_EXPERIMENTS = 3
_SAMPLE, _GRID, _CANDIDATES = 100, 10, 200
_LONG = 300
_MOST_ROWS = 30


@dataclass(frozen=True)
class WhatNext:
    """Where to search on, what can stay fixed, and which trials would tell most."""

    anchor: str = "next"
    title: str = "What to do next?"
    how_to_read: str = (
        "These are proposals, each with its evidence, that follow from the models above; they are "
        "worth as much as the trust in them. Values that are given up are those with which the "
        "forest sees next to nothing to gain."
    )

    def content(self, run: Run) -> Content:
        """Return a narrower space, the important subspace, and experiments that would help."""
        if len(run) >= 2 and np.ptp(run.objective) == 0.0:
            raise NotApplicable(
                f"The {run.objective_name} is constant ({run.objective[0]:g} in all {len(run)} "
                "trials): nothing can be learned from it."
            )
        try:
            result = importance(run)
        except ValueError as error:
            raise NotApplicable(str(error)) from error
        if result.total_variance == 0.0:
            raise NotApplicable(result.sentence)
        recommendation = result.recommended_space()
        subspace = result.subspace()
        name, experiments = _experiments(run, result)
        narrowed = [row for row in recommendation.rows if row.kept < 1.0]
        body = render(
            "next_steps.html.j2",
            sentence=recommendation.sentence,
            narrowed=[
                {
                    "name": row.hyperparameter,
                    "before": row.before,
                    "after": row.after,
                    "kept": f"{row.kept:.0%}",
                    "reason": row.reason,
                }
                for row in narrowed[:_MOST_ROWS]
            ],
            more=len(narrowed) - _MOST_ROWS,
            subspace=subspace.sentence,
            fixed=[(n, format_value(v, width=_LONG)) for n, v in subspace.fixed.items()],
            name=name,
            names=[n for n in run.space.names if any(n in config for config in experiments)],
            experiments=[
                {n: format_value(v, width=_LONG) for n, v in config.items()}
                for config in experiments
            ],
        )
        tables = {"recommended_space": recommendation.evidence, "subspace": subspace.to_frame()}
        if experiments:
            tables["experiments"] = pd.DataFrame(experiments)
        return Content(recommendation.sentence, body, tables)


def _experiments(run: Run, result: FanovaImportance) -> tuple[str, list[dict[str, Any]]]:
    """Return the most important hyperparameter and trials that would tighten its effect."""
    name = result.names[int(np.argmax(result.shares[:, : len(result.names)].mean(axis=0)))]
    with warnings.catch_warnings():
        # without a joint posterior it cannot tell which would tighten it most: none then
        warnings.simplefilter("ignore", UserWarning)
        warnings.filterwarnings("error", ".* no joint posterior", UserWarning)
        try:
            return name, next_experiments(
                run,
                name,
                _EXPERIMENTS,
                sample=_SAMPLE,
                grid_size=_GRID,
                candidates=_CANDIDATES,
            )
        except UserWarning:
            return name, []
