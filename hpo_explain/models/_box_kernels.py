"""Loops over the boxes of a tree, compiled.

The compiled sums over a tree's boxes that make up its functional ANOVA.

Our own, because Optuna's evaluator takes over 1,000 times as long for the main effects of 64 trees
(tests/benchmarks/test_fanova.py).

With f = Σ_l c_l 1[u in box l] and c centred (f_∅ = 0), every component is a sum over boxes:

- a main effect f_j is the centred step function Σ_l c_l vol_l / len_lj 1[u_j in l], a prefix sum
  over the cuts of j;
- a pair's f_jk is the doubly centred Σ_l c_l vol_l / (len_lj len_lk) 1[u_j, u_k in l], a prefix sum
  over the grid of cuts; only boxes cut in both count, because the others' share is centred away;
- for any set U, E[f_U²] = Σ_l Σ_m w_l w_m Π_{j in U} (|l ∩ m|_j / (len_lj len_mj) - 1), w = c vol;
- the total effect of j is E[f²] - E[(∫ f du_j)²], where only pairs of boxes count that overlap in
  every other hyperparameter.

Results are written into arrays that are given, zeros at first: to make arrays takes the compiler
as long as all the rest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.models._compiled import compiled, compiled_part
from hpo_explain.space import Array, Ints

Small = npt.NDArray[np.int32]
# as `TreeBoxes.entries` gives them
Boxes = tuple[Array, Ints, Ints, Small, Small, Small]


@compiled_part()
def _variance_of(
    surface: Array, rows: Array, columns: Array, sums: Array
) -> float:
    """Return E[f_jk²] from what a function changes by, from cell to cell, by the cells' lengths.

    `surface` is zero afterwards, `sums`, (3, most), before and afterwards.
    """
    n = len(rows)
    m = len(columns)
    row_mean = sums[0]
    column_mean = sums[1]
    column = sums[2]
    mean = 0.0
    for i in range(n):
        running = 0.0
        for k in range(m):
            running += surface[i, k]
            column[k] += running
            surface[i, k] = column[k]
            row_mean[i] += column[k] * columns[k]
            column_mean[k] += column[k] * rows[i]
        mean += row_mean[i] * rows[i]
    variance = 0.0
    for i in range(n):
        part = 0.0
        for k in range(m):
            centred = surface[i, k] + mean - row_mean[i] - column_mean[k]
            part += centred**2 * columns[k]
        variance += part * rows[i]
    for i in range(n + 1):
        row_mean[i] = 0.0
        for k in range(m + 1):
            surface[i, k] = 0.0
    for k in range(m):
        column_mean[k] = 0.0
        column[k] = 0.0
    return variance


@compiled(error_model="numpy")
def _pair_effects(
    cuts: Array,
    length: Array,
    starts: Ints,
    entries: Ints,
    weight: Array,
    own: Ints,
    surface: Array,
    sums: Array,
    variance: Array,
) -> None:
    """Write E[f_jk²]; see `pair_effects`."""
    for j in range(len(variance)):
        x = starts[0, j]
        for i in range(starts[1, j], starts[1, j + 1]):
            box = entries[2, i]
            own[0, box] = entries[0, i]
            own[1, box] = entries[1, i]
        for k in range(j + 1, len(variance)):
            y = starts[0, k]
            is_zero = True
            for i in range(starts[1, k], starts[1, k + 1]):
                box = entries[2, i]
                a = own[0, box]
                if a < 0:  # not cut in both
                    continue
                b = own[1, box]
                c = entries[0, i]
                e = entries[1, i]
                height = weight[box] / (
                    (cuts[x + b] - cuts[x + a]) * (cuts[y + e] - cuts[y + c])
                )
                surface[a, c] += height
                surface[b, c] -= height
                surface[a, e] -= height
                surface[b, e] += height
                is_zero = False
            if not is_zero:
                rows = length[x : starts[0, j + 1] - 1]
                columns = length[y : starts[0, k + 1] - 1]
                variance[j, k] = _variance_of(surface, rows, columns, sums)
        for i in range(starts[1, j], starts[1, j + 1]):
            own[0, entries[2, i]] = -1


def pair_effects(boxes: Boxes, weight: Array) -> Array:
    """Return E[f_jk²] as an upper triangular matrix (d, d)."""
    cuts, first, ends, dims, lower, upper = boxes
    d = len(first) - 1
    n = len(weight)
    most = int(np.diff(first).max(initial=0))
    in_order = np.argsort(dims, kind="stable")
    by_dimension = np.searchsorted(dims[in_order], np.arange(d + 1))
    box_of = np.repeat(np.arange(n), np.diff(ends))
    variance = np.zeros((d, d))
    _pair_effects(
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


@compiled()
def subset_effect(weight: Array, low: Array, high: Array) -> float:
    """Return E[f_U²] from the boxes cut in every member of U: bounds (boxes, |U|), c vol each."""
    n, size = low.shape
    variance = 0.0
    for p in range(n):
        for q in range(p, n):
            product = weight[p] * weight[q]
            if q > p:
                product *= 2.0
            for j in range(size):
                own = high[p, j] - low[p, j]
                other = high[q, j] - low[q, j]
                both = min(high[p, j], high[q, j]) - max(low[p, j], low[q, j])
                product *= max(both, 0.0) / (own * other) - 1.0
            variance += product
    return variance


@compiled()
def closed_effect(density: Array, low: Array, high: Array) -> float:
    """Return E[E[f | u_U]²] from all boxes: as `subset_effect`, with w / Π len for each."""
    n, size = low.shape
    variance = 0.0
    for p in range(n):
        for q in range(p, n):
            product = density[p] * density[q]
            if q > p:
                product *= 2.0
            for j in range(size):
                both = min(high[p, j], high[q, j]) - max(low[p, j], low[q, j])
                if both <= 0.0:
                    product = 0.0
                    break
                product *= both
            variance += product
    return variance


@compiled()
def total_effects(
    boxes: Boxes, value: Array, volume: Array, here: Array, total: Array
) -> None:
    """Write E[f²] - E[(∫ f du_j)²] for every j, (d,), for centred values.

    Boxes are disjoint, so two of them overlap in every hyperparameter but at most one; each pair
    is given up at the second in which they do not. O(boxes²), with a small constant. `here` holds
    the ends of the cube, (2, d), and afterwards again.
    """
    cuts, first, ends, dims, lower, upper = boxes
    n = len(value)
    here_low = here[0]
    here_high = here[1]
    for p in range(n):
        for e in range(ends[p], ends[p + 1]):
            j = dims[e]
            here_low[j] = cuts[first[j] + lower[e]]
            here_high[j] = cuts[first[j] + upper[e]]
            # a box with itself: c² vol - c² vol len_j; where it is not cut this is zero
            total[j] += (
                value[p] ** 2
                * volume[p]
                * (1.0 - (here_high[j] - here_low[j]))
            )
        for q in range(p + 1, n):
            apart = -1
            shrink = 1.0  # |p ∩ q| / |q| over the hyperparameters in which q is cut, but `apart`
            for e in range(ends[q], ends[q + 1]):
                j = dims[e]
                low = cuts[first[j] + lower[e]]
                high = cuts[first[j] + upper[e]]
                both = min(high, here_high[j]) - max(low, here_low[j])
                if both <= 0.0:
                    if apart >= 0:
                        apart = -2
                        break
                    apart = j
                    continue
                own = here_high[j] - here_low[j]
                shrink *= both / ((high - low) * own)
            if apart >= 0:
                # vol_p vol_q Π both / (len_p len_q) over all but `apart`
                total[apart] -= (
                    2.0 * value[p] * value[q] * volume[p] * volume[q] * shrink
                )
        for e in range(ends[p], ends[p + 1]):
            j = dims[e]
            here_low[j] = 0.0
            here_high[j] = 1.0


@compiled()
def slices(
    value: Array,
    ends: Ints,
    dims: Small,
    low: Array,
    high: Array,
    U: Array,
    j: int,
    points: Array,
) -> Array:
    """Return the values at rows of `U` with column j replaced by each of `points`, (n, G).

    The boxes that contain the rest of a row partition its line along j, so one pass over the boxes
    is enough for all of `points`. With j = -1 nothing is replaced and any one point will do.
    """
    out = np.empty((len(U), len(points)))
    for i in range(len(U)):
        for box in range(len(value)):
            start = 0.0
            end = 1.0
            inside = True
            for e in range(ends[box], ends[box + 1]):
                k = dims[e]
                if k == j:
                    start = low[e]
                    end = high[e]
                elif not low[e] <= U[i, k] < high[e]:
                    inside = False
                    break
            if inside:
                for g in range(len(points)):
                    if start <= points[g] < end:
                        out[i, g] = value[box]
    return out
