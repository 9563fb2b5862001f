"""A callback that keeps a report up to date while a study runs, and never harms the run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import optuna
from optuna.trial import FrozenTrial

from hpo_explain.adapters._updates import ReportUpdates
from hpo_explain.adapters.optuna.quiet import quiet_optuna
from hpo_explain.adapters.optuna.study import from_optuna
from hpo_explain.adapters.sources import as_runs
from hpo_explain.base.checks import check_flag

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run


_logger = logging.getLogger("hpo_explain")
_UNSEEN = (
    "Nothing is published: the study's storage is in this process's memory, which no dashboard "
    "reads. Give the study a storage, such as 'sqlite:///study.db'."
)


class ExplanationCallback(ReportUpdates):
    """Writes the report anew every so many finished trials, for ``study.optimize(callbacks=)``.

    Whatever goes wrong while reading the study, fitting, drawing or writing is logged to the
    logger ``hpo_explain``, once for each place where it goes wrong, and the optimization goes on.
    Nothing is written to the study, unless `publish` is given.

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
    publish : bool, default False
        Whether each report's figures and summary are published in the study's storage, too, for
        optuna-dashboard, as by :func:`hpo_explain.publish`.
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
    follows after a later trial, with all trials finished by then.

    Once ``study.optimize`` has returned in a process that goes on, such as a notebook, a report on
    all trials is written by itself, a short page first where there is none: within seconds, unless
    another optimization runs in this process, for which it waits. The process that draws ends with
    this one: call `finish` for a report on all trials before a program ends. Without, a program
    that ends before a whole report was written leaves a short page, for which it waits some
    seconds; there is one of the first ten trials, too. None of these counts for the budget. Of
    several processes that write into one folder, one does so at a time; the others skip theirs.
    A page that is open in a browser reloads itself when it was written anew. A copy of the
    callback, also a pickled one, has its settings and begins anew.

    Examples
    --------
    >>> from hpo_explain.adapters.optuna import ExplanationCallback
    >>> callback = ExplanationCallback("report.html", every=50)
    >>> callback.every
    50

    Then ``study.optimize(objective, n_trials=200, callbacks=[callback])``, and
    ``callback.finish(study)`` for a last report on all of it.
    """

    _settings = (*ReportUpdates._settings, "publish")
    _reader = staticmethod(from_optuna)
    _framework = "optuna.study"

    def __init__(
        self,
        path: str | PathLike[str] = "report.html",
        *,
        every: int = 25,
        budget: float | None = 0.05,
        sections: Sequence[str | Section] | None = None,
        on_update: Callable[[Path], object] | None = None,
        publish: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(
            path, every=every, budget=budget, sections=sections, on_update=on_update, **options
        )
        self.publish = check_flag("publish", publish)
        """Whether figures and summary are published in the study's storage."""

    def __call__(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Count a finished trial, and start a report if it is due."""
        self._step(study, lasted=trial.duration.total_seconds() if trial.duration else 0.0)

    def _read(self, source: optuna.Study) -> dict[str, Run]:
        # the study's own: what runs is no study that was loaded without its sampler
        return as_runs(source, **{"sampler": source.sampler, **self._options})

    def _after(self, source: optuna.Study) -> Callable[[Any], object] | None:
        if not self.publish:
            return None
        if isinstance(source._storage, optuna.storages.InMemoryStorage):
            _logger.warning(_UNSEEN)
            self.publish = False
            return None
        return partial(_published, source.study_name, source._storage)


def _published(name: str, storage: optuna.storages.BaseStorage, runs: dict[str, Run]) -> None:
    """Publish runs in the storage of their study, in the process that draws."""
    from hpo_explain.adapters.dashboard import put

    with quiet_optuna():
        put(optuna.load_study(study_name=name, storage=storage), runs)
