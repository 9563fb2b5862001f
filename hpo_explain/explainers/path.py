"""The explanations of all proposals of a run, each by the model of its own iteration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain._checks import check_count, check_sequence
from hpo_explain._words import spans
from hpo_explain.explainers.proposals import ProposalExplainer, nothing_learned, proposal_of
from hpo_explain.explanations import DesirabilityPath, ProposalExplanation
from hpo_explain.facts import as_fact, by_reason
from hpo_explain.run import Run

_FEW = "fewer than two trials were finished before"
_CONSTANT = "the objective was constant until then"


def explain_path(
    run: Run,
    explainer: ProposalExplainer,
    trials: Sequence[int] | None = None,
    *,
    n_jobs: int | None = 1,
    progress: bool = True,
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
    n_jobs : int or None, default 1
        Number of joblib's workers; None takes what `joblib.parallel_config` says.
    progress : bool, default True
        Show a progress bar on a terminal.

    Raises
    ------
    ValueError
        If there is no proposal to explain.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> path = explain_path(run, ProposalExplainer(background=50), progress=False)
    >>> len(path)
    2
    """
    from joblib import Parallel, delayed
    from tqdm import tqdm

    numbers, notes = _chosen(run, trials)
    work = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_explain)(explainer, run, number) for number in numbers
    )
    # None: shown on a terminal only
    bar = tqdm(work, total=len(numbers), desc="proposals", disable=None if progress else True)
    found = tuple(bar)
    acquisitions = list(dict.fromkeys(e.acquisition for e in found))
    if len(acquisitions) > 1:
        notes.append(
            f"the proposals were made by several criteria ({', '.join(acquisitions)}), whose "
            "contributions are in different units; acquisition='lcb' looks at all through one"
        )
    return DesirabilityPath(
        explanations=found,
        space=run.space,
        X=np.asarray(run.X),
        all_trials=np.asarray(run.trials),
        objective=np.asarray(run.objective),
        incumbent=run.incumbent if np.any(run.feasible) else {},
        notes=tuple(notes),
    )


def _explain(explainer: ProposalExplainer, run: Run, number: int) -> ProposalExplanation:
    from threadpoolctl import threadpool_limits

    # with any number of threads sums come out in another order, and so in other last digits
    with threadpool_limits(limits=1, user_api="blas"):
        return explainer.explain(run, number)


def _chosen(run: Run, trials: Sequence[int] | None) -> tuple[list[int], list[str]]:
    """Return the proposals to explain, and what was left out."""
    if trials is None:
        return explainable(run)
    numbers = [
        proposal_of(run, check_count("trial", trial, minimum=0))
        for trial in check_sequence("trials", trials, "numbers of proposals")
    ]
    if not numbers:
        raise ValueError("trials is empty. Name at least one proposal.")
    return sorted(set(numbers)), []


def explainable(run: Run) -> tuple[list[int], list[str]]:
    """Return the proposals that can be explained, and in words which of them cannot, and why.

    Parameters
    ----------
    run : Run
        The optimization run.

    Returns
    -------
    numbers : list of int
        The proposals' trial numbers, in their order.
    notes : list of str
        What was left out.

    Raises
    ------
    ValueError
        If no proposal can be explained.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> explainable(run)
    ([2, 3], ['left out: 0-1: fewer than two trials were finished before'])
    """
    proposals = sorted(run.proposals or ())
    if not proposals:
        proposal_of(run, "latest")  # says why there is none
    reasons = {number: why_unexplained(run, number) for number in proposals}
    left_out = by_reason({n: as_fact(reason) for n, reason in reasons.items() if reason})
    notes = [
        f"left out: {spans(left_out[as_fact(reason)])}: {reason}"
        for reason in (_FEW, _CONSTANT)
        if as_fact(reason) in left_out
    ]
    left = [number for number, reason in reasons.items() if not reason]
    if not left:
        raise ValueError(
            "none of the run's proposals can be explained: "
            + "; ".join(note.removeprefix("left out: ") for note in notes)
            + ". Run more trials."
        )
    return left, notes


def why_unexplained(run: Run, number: int) -> str:
    """Say why a proposal cannot be explained; empty if it can."""
    if len(run.known_before(number)) < 2 and run.own_acquisition(number) is None:
        return _FEW
    return _CONSTANT if nothing_learned(run, number) else ""
