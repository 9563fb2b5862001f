"""A callback that keeps a report up to date while a study runs, and never harms the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import optuna
from optuna.trial import FrozenTrial

from hpo_explain.adapters._updates import ReportUpdates, Runs
from hpo_explain.adapters.optuna.study import from_optuna
from hpo_explain.adapters.sources import as_runs, checked_options
from hpo_explain.errors import InputError

if TYPE_CHECKING:
    from hpo_explain.reporting import Section

_MOST_NAMED = 10  # in a user attribute


class ExplanationCallback:
    """Writes the report anew every so many finished trials, for ``study.optimize(callbacks=)``.

    Whatever goes wrong while reading the study, fitting, drawing or writing is logged to the
    logger ``hpo_explain``, once for each place where it goes wrong, and the optimization goes on.
    No random state that a sampler might use is touched, and nothing is written to the study
    unless `user_attr` asks for it.

    Parameters
    ----------
    path : str or path-like, default "report.html"
        The report's file; relative to the current working directory.
    every : int, default 25
        Number of trials that finish (in whatever state) between two reports.
    budget : float or None, default 0.05
        Share of the optimization's own time that reports may take. An update for which there is
        no room is made briefer or left out, which is logged. The first report and that of
        `finish` are exempt. None for no limit.
    sections : sequence of Section, optional
        The parts of the report; by default all.
    on_update : callable, optional
        Called with the report's path after each report; what it raises is logged.
    user_attr : str, optional
        Name of a user attribute of the study that is set with each report to the number of trials
        and the importance of (at most ten) hyperparameters, as a short JSON object.
    **options
        Options of :func:`from_optuna`: `target`, `pruned`, ... A study with several objectives
        gets one part of the report per objective unless `target` names one.

    Raises
    ------
    InputError
        If `path` is no path, `every` is not a whole number of at least 1, `budget` is not a share,
        or an option is unknown.

    Notes
    -----
    With ``n_jobs`` above 1 the callback is called from several threads. One of them writes at
    a time; a report that becomes due meanwhile is written afterwards, by the same thread. Of
    several processes that share a storage and a path, one writes at a time; the others skip theirs.

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
        """Count a finished trial, and write the report if it is due."""
        lasted = 0.0 if trial.duration is None else trial.duration.total_seconds()
        self._updates.step(lambda: self._read(study), lasted=lasted)

    def finish(self, study: optuna.Study) -> Path | None:
        """Write a last report on all trials, whatever the budget.

        If another process is writing the report, this waits for it, at most two minutes.

        Returns
        -------
        pathlib.Path or None
            The file written; None if that went wrong, which is logged.
        """
        return self._updates.finish(lambda: self._read(study))

    def _read(self, study: optuna.Study) -> Runs:
        # the study's own: what runs is no study that was loaded without its sampler
        runs = as_runs(study, **{"sampler": study.sampler, **self._options})
        if self._user_attr is not None:
            self._updates.guarded(lambda: self._note(study, runs))
        return next(iter(runs.values())) if len(runs) == 1 else runs

    def _note(self, study: optuna.Study, runs: dict[str, Any]) -> None:
        """Set the user attribute to the importance of hyperparameters, by objective if several."""
        from hpo_explain.facade import importance

        found = {}
        for name, run in runs.items():
            if len(run) < 2:
                return
            shares = importance(run).to_frame()["importance"]
            found[name] = {
                str(key): round(float(share), 4) for key, share in shares[:_MOST_NAMED].items()
            }
        n = max(len(run) for run in runs.values())
        value = next(iter(found.values())) if len(found) == 1 else found
        study.set_user_attr(str(self._user_attr), {"trials": n, "importance": value})
