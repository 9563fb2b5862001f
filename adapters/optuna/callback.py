"""A callback that keeps a report up to date while a study runs, and never harms the run."""

from __future__ import annotations

import inspect
import logging
import threading
from os import PathLike
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import FrozenTrial

from hpo_explain._checks import check_count
from hpo_explain.adapters.optuna.study import from_optuna

_logger = logging.getLogger("hpo_explain")


class ExplanationCallback:
    """Writes the report anew every so many finished trials, for ``study.optimize(callbacks=)``.

    Whatever goes wrong while reading the study, fitting, drawing or writing is logged to the
    logger ``hpo_explain``, once for each place where it goes wrong, and the optimization goes on.
    No random state that a sampler might use is touched.

    Parameters
    ----------
    path : str or path-like, default "report.html"
        The report's file; relative to the working directory of now, not of a later trial.
    every : int, default 25
        Number of trials that finish (in whatever state) between two reports.
    **options
        Options of :func:`from_optuna`: `target`, `pruned`, ...

    Raises
    ------
    ValueError
        If `path` is no path, `every` is not a whole number of at least 1, or an option is unknown.

    Notes
    -----
    With ``n_jobs`` above 1 the callback is called from several threads. One of them writes at
    a time; a report that becomes due meanwhile is written afterwards, by the same thread.

    Examples
    --------
    >>> from hpo_explain.adapters.optuna import ExplanationCallback
    >>> callback = ExplanationCallback("report.html", every=50)
    >>> callback.every
    50

    Then ``study.optimize(objective, n_trials=200, callbacks=[callback])``.
    """

    def __init__(
        self, path: str | PathLike[str] = "report.html", *, every: int = 25, **options: Any
    ) -> None:
        if not isinstance(path, (str, PathLike)) or not str(path):
            raise ValueError(
                f"path must name the report's file, but was {path!r}. Give one like 'report.html'."
            )
        known = [name for name in inspect.signature(from_optuna).parameters if name != "study"]
        unknown = [name for name in options if name not in known]
        if unknown:
            raise ValueError(
                f"options must be among {', '.join(known)}, but one was {unknown[0]!r}. Remove it."
            )
        self.path = Path(path).absolute()
        self.every = check_count("every", every)
        self._options = options
        self._lock = threading.Lock()
        self._finished = 0
        self._due = False
        self._writing = False
        self._logged: set[tuple[type[Exception], str]] = set()

    def __call__(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Count a finished trial, and write the report if it is due."""
        with self._lock:
            self._finished += 1
            if self._finished % self.every:
                return
            self._due = True
            if self._writing:
                return
            self._writing = True
        while self._take():
            self._write(study)

    def _take(self) -> bool:
        """Say whether a report is due; if none is, others may write from now on."""
        with self._lock:
            self._writing, self._due = self._due, False
            return self._writing

    def _write(self, study: optuna.Study) -> None:
        try:
            from hpo_explain.reporting import write_report

            write_report(from_optuna(study, **self._options), self.path)
        except Exception as error:
            self._log(error)
        except BaseException:  # the run is being stopped; it may be continued with this callback
            self._writing = False
            raise

    def _log(self, error: Exception) -> None:
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = "" if place is None else f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}"
        kind = (type(error), where)
        if kind in self._logged:
            return
        self._logged.add(kind)
        _logger.warning(
            "The report %s was not written (%s: %s). The optimization goes on.",
            self.path,
            type(error).__name__,
            error,
            exc_info=error,
        )
