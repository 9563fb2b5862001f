"""The explanations of all proposals of a run, each by the model of its own iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.checks import (
    check_count,
    check_flag,
    check_jobs,
    each_of,
)
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Criterion, Estimator
from hpo_explain.base.progress import progress_of, steps
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.base.workers import by_workers
from hpo_explain.methods._engines.proposed import proposed
from hpo_explain.methods.proposals.contributions_result import (
    ProposalExplanation,
)
from hpo_explain.methods.proposals.desirability_path_result import (
    DesirabilityPath,
)
from hpo_explain.methods.proposals.explain_proposal import (
    ProposalExplainer,
    explainable,
    explainer_of,
)
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.question.explains import Question, explains
from hpo_explain.run import Run
from hpo_explain.space import Config

_SEVERAL = declared_fact(
    "several_criteria",
    "the proposals were made by several criteria ({criteria}), whose "
    "contributions have different units; {acquisition='lcb'} explains all of them by one",
    criteria=lambda fact: ", ".join(fact.names),
)


@explains(without=("acquisition", "before", "kind", "surrogate"))
def desirability_path(
    question: Question,
    trials: Sequence[int] | None = None,
    *,
    pending: bool = False,
    acquisition: Criterion | Acquisition = "auto",
    background: str | int | Config | npt.ArrayLike = "auto",
    surrogate: Any = None,
    estimator: Estimator = "auto",
    orders: int = 1000,
    precision: float = 0.05,
    n_jobs: int | None = 1,
    progress: bool = True,
) -> DesirabilityPath:
    """Show how the reasons for the optimizer's proposals changed over a run.

    Each proposal is explained with the surrogate of its own iteration: the optimizer's where it
    is stored, else one fitted to the trials finished by then. Whether it can be trusted is judged
    anew once a quarter more trials are known.

    Parameters
    ----------
    trials : sequence of int, optional
        The proposals to explain; by default all that are finished.
    pending : bool, default False
        Whether to explain by default those without a result as well: those that run, failed or
        were pruned.
    acquisition, background, surrogate, estimator, orders
        As in :func:`explain_proposal`.
    precision : float, default 0.05
        As in :func:`explain_proposal`, which takes longer for one proposal than is needed to
        compare many.
    n_jobs : int or None, default 1
        Number of joblib's workers, -1 for one per core. None takes what
        ``joblib.parallel_config(backend=..., n_jobs=...)`` says, such as a dask cluster. The
        numbers do not depend on it.
    progress : bool, default True
        Show a progress bar on a terminal.

    Returns
    -------
    DesirabilityPath
        An explanation per proposal.

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
    with progress_of(
        "desirability_path", shown=check_flag("progress", progress)
    ):
        explainer = explainer_of(
            question,
            acquisition,
            background,
            surrogate,
            estimator,
            orders,
            precision,
        )
        return explain_path(
            question.run, explainer, trials, pending=pending, n_jobs=n_jobs
        )


def explain_path(
    run: Run,
    explainer: ProposalExplainer,
    trials: Sequence[int] | None = None,
    *,
    pending: bool = False,
    n_jobs: int | None = 1,
) -> DesirabilityPath:
    """Return the explanations of several proposals.

    Parameters
    ----------
    run : Run
        The optimization run.
    explainer : ProposalExplainer
        Explains each of them.
    trials : sequence of int, optional
        The proposals; by default all that can be explained, the others are noted.
    pending : bool, default False
        Whether proposals without a result count as well where `trials` does not name any.
    n_jobs : int or None, default 1
        Number of joblib's workers; None takes what `joblib.parallel_config` says.

    Raises
    ------
    NothingToExplain
        If no proposal can be explained, or one of `trials` was not chosen by a model.
    ValueError
        If one of `trials` does not exist, or `trials` is empty.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> path = explain_path(run, ProposalExplainer(background=50))
    >>> len(path)
    2
    """
    from joblib import delayed

    pending, n_jobs = check_flag("pending", pending), check_jobs(n_jobs)
    if trials is None:
        numbers, notes = explainable(
            run, explainer.acquisition, pending=pending
        )
    else:
        numbers, notes = proposals_of(run, trials), ()
    work = by_workers(
        n_jobs,
        (delayed(_explain)(explainer, run, number) for number in numbers),
    )
    return path_of(run, tuple(steps(work, "proposals", len(numbers))), notes)


def path_of(
    run: Run,
    explanations: Sequence[ProposalExplanation],
    notes: Sequence[Fact] = (),
) -> DesirabilityPath:
    """Return the path of explanations of a run's proposals, in the order of the trials."""
    found = tuple(explanations)
    acquisitions = dict.fromkeys(e.subject.acquisition for e in found)
    if len(acquisitions) > 1:
        notes = (*notes, _SEVERAL(names=acquisitions))
    all_of = Subject.of(run)
    return DesirabilityPath(
        subject=replace(
            found[-1].subject,
            trial=None,
            state=None,
            tried=all_of.tried,
            costs=all_of.costs,
            notes=tuple(notes),
        ),
        explanations=found,
        all_trials=np.asarray(run.trials),
        objective=np.asarray(run.objective),
        diverged_above=run.diverged_above(),
        notes=tuple(notes),
    )


def proposals_of(run: Run, trials: Sequence[int]) -> list[int]:
    """Return the numbers of proposals that were asked for, each once and in their order.

    Raises
    ------
    NothingToExplain
        If one of them was not chosen by a model.
    ValueError
        If one does not exist, or `trials` is empty.
    """
    numbers = each_of(
        "trials", trials, "numbers of proposals", partial(_proposal, run)
    )
    if not numbers:
        raise InputError(
            "trials", "is empty", trials, "Name at least one proposal."
        )
    return sorted(set(numbers))


def _proposal(run: Run, trial: object) -> int:
    """Return the number of a proposal."""
    number = check_count("trial", trial, minimum=0)
    proposed(run, number)  # raises
    return number


def _explain(
    explainer: ProposalExplainer, run: Run, number: int
) -> ProposalExplanation:
    # with any number of threads sums come out in another order, and so in other last digits
    with one_blas_thread():
        return explainer.explain(run, number)
