"""What Croppi (2021, Table 4) expects of contributions on the Hyper-Ellipsoid, as rules.

The thesis judges by eye, and all at once ("in line with our expectations, especially for λ = 10").
Each rule here says what it looks at, so that it can fail. Under λ = 1 the thesis finds
contributions constant, for the proposals hardly differ: whether those that are closer to the
optimum contribute more does not show there, in its own numbers neither.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
theta      values tried, (runs, INITIAL + T, d); the optimum is 0
phi        contributions of mean and uncertainty, (runs, T, d, 2); positive is attractive
=========  ============================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from examples.papers.frame import listed
from examples.papers.shapleymbo_logged import INITIAL

ALIKE = 0.5  # values are similar if their distances to the optimum differ by no more
FIRST, LAST = 5, 10  # proposals that count as the beginning and as the end
EXPLAINED = 59  # the iteration that the thesis looks at


class Verdict(NamedTuple):
    """One expectation: whether it was met, by what numbers, and what the thesis found."""

    expectation: str
    met: np.bool_ | bool
    evidence: str
    thesis: str = "met"


class Contributions(NamedTuple):
    """The contributions of repeated runs under one λ."""

    theta: np.ndarray
    phi: np.ndarray

    @property
    def distance(self) -> np.ndarray:
        """Distance of the proposals' values to the optimum, (runs, T, d)."""
        return np.abs(self.theta[:, INITIAL:])

    @property
    def isolation(self) -> np.ndarray:
        """Mean distance of each proposed value to all values tried before, (runs, T, d)."""
        proposals = range(INITIAL, self.theta.shape[1])
        away = [np.abs(self.theta[:, :t] - self.theta[:, [t]]).mean(axis=1) for t in proposals]
        return np.stack(away, axis=1)

    def alike(self, term: int) -> np.ndarray:
        """Return a term's mean size (d,) where all values are similarly far from 0."""
        chosen = np.ptp(self.distance, axis=2) <= ALIKE
        return np.abs(self.phi[chosen][..., term]).mean(axis=0)

    def correlation(self, values: np.ndarray, term: int) -> np.ndarray:
        """Return the rank correlation of values (runs, T, d) with a term, (d,)."""
        phi = self.phi[..., term]
        return np.array([_rank(values[..., j], phi[..., j]) for j in range(phi.shape[2])])

    def crossings(self) -> np.ndarray:
        """Return the iteration that best parts uncertainty leading from the mean leading, (d,).

        In the curves averaged over runs, as `DesirabilityPath.turning_points` does in one run's.
        """
        m, se, *_ = np.moveaxis(self.phi.mean(axis=0), 2, 0)
        mean_leads, T = m > se, len(m)
        wrong = [mean_leads[:p].sum(axis=0) + (~mean_leads[p:]).sum(axis=0) for p in range(T + 1)]
        return np.argmin(wrong, axis=0) + 1


def verdicts(by_lambda: Mapping[int, Contributions]) -> Iterator[Verdict]:
    """Yield Table 4 with a verdict on each expectation."""
    one, ten = by_lambda[1], by_lambda[10]
    yield from _of_the_mean(1, one, closer="not seen: contributions are constant, as proposals are")
    yield _isolated(1, one)
    m, se = np.ptp(one.alike(0)), np.ptp(one.alike(1))
    yield Verdict(
        "φ(se), λ = 1: for similar values, equally explored, similarly important",
        se < 0.1 * m,
        f"hyperparameters differ by {se:.1f} in φ(se), by {m:.1f} in φ(m)",
    )
    yield _of_the_bound(1, one, thesis="not met: it jumps to the optimum")
    yield from _of_the_mean(10, ten)
    less, more = (runs.phi[:, -LAST:, :, 0].mean(axis=(0, 1)) for runs in (one, ten))
    yield Verdict(
        "φ(m), λ = 10: like λ = 1",
        (np.abs(more / less - 1.0) < 0.25).all(),
        f"last {LAST} proposals: {_row(more, 1)}, which is {_row(more / less)} of that with λ = 1",
    )
    yield _isolated(10, ten)
    until = INITIAL + EXPLAINED - 1
    # footnote 15
    explored = np.abs(ten.theta[:, :until]).mean(axis=0).std(axis=0, ddof=1)
    phi = ten.phi[:, EXPLAINED - 1, :, 1].mean(axis=0)
    correlation = _rank(explored, phi)
    yield Verdict(
        f"φ(se), λ = 10: the less explored, the smaller (iteration {EXPLAINED})",
        correlation > 0.0,
        f"explored {_row(explored)}, φ(se) {_row(phi, 1)}: rank correlation {correlation:.1f}",
    )
    less, more = (np.abs(runs.phi[..., 1]).mean(axis=(0, 1)) for runs in (one, ten))
    yield Verdict(
        "φ(se), λ = 10: a stronger effect than with λ = 1",
        (more > less).all(),
        f"mean size {_row(more, 1)} against {_row(less, 1)}",
    )
    yield _of_the_bound(10, ten)
    crossings = ten.crossings()
    when = ", ".join("never" if c > ten.phi.shape[1] else str(c) for c in crossings)
    order = _rank(crossings, np.arange(len(crossings)))
    yield Verdict(
        "λ = 10: the curves cross earlier for higher hyperparameters",
        (np.diff(crossings) <= 0).all() and crossings[-1] < crossings[0],
        f"the mean takes the lead in iteration ({when}): rank correlation {order:.1f}",
        "met: after 10 iterations for θ4, about 25 for θ1",
    )


def _of_the_mean(lam: int, runs: Contributions, closer: str = "met") -> Iterator[Verdict]:
    correlation, alike = runs.correlation(runs.distance, 0), runs.alike(0)
    yield Verdict(
        f"φ(m), λ = {lam}: the closer to the optimum, the bigger",
        (correlation < 0).all(),
        f"rank correlation with the distance {_row(correlation)}",
        closer,
    )
    yield Verdict(
        f"φ(m), λ = {lam}: for similar values higher hyperparameters matter more",
        (np.diff(alike) > 0).all(),
        f"mean size where distances differ by at most {ALIKE}: {_row(alike, 1)}",
    )


def _isolated(lam: int, runs: Contributions) -> Verdict:
    correlation = runs.correlation(runs.isolation, 1)
    what = f"φ(se), λ = {lam}: the more isolated a value, the bigger"
    said = f"rank correlation with the distance to earlier values {_row(correlation)}"
    return Verdict(what, (correlation > 0).all(), said)


def _of_the_bound(lam: int, runs: Contributions, thesis: str = "met") -> Verdict:
    payout = runs.phi.sum(axis=2).mean(axis=0)
    first, last = payout[:FIRST].mean(axis=0), payout[-LAST:].mean(axis=0)
    what = f"φ(cb), λ = {lam}: dominated by uncertainty at first, by the mean in the end"
    said = f"first {FIRST} {_row(first, 1)}, last {LAST} {_row(last, 1)}"
    met = first[1] > first[0] and last[0] > last[1]
    return Verdict(what, met, f"payout of mean and uncertainty: {said}", thesis)


def _rank(a: np.ndarray, b: np.ndarray) -> float:
    """Return the rank correlation, 0 where one of the two is constant."""
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return 0.0
    return float(spearmanr(a.ravel(), b.ravel()).statistic)


def _row(values: np.ndarray, digits: int = 2) -> str:
    return f"({listed(values, digits)})"
