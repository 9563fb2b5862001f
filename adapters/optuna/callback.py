"""A callback that keeps a report up to date while a study runs, and never harms the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import optuna
from optuna.trial import FrozenTrial

from hpo_explain.adapters._updates import ReportUpdates
from hpo_explain.adapters.optuna.study import from_optuna
from hpo_explain.adapters.sources import as_runs

if TYPE_CHECKING:
    from hpo_explain.run import Run


class ExplanationCallback(ReportUpdates):
    """Writes the report anew every so many finished trials, for ``study.optimize(callbacks=)``.

    Whatever goes wrong while reading the study, fitting, drawing or writing is logged to the
    logger ``hpo_explain``, once for each place where it goes wrong, and the optimization goes on.
    Nothing is written to the study.

    Parameters
    ----------
    path : str or path-like, default "report.html"
        The report's file; relative to the current working directory.
    every : int, default 25
        Number of trials that finish (in whatever state) between two reports.
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
        Options of :func:`from_optuna`: `target`, `pruned`, ... A study with several objectives
        gets one part of the report per objective unless `target` names one.

    Raises
    ------
    InputError
        If `path` is no path, `every` is not a whole number of at least 1, `budget` is not a share,
        a section cannot be sent to another process, or an option is unknown.

    Notes
    -----
    The study is read in the thread that calls the callback. A report is drawn by a process of its
    own, for which no trial waits: settings of matplotlib, warning filters and random states of
    this process are not touched. One report is drawn at a time; one that becomes due meanwhile
    follows after a later trial, with all trials finished by then. That process ends with this one:
    call `finish` for a report on all trials before the program ends. Of several processes that
    share a storage and a path, one writes at a time; the others skip theirs.

    Examples
    --------
    >>> from hpo_explain.adapters.optuna import ExplanationCallback
    >>> callback = ExplanationCallback("report.html", every=50)
    >>> callback.every
    50

    Then ``study.optimize(objective, n_trials=200, callbacks=[callback])``, and
    ``callback.finish(study)`` for a last report on all of it.
    """

    _reader = staticmethod(from_optuna)

    def __call__(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Count a finished trial, and start a report if it is due."""
        self._step(study, lasted=0.0 if trial.duration is None else trial.duration.total_seconds())

    def _read(self, source: optuna.Study) -> dict[str, Run]:
        # the study's own: what runs is no study that was loaded without its sampler
        return as_runs(source, **{"sampler": source.sampler, **self._options})
