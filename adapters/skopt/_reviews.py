"""What was decided about points that a person reviewed, as the optimizer's specification says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hpo_explain.adapters.skopt._dimensions import encode_points
from hpo_explain.run import Reviewed
from hpo_explain.space import Array, SearchSpace

REVIEWS = "hpo_explain:review"
"""The entry of a specification that holds what was decided, by number of the trial."""


def read_reviewed(result: Any, space: SearchSpace, X: Array) -> dict[int, Reviewed]:
    """Return what was decided about the points that were changed or refused.

    Points that were told in place of those are not among them.
    """
    records = (getattr(result, "specs", None) or {}).get(REVIEWS, {})
    found = {}
    for trial, record in records.items():
        # the names may have been others then
        names = dict(zip(record["proposed"], space.names, strict=True))
        changed = tuple(names[name] for name in record["set"])
        if not (changed or record["refused"]) or trial >= len(X):
            continue
        evaluated = {**record["proposed"], **record["set"]}
        rows = _rows(space, [evaluated, record["proposed"], *record["refused"]])
        if np.array_equal(rows[0], X[trial]):
            found[trial] = Reviewed(rows[1], changed, rows[2:])
    return found


def _rows(space: SearchSpace, configs: list[Mapping[str, Any]]) -> Array:
    return encode_points(space, [[*config.values()] for config in configs])[0]
