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
    declared_fact,
    each_of,
    spans,
)
from hpo_explain.methods.proposals.proposed import all_proposals, proposed
from hpo_explain.models import Acquisition
from hpo_explain.run import LARGEST, Run, winsorized
from hpo_explain.space import Ints

LEAST_KNOWN = 2  # finished trials that a surrogate needs

_LEFT_OUT = {
    "too_little_known": "fewer than two trials were finished before",
    "constant_until_then": "the objective was constant until then",
    "too_large_to_learn": "the objective was too large to be learned until then",
    "changed_by_person": "a person changed what was proposed",
}


def _until_then(fact: Fact) -> str:
    """Return " before trial 3" where one is explained, and what to do."""
    return f" before trial {fact.trials[0]}" if fact.trials else ""


def _remedy(fact: Fact) -> str:
    return "Choose a later trial" if fact.trials else "Run more trials"


_TOO_LITTLE = declared_fact(
    "too_little_known",
    "{known} finished{then}, and a surrogate needs at least 2. {remedy}.",
    known=lambda fact: "only one trial was" if fact["finished"] else "no trial was",
    then=_until_then,
    remedy=_remedy,
)
_CONSTANT = declared_fact(
    "constant_until_then",
    "the {objective} is constant ({value:.6g} in all {finished} trials "
    "finished{then}): no hyperparameter made a difference, so there is nothing to explain. "
    "{remedy}, or check the objective.",
    then=_until_then,
    remedy=_remedy,
)
_TOO_LARGE = declared_fact(
    "too_large_to_learn",
    "all {finished} known values of the {objective} are beyond ±1e150 and "
    "count as that, since their squares would overflow, so no hyperparameter makes a difference. "
    "Divide the objective by a constant, and read the run again.",
)
_NOT_EXPLAINED = declared_fact(
    "proposals_left_out",
    "left out: {which}: {reason}",
    which=lambda fact: spans(fact.trials),
    reason=lambda fact: _LEFT_OUT[fact["why"]],
)
_NONE_EXPLAINED = declared_fact(
    "no_explainable_proposal",
    "none of the run's proposals can be explained: {reasons}. Run more trials.",
    reasons=lambda fact: "; ".join(
        f"{spans(left.trials)}: {_LEFT_OUT[left['why']]}" for left in fact["left_out"]
    ),
)


def why_unexplained(
    run: Run, number: int | None, acquisition: Criterion | Acquisition = "auto"
) -> Fact | None:
    """Return why a trial, None for the next, cannot be explained by an acquisition function.

    None if it can.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> why_unexplained(run, 1).kind, why_unexplained(run, 2)
    ('too_little_known', None)
    """
    rows, at = run.known_before(number), [] if number is None else [number]
    if len(rows) < LEAST_KNOWN:
        is_object = not isinstance(acquisition, str)
        if is_object or (acquisition == "auto" and run.own_acquisition(number) is not None):
            return None
        return _TOO_LITTLE(trials=at, finished=len(rows))
    if _witnesses(run, rows) is not None:
        return None
    cost = run.cost[rows]
    unknown = _CONSTANT if np.ptp(cost / 2.0) == 0.0 else _TOO_LARGE
    return unknown(
        trials=at,
        objective=run.objective_name,
        value=float(run.objective[rows[0]]),
        finished=len(rows),
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
    >>> numbers, left_out.trials, left_out["why"]
    ([2, 3], (0, 1), 'too_little_known')
    """
    proposals = all_proposals(run)
    if pending:
        others = [t for t, trial in run.without_result.items() if trial.explainable]
        proposals = sorted([*proposals, *others])
    why = _why_unexplained(run, proposals, acquisition)
    changed = [number for number, decided in run.reviewed.items() if decided.set_by_person]
    reasons: dict[str, list[int]] = {"changed_by_person": changed} if changed else {}
    for number, reason in why.items():
        if reason is not None:
            reasons.setdefault(reason.kind, []).append(number)
    left_out = tuple(_NOT_EXPLAINED(trials=numbers, why=kind) for kind, numbers in reasons.items())
    numbers = [number for number in proposals if why[number] is None]
    if not numbers:
        raise NothingToExplain(_NONE_EXPLAINED(left_out=left_out))
    return numbers, left_out


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
