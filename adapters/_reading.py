"""What the adapters have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

RANDOM_START = 10
"""Trials of a random search that count as its start: before, there is too little to explain."""


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Turn the absence of the package of an extra into the line that installs it.

    Raises
    ------
    ImportError
        If the package is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != extra:
            raise
        raise ImportError(
            f"{extra} is not installed, and is needed to read what it recorded. "
            f'Run: pip install "hpo_explain[{extra}]"'
        ) from error


def split_finite(
    objective: Array, trials: Sequence[int] | npt.NDArray[np.int64], name: str = "objective"
) -> tuple[npt.NDArray[np.bool_], dict[int, str]]:
    """Return which trials have a finite objective, and why the others are left out."""
    finite = np.isfinite(objective)
    reasons = {
        int(trials[i]): f"its {name} is {objective[i]}" for i in np.flatnonzero(~finite).tolist()
    }
    return finite, reasons
