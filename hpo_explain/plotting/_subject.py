"""What a result is about, with names as plots show them."""

from __future__ import annotations

from dataclasses import replace

from hpo_explain.base.subject import Subject
from hpo_explain.base.width import shorten
from hpo_explain.plotting._text import plain

_OBJECTIVE, _OTHERS = 40, 60  # columns


def shown(subject: Subject) -> Subject:
    """Return a subject whose names stand on one line, shortened where they are long."""
    return replace(
        subject,
        objective_name=shorten(plain(subject.objective_name), _OBJECTIVE),
        model=plain(subject.model),
        acquisition=shorten(plain(subject.acquisition), _OTHERS),
        optimizer=shorten(plain(subject.optimizer), _OTHERS),
    )
