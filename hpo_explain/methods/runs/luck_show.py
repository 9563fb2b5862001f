"""How luck is drawn: the best trials as observed and as predicted, and against another metric."""

from __future__ import annotations

import numpy as np

from hpo_explain.base.figures import Axis, Curves, Dots, Rows, View
from hpo_explain.methods.runs.luck import Luck


def best(luck: Luck) -> Rows:
    """Draw the best trials: what was observed, and what they are worth with its interval."""
    places = np.arange(len(luck.trials), dtype=float)
    half = np.array([luck.predicted - luck.lower, luck.upper - luck.predicted])
    return Rows(
        labels=[(f"trial {trial}",) for trial in luck.trials],
        bars=[],
        dots=[
            Dots(luck.observed, places - 0.2, look="star"),
            Dots(luck.predicted, places + 0.2, half, look="main"),
        ],
        label=luck.objective_name,
        zero=False,
        heading="What the best trials are worth without noise",
        means={"star": "observed", "main": "predicted, with its 95% interval"},
    )


def test(luck: Luck) -> Curves:
    """Draw the other metric of each trial over its objective."""
    x, y = luck.tested.T
    return Curves(
        x=Axis(label=luck.objective_name),
        y=Axis(label=luck.test or "test"),
        dots=[Dots(x, y, look="run")],
        heading=f"{luck.test or 'No other metric'} beside the {luck.objective_name}",
        empty="" if luck.test else "no other metric was named",
    )


VIEWS = {
    "": View(best, "The best trials as observed and as predicted."),
    "test": View(
        test, "Another metric beside the objective.", shown_if=lambda luck: bool(luck.test)
    ),
}
