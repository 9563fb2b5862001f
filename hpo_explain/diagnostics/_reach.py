"""How much of the space lies within the reach of predictions that were checked.

A held-out trial checks the model as far away from the other trials as it lies itself. What lies
further from every trial than that is extrapolation that nothing has checked, however well the
trials are predicted. Trials count with the share of the space to which each is nearest: a crowd of
them checks little of it. The same is asked along each hyperparameter alone, as in many dimensions
a distance does not show that one range was left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.space import Array, SearchSpace
from hpo_explain.space.gower import squared_differences

_PROBES = 512
_TRIALS = 2000
_MOST = 0.9  # of the space belongs to trials that lie no further from the others than the reach
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Reach:
    """What trials check of a space.

    Attributes
    ----------
    probes : ndarray of shape (m, d)
        Encoded configurations spread over the space.
    cells : ndarray of shape (n,)
        Share of the space to which each trial is nearest; they add up to 1.
    joint : float
        Share of the space within reach.
    along : tuple of float
        Share of each hyperparameter's measure within reach along it.
    """

    probes: Array
    cells: Array
    joint: float
    along: tuple[float, ...]

    @property
    def share(self) -> float:
        """The smallest of all shares."""
        return min(self.joint, *self.along)


def reach(space: SearchSpace, rows: Array) -> Reach:
    """Return what trials at encoded rows (n, d), at least two, check of a space.

    Of more than 2000 trials as many are drawn; the others have no share of the space.
    """
    probes = space.sample(_PROBES, seed=1, method="uniform")
    drawn = np.random.default_rng(0).permutation(len(rows))[:_TRIALS]
    to_probes, among = np.zeros((len(probes), len(drawn))), np.zeros((len(drawn), len(drawn)))
    along, cells = [], np.zeros(len(rows))
    for beside, between in zip(
        squared_differences(space, probes, rows[drawn]),
        squared_differences(space, rows[drawn], rows[drawn]),
        strict=True,
    ):
        along.append(_within(beside, between)[0])
        to_probes += beside
        among += between
    joint, cells[drawn] = _within(to_probes, among)
    return Reach(probes, cells, joint, tuple(along))


def _within(to_probes: Array, among: Array) -> tuple[float, Array]:
    """Return the share of probes within reach, and the share to which each trial is nearest.

    Both are of squared distances, (m, n) and (n, n).
    """
    m, n = to_probes.shape
    nearest = to_probes.argmin(axis=1)
    distance = to_probes[np.arange(m), nearest]
    cells = np.bincount(nearest, minlength=n) / m
    isolation = np.where(np.eye(n, dtype=bool), np.inf, among).min(axis=1)
    order = np.argsort(isolation)
    limit = isolation[order][int(np.searchsorted(np.cumsum(cells[order]), _MOST))]
    return float(np.mean(distance <= limit + _SLACK)), cells
