"""The report's section on what to do next: a narrower space, and trials worth their cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hpo_explain.reporting._render import render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import format_value
from hpo_explain.wording.contents import line

_LONG = 300
_MOST_ROWS = 30


def _content(context: Context) -> Content:
    recommendation, subspace = context.recommended_space, context.subspace
    experiments = context.experiments
    evidence = recommendation.to_frame()
    narrowed = evidence[evidence["kept"] < 1.0]
    body = render(
        "recommended_space.html.j2",
        sentence=recommendation.sentence,
        narrowed=[
            {
                "name": name,
                "before": row["before"],
                "after": row["after"],
                "kept": f"{row['kept']:.0%}",
                "reason": row["reason"],
            }
            for name, row in narrowed[:_MOST_ROWS].iterrows()
        ],
        more=len(narrowed) - _MOST_ROWS,
        subspace=subspace.sentence,
        fixed=[(n, format_value(v, width=_LONG)) for n, v in subspace.fixed.items()],
        name=context.ranking[0],
        names=[n for n in context.run.space.names if any(n in config for config in experiments)],
        experiments=[_written(config) for config in experiments],
    )
    tables = {"recommended_space": evidence, "subspace": subspace.to_frame()}
    if experiments:
        tables["experiments"] = pd.DataFrame(experiments)
    return Content(recommendation.sentence, body, tables, line(recommendation))


def _written(config: Mapping[str, Any]) -> dict[str, str]:
    return {name: format_value(value, width=_LONG) for name, value in config.items()}


NEXT_STEPS = Section(
    "next",
    "What to do next?",
    "These are proposals, each with its evidence, that follow from the models above; they are "
    "worth as much as the trust in them. Values are given up where the model is certain that "
    "nothing better than the best predicted configuration can be reached with them.",
    _content,
    folded=True,
)
