"""Opens a run in a file, a folder or a database, of any of the formats.

What the command line reads every function reads, in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hpo_explain.adapters._json import place_of_damage
from hpo_explain.adapters.addresses import shown_address
from hpo_explain.adapters.formats import Opened, Place, place_of
from hpo_explain.base.errors import InputError, NothingToExplain


@contextmanager
def opened(
    place: str | os.PathLike[str], options: dict[str, Any]
) -> Iterator[tuple[Opened, dict[str, Any]]]:
    r"""Open a place for as long as it is read; give the options that are left for its reader.

    Parameters
    ----------
    place : str or path
        An address such as ``sqlite:///study.db``, or the path of a file or folder of any of
        `hpo_explain.adapters.formats.FORMATS`.
    options : dict
        The format's own (``study_name=`` of a storage, ``trust_pickle=True`` for a pickled
        result), and those of the adapter that reads what is in it: of
        :func:`hpo_explain.from_optuna` for a storage, of :func:`hpo_explain.from_frame` for a
        table.

    Raises
    ------
    TimeoutError
        If a storage stays locked by another process.
    InputError
        If there is no such file, or it cannot be read.
    OSError
        If it cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trials.csv"
    ...     _ = path.write_text("lr,loss\n0.1,1.0\n0.01,2.0\n")
    ...     with opened(path, {"objective": "loss"}) as (content, rest):
    ...         content.source.shape, rest
    ((2, 2), {'objective': 'loss'})
    """
    at = place_of(place)
    own_names = at.format.own_options()
    own = {name: options[name] for name in own_names if name in options}
    rest = {n: value for n, value in options.items() if n not in own}
    with _damage(at), at.format.load()(at.path, rest, **own) as content:
        yield content, {**content.options, **rest}


@contextmanager
def _damage(at: Place) -> Iterator[None]:
    """Turn what a reader does not expect of a file into an error that says it is damaged."""
    try:
        yield
    except (InputError, NothingToExplain, OSError, ImportError, MemoryError, Warning):
        raise
    except Exception as error:
        shown = shown_address(at.path)
        problem = f"{shown!r} could not be read as {at.format.kind}: {place_of_damage(error)}"
        raise InputError("run", problem, shown) from error
