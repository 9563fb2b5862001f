"""Which proposals can be explained, and why others cannot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from hpo_explain.base import (
    Criterion,
    Fact,
    InputError,
    NothingToExplain,
    check_count,
    each_of,
    fact,
    spans,
)
from hpo_explain.methods.proposals.proposed import all_proposals, proposed
from hpo_explain.models import Acquisition
from hpo_explain.run import LARGEST, Run, winsorized
from hpo_explain.space import Ints

LEAST_KNOWN = 2  # finished trials that a surrogate needs


def why_unexplained(
    run: Run, number: int | None, acquisition: Criterion | Acquisition = "auto"
) -> Fact | None:
    """Return why a trial, None for the next, cannot be explained by an acquisition function.

    None if it can. Its ``["short"]`` says it of several trials.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> str(why_unexplained(run, 1)), why_unexplained(run, 2)
    ('only one trial was finished before trial 1, and a surrogate needs at least 2. Choose a later \
trial.', None)
    """
    rows = run.known_before(number)
    at = [] if number is None else [number]
    then, remedy = "", "Run more trials"
    if at:
        then, remedy = f" before trial {number}", "Choose a later trial"
    if len(rows) < LEAST_KNOWN:
        is_object = not isinstance(acquisition, str)
        if is_object or (acquisition == "auto" and run.own_acquisition(number) is not None):
            return None
        finished = "only one trial was" if len(rows) else "no trial was"
        return fact(
            f"{finished} finished{then}, and a surrogate needs at least 2. {remedy}.",
            trials=at,
            short="fewer than two trials were finished before",
        )
    if _witnesses(run, rows) is not None:
        return None
    cost = run.cost[rows]
    if np.ptp(cost / 2.0) == 0.0:
        everywhere = f"{run.objective[rows[0]]:.6g} in all {len(rows)} trials finished{then}"
        return fact(
            f"the {run.objective_name} is constant ({everywhere}): no hyperparameter made a "
            f"difference, so there is nothing to explain. {remedy}, or check the objective.",
            trials=at,
            short="the objective was constant until then",
        )
    return fact(
        f"all {len(rows)} known values of the {run.objective_name} are beyond ±1e150 and count as "
        "that, since their squares would overflow, so no hyperparameter makes a difference. Divide "
        "the objective by a constant, and read the run again.",
        trials=at,
        short="the objective was too large to be learned until then",
    )


def _witnesses(run: Run, earlier: Ints) -> Ints | None:
    """Return two rows whose costs differ as a surrogate learns them, or None.

    Costs that count as diverged still count as worse than the best.
    """
    cost = winsorized(run.cost[earlier], LARGEST)
    rows = earlier[[int(np.argmin(cost)), int(np.argmax(cost))]]
    return rows if np.ptp(cost) > 0.0 else None


def _why_unexplained(
    run: Run, proposals: list[int], acquisition: Criterion | Acquisition
) -> dict[int, Fact | None]:
    """Return `why_unexplained` of several proposals: what two trials show once, they go on to."""
    why: dict[int, Fact | None] = {}
    shown: Ints | None = None
    for number in proposals:
        if shown is not None and run.knew(number, shown).all():
            why[number] = None
            continue
        why[number] = why_unexplained(run, number, acquisition)
        if why[number] is None and len(earlier := run.known_before(number)) >= LEAST_KNOWN:
            shown = _witnesses(run, earlier)
    return why


def explainable(
    run: Run, acquisition: Criterion | Acquisition = "auto", *, pending: bool = False
) -> tuple[list[int], tuple[Fact, ...]]:
    """Return the proposals that can be explained, and which of them cannot, and why.

    Parameters
    ----------
    run : Run
        The optimization run.
    acquisition : str or Acquisition, default "auto"
        By which acquisition function.
    pending : bool, default False
        Whether to return those that have no result as well.

    Returns
    -------
    numbers : list of int
        The proposals' trial numbers, in their order.
    left_out : tuple of Fact
        The others, one fact for each reason.

    Raises
    ------
    NothingToExplain
        If no proposal can be explained.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> numbers, (left_out,) = explainable(run)
    >>> numbers, str(left_out)
    ([2, 3], 'left out: 0-1: fewer than two trials were finished before')
    """
    proposals = all_proposals(run)
    if pending:
        others = [t for t, trial in run.without_result.items() if trial.explainable]
        proposals = sorted([*proposals, *others])
    why = _why_unexplained(run, proposals, acquisition)
    changed = [number for number, decided in run.reviewed.items() if decided.set_by_person]
    reasons = {"a person changed what was proposed": changed} if changed else {}
    for number, reason in why.items():
        if reason is not None:
            reasons.setdefault(reason["short"], []).append(number)
    left_out = {f"{spans(numbers)}: {short}": numbers for short, numbers in reasons.items()}
    numbers = [number for number in proposals if why[number] is None]
    if not numbers:
        none = f"none of the run's proposals can be explained: {'; '.join(left_out)}."
        raise NothingToExplain(fact(f"{none} Run more trials."))
    return numbers, tuple(
        fact(f"left out: {text}", kind="proposals_left_out", trials=trials)
        for text, trials in left_out.items()
    )


def proposals_of(run: Run, trials: Sequence[int] | None) -> list[int]:
    """Return the numbers of proposals that are named, each once and in their order; else of all.

    Raises
    ------
    NothingToExplain
        If one of them was not chosen by a model.
    ValueError
        If one does not exist, or `trials` is empty.
    """
    if trials is None:
        return all_proposals(run)
    numbers = each_of("trials", trials, "numbers of proposals", partial(_proposal, run))
    if not numbers:
        raise InputError("trials", "is empty", trials, "Name at least one proposal.")
    return sorted(set(numbers))


def _proposal(run: Run, trial: object) -> int:
    """Return the number of a proposal."""
    number = check_count("trial", trial, minimum=0)
    proposed(run, number)  # raises
    return number
