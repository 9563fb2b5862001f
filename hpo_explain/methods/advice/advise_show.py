"""How advice is drawn: what each action is expected to bring."""

from __future__ import annotations

from math import isnan

from hpo_explain.base.figures import Bar, Rows, View
from hpo_explain.methods.advice.advise_result import Action, Advice


def gains(advice: Advice) -> Rows:
    """Draw what each action is expected to bring; whiskers hold 95 % of its distribution.

    A row without a bar is an action of which the gain is not known.
    """
    actions = sorted(advice.actions, key=lambda action: isnan(action.gain))
    return Rows(
        labels=[(action.title,) for action in actions],
        bars=[
            Bar(row, 0.0, action.gain, _reach(action))
            for row, action in enumerate(actions)
            if not isnan(action.gain)
        ],
        heading="What to do next",
        subtitle="expected improvement of the best objective, with 95 % of its distribution",
        label="expected improvement",
        quiet=sum(isnan(action.gain) for action in actions),
    )


def _reach(action: Action) -> tuple[float, float] | None:
    if action.interval is None:
        return None
    # an improbable gain is expected beyond what holds 95 %
    low, high = action.interval
    return max(action.gain - low, 0.0), max(high - action.gain, 0.0)


VIEWS = {"": View(gains, "What each action is expected to bring.")}
