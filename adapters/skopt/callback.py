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
        Share of the optimization's own time that reports may take. An update for which there is
        no room is made briefer or left out, which is logged. The first report and that of
        `finish` are exempt. None for no limit.
    sections : sequence of Section, optional
        The parts of the report; by default all.
    on_update : callable, optional
        Called with the report's path after each report; what it raises is logged.
    **options
        Options of :func:`from_skopt`.

    Raises
    ------
    InputError
        If `path` is no path, `every` is not a whole number of at least 1, `budget` is not a share,
        or an option is unknown.

    Notes
    -----
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
        """Count the trials that came since the last call, and write the report if it is due."""
        told = len(getattr(result, "x_iters", ()))
        new = max(told - self._seen, 0)
        # the points of x0 and y0 come in one call
        lasted = time.perf_counter() - self._made if not self._seen else 0.0
        self._seen = max(told, self._seen)
        for _ in range(new):
            self._updates.step(lambda: from_skopt(result, **self._options), lasted=lasted)

    def finish(self, result: Any) -> Path | None:
        """Write a last report on all trials, whatever the budget.

        If another process is writing the report, this waits for it, at most two minutes.

        Returns
        -------
        pathlib.Path or None
            The file written; None if that went wrong, which is logged.
        """
        return self._updates.finish(lambda: from_skopt(result, **self._options))
