"""Repeated runs of one optimization: mean and standard deviation of their explanations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hpo_explain.base import InputError, declared_fact, join_words
from hpo_explain.methods.proposals.contributions_result import (
    ProposalExplanation,
)
from hpo_explain.methods.proposals.desirability_path_result import (
    DesirabilityPath,
    predicted_at,
)
from hpo_explain.methods.proposals.repeated_runs_result import RepeatedRuns
from hpo_explain.space import Array

_ALIKE = {"direction": "directions", "acquisition": "acquisition functions"}
_CUT = declared_fact(
    "longer_runs_cut",
    "left out: what came after proposal {proposals}, the last one of the shortest run",
)


def aggregate(
    results: Mapping[str, ProposalExplanation]
    | Mapping[str, DesirabilityPath],
) -> RepeatedRuns:
    """Return mean and standard deviation over repeated runs.

    Parameters
    ----------
    results : mapping of str to ProposalExplanation, or to DesirabilityPath
        One per run, by its name; paths are laid side by side from their first proposal on.

    Returns
    -------
    RepeatedRuns
        Means and standard deviations.

    Raises
    ------
    ValueError
        If there are fewer than two results, they are of several kinds, or of different spaces,
        criteria or directions.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 6.1.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> both = aggregate(
    ...     {str(trial): hx.explain_proposal(run, trial, background=50) for trial in (2, 3)}
    ... )
    >>> both.runs, both.mean.shape
    (2, (1, 1, 3))
    """
    explanations = list(results.values())
    if len(explanations) < 2:
        problem = (
            f"must hold at least two results, but held {len(explanations)}"
        )
        raise InputError("runs", problem, [*results])
    paths = [r for r in explanations if isinstance(r, DesirabilityPath)]
    singles = [r for r in explanations if isinstance(r, ProposalExplanation)]
    if len(paths) not in (0, len(explanations)) or len(paths) + len(
        singles
    ) != len(explanations):
        kinds = sorted({type(r).__name__ for r in explanations})
        problem = f"must all be explanations or all be paths, but were {join_words(kinds)}"
        raise InputError("runs", problem, [*results])
    rows = [list(path.explanations) for path in paths] or [
        [e] for e in singles
    ]
    first = rows[0][0]
    _check_alike([e for row in rows for e in row])
    length = min(map(len, rows))
    cut = any(len(row) != length for row in rows)
    notes = (_CUT(proposals=length),) if cut else ()
    first_ones = [row[:length] for row in rows]
    phi = np.array([list(map(_columns, row)) for row in first_ones])
    predicted = np.array([list(map(predicted_at, row)) for row in first_ones])
    objective = np.full((len(rows), length), np.nan)
    for r, path in enumerate(paths):
        objective[r] = path.observed[:length]
    return RepeatedRuns(
        subject=replace(
            first.subject,
            trial=None,
            tried=np.empty((0, 0)),
            incumbent={},
            notes=notes,
        ),
        terms=first.terms,
        runs=len(rows),
        mean=phi.mean(axis=0),
        std=phi.std(axis=0, ddof=1),
        prediction=predicted.mean(axis=0),
        prediction_std=predicted.std(axis=0, ddof=1),
        objective=objective.mean(axis=0),
        objective_std=objective.std(axis=0, ddof=1),
        notes=notes,
    )


def _columns(explanation: ProposalExplanation) -> Array:
    """Return the contributions by term and in total, (d, number of terms + 1)."""
    return np.column_stack([*explanation.by_term.values()])


def _check_alike(explanations: list[ProposalExplanation]) -> None:
    first = explanations[0].subject
    for e in explanations:
        if e.subject.space.parameters != first.space.parameters:
            raise InputError(
                "runs",
                "are of runs with different search spaces",
                explanations,
                "Compare runs of one space, or the runs themselves.",
            )
        for attribute, what in _ALIKE.items():
            one, other = (getattr(s, attribute) for s in (e.subject, first))
            if one != other:
                raise InputError(
                    "runs",
                    f"have different {what}: {other!r} and {one!r}",
                    explanations,
                    "Compare repetitions of the same optimization.",
                )
