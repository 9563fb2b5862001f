"""Spans of time as people write them: 30s, 5m, 2h."""

from __future__ import annotations

import re

import click

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_LONGEST = 7 * 24 * 3600.0  # far below what the clocks of all systems can wait for


def duration(context: click.Context, option: click.Parameter, text: str) -> float:
    """Return a span of time in seconds, the unit where none is given.

    Examples
    --------
    >>> [duration(None, None, text) for text in ("30s", "5m", "0.5h", "2")]
    [30.0, 300.0, 1800.0, 2.0]
    """
    found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([a-z]*)\s*", text)
    if found is None or found[2] not in _SECONDS:
        raise click.BadParameter(f"must be a time like 30s, 5m or 2h, but was {text!r}.")
    seconds = float(found[1]) * _SECONDS[found[2]]
    if not 0.0 < seconds <= _LONGEST:
        raise click.BadParameter(f"must be more than 0 and at most a week, but was {text!r}.")
    return seconds
