"""The logged runs of Croppi (2021), 15 of 30 for each λ, and what the R tool said of them.

Each proposal is explained anew by a model fitted to what was known by then. The tool drew K = 1000
orders with one seed throughout, so that its Monte Carlo error does not average out. Its φ(se) is
not scaled; here contributions are those to -cb: what is positive is attractive.

Table 6 says for how many of them the rebuilt model predicts what R's did, and what share of its
contributions there lies within three of the R tool's errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

import hpo_explain as hx
from examples.papers.bo import cube, run_of
from examples.papers.frame import PATHS, SHAPLEY, Profile
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.methods.proposals.desirability_path_result import DesirabilityPath

SPACE = cube(4, -5.12, 5.12)
NAMES = SPACE.names
INITIAL, DRAWS = 16, 1000
PREDICTIONS = ("pred_interest_mean", "pred_average_mean", "pred_interest_se", "pred_average_se")


class Logged(NamedTuple):
    """The logged runs, and what the R tool said of their proposals."""

    paths: pd.DataFrame
    shapley: pd.DataFrame

    @classmethod
    def read(cls, profile: Profile, runs: int = 15) -> Logged:
        """Read the first runs."""
        paths = profile.read(PATHS).sort_values(["run", "eval"])
        shapley = profile.read(SHAPLEY).sort_values(["run", "iter", "feature"])
        return cls(*(table[table["run"] <= runs] for table in (paths, shapley)))

    def explained(
        self, lam: int, iterations: Sequence[int], background: int
    ) -> list[DesirabilityPath]:
        """Return a path over some iterations of every run."""
        chosen = self.paths[self.paths["lambda"] == lam]
        runs = [
            run_of(SPACE, SPACE.encode(table[list(NAMES)]), table["y"].to_numpy(), INITIAL, lam)
            for _, table in chosen.groupby("run")
        ]
        proposals = [INITIAL + iteration - 1 for iteration in iterations]
        return [explained(run, background, proposals) for run in runs]

    def theta(self, lam: int) -> np.ndarray:
        """Return the values tried, (runs, trials, 4)."""
        chosen = self.paths[self.paths["lambda"] == lam]
        return chosen[list(NAMES)].to_numpy().reshape(chosen["run"].nunique(), -1, len(NAMES))

    def tool(self, lam: int, columns: Sequence[str], iterations: Sequence[int]) -> np.ndarray:
        """Return columns of the R tool's answers, (runs, iterations, 4, columns)."""
        table, shape = (self.shapley, (-1, len(iterations), len(NAMES), len(columns)))
        chosen = table[(table["lambda"] == lam) & table["iter"].isin(iterations)]
        return chosen[list(columns)].to_numpy().reshape(shape)

    def contributions(self, lam: int, iterations: Sequence[int]) -> np.ndarray:
        """Return the R tool's φ(m), φ(se) and φ(cb), larger is more desirable."""
        phi = self.tool(lam, ("phi_mean", "phi_se", "phi_cb"), iterations)
        return phi * np.array([-1.0, lam, -1.0])

    def error(self, lam: int, iterations: Sequence[int]) -> np.ndarray:
        """Return the R tool's standard errors of φ(m) and φ(se), (runs, iterations, 4, 2)."""
        variance = self.tool(lam, ("phi_var_mean", "phi_var_se"), iterations)
        return np.sqrt(variance / DRAWS) * np.array([1.0, lam])


def explained(
    run: hx.Run, background: int, trials: Sequence[int] | None = None
) -> DesirabilityPath:
    """Return contributions to proposals by all coalitions, where the thesis draws some.

    To all proposals, where none is named: of more than 100 a path would be of some.
    """
    if trials is None:
        trials = [*run.proposals]
    options = {"acquisition": "auto", "background": background, "estimator": "exact"}
    return hx.methods.desirability_path(run, trials, progress=False, **options)


def found_by(paths: Sequence[DesirabilityPath]) -> tuple[np.ndarray, np.ndarray]:
    """Return what repeated runs found, by run and proposal.

    φ(m), φ(se) and φ(cb), (runs, T, d, 3); m, its average, se and its average, (runs, T, 4).
    """
    phi = np.stack([np.concatenate([p.phi, p.total[..., None]], axis=2) for p in paths])

    def predicted(e: ProposalExplanation) -> list[float]:
        both = (e.objective_prediction, e.objective_baseline)
        return [at[part] for part in ("mean", "std") for at in both]

    return phi, np.array([[predicted(e) for e in path.explanations] for path in paths])


class Agreement(NamedTuple):
    """How contributions agree with the R tool's, in the R tool's Monte Carlo errors.

    Attributes
    ----------
    mean, uncertainty : float
        Largest difference of a hyperparameter's average φ(m) and φ(se).
    proposals, same : int
        Number of proposals, and of those where the model predicts what R's did.
    within : float
        Share of the contributions to the latter that differ by less than three errors.
    """

    mean: float
    uncertainty: float
    proposals: int
    same: int
    within: float


def agreement(
    logged: Logged, lam: int, iterations: Sequence[int], paths: list[DesirabilityPath]
) -> Agreement:
    """Return how the contributions of refits agree with the R tool's."""
    tool, error = (logged.contributions(lam, iterations), logged.error(lam, iterations))
    phi, predictions = found_by(paths)
    difference = phi[..., :2] - tool[..., :2]
    z = np.abs(difference.mean(axis=(0, 1)) / error.mean(axis=(0, 1))).max(axis=0)
    theirs = logged.tool(lam, PREDICTIONS, iterations)[:, :, 0]
    # maximum likelihood may end in two optima; the averages are over random rows, so a few tenths
    # of the objective's standard deviation of about 45
    same = (np.abs(predictions - theirs) < [0.1, 1.0, 0.1, 0.3]).all(axis=2)
    within = np.abs(difference / error)[same] < 3.0
    share = float(within.mean()) if same.any() else np.nan
    return Agreement(z[0], z[1], same.size, int(same.sum()), share)
