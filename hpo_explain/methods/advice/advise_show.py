"""How advice is drawn: what each action is expected to bring, or how far intervals narrow."""

from __future__ import annotations

from math import isnan, nan

from hpo_explain.base import NORMAL_95, counted, percent
from hpo_explain.base.figures import PALE, Bar, Rows, View
from hpo_explain.methods.advice.advise_result import Action, Advice


def shown(advice: Advice) -> Rows:
    """Draw what the actions bring; of trials that settle a result how far its intervals narrow."""
    settles = [action for action in advice.actions if action.narrows]
    return narrowing(settles[0]) if settles else gains(advice)


def narrowing(action: Action) -> Rows:
    """Draw half the interval of each number, the widest first: now, and as it is expected."""
    widest = sorted(action.narrows, key=lambda one: one.std, reverse=True)
    some = widest[: Rows.MOST]
    halves = [NORMAL_95 * one.std for one in some]
    expected = [
        Bar(row, 0.0, half * one.left, told=f"{percent(one.left)} of now")
        for row, (one, half) in enumerate(zip(some, halves, strict=True))
        if not isnan(one.left)
    ]
    now = [Bar(row, 0.0, half, fill=PALE) for row, half in enumerate(halves)]
    fills = {PALE: "now"}
    if expected:
        fills = {0: "expected after these trials", PALE: "now"}
    left_out = len(widest) - len(some)
    footer = f"{counted(left_out, 'narrower one')} not shown."
    return Rows(
        labels=[(one.label,) for one in some],
        bars=[*now, *expected],
        fills=fills,
        heading="What these trials settle",
        subtitle=action.reason,
        label="half of the 95 % interval",
        footer=footer if left_out else "",
        positive=True,
    )


def gains(advice: Advice) -> Rows:
    """Draw what each action is expected to bring; whiskers hold 95 % of its distribution.

    A row without a bar is an action of which the gain is not known.
    """
    actions = sorted(advice.actions, key=lambda action: isnan(action.gain))
    return Rows(
        labels=[(action.title,) for action in actions],
        bars=[
            # an improbable gain is expected beyond what holds 95 %, which then reaches to it
            Bar(row, 0.0, action.gain, (action.gain - low, high - action.gain))
            for row, action in enumerate(actions)
            for low, high in [action.interval or (nan, nan)]
            if not isnan(action.gain)
        ],
        heading="What to do next",
        subtitle="expected improvement of the best objective, with 95 % of its distribution",
        label="expected improvement",
        quiet=sum(isnan(action.gain) for action in actions),
    )


VIEWS = {"": View(shown, "What each action is expected to bring, or which intervals it narrows.")}
