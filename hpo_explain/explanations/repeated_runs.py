"""Several runs of one optimization together: mean and standard deviation over the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain._checks import Direction
from hpo_explain.diagnostics import Trust
from hpo_explain.explanations._format import join_words, plain_json, worth_naming
from hpo_explain.explanations._result import Shown
from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_LEVELS = ("good", "fair", "poor", "unknown")


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedRuns(Shown):
    """Mean and standard deviation over runs, of the explanations of their proposals.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters.
    terms : tuple of str
        The terms of the acquisition function.
    runs : int
        Number of runs R.
    mean, std : ndarray of shape (T, d, number of terms + 1)
        Contributions over the runs at the first proposal, the second one and so on, T = 1 for
        explanations of single proposals; the total comes last. Where a hyperparameter is inactive
        its contribution of 0 counts.
    prediction, prediction_std : ndarray of shape (T, 2)
        The surrogates' mean and std for the proposals in the objective's units, and their
        standard deviation over runs; NaN without a surrogate.
    objective, objective_std : ndarray of shape (T,)
        The proposals' objective, and its standard deviation over runs; NaN where it is not known.
    distance : ndarray of shape (T, d)
        Mean distance to the run's incumbent, on the hyperparameter's own scale from 0 to 1; NaN
        for single explanations.
    acquisition : str
        The criterion.
    objective_name, direction : str
        What the objective is called, and which way is better.
    trust : Trust or None
        The worst verdict on a surrogate of the runs.
    notes : tuple of str
        What was left out.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figures 3 to 6, Tables 6 to 9.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> runs = [
    ...     hx.Run(space, [[0.1], [0.9], [0.5], [x]], [1.0, 9.0, 4.0, 2.0], "minimize")
    ...     for x in (0.2, 0.3)
    ... ]
    >>> paths = [hx.desirability_path(run, background=50, progress=False) for run in runs]
    >>> hx.aggregate(paths).to_frame()["proposal"].unique().tolist()
    [1, 2]
    """

    names: tuple[str, ...]
    terms: tuple[str, ...]
    runs: int
    mean: Array
    std: Array
    prediction: Array
    prediction_std: Array
    objective: Array
    objective_std: Array
    distance: Array
    acquisition: str
    objective_name: str
    direction: Direction
    trust: Trust | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.mean)

    @property
    def _contributions(self) -> tuple[str, ...]:
        return ("contribution",)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per proposal (from 1), hyperparameter and term: mean and std."""
        import pandas as pd

        d, k = len(self.names), len(self.terms) + 1
        return pd.DataFrame(
            {
                "proposal": np.repeat(np.arange(1, len(self) + 1), d * k),
                "hyperparameter": np.tile(np.repeat(self.names, k), len(self)),
                "term": np.tile([*self.terms, "total"], len(self) * d),
                "contribution": self.mean.ravel(),
                "std": self.std.ravel(),
            }
        )

    def exploration(self) -> pd.Series[float]:
        """Return the std over proposals of the mean distance to the incumbent (footnote 15)."""
        import pandas as pd

        spread = (
            self.distance.std(axis=0, ddof=1) if len(self) > 1 else np.full(len(self.names), np.nan)
        )
        index = pd.Index(self.names, name="hyperparameter")
        return pd.Series(spread, index=index, name="exploration")

    @property
    def sentence(self) -> str:
        """What mattered most over all runs and proposals."""
        size = np.abs(self.mean[:, :, -1]).mean(axis=0)
        order = np.argsort(-size, kind="stable").tolist()
        main = [self.names[j] for j in worth_naming(order, size, 2, size.sum())]
        if not main:
            return f"No hyperparameter stands out on average over {self.runs} runs."
        return (
            f"On average over {self.runs} runs, {join_words(main)} mattered most to what was "
            f"proposed under {self.acquisition}."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean contributions with one standard deviation over runs; return the axes."""
        from hpo_explain.plotting.path import plot_repeated_runs

        return plot_repeated_runs(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "names": list(self.names),
            "terms": list(self.terms),
            "runs": self.runs,
            "mean": plain_json(self.mean),
            "std_over_runs": plain_json(self.std),
            "prediction": plain_json(self.prediction),
            "objective": plain_json(self.objective),
            "acquisition": self.acquisition,
            "sentence": self.sentence,
            "notes": list(self.notes),
        }


def aggregate(
    results: Sequence[ProposalExplanation] | Sequence[DesirabilityPath],
) -> RepeatedRuns:
    """Return mean and standard deviation over repeated runs.

    Parameters
    ----------
    results : sequence of ProposalExplanation, or of DesirabilityPath
        One per run; paths are laid side by side from their first proposal on.

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
    >>> both = aggregate([hx.explain_proposal(run, trial, background=50) for trial in (2, 3)])
    >>> both.runs, both.mean.shape
    (2, (1, 1, 3))
    """
    given = list(results)
    if len(given) < 2:
        raise ValueError(f"results must hold at least two results, but held {len(given)}.")
    paths = [r for r in given if isinstance(r, DesirabilityPath)]
    singles = [r for r in given if isinstance(r, ProposalExplanation)]
    if len(paths) not in (0, len(given)) or len(paths) + len(singles) != len(given):
        kinds = sorted({type(r).__name__ for r in given})
        raise ValueError(
            f"results must all be explanations or all be paths, but were {join_words(kinds)}."
        )
    rows = [list(path.explanations) for path in paths] or [[e] for e in singles]
    first = rows[0][0]
    _check_alike(paths, [e for row in rows for e in row], first)
    length = min(map(len, rows))
    notes = []
    if any(len(row) != length for row in rows):
        notes.append(
            f"left out: what came after proposal {length}, the last one of the shortest run"
        )
    phi = np.array([[np.column_stack([e.phi, e.total]) for e in row[:length]] for row in rows])
    predicted = np.array([[_predicted(e) for e in row[:length]] for row in rows])
    objective = np.full((len(rows), length), np.nan)
    distance = np.full((len(rows), length, len(first.names)), np.nan)
    for r, path in enumerate(paths):
        place = {trial: i for i, trial in enumerate(path.all_trials.tolist())}
        at = [place[trial] for trial in path.trials[:length].tolist()]
        objective[r], distance[r] = path.objective[at], path.distances()[at]
    verdicts = [e.trust for row in rows for e in row if e.trust is not None]
    return RepeatedRuns(
        names=first.names,
        terms=first.terms,
        runs=len(rows),
        mean=phi.mean(axis=0),
        std=phi.std(axis=0, ddof=1),
        prediction=predicted.mean(axis=0),
        prediction_std=predicted.std(axis=0, ddof=1),
        objective=objective.mean(axis=0),
        objective_std=objective.std(axis=0, ddof=1),
        distance=distance.mean(axis=0),
        acquisition=first.acquisition,
        objective_name=first.objective_name,
        direction=first.direction,
        trust=max(verdicts, key=lambda v: _LEVELS.index(v.level)) if verdicts else None,
        notes=tuple(notes),
    )


def _predicted(explanation: ProposalExplanation) -> tuple[float, float]:
    predicted = explanation.objective_prediction or {}
    return predicted.get("mean", np.nan), predicted.get("std", np.nan)


def _check_alike(
    paths: list[DesirabilityPath],
    explanations: list[ProposalExplanation],
    first: ProposalExplanation,
) -> None:
    for path in paths:
        if path.space.parameters != paths[0].space.parameters:
            raise ValueError(
                "results are of runs with different search spaces. Aggregate runs of one space."
            )
    for e in explanations:
        for what, one, other in (
            ("hyperparameters", e.names, first.names),
            ("directions", e.direction, first.direction),
            ("acquisition functions", e.acquisition, first.acquisition),
        ):
            if one != other:
                raise ValueError(
                    f"results have different {what}: {other!r} and {one!r}. "
                    "Aggregate repetitions of the same optimization."
                )
