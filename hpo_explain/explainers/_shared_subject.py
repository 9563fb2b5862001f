"""What several runs are about together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hpo_explain.base.facts import Fact
from hpo_explain.base.subject import Subject
from hpo_explain.diagnostics._trust import LEVELS
from hpo_explain.space import SearchSpace


def shared_subject(
    space: SearchSpace, subjects: Sequence[Subject], notes: tuple[Fact, ...] = ()
) -> Subject:
    """Return what several runs are about: trusted as far as the least trusted of them."""
    known = [subject.trust for subject in subjects if subject.trust is not None]
    worst = max(known, key=lambda trust: LEVELS.index(trust.level)) if known else None
    return replace(
        subjects[0],
        space=space,
        trial=None,
        model="",
        trust=worst,
        tried=None,
        costs=None,
        incumbent={},
        notes=notes,
    )
