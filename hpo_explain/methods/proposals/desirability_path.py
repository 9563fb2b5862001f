"""The explanations of all proposals of a run, each by the model of its own iteration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Criterion,
    Estimator,
    Fact,
    Option,
    Subject,
    by_workers,
    check_flag,
    check_jobs,
    fact,
    one_blas_thread,
    progress_of,
    steps,
)
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.methods.proposals.desirability_path_result import LATEST, DesirabilityPath
from hpo_explain.methods.proposals.explain_proposal import ProposalExplainer
from hpo_explain.methods.proposals.explainable import explainable, proposals_of
from hpo_explain.models import Acquisition
from hpo_explain.question import Question, explains
from hpo_explain.run import Run
from hpo_explain.space import Config

_MOST = 15  # proposals: each has a model of its own


@explains(of="optimizer")
def desirability_path(
    question: Question,
    trials: Sequence[int] | None = None,
    *,
    pending: bool = True,
    acquisition: Criterion | Acquisition = "auto",
    background: str | int | Config | npt.ArrayLike = "auto",
    surrogate: Any = None,
    estimator: Estimator = "auto",
    orders: int = 1000,
    precision: float = 0.01,
    n_jobs: int | None = 1,
    progress: bool = True,
) -> DesirabilityPath:
    """Show how the reasons for the optimizer's proposals changed during a run.

    Each proposal is explained with the surrogate of its own iteration: the optimizer's if it is
    stored, else one fitted to the trials that were finished at that time.

    Parameters
    ----------
    trials : sequence of int, optional
        The proposals to explain; by default all. Of more than 15 it takes the best one, the last
        five, and others spread evenly.
    pending : bool, default True
        Whether the default includes proposals without a result: running, failed or pruned ones.
    acquisition, background, surrogate, estimator, orders
        As in `explain_proposal`.
    precision : float, default 0.01
        As in `explain_proposal`; the numbers are the same in both.
    n_jobs : int or None, default 1
        Number of joblib workers; -1 for one per core, None for the setting of
        ``joblib.parallel_config(backend=..., n_jobs=...)``, such as a dask cluster. The numbers do
        not depend on it.
    progress : bool, default True
        Whether to show a progress bar on a terminal.

    Returns
    -------
    DesirabilityPath
        One explanation per proposal.

    Raises
    ------
    NothingToExplain
        If no proposal can be explained, or one of `trials` was not chosen by a model.
    ValueError
        If one of `trials` does not exist, or an option is not allowed.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 7, Figures 6 and 12.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> path = hx.methods.desirability_path(
    ...     table, objective="loss", optimizer="Ax", background=50, progress=False
    ... )
    >>> path.trials.tolist()
    [2, 3, 4]
    """
    run = question.run
    pending, n_jobs = check_flag("pending", pending), check_jobs(n_jobs)
    explainer = ProposalExplainer(
        acquisition, background, surrogate, estimator, orders, precision, question.seed
    )
    shown = check_flag("progress", progress)
    with progress_of("desirability_path", shown=shown):
        if trials is None:
            every, notes = explainable(run, acquisition, pending=pending)
            numbers = some_of(run, every)
            if len(numbers) < len(every):
                some = fact(
                    f"{len(numbers)} of {len(every)} proposals are explained: the best, the last "
                    f"{LATEST}, and others spread evenly; ",
                    Option("trials"),
                    " names others",
                )
                notes = (*notes, some)
        else:
            numbers, notes = proposals_of(run, trials), ()
        calls: Iterator[tuple[Any, ...]] = ((_explain, (explainer, run, n), {}) for n in numbers)
        work = by_workers(n_jobs, calls)
        explanations = tuple(steps(work, "proposals", len(numbers)))
    return path_of(run, explanations, notes)


def some_of(run: Run, proposals: list[int]) -> list[int]:
    """Return all proposals, or of many the last few, the best, and some spread evenly.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> x = np.linspace(0.0, 1.0, 300)[:, None]
    >>> run = hx.Run(hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)]), x, x[:, 0], "minimize")
    >>> len(some_of(run, [*range(15)])), some_of(run, [*range(300)])[-6:]
    (15, [294, 295, 296, 297, 298, 299])
    """
    if len(proposals) <= _MOST:
        return proposals
    earlier, latest = proposals[:-LATEST], proposals[-LATEST:]
    spread = _MOST - LATEST - 1
    places = np.linspace(0, len(earlier) - 1, spread).round().astype(int)
    finished = {*np.asarray(run.trials).tolist()} & {*proposals}
    best = [run.best(sorted(finished))] if finished else []
    return sorted({*best, *(earlier[i] for i in places.tolist()), *latest})


def path_of(
    run: Run, explanations: Sequence[ProposalExplanation], notes: Sequence[Fact] = ()
) -> DesirabilityPath:
    """Return the path of explanations of a run's proposals, in the order of the trials."""
    proposals = tuple(explanations)
    acquisitions = dict.fromkeys(e.subject.acquisition for e in proposals)
    if len(acquisitions) > 1:
        several = fact(
            f"the proposals were made by several criteria ({', '.join(acquisitions)}), whose "
            "contributions have different units; ",
            Option("acquisition", "lcb"),
            " explains all of them by one",
            names=acquisitions,
        )
        notes = (*notes, several)
    all_of = Subject.of(run)
    objectives = dict(zip(np.asarray(run.trials).tolist(), run.objective.tolist(), strict=True))
    return DesirabilityPath(
        subject=replace(
            proposals[-1].subject,
            trial=None,
            state=None,
            tried=all_of.tried,
            costs=all_of.costs,
            notes=tuple(notes),
        ),
        explanations=proposals,
        observed=np.array([objectives.get(e.trial, np.nan) for e in proposals]),
        notes=tuple(notes),
    )


def _explain(explainer: ProposalExplainer, run: Run, number: int) -> ProposalExplanation:
    # with any number of threads sums come out in another order, and so in other last digits
    with one_blas_thread():
        return explainer.explain(run, number)
