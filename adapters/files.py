"""A run in a file, a folder or a database, of any of the formats.

What the command line reads every function reads, in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from hpo_explain.adapters.formats import Opened, place_of
from hpo_explain.adapters.sources import as_run, as_runs
from hpo_explain.run import Run


def read_place(place: str | os.PathLike[str], **options: Any) -> Run:
    r"""Return the run in a file, a folder or a database.

    Parameters
    ----------
    place : str or path
        An address such as ``sqlite:///study.db``, or the path of a file or folder of any of
        `hpo_explain.adapters.formats.FORMATS`.
    **options
        The format's own (``study_name=`` of a storage, ``trust_pickle=True`` for a pickled
        result), and those of the adapter that reads what is in it: of
        :func:`hpo_explain.from_optuna` for a storage, of :func:`hpo_explain.from_frame` for a
        table.

    Raises
    ------
    TimeoutError
        If a storage stays locked by another process.
    InputError
        If there is no such file, it cannot be read, or an option is unknown to its adapter.
    NothingToExplain
        If no trial of it can be read.
    OSError
        If it cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trials.csv"
    ...     _ = path.write_text("lr,loss\n0.1,1.0\n0.01,2.0\n")
    ...     len(read_place(path, objective="loss"))
    2
    """
    with _opened(place, options) as (found, rest):
        return _noted(as_run(found.source, **rest), found)


def read_place_by_objective(
    place: str | os.PathLike[str], **options: Any
) -> dict[str, Run]:
    """Return a run by objective in a file, a folder or a database; raises as :func:`read_place`.

    Parameters
    ----------
    place, **options
        As of :func:`read_place`; with `target` there is one run.
    """
    with _opened(place, options) as (found, rest):
        runs = as_runs(found.source, **rest)
        return {name: _noted(run, found) for name, run in runs.items()}


@contextmanager
def _opened(
    place: str | os.PathLike[str], options: dict[str, Any]
) -> Iterator[tuple[Opened, dict[str, Any]]]:
    """Open a place for as long as it is read; give the options that are left for the reader."""
    at = place_of(place)
    open_it: Callable[..., Any] = at.format.load()
    own_names = at.format.own_options()
    own = {name: options[name] for name in own_names if name in options}
    rest = {n: value for n, value in options.items() if n not in own}
    with open_it(at.path, rest, **own) as found:
        yield found, {**found.options, **rest}


def _noted(run: Run, found: Opened) -> Run:
    """Return a run with what was noted when its file was opened."""
    if not found.notes:
        return run
    return replace(run, notes=[*found.notes, *run.notes])
