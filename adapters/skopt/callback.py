"""A callback that keeps a report up to date while scikit-optimize runs, and never harms the run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._updates import ReportUpdates
from hpo_explain.adapters.skopt.result import from_skopt

if TYPE_CHECKING:
    from hpo_explain.run import Run


class ExplanationCallback(ReportUpdates):
    """Writes the report anew every so many trials, for ``gp_minimize(..., callback=[...])``.

    Whatever goes wrong while reading the result, fitting, drawing or writing is logged to the
    logger ``hpo_explain``, once for each place where it goes wrong, and the optimization goes on.

    Parameters
    ----------
    path : str or path-like, default "report.html"
        The report's file; relative to the current working directory.
    every : int, default 25
        Number of trials between two reports.
    budget : float or None, default 0.05
        Share of the optimization's own time that reports may take, counted in seconds of one
        processor. A report for which there is no room yet comes when it fits, which is logged.
        That of `finish` is exempt. None for no limit.
    sections : sequence of str or Section, optional
        The parts of the report; by default all. Sections of your own are sent to the process that
        draws: what their functions change there, this process does not see.
    on_update : callable, optional
        Called with the report's path after each report, one call at a time, in a thread of its
        own; what it raises is logged.
    **options
        Options of :func:`from_skopt`.

    Raises
    ------
    InputError
        If `path` is no path, `every` is not a whole number of at least 1, `budget` is not a share,
        a section cannot be sent to another process, or an option is unknown.

    Notes
    -----
    The result is read in the thread that calls the callback. A report is drawn by a process of its
    own, for which no trial waits, and which ends with this one. One report is drawn at a time; one
    that becomes due meanwhile follows after a later trial, with all trials told by then. Once the
    optimizer has returned in a process that goes on, such as a notebook, a report on all trials is
    written by itself, a short page first where there is none; call `finish` for it before a program
    ends.

    With ``Optimizer.ask`` and ``tell`` call it with what `tell` returns:
    ``callback(optimizer.tell(x, y))``.

    Examples
    --------
    >>> from hpo_explain.adapters.skopt import ExplanationCallback
    >>> ExplanationCallback("report.html", every=10).every
    10
    """

    _reader = staticmethod(from_skopt)
    _framework = "skopt"
    _seen = 0  # trials, of those that were told

    def __call__(self, result: Any) -> None:
        """Count the trials that came since the last call, and start a report if it is due."""
        told = len(getattr(result, "x_iters", ()))
        new = max(told - self._seen, 0)
        # the points of x0 and y0 come in one call
        lasted = time.perf_counter() - self._made if not self._seen else 0.0
        self._seen = max(told, self._seen)
        for _ in range(new):
            self._step(result, lasted=lasted)

    def _read(self, source: Any) -> dict[str, Run]:
        run = from_skopt(source, **self._options)
        return {run.objective_name: run}
