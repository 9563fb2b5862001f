"""Optuna without its log lines, and what it calls experimental without its warnings.

`warnings.catch_warnings` would take the warnings of all threads of the process.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import optuna


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Log warnings only, and restore the user's verbosity afterwards."""
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(verbosity)


T = TypeVar("T")


def made(of: type[T], **settings: Any) -> T:
    """Return an object of one of Optuna's classes, which nobody uses but for its settings."""
    found = of.__new__(of)
    inspect.unwrap(of.__init__)(found, **settings)
    return found


def name_metrics(study: optuna.Study, names: list[str]) -> None:
    """Name the objectives of a study; what changes of that in Optuna is ours to follow."""
    inspect.unwrap(optuna.Study.set_metric_names)(study, names)
