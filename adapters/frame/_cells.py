"""Cells of a table: whether one is empty, and when two are equal."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


def is_empty(value: Any) -> bool:
    """Say whether a cell is None, NaN, NA or NaT."""
    import pandas as pd

    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def cell_key(value: Any) -> Hashable:
    """Return a key that only cells of the same type and content have (True is not 1)."""
    if is_empty(value):
        return None
    try:
        hash(value)
    except TypeError:  # a list cannot be looked up
        return type(value), repr(value)
    return type(value), value
