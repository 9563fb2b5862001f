"""Several runs of one optimization together: mean and standard deviation over the runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import Claim, Result, Table, worth_naming
from hpo_explain.space import Array

_MAIN_COUNT = 2


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RepeatedRuns(Result):
    """Mean and standard deviation over runs, of the explanations of their proposals.

    The trust of its subject is the worst verdict on a surrogate of the runs.

    Attributes
    ----------
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
    >>> paths = {
    ...     f"seed {i}": hx.methods.desirability_path(run, background=50, progress=False)
    ...     for i, run in enumerate(runs)
    ... }
    >>> hx.compare(paths).to_frame()["proposal"].unique().tolist()
    [1, 2]
    """

    table: ClassVar[Table] = Table(
        columns={},
        held={
            "names": "names",
            "terms": "terms",
            "runs": "runs",
            "mean": "mean",
            "std_over_runs": "std",
            "prediction": "prediction",
            "objective": "objective",
        },
        contributions=("contribution",),
    )
    says: ClassVar[Mapping[str, str]] = {
        "driver": "On average over {found.runs} runs, {each} mattered most to what was proposed "
        "under {found.what}. | {names}",
        "indifferent": "No hyperparameter stands out on average over {found.runs} runs.",
    }

    terms: tuple[str, ...]
    runs: int
    mean: Array
    std: Array
    prediction: Array
    prediction_std: Array
    objective: Array
    objective_std: Array

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    def __len__(self) -> int:
        return len(self.mean)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns: a row per proposal (from 1), hyperparameter and term, with mean and std."""
        d, k = len(self.names), len(self.terms) + 1
        return {
            "proposal": np.repeat(np.arange(1, len(self) + 1), d * k),
            "hyperparameter": np.tile(np.repeat(self.names, k), len(self)),
            "term": np.tile([*self.terms, "total"], len(self) * d),
            "contribution": self.mean.ravel(),
            "std": self.std.ravel(),
        }

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What mattered most over all runs and proposals."""
        size = np.abs(self.mean[:, :, -1]).mean(axis=0)
        order = np.argsort(-size, kind="stable").tolist()
        claims = tuple(
            self.claim(
                "contribution",
                (self.names[j],),
                float(size[j]),
                says="driver",
            )
            for j in worth_naming(order, size, _MAIN_COUNT, size.sum())
        )
        return claims or (
            self.claim(
                "contribution",
                self.names,
                0.0,
                says="indifferent",
                side="below",
            ),
        )
