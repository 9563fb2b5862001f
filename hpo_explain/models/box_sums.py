"""Exact integrals of a tree over the latent cube, from its boxes.

Symbols as in Hutter et al. (2014): U a set of hyperparameters, a_U the marginal prediction, f_U the
component of the functional ANOVA that belongs to U alone, V_U its variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.models import _kernels as kernels
from hpo_explain.models._threads import in_parts
from hpo_explain.models.protocols import TreeBoxes
from hpo_explain.space import Array

Intervals = list[tuple[float, float]]


def mean_and_variance(boxes: TreeBoxes) -> tuple[float, float]:
    """Return f_∅, the mean over the cube, and the variance V (Eq. 4 and 7)."""
    # no BLAS: its threads would fight with those that work on the trees
    mean = float(np.sum(boxes.volume * boxes.value))
    return mean, float(np.sum(boxes.volume * (boxes.value - mean) ** 2))


def clip_worse(boxes: TreeBoxes, cap: float, direction: str) -> TreeBoxes:
    """Return boxes whose prediction is nowhere worse than `cap`."""
    worst = np.minimum if direction == "minimize" else np.maximum
    return replace(boxes, value=worst(boxes.value, cap))


def restrict(boxes: TreeBoxes, intervals: dict[int, Intervals]) -> TreeBoxes:
    """Return the boxes of a sub-space, stretched to fill the cube again.

    Parameters
    ----------
    boxes : TreeBoxes
        The boxes.
    intervals : dict of int to list of tuple
        For each restricted hyperparameter the latent intervals that are kept.
    """
    cuts = boxes.cuts.copy()
    for j, inside in intervals.items():
        part = slice(boxes.first[j], boxes.first[j + 1])
        cuts[part] = squeeze(boxes.cuts[part], inside)
    a = cuts[boxes.first[boxes.dims] + boxes.lower]
    b = cuts[boxes.first[boxes.dims] + boxes.upper]
    lengths = b - a
    n = len(boxes.value)
    volume = np.multiply.reduceat(lengths, boxes.ends[:-1]) if len(lengths) else np.ones(n)
    kept_box = volume > 0.0
    counts = np.diff(boxes.ends)
    kept_entry = np.repeat(kept_box, counts)
    return replace(
        boxes,
        cuts=cuts,
        value=boxes.value[kept_box],
        volume=volume[kept_box],
        ends=np.concatenate([[0], np.cumsum(counts[kept_box])]),
        dims=boxes.dims[kept_entry],
        lower=boxes.lower[kept_entry],
        upper=boxes.upper[kept_entry],
    )


def squeeze(u: Array, intervals: Intervals) -> Array:
    """Return the share of the kept intervals that lies below each latent value."""
    whole = sum(high - low for low, high in intervals)
    below = sum(np.clip(u, low, high) - low for low, high in intervals)
    return np.asarray(below / whole)


def main_steps(boxes: TreeBoxes) -> tuple[Array, Array]:
    """Return the heights of every f_j between its cuts (as `boxes.cuts`), and V_j, (d,)."""
    mean, _ = mean_and_variance(boxes)
    n = len(boxes.cuts)
    first = boxes.first
    cuts = boxes.cuts
    a = first[boxes.dims] + boxes.lower
    b = first[boxes.dims] + boxes.upper
    weight = np.repeat((boxes.value - mean) * boxes.volume, np.diff(boxes.ends))
    height = weight / (cuts[b] - cuts[a])
    length = np.diff(cuts, append=0.0)
    last = first[1:] - 1
    length[last] = 0.0
    # what boxes of a hyperparameter add and take adds up to 0: the next begins with none
    heights = np.cumsum(np.bincount(a, height, n) - np.bincount(b, height, n))
    heights -= np.repeat(np.add.reduceat(heights * length, first[:-1]), np.diff(first))
    heights[last] = 0.0
    return heights, np.add.reduceat(heights**2 * length, first[:-1])


def pair_variances(boxes: TreeBoxes) -> Array:
    """Return V_jk as an upper triangular matrix, (d, d)."""
    mean, _ = mean_and_variance(boxes)
    weight = (boxes.value - mean) * boxes.volume
    cuts, first, ends, dims, lower, upper = boxes.entries
    d = len(first) - 1
    n = len(weight)
    most = int(np.diff(first).max(initial=0))
    in_order = np.argsort(dims, kind="stable")
    by_dimension = np.searchsorted(dims[in_order], np.arange(d + 1))
    box_of = np.repeat(np.arange(n), np.diff(ends))
    variance = np.zeros((d, d))
    kernels.pair_effects(
        cuts,
        np.diff(cuts),
        np.array([first, by_dimension]),
        np.array([lower, upper, box_of])[:, in_order],
        weight,
        np.full((2, n), -1),
        np.zeros((most, most)),
        np.zeros((3, most)),
        variance,
    )
    return variance


def total_variances(boxes: TreeBoxes) -> Array:
    """Return the variance of everything each hyperparameter takes part in, (d,): O(boxes²)."""
    mean, _ = mean_and_variance(boxes)
    total = np.zeros(len(boxes.first) - 1)
    here = np.array([np.zeros_like(total), np.ones_like(total)])
    kernels.total_effects(boxes.entries, boxes.value - mean, boxes.volume, here, total)
    return total


def total_cost(trees: Sequence[TreeBoxes]) -> float:
    """Return the number of pairs of boxes that total effects look at: some 20 ns each."""
    return float(sum(len(boxes.value) ** 2 / 2.0 for boxes in trees))


def total_shares(trees: Sequence[TreeBoxes]) -> Array:
    """Return each hyperparameter's total effect as a share of the tree's variance, (trees, d)."""

    def work(part: slice) -> list[Array]:
        shares = []
        for boxes in trees[part]:
            _, variance = mean_and_variance(boxes)
            total = total_variances(boxes) if variance > 0.0 else np.zeros(len(boxes.first) - 1)
            shares.append(np.clip(total / (variance or 1.0), 0.0, 1.0))
        return shares

    return np.array(in_parts(work, len(trees), sum(len(boxes.value) for boxes in trees)))


def subset_variances(boxes: TreeBoxes, order: int) -> dict[tuple[int, ...], float]:
    """Return V_U for all sets of `order` hyperparameters that some box is cut in."""
    mean, _ = mean_and_variance(boxes)
    weight = (boxes.value - mean) * boxes.volume
    members: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = {}
    for box in range(len(boxes.value)):
        entries = range(boxes.ends[box], boxes.ends[box + 1])
        for chosen in combinations(entries, order):
            key = tuple(int(boxes.dims[e]) for e in chosen)
            members.setdefault(key, []).append((box, chosen))
    variances = {}
    for key, boxes_and_entries in members.items():
        at = np.array([chosen for _, chosen in boxes_and_entries])
        offset = boxes.first[boxes.dims[at]]
        low = boxes.cuts[offset + boxes.lower[at]]
        high = boxes.cuts[offset + boxes.upper[at]]
        density = weight[[box for box, _ in boxes_and_entries]] / np.prod(high - low, axis=1)
        variances[key] = float(kernels.overlaps(density, low, high))
    return variances


def bounds(boxes: TreeBoxes, members: Sequence[int]) -> tuple[Array, Array]:
    """Return where each box lies in some hyperparameters, (number of boxes, number of them)."""
    low = np.zeros((len(boxes.value), len(members)))
    high = np.ones_like(low)
    box_of = np.repeat(np.arange(len(boxes.value)), np.diff(boxes.ends))
    for i, j in enumerate(members):
        mine = boxes.dims == j
        low[box_of[mine], i] = boxes.cuts[boxes.first[j] + boxes.lower[mine]]
        high[box_of[mine], i] = boxes.cuts[boxes.first[j] + boxes.upper[mine]]
    return low, high


def marginal_prediction(
    boxes: TreeBoxes, members: Sequence[int], points: Sequence[Array]
) -> npt.NDArray[Any]:
    """Return a_U on a grid of latent points (Theorem 6), (G,) or (G1, G2).

    Parameters
    ----------
    boxes : TreeBoxes
        The boxes.
    members : sequence of int
        The hyperparameters U, one or two.
    points : sequence of ndarray
        Latent values of each.
    """
    low, high = bounds(boxes, members)
    weight = boxes.value * boxes.volume / np.prod(high - low, axis=1)
    inside = [
        (low[:, i, None] <= u[None, :]) & (u[None, :] < high[:, i, None])
        for i, u in enumerate(points)
    ]
    if len(members) == 1:
        return weight @ inside[0]
    return (inside[0] * weight[:, None]).T.astype(float) @ inside[1]
