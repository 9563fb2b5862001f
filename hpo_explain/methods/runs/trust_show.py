"""How trust is drawn: its measures with their intervals, and what is asked of the first."""

from __future__ import annotations

from hpo_explain.base import percent
from hpo_explain.base.figures import Bar, Rows, View
from hpo_explain.belief import R2
from hpo_explain.methods.runs.trust import RunTrust


def measures(trust: RunTrust) -> Rows:
    """Draw each measure from 0 to 1, with its interval where it has one."""
    rows = zip(trust.values, *trust.ends.T.tolist(), strict=True)
    return Rows(
        labels=[(measure,) for measure in trust.measures],
        bars=[
            Bar(k, 0.0, at, (at - max(low, -1.0), high - at))
            for k, (value, low, high) in enumerate(rows)
            for at in [max(value, -1.0)]
        ],
        label="1 is perfect; an R² of 0 is no better than the mean",
        heading=f"Reliability: {trust.level}",
        subtitle=f"{trust.n_trials} trials; {percent(trust.open)} of the space is open",
        footer="Whiskers: 95% intervals, cut at -1.",
        guides=[(R2[0], "goal"), (R2[1], "guide")],
        means={
            "goal": "lower end of R² for good",
            "guide": "lower end of R² for fair",
        },
    )


VIEWS = {"": View(measures, "How well the objective is known, by five measures.")}
