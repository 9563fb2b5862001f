"""Which of many categories an effect is computed for."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import Fact, Subject, declared_fact
from hpo_explain.space import Array

MOST_CATEGORIES = (50, 20)
"""Of a hyperparameter alone, and of each of two: more take too long, and cannot be shown."""

_LEFT_OUT = declared_fact(
    "categories_left_out", "{shown} of the {all} values of {names} are looked at: those tried most"
)


def codes_of(subject: Subject, j: int, members: int) -> Array:
    """Return the codes of the categories of a column whose effect is computed, in their order.

    All, or of many those tried most often, that of the incumbent among them.

    Parameters
    ----------
    subject : Subject
        What is explained, with the tried configurations.
    j : int
        The categorical column.
    members : int
        How many hyperparameters the effect is of: one or two.
    """
    parameter = subject.space.parameters[j]
    if not parameter.is_category:
        raise TypeError(f"{parameter.name} has no categories")
    most = MOST_CATEGORIES[members - 1]
    if parameter.size <= most:
        return np.arange(parameter.size, dtype=float)
    tried = subject.tried[:, j]
    counts = np.bincount(tried[~np.isnan(tried)].astype(np.int64), minlength=parameter.size)
    if parameter.name in subject.incumbent:
        best = parameter.encode([subject.incumbent[parameter.name]])
        counts[best.astype(np.int64)] = len(tried) + 1
    codes = subject.space.codes(j)
    return np.sort(codes[np.argsort(-counts[codes], kind="stable")[:most]]).astype(float)


def left_out_note(subject: Subject, j: int, members: int) -> tuple[Fact, ...]:
    """Return how many categories an effect leaves out; empty if none, or not of categories."""
    parameter, most = subject.space.parameters[j], MOST_CATEGORIES[members - 1]
    if not parameter.is_category or parameter.size <= most:
        return ()
    return (_LEFT_OUT(names=[parameter.name], shown=most, all=parameter.size),)
