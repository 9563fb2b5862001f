"""What an explanation is about, in words."""

from __future__ import annotations

from hpo_explain.base.subject import Subject

INACTIVE, NOT_CHOSEN = "inactive", "not chosen"
"""What stands in place of a value."""

NEXT = ("given", "waiting")
"""States of configurations that are explained as the next one."""


def configuration(subject: Subject) -> str:
    """Return the configuration in words: "trial 42" or "this configuration"."""
    if subject.state == "changed":
        return f"the proposal for trial {subject.trial}"
    return "this configuration" if subject.trial is None else f"trial {subject.trial}"


def explained(subject: Subject) -> str:
    """Return what is explained, in words: the predicted objective, or the acquisition."""
    return subject.acquisition or f"predicted {subject.objective_name}"


def better(subject: Subject) -> str:
    """Return which way what is explained is better: "lower" or "higher"."""
    return "lower" if subject.lower_is_better else "higher"
