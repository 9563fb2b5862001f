"""Exact tables of real tuning problems as problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain import CategoricalParameter, IntParameter, SearchSpace
from tests.claims.problem import Problem
from tests.source_tree import DATA

TABLES = DATA / "grids"


def table_of(path: Path) -> Problem:
    """Read one."""
    with np.load(path, allow_pickle=True) as found:
        values = found["values"].astype(float)
        return problem_of(path.stem, values, json.loads(str(found["space"])))


def problem_of(name: str, values: np.ndarray, names: dict[str, list[Any]]) -> Problem:
    """Return the problem of a table with an axis of levels per hyperparameter, then of seeds.

    Of errors that span decades the logarithm is the objective; all else is an accuracy.
    """
    values = np.log(values) if name.startswith("hpolib") else -values
    space = SearchSpace(
        [
            IntParameter(name, 0, len(levels) - 1)
            if len(levels) > 2 and not isinstance(levels[0], str)
            else CategoricalParameter(name, [str(level) for level in levels])
            for name, levels in names.items()
        ]
    )
    values[np.isnan(values).all(axis=-1)] = np.nanmax(values)
    mean = np.nanmean(values, axis=-1)
    # of one evaluation, which is one of the seeds
    scatter = np.nanstd(values, axis=-1)
    levels = [
        p.from_latent((np.arange(n) + 0.5) / n)
        for p, n in zip(space.parameters, mean.shape, strict=True)
    ]

    def index(X: np.ndarray) -> tuple[np.ndarray, ...]:
        near = [np.abs(x[:, None] - at).argmin(axis=1) for x, at in zip(X.T, levels, strict=True)]
        return tuple(near)

    def draw(x: np.ndarray, rng: np.random.Generator) -> float:
        seen = values[tuple(i[0] for i in index(x[None]))]
        return float(rng.choice(seen[~np.isnan(seen)]))

    return Problem(
        name,
        space,
        lambda X: mean[index(X)],
        draw,
        family="tables",
        noises=(0.0,),  # their own
        noise_of=lambda X: scatter[index(X)],
    )
