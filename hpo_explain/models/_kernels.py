"""All that is compiled: eight loops that NumPy's passes take several times as long for.

Three are of the product kernel's likelihood and gradient (`product_kernel`), one compares rows with
trials (`compared`), three sum over the boxes of a tree for its functional ANOVA (`box_sums`), and
one walks a tree (`_tree_boxes`). There are few because a new installation waits for the compiler.

Results are written into arrays that are given: to make arrays takes the compiler as long as all the
rest. Of the functional ANOVA they are our own because Optuna's evaluator takes over 1,000 times as
long for the main effects of 64 trees (tests/benchmarks/test_fanova.py). With
f = Σ_l c_l 1[u in box l] and c centred (f_∅ = 0), every component is a sum over boxes:

- a pair's f_jk is the doubly centred Σ_l c_l vol_l / (len_lj len_lk) 1[u_j, u_k in l], a prefix sum
  over the grid of cuts; only boxes cut in both count, because the others' share is centred away;
- for any set U, E[f_U²] = Σ_l Σ_m w_l w_m Π_{j in U} (|l ∩ m|_j / (len_lj len_mj) - 1), w = c vol;
- the total effect of j is E[f²] - E[(∫ f du_j)²], where only pairs of boxes count that overlap in
  every other hyperparameter.
"""

from __future__ import annotations

from math import factorial, isnan
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from hpo_explain.models._compiled import compiled, compiled_part
from hpo_explain.space import Array, Bools, Ints

Small = npt.NDArray[np.int32]
Single = npt.NDArray[Any]  # in single precision
# as `TreeBoxes.entries` gives them
Boxes = tuple[Array, Ints, Ints, Small, Small, Small]
# left, right, feature, inactive left, cut
Nodes = tuple[Ints, Ints, Ints, Bools, Small]

