"""What a result says in a line of a report's contents."""

from __future__ import annotations

from typing import Any

MOST = 100  # characters of a line
_NAME = 24  # characters of a word that is not cut


def line(result: Any) -> str:
    """Return the first thing that a result says, in a line of at most 100 characters.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xy"])
    >>> X = space.sample(40, seed=0)
    >>> len(line(hx.importance(hx.Run(space, X, X[:, 0], "minimize")))) <= 100
    True
    """
    told = [
        claim.frame.replace("{each}", claim.text)
        for claim in result.claims
        if getattr(claim, "text", "")
    ]
    return shortened(told[0] if told else result.sentence)


def shortened(text: str, most: int = MOST) -> str:
    """Return a text of at most so many characters, cut between words where there are any.

    Examples
    --------
    >>> shortened("The learning rate matters most", 20)
    'The learning rate …'
    """
    if len(text) <= most:
        return text
    head = text[: most - 1]
    whole = head.rpartition(" ")[0] if len(head.rpartition(" ")[2]) < _NAME else ""
    return f"{whole} …" if whole else f"{head}…"
