"""The explanations of all proposals of a run, each by the model of its own iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.checks import check_count, check_flag, check_jobs, each_of
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.progress import steps
from hpo_explain.base.subject import Subject
from hpo_explain.base.workers import by_workers
from hpo_explain.diagnostics._trust import Trust
from hpo_explain.explainers.proposal import ProposalExplainer, explainable
from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.methods._engines.proposed import judged_at, proposed
from hpo_explain.run import Run


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
        numbers, notes = explainable(run, explainer.acquisition, pending=pending)
    else:
        numbers, notes = proposals_of(run, trials), ()
    judged = {number: judged_at(run, number) for number in numbers}
    different = sorted({*judged.values()})
    verdicts = dict(
        zip(
            different,
            steps(
                by_workers(n_jobs, (delayed(_trust)(explainer, run, at) for at in different)),
                "models judged",
                len(different),
            ),
            strict=True,
        )
    )
    work = by_workers(
        n_jobs,
        (delayed(_explain)(explainer, run, number, verdicts[judged[number]]) for number in numbers),
    )
    return path_of(run, tuple(steps(work, "proposals", len(numbers))), notes)


def path_of(
    run: Run, explanations: Sequence[ProposalExplanation], notes: Sequence[Fact] = ()
) -> DesirabilityPath:
    """Return the path of explanations of a run's proposals, in the order of the trials."""
    found = tuple(explanations)
    acquisitions = dict.fromkeys(e.subject.acquisition for e in found)
    if len(acquisitions) > 1:
        notes = (*notes, fact("several_criteria", names=acquisitions))
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
    numbers = each_of("trials", trials, "numbers of proposals", partial(_proposal, run))
    if not numbers:
        raise InputError("trials", "is empty", trials, "Name at least one proposal.")
    return sorted(set(numbers))


def _proposal(run: Run, trial: object) -> int:
    """Return the number of a proposal."""
    number = check_count("trial", trial, minimum=0)
    proposed(run, number)  # raises
    return number


def _trust(explainer: ProposalExplainer, run: Run, number: int) -> Trust | None:
    with one_blas_thread():
        return explainer.trust(run, number)


def _explain(
    explainer: ProposalExplainer, run: Run, number: int, trust: Trust | None
) -> ProposalExplanation:
    # with any number of threads sums come out in another order, and so in other last digits
    with one_blas_thread():
        return explainer.explain(run, number, trust=trust)
