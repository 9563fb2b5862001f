"""A callback that keeps a report up to date while scikit-optimize runs, and never harms the run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._updates import ReportUpdates
from hpo_explain.adapters.skopt.result import from_skopt
from hpo_explain.adapters.sources import checked_options

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run


class ExplanationCallback:
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
        processor. A report for which there is no room yet is made briefer, or comes when it
        fits; either is logged. That of `finish` is exempt. None for no limit.
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
    own, for which no trial waits, and which ends with this one: call `finish` for a report on all
    trials before the program ends. One report is drawn at a time; one that becomes due meanwhile
    follows after a later trial, with all trials told by then.

    With ``Optimizer.ask`` and ``tell`` call it with what `tell` returns:
    ``callback(optimizer.tell(x, y))``.

    Examples
    --------
    >>> from hpo_explain.adapters.skopt import ExplanationCallback
    >>> ExplanationCallback("report.html", every=10).every
    10
    """

    def __init__(
        self,
        path: str | PathLike[str] = "report.html",
        *,
        every: int = 25,
        budget: float | None = 0.05,
        sections: Sequence[Section] | None = None,
        on_update: Callable[[Path], object] | None = None,
        **options: Any,
    ) -> None:
        self._updates = ReportUpdates(
            path, every=every, budget=budget, sections=sections, on_update=on_update
        )
        self._options = checked_options(options, from_skopt, ExplanationCallback)
        self._made = time.perf_counter()
        self._seen = 0

    @property
    def path(self) -> Path:
        """The report's file."""
        return self._updates.path

    @property
    def every(self) -> int:
        """Number of trials between two reports."""
        return self._updates.every

    def __call__(self, result: Any) -> None:
        """Count the trials that came since the last call, and start a report if it is due."""
        told = len(getattr(result, "x_iters", ()))
        new = max(told - self._seen, 0)
        # the points of x0 and y0 come in one call
        lasted = time.perf_counter() - self._made if not self._seen else 0.0
        self._seen = max(told, self._seen)
        for _ in range(new):
            self._updates.step(lambda: self._read(result), lasted=lasted)

    def finish(self, result: Any) -> Path | None:
        """Write a last report on all trials, whatever the budget, and wait for it.

        A report that is being drawn is given up, since it would show fewer trials. If another
        process is writing the report, this waits for it, at most two minutes.

        Returns
        -------
        pathlib.Path or None
            The file written; None if that went wrong, which is logged.
        """
        return self._updates.finish(lambda: self._read(result))

    def _read(self, result: Any) -> dict[str, Run]:
        run = from_skopt(result, **self._options)
        return {run.objective_name: run}
