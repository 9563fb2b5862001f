"""What only a report says, in words."""

from __future__ import annotations

from collections.abc import Collection

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.facts import Origin
from hpo_explain.base.numbers import format_value
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.run import Run
from hpo_explain.run.description import who_is_unknown

TERMS = {
    "mean": "predicted objective",
    "uncertainty": "uncertainty",
    "good": "common among good trials",
    "bad": "rare among the others",
    "noise": "noise",
}
"""The terms of acquisition functions, for somebody who does not know them."""

_CHOSEN = {
    Origin.MODEL: "chosen by {optimizer}",
    Origin.INITIAL: "part of the initial design",
    Origin.ENQUEUED: "enqueued by a person",
    Origin.RETRIED: "repeats a failed trial",
    Origin.ADDED: "added with its result",
    Origin.PERSON: "changed by a person",
    Origin.UNKNOWN: "its origin is not recorded",
}


def nothing_yet(run: Run) -> str:
    """Return why nothing can be explained yet, in a sentence; empty where something can.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> nothing_yet(hx.from_frame(pd.DataFrame({"x": [0.1], "loss": [1.0]}), "loss"))
    'run has 1 finished trial; a surrogate needs at least 2. Run more trials.'
    """
    try:
        run.check_learnable()
    except NothingToExplain as why:
        return str(why)
    return ""


_MARKS = {
    "proposal": "filled: chosen by a model",
    "initial": "hollow: initial design",
    "other": "hollow: not chosen by a model",
    "left-out": "cross: excluded",
}


def marks(kinds: Collection[str], *, cut: bool, proposes: bool = True) -> str:
    """Return what the marks of the history stand for: those that there are.

    In a run without proposals all are of one kind.
    """
    if not proposes:
        kinds = {*kinds} - {"initial", "other"}
    if "other" in kinds:
        kinds = {*kinds} - {"initial"}
    said = [text for kind, text in _MARKS.items() if kind in kinds]
    said += ["triangle: worse than the axis shows"] if cut else []
    return f"{'; '.join(['Line: the best so far', *said])}."


def why_tried(run: Run, trial: int, *, explained: bool) -> str:
    """Return who chose a trial, and why there is no explanation where there is none."""
    if trial in run.excluded and trial not in run.without_result:
        return ""
    who = _CHOSEN[run.origin(trial)].format(optimizer=run.optimizer)
    if not run.proposes:
        return "" if who_is_unknown(run) else f"by {run.optimizer}, without a model"
    return who if explained else f"{who}. {_why_no_explanation(run, trial)}"


def _why_no_explanation(run: Run, trial: int) -> str:
    """Say why a finished trial has no explanation."""
    decided = run.reviewed.get(trial)
    if decided is not None and decided.set_by_person:
        was = run.space.decode(decided.proposed[None, :])[0]
        given = [f"{name} = {format_value(was[name])}" for name in was]
        return (
            f"A person set {join_words(decided.set_by_person)} before it started. "
            f"The proposal was {join_words(given)}."
        )
    if run.origin(trial) is Origin.MODEL:
        return "There were too few trials for a model, or the report does not explain this one."
    return "No model chose this trial, so there is nothing to explain."


def others(count: int) -> str:
    """Return the label of the sum of smaller contributions."""
    return f"{counted(count, 'other')} together"
