"""What Croppi (2021, Table 4) expects of contributions on the Hyper-Ellipsoid, as rules.

The thesis judges by eye, and all at once ("in line with our expectations, especially for λ = 10").
Each rule here says what it looks at, so that it can fail. Under λ = 1 the thesis finds
contributions constant, for the proposals hardly differ: whether those that are closer to the
optimum contribute more does not show there, in its own numbers neither.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
theta      values tried, (runs, initial design + T, d); the optimum is 0
phi        contributions of mean and uncertainty, (runs, T, d, 2); positive is attractive
=========  ============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

ALIKE = 0.5  # values are similar if their distances to the optimum differ by no more
FIRST, LAST = 5, 10  # proposals that count as the beginning and as the end
EXPLAINED = 59  # the iteration that the thesis looks at


@dataclass(frozen=True)
class Verdict:
    """One expectation: whether it was met, by what numbers, and what the thesis found."""

    expectation: str
    met: bool
    evidence: str
    thesis: str = "met"


@dataclass(frozen=True, eq=False)
class Contributions:
    """The contributions of repeated runs under one λ."""

    theta: np.ndarray
    phi: np.ndarray

    @property
    def initial(self) -> int:
        """Size of the initial design."""
        return self.theta.shape[1] - self.phi.shape[1]

    @property
    def distance(self) -> np.ndarray:
        """Distance of the proposals' values to the optimum, (runs, T, d)."""
        return np.abs(self.theta[:, self.initial :])

    @property
    def isolation(self) -> np.ndarray:
        """Mean distance of each proposed value to all values tried before, (runs, T, d)."""
        found = [
            np.abs(self.theta[:, :t] - self.theta[:, t : t + 1]).mean(axis=1)
            for t in range(self.initial, self.theta.shape[1])
        ]
        return np.stack(found, axis=1)

    def exploration(self, until: int, *, initial: bool) -> np.ndarray:
        """Return how far each dimension was explored up to an iteration (footnote 15), (d,)."""
        start = 0 if initial else self.initial
        average = np.abs(self.theta[:, start : self.initial + until]).mean(axis=0)
        return average.std(axis=0, ddof=1)

    def alike(self, term: int) -> np.ndarray:
        """Return a term's mean size (d,) where all values are similarly far from 0."""
        chosen = np.ptp(self.distance, axis=2) <= ALIKE
        return np.abs(self.phi[chosen][..., term]).mean(axis=0)

    def correlation(self, values: np.ndarray, term: int) -> np.ndarray:
        """Return the rank correlation of values (runs, T, d) with a term, (d,)."""
        d = values.shape[2]
        return np.array([_rank(values[..., j], self.phi[..., j, term]) for j in range(d)])

    def crossings(self) -> np.ndarray:
        """Return the iteration that best parts uncertainty leading from the mean leading, (d,).

        In the curves averaged over runs, as `DesirabilityPath.turning_points` does in one run's.
        """
        lead = self.phi.mean(axis=0)
        mean_leads = lead[..., 0] > lead[..., 1]
        T, d = mean_leads.shape
        wrong = [mean_leads[:p].sum(axis=0) + (~mean_leads[p:]).sum(axis=0) for p in range(T + 1)]
        return np.argmin(np.array(wrong).reshape(T + 1, d), axis=0) + 1


def verdicts(by_lambda: Mapping[int, Contributions]) -> list[Verdict]:
    """Return Table 4 with a verdict on each expectation."""
    one, ten = by_lambda[1], by_lambda[10]
    return [
        *_of_the_mean(1, one, closer="not seen: contributions are constant, as proposals are"),
        *_of_the_uncertainty(one),
        _of_the_bound(1, one, thesis="not met: it jumps to the optimum"),
        *_of_the_mean(10, ten),
        _same_at_the_end(one, ten),
        _isolated(10, ten),
        _less_explored(ten),
        _stronger(one, ten),
        _of_the_bound(10, ten),
        _crossing(ten),
    ]


