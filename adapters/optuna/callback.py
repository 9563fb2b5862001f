"""A callback that keeps a report up to date while a study runs, and never harms the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import optuna
from optuna.trial import FrozenTrial

from hpo_explain.adapters._updates import ReportUpdates
from hpo_explain.adapters.optuna.study import from_optuna
from hpo_explain.adapters.sources import as_runs, checked_options
from hpo_explain.base.errors import InputError

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run


class ExplanationCallback:
    """Writes the report anew every so many finished trials, for ``study.optimize(callbacks=)``.

    Whatever goes wrong while reading the study, fitting, drawing or writing is logged to the
    logger ``hpo_explain``, once for each place where it goes wrong, and the optimization goes on.
    Nothing is written to the study unless `user_attr` asks for it.

    Parameters
    ----------
    path : str or path-like, default "report.html"
        The report's file; relative to the current working directory.
    every : int, default 25
        Number of trials that finish (in whatever state) between two reports.
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
    user_attr : str, optional
        Name of a user attribute of the study that is set with each report, in the same thread as
        `on_update`, to the number of trials and the importance of (at most ten) hyperparameters,
        as a short JSON object.
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

    def __init__(
        self,
        path: str | PathLike[str] = "report.html",
        *,
        every: int = 25,
        budget: float | None = 0.05,
        sections: Sequence[Section] | None = None,
        on_update: Callable[[Path], object] | None = None,
        user_attr: str | None = None,
        **options: Any,
    ) -> None:
        if user_attr is not None and (not isinstance(user_attr, str) or not user_attr):
            raise InputError("user_attr", f"must be a name, but was {user_attr!r}", user_attr)
        self._updates = ReportUpdates(
            path, every=every, budget=budget, sections=sections, on_update=on_update
        )
        self._options = checked_options(options, from_optuna, ExplanationCallback)
        self._user_attr = user_attr

    @property
    def path(self) -> Path:
        """The report's file."""
        return self._updates.path

    @property
    def every(self) -> int:
        """Number of finished trials between two reports."""
        return self._updates.every

    def __call__(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Count a finished trial, and start a report if it is due."""
        lasted = 0.0 if trial.duration is None else trial.duration.total_seconds()
        self._updates.step(lambda: self._read(study), lasted=lasted, note=self._note(study))

    def finish(self, study: optuna.Study) -> Path | None:
        """Write a last report on all trials, whatever the budget, and wait for it.

        A report that is being drawn is given up, since it would show fewer trials. If another
        process is writing the report, this waits for it, at most two minutes.

        Returns
        -------
        pathlib.Path or None
            The file written; None if that went wrong, which is logged.
        """
        return self._updates.finish(lambda: self._read(study), note=self._note(study))

    def _read(self, study: optuna.Study) -> dict[str, Run]:
        # the study's own: what runs is no study that was loaded without its sampler
        return as_runs(study, **{"sampler": study.sampler, **self._options})

    def _note(self, study: optuna.Study) -> Callable[[dict[str, Any]], None] | None:
        """Return what sets the user attribute, if one is asked for."""
        if self._user_attr is None:
            return None
        return partial(study.set_user_attr, self._user_attr)
