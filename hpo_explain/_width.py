"""How many columns a text takes, on the terminal and in plots."""

from __future__ import annotations

import wcwidth


def columns(text: str) -> int:
    """Return how many columns a text takes: wide characters take two, combining ones none."""
    return wcwidth.width(text, control_codes="ignore")
