"""Values that `json.dumps` accepts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain_json(value: Any) -> Any:
    """Return a value that `json.dumps` accepts: numpy as Python, NaN as None, others as text."""
    if isinstance(value, Mapping):
        return {str(key): plain_json(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return plain_json(value.tolist())
    if isinstance(value, np.generic):
        return plain_json(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return str(value)
    return value
