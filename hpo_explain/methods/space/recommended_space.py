"""The recommended search space: the smallest part that holds a configuration near the best.

How it is found is told in `hpo_explain.belief.narrowing`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hpo_explain.base import (
    Fact,
    InputError,
    Subject,
    check_number,
    fact,
    format_values,
    join_names,
    values_in_words,
)
from hpo_explain.belief import Box
from hpo_explain.methods.space.recommended_space_result import Kept, Recommendation
from hpo_explain.question import RARELY_FEASIBLE, Explained, Question, explains


@explains(of="surrogate", without=("kind",))
def recommended_space(question: Question, lose: float | None = None) -> Recommendation:
    """Recommend the smallest part of the space that still holds a configuration near the best.

    Parameters
    ----------
    lose : float, optional
        By how much the best that is left may be worse, in the objective's units; by default what
        counts, `epsilon`.

    Returns
    -------
    Recommendation
        The space, what of each hyperparameter is kept, and what that may lose.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or `lose` is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(60), "y": rng.random(60)})
    >>> table["loss"] = (table.x - 0.2) ** 2
    >>> found = hx.recommended_space(table, objective="loss", hyperparameters=["x", "y"])
    >>> found.space["x"].high < 0.7, found.volume < 0.7
    (True, True)
    """
    run = question.run
    run.check_differences()
    if lose is not None and check_number("lose", lose) <= 0.0:
        raise InputError("lose", f"must be positive, but was {lose!r}", lose)
    about = Explained.of(question.model, run.direction)
    subject = about.completed(question.subject())
    decision = question.decision
    if decision is None:
        space = subject.space
        return Recommendation(
            subject=subject,
            space=space,
            rows=tuple(Kept.of(p, p, 1.0) for p in space),
            lose=np.nan,
            volume=1.0,
            notes=(
                fact("the model has no joint posterior, so nothing is given up"),
                *subject.notes,
            ),
        )
    box = decision.box if lose is None else decision.box_that_loses(lose)
    return recommendation(box, subject, decision.doubts)


def recommendation(box: Box, subject: Subject, doubts: tuple[Fact, ...] = ()) -> Recommendation:
    """Return a box in words.

    Parameters
    ----------
    box : Box
        What is left of the space.
    subject : Subject
        What is explained.
    doubts : tuple of Fact
        Why little is known of it.
    """
    left_out = box.never_active
    rows = [
        Kept.of(p, None if p.name in left_out else part, share)
        for p, part, share in zip(box.whole, box.parts, box.shares, strict=True)
    ]
    return Recommendation(
        subject=subject,
        space=box.space,
        rows=tuple(rows),
        lose=box.search.lose,
        volume=box.volume,
        loss=box.loss,
        doubts=doubts,
        notes=(*_notes(box), *subject.notes),
    )


def _notes(box: Box) -> Iterator[Fact]:
    """Return what has to be known of a box."""
    yield from _untried(box)
    unexplained = [p.name for p in box.whole if p.optional is not None]
    if unexplained:
        text = "not certain, because it is not known when these are active"
        yield fact(f"{text}: {join_names(unexplained)}", names=unexplained)
    if box.search.draws.rarely_feasible:
        yield RARELY_FEASIBLE()
    if box.never_active:
        text = "left out, because never active in the recommended space"
        yield fact(f"{text}: {join_names(box.never_active)}", names=box.never_active)


def _untried(box: Box) -> Iterator[Fact]:
    """Return what is kept of each hyperparameter because nobody tried it."""
    axes, untried = box.search.land.axes, box.search.untried
    for j, parameter in enumerate(box.whole):
        axis, stays = axes[j], untried[j] & box.levels[j]
        if not stays.any() or box.levels[j].all():
            continue
        if axis.category:
            where = f"in {{{values_in_words(parameter.decode(axis.centers[stays]))}}}"
        else:
            ends = np.array([axis.edges[stays, 0].min(), axis.edges[stays, 1].max()])
            where = "from {} to {}".format(*format_values(parameter.decode(ends)))
        text = f"kept, because no trial was made there: {parameter.name} {where}"
        yield fact(text, names=[parameter.name])