# in place of an ancestor that decides whether a hyperparameter is active
ACTIVE, INACTIVE = -1, -2
FAR = 1e9
"""In place of a distance between a value and none, where the kernel is 0."""
LEAST_FACTOR = 1e-6
# terms that are added up in single precision
_AT_ONCE = 32
_NONE, _ONE, _THIRD, _LEAST, _FAR, _VANISHED, _TINY = map(
    np.float32,
    # the exponential of -87 is nothing; smaller products than 1e-30 count for nothing, and the
    # smallest take 100 times as long
    (0.0, 1.0, 1.0 / 3.0, LEAST_FACTOR, FAR, 87.0, 1e-30),
)
_fast = compiled(error_model="numpy", fastmath={"contract"})
_summing = compiled(error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


# ---------------------------------------------------------------------- the product kernel

_SHIFT = np.float32(1.5 * 2.0**23)  # adding it leaves the nearest integer in the last bits
_LOG2_E = np.float32(1.4426950408889634)
# log(2) in two parts, whose products with small integers are exact
_LOG2, _LOG2_REST = np.float32(0.693359375), np.float32(-2.12194440e-4)
_T2, _T3, _T4, _T5, _T6, _T7 = (np.float32(1.0 / factorial(i)) for i in range(2, 8))


@numba.njit(inline="always")
def _exp(x: Any) -> Any:
    """Return exp(x) for -87 ≤ x ≤ 0 in single precision, and that of -87 for what is less.

    It is written out, so that the compiler works on several numbers at a time, which it cannot do
    through a library's function: a power of two, and Taylor's polynomial on ``|r| ≤ log(2) / 2``.
    """
    x = -_VANISHED if x < -_VANISHED else x  # max takes the compiler longer
    shifted = x * _LOG2_E + _SHIFT
    power = shifted - _SHIFT
    r = x - power * _LOG2
    r = r - power * _LOG2_REST
    p = ((((((_T7 * r + _T6) * r + _T5) * r + _T4) * r + _T3) * r + _T2) * r + _ONE) * r + _ONE
    bits = np.float32(p).view(np.int32) + (np.float32(shifted).view(np.int32) << np.int32(23))
    return np.int32(bits).view(np.float32)


@_fast
def gather(
    apart: Single,
    rate: Any,
    weight: Any,
    amplitude: Any,
    decay: Single,
    product: Single,
    added: Single,
) -> None:
    """Multiply the product by one hyperparameter's factor, and add its part, of all pairs.

    The exponentials are kept as `decay`.
    """
    free = _ONE - weight
    free = free if free > _LEAST else _LEAST  # max takes the compiler longer
    for i in range(len(apart)):
        r = apart[i] * rate
        decay[i] = _exp(-r) if r < _VANISHED else _NONE
        base = (_ONE + r + r * r * _THIRD) * decay[i]
        product[i] *= free + weight * base if apart[i] <= _FAR else _ONE
    if amplitude > _NONE:
        for i in range(len(apart)):
            r = apart[i] * rate
            added[i] += amplitude * (_ONE + r + r * r * _THIRD) * decay[i]


@_summing
def sums_of_product(
    apart: Single, decay: Single, rate: Any, weight: Any, by_product: Single
) -> tuple[float, float]:
    """Return what the gradient has of one hyperparameter in the product.

    By its length and by its weight.
    """
    free = _ONE - weight
    free = free if free > _LEAST else _LEAST  # max takes the compiler longer
    length = 0.0
    by_weight = 0.0
    for first in range(0, len(apart), _AT_ONCE):
        few = apart[first : first + _AT_ONCE]
        few_decays = decay[first : first + _AT_ONCE]
        few_products = by_product[first : first + _AT_ONCE]
        of_few = _NONE
        of_few_weights = _NONE
        for i in range(len(few)):
            r = few[i] * rate
            third = r * r * _THIRD
            linear = _ONE + r
            base = (linear + third) * few_decays[i]
            # of all, as several are divided at a time
            share = few_products[i] / (free + weight * base)
            share = share if few[i] <= _FAR else _NONE
            of_few += share * third * linear * few_decays[i]
            of_few_weights += share * (base - _ONE)
        length += np.float64(of_few)
        by_weight += np.float64(of_few_weights)
    return length, by_weight


@_summing
def sums_of_part(apart: Single, decay: Single, rate: Any, G: Single) -> tuple[float, float]:
    """Return what the gradient has of one hyperparameter's part.

    By its length and by its amplitude.
    """
    length = 0.0
    alone = 0.0
    for first in range(0, len(apart), _AT_ONCE):
        few = apart[first : first + _AT_ONCE]
        few_decays = decay[first : first + _AT_ONCE]
        few_gradients = G[first : first + _AT_ONCE]
        of_few = _NONE
        of_few_alone = _NONE
        for i in range(len(few)):
            r = few[i] * rate
            third = r * r * _THIRD
            linear = _ONE + r
            decayed = few_gradients[i] * few_decays[i]
            of_few += decayed * third * linear
            of_few_alone += decayed * (linear + third)
        length += np.float64(of_few)
        alone += np.float64(of_few_alone)
    return length, alone


@compiled_part(error_model="numpy", fastmath={"contract"})
def _of_value(
    x: Any,
    trials: Single,
    inactive: Bools,
    number: bool,
    scaled: Single,
    j: int,
    factor: Single,
    part: Single,
) -> None:
    """Write the factors of one value and each trial, and the parts added."""
    rate = scaled[0, j]
    weight = scaled[1, j]
    amplitude = scaled[2, j]
    free = _ONE - weight
    if isnan(x):
        for k in range(len(factor)):
            factor[k] = _ONE if inactive[k] else free
            part[k] = _NONE
    elif number:
        for k in range(len(factor)):
            r = abs(x - trials[k]) * rate
            base = (_ONE + r + r * r * _THIRD) * _exp(-r)
            factor[k] = free + weight * base
            part[k] = amplitude * base
    else:
        for k in range(len(factor)):
            base = _ONE if trials[k] == x else _NONE
            factor[k] = free + weight * base
            part[k] = amplitude * base


@_fast
def compare(
    rows: Ints,
    columns: Ints,
    values: Single,
    usual: Single,
    trials: Single,
    inactive: Bools,
    numbers: Bools,
    scaled: Single,
    exchanges: bool,
    additive: bool,
    work: Single,
    product: Single,
    added: Single,
) -> None:
    """Multiply the products of rows (m, n) by the factors of values, and add their parts.

    Or exchange those of the usual row for them. Of equal values one after the other they are
    computed once. `work`, (4, n), is written to: to make arrays takes the compiler as long as all
    the rest.
    """
    factor = work[0]
    part = work[1]
    old = work[2]
    old_part = work[3]
    for e in range(len(rows)):
        j = columns[e]
        x = values[e]
        other_column = e == 0 or j != columns[e - 1]
        if other_column or x != values[e - 1]:
            about = (trials[j], inactive[j], numbers[j], scaled, j)
            _of_value(x, *about, factor, part)
            if exchanges:
                if other_column:
                    _of_value(usual[j], *about, old, old_part)
                for k in range(len(factor)):
                    factor[k] /= old[k]
                    part[k] -= old_part[k]
        own = product[rows[e]]
        for k in range(len(factor)):
            smaller = own[k] * factor[k]
            own[k] = smaller if smaller > _TINY else _NONE
        if additive:
            sums = added[rows[e]]
            for k in range(len(factor)):
                sums[k] += part[k]


# ---------------------------------------------------------------------- boxes of trees


@compiled_part()
def _variance_of(surface: Array, rows: Array, columns: Array, sums: Array) -> float:
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
def pair_effects(
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
    """Write E[f_jk²]; see `box_sums.pair_variances`."""
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
                height = weight[box] / ((cuts[x + b] - cuts[x + a]) * (cuts[y + e] - cuts[y + c]))
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


@compiled()
def overlaps(density: Array, low: Array, high: Array) -> float:
    """Return Σ_l Σ_m d_l d_m Π_j (|l ∩ m|_j - len_lj len_mj) of boxes: bounds (boxes, |U|).

    With d = c vol / Π len it is E[f_U²].
    """
    n, size = low.shape
    variance = 0.0
    for p in range(n):
        for q in range(p, n):
            product = density[p] * density[q]
            if q > p:
                product *= 2.0
            for j in range(size):
                both = min(high[p, j], high[q, j]) - max(low[p, j], low[q, j])
                own = high[p, j] - low[p, j]
                other = high[q, j] - low[q, j]
                product *= max(both, 0.0) - own * other
                if product == 0.0:
                    break
            variance += product
    return variance


@compiled()
def total_effects(boxes: Boxes, value: Array, volume: Array, here: Array, total: Array) -> None:
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
            total[j] += value[p] ** 2 * volume[p] * (1.0 - (here_high[j] - here_low[j]))
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
                total[apart] -= 2.0 * value[p] * value[q] * volume[p] * volume[q] * shrink
        for e in range(ends[p], ends[p + 1]):
            j = dims[e]
            here_low[j] = 0.0
            here_high[j] = 1.0


@compiled_part()
def _inactive_by(
    j: int, conditions: tuple[Ints, Ints, Ints, Small], low: Small, high: Small
) -> tuple[int, int]:
    """Return the ancestor that decides in a part of a box only whether j is active, and its cut.

    ACTIVE and INACTIVE stand in its place where the whole box decides.
    """
    pointer, ancestor_of, interval_pointer, cut_of_interval = conditions
    cut_low = cut_of_interval[0]
    cut_high = cut_of_interval[1]
    for c in range(pointer[j], pointer[j + 1]):
        p = ancestor_of[c]
        inside = False
        boundary = -1
        for r in range(interval_pointer[c], interval_pointer[c + 1]):
            if cut_low[r] <= low[p] and high[p] <= cut_high[r]:
                inside = True
            elif low[p] < cut_low[r] < high[p]:
                boundary = cut_low[r]
            elif low[p] < cut_high[r] < high[p]:
                boundary = cut_high[r]
        if not inside:
            return (p, boundary) if boundary >= 0 else (INACTIVE, -1)
    return ACTIVE, -1


@compiled()
def walk(
    nodes: Nodes,
    cuts: Array,
    begin: Ints,
    conditions: tuple[Ints, Ints, Ints, Small],
    bounds: Small,
    arrays: Any,
) -> int:
    """Walk a tree with a box; write each leaf's box, and return their number, or -1 without room.

    A row of `stack` says what is left to do: a node to enter (or -1), a hyperparameter, the lower
    bound it gets there, and the bound to put back: the upper one, or the lower one without a node.
    """
    left, right, feature, inactive_left, cut_of_node = nodes
    leaf, volume, ends, dims, lower, upper, stack = arrays
    d = len(begin) - 1
    low = bounds[0]
    high = bounds[1]
    last = bounds[2]
    for j in range(d):
        low[j] = 0
        last[j] = high[j] = begin[j + 1] - begin[j] - 1
    boxes = 0
    entries = ends[0]
    depth = 0
    node = 0
    while True:
        while left[node] >= 0:
            # where it is partly active, both pieces meet this node again
            split, cut = _inactive_by(feature[node], conditions, low, high)
            first_node = node
            second_node = node
            if split == INACTIVE:
                node = left[node] if inactive_left[node] else right[node]
                continue
            if split == ACTIVE:
                split = feature[node]
                cut = cut_of_node[node]
                first_node = left[node]
                second_node = right[node]
                if high[split] <= cut:
                    node = first_node
                    continue
                if low[split] >= cut:
                    node = second_node
                    continue
            if depth + 2 > len(stack):
                return -1
            stack[depth, 0] = -1
            stack[depth, 1] = split
            stack[depth, 3] = low[split]
            stack[depth + 1, 0] = second_node
            stack[depth + 1, 1] = split
            stack[depth + 1, 2] = cut
            stack[depth + 1, 3] = high[split]
            depth += 2
            high[split] = cut
            node = first_node
        if boxes == len(leaf) or entries + d >= len(dims):
            return -1
        product = 1.0
        # an entry that is not one is written over by the next
        for j in range(d):
            dims[entries] = j
            lower[entries] = low[j]
            upper[entries] = high[j]
            entries += (low[j] > 0) | (high[j] < last[j])
            product *= cuts[begin[j] + high[j]] - cuts[begin[j] + low[j]]
        leaf[boxes] = node
        volume[boxes] = product
        boxes += 1
        ends[boxes] = entries
        node = -1
        while node < 0:
            if depth == 0:
                return boxes
            depth -= 1
            j = stack[depth, 1]
            node = stack[depth, 0]
            if node < 0:
                low[j] = stack[depth, 3]
            else:
                high[j] = stack[depth, 3]
                low[j] = stack[depth, 2]