def _of_the_mean(lam: int, runs: Contributions, closer: str = "met") -> list[Verdict]:
    correlation = runs.correlation(runs.distance, 0)
    alike = runs.alike(0)
    return [
        Verdict(
            f"φ(m), λ = {lam}: the closer to the optimum, the bigger",
            bool((correlation < 0).all()),
            f"rank correlation with the distance {_row(correlation)}",
            closer,
        ),
        Verdict(
            f"φ(m), λ = {lam}: for similar values higher hyperparameters matter more",
            bool((np.diff(alike) > 0).all()),
            f"mean size where distances differ by at most {ALIKE}: {_row(alike, 1)}",
        ),
    ]


def _of_the_uncertainty(runs: Contributions) -> list[Verdict]:
    mean, uncertainty = np.ptp(runs.alike(0)), np.ptp(runs.alike(1))
    return [
        _isolated(1, runs),
        Verdict(
            "φ(se), λ = 1: for similar values, equally explored, similarly important",
            bool(uncertainty < 0.1 * mean),
            f"hyperparameters differ by {uncertainty:.1f} in φ(se), by {mean:.1f} in φ(m)",
        ),
    ]


def _isolated(lam: int, runs: Contributions) -> Verdict:
    correlation = runs.correlation(runs.isolation, 1)
    return Verdict(
        f"φ(se), λ = {lam}: the more isolated a value, the bigger",
        bool((correlation > 0).all()),
        f"rank correlation with the distance to earlier values {_row(correlation)}",
    )


def _less_explored(runs: Contributions) -> Verdict:
    explored = runs.exploration(EXPLAINED - 1, initial=True)
    phi = runs.phi[:, EXPLAINED - 1, :, 1].mean(axis=0)
    correlation = _rank(explored, phi)
    return Verdict(
        f"φ(se), λ = 10: the less explored, the smaller (iteration {EXPLAINED})",
        correlation > 0.0,
        f"explored {_row(explored)}, φ(se) {_row(phi, 1)}: rank correlation {correlation:.1f}",
    )


def _of_the_bound(lam: int, runs: Contributions, thesis: str = "met") -> Verdict:
    payout = runs.phi.sum(axis=2).mean(axis=0)
    first, last = payout[:FIRST].mean(axis=0), payout[-LAST:].mean(axis=0)
    return Verdict(
        f"φ(cb), λ = {lam}: dominated by uncertainty at first, by the mean in the end",
        bool(first[1] > first[0] and last[0] > last[1]),
        f"payout of mean and uncertainty: first {FIRST} {_row(first, 1)}, "
        f"last {LAST} {_row(last, 1)}",
        thesis,
    )


def _same_at_the_end(one: Contributions, ten: Contributions) -> Verdict:
    ends = [runs.phi[:, -LAST:, :, 0].mean(axis=(0, 1)) for runs in (one, ten)]
    ratio = ends[1] / ends[0]
    return Verdict(
        "φ(m), λ = 10: like λ = 1",
        bool((np.abs(ratio - 1.0) < 0.25).all()),
        f"last {LAST} proposals: {_row(ends[1], 1)}, which is {_row(ratio)} of that with λ = 1",
    )


def _stronger(one: Contributions, ten: Contributions) -> Verdict:
    sizes = [np.abs(runs.phi[..., 1]).mean(axis=(0, 1)) for runs in (one, ten)]
    return Verdict(
        "φ(se), λ = 10: a stronger effect than with λ = 1",
        bool((sizes[1] > sizes[0]).all()),
        f"mean size {_row(sizes[1], 1)} against {_row(sizes[0], 1)}",
    )


def _crossing(runs: Contributions) -> Verdict:
    crossings = runs.crossings()
    proposals = runs.phi.shape[1]
    when = ", ".join("never" if c > proposals else str(c) for c in crossings)
    order = _rank(crossings, np.arange(len(crossings)))
    return Verdict(
        "λ = 10: the curves cross earlier for higher hyperparameters",
        bool((np.diff(crossings) <= 0).all() and crossings[-1] < crossings[0]),
        f"the mean takes the lead in iteration ({when}): rank correlation {order:.1f}",
        "met: after 10 iterations for θ4, about 25 for θ1",
    )


def _rank(a: np.ndarray, b: np.ndarray) -> float:
    """Return the rank correlation, 0 where one of the two is constant."""
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return 0.0
    return float(spearmanr(a.ravel(), b.ravel()).statistic)


def _row(values: np.ndarray, digits: int = 2) -> str:
    return "(" + ", ".join(f"{value:.{digits}f}" for value in values) + ")"
