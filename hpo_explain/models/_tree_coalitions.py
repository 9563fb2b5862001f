"""A forest in coalitions: leaves that compositions reach, and Shapley values of the mean.

The compiled walk of trees through many coalitions of an explained row and background rows.

Our own, because predicting composed rows takes 9 times as long (tests/benchmarks/test_shapley.py).

A set of coalitions is a row of 64-bit words. Where the rows that a value may come from part at a
node, so does the set; every coalition ends in exactly one leaf of a tree.

The Shapley values of a forest's mean against single background rows, for any number of players.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
a, b       how many players must have the explained value, and the background row's,
           for a leaf to be reached
v          the leaf's value
φ_j        Σ over leaves of v (a - 1)! b! / (a + b)! where j must have the explained value,
           and of -v a! (b - 1)! / (a + b)! where it must have the background row's
=========  ============================================================================

A leaf is reached by the coalitions that hold the a players and none of the b others: its Shapley
values are known, and a tree's are the sum over the leaves that some coalition reaches.

References
----------
.. [1] Lundberg, S. M. et al. (2020). From local explanations to global understanding with
   explainable AI for trees. Nature Machine Intelligence 2, 56-67 (interventional TreeExplainer).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.models._compiled import compiled
from hpo_explain.space import Array, Bools, Ints

# roots, left and right child, column, threshold, where NaN goes, depth of the deepest tree
Nodes = tuple[Ints, Ints, Ints, Ints, Array, Bools, int]


def flatten(trees: Sequence[Any]) -> tuple[Nodes, Array, Array]:
    """Return the nodes of scikit-learn trees one after the other, their values and impurities.

    Children are counted from the first node of all; a leaf has no left child (-1).
    """
    sizes = np.array([tree.node_count for tree in trees])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def joined(name: str, kind: Any) -> npt.NDArray[Any]:
        return np.concatenate(
            [np.asarray(getattr(tree, name), dtype=kind) for tree in trees]
        )

    def shifted(name: str) -> Ints:
        child = joined(name, np.int64)
        return np.where(child < 0, -1, child + np.repeat(first, sizes))

    nodes = (
        first.astype(np.int64),
        shifted("children_left"),
        shifted("children_right"),
        joined("feature", np.int64),
        joined("threshold", float),
        joined("missing_go_to_left", np.bool_),
        max(tree.max_depth for tree in trees),
    )
    return (
        nodes,
        joined("value", float)[:, 0, 0].copy(),
        joined("impurity", float),
    )


_ALL = np.uint64(2**64 - 1)
_ONE = np.uint64(1)
# the position of the lowest bit, by a multiplication that puts a different pattern of six bits
# on top for each: https://www.chessprogramming.org/BitScan#De_Bruijn_Multiplication
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_TOP = np.uint64(58)
_POSITION = np.empty(64, dtype=np.int64)
_POSITION[[((int(_DE_BRUIJN) << bit) % 2**64) >> 58 for bit in range(64)]] = (
    np.arange(64)
)


@compiled()
def walk(
    forest: Nodes,
    value: Array,
    within: Array,
    owners: Ints,
    sources: npt.NDArray[np.uint8],
    background: npt.NDArray[np.float32],
    explained: npt.NDArray[np.float32],
    inactive: npt.NDArray[np.float32],
) -> tuple[Array, Array, Array]:
    """Return the first tree's value v, and the sums over trees of Δ and of Δ² + variance within.

    Each is (rows, coalitions). Δ is a leaf's value minus v: squares of the values themselves would
    cancel where the trees agree far from 0. ``value`` and ``within`` are numbers per node.
    ``owners`` is the hyperparameter of each column; ``sources``, (rows or 1, d, coalitions), says
    which row its value comes from: 0 the background's, 1 the explained one, 2 the inactive one.
    """
    roots, left, right, feature, threshold, missing_left, depth = forest
    n = len(background)
    d = sources.shape[1]
    m = sources.shape[2]
    words = (m + 63) // 64
    origin = np.zeros((n, m))
    first = np.zeros((n, m))
    second = np.zeros((n, m))
    members = np.zeros((d, 3, words), dtype=np.uint64)
    occurs = np.zeros((d, 3), dtype=np.bool_)
    everyone = np.zeros(words, dtype=np.uint64)
    for c in range(m):
        everyone[c // 64] |= _ONE << np.uint64(c % 64)
    waiting = np.empty((depth + 1, words), dtype=np.uint64)
    nodes = np.empty(depth + 1, dtype=np.int64)
    here = np.empty(words, dtype=np.uint64)
    to_left = np.empty(words, dtype=np.uint64)
    goes = np.empty(3, dtype=np.bool_)
    for i in range(n):
        if i < len(sources):
            members[:] = 0
            for j in range(d):
                for c in range(m):
                    members[j, sources[i, j, c], c // 64] |= _ONE << np.uint64(
                        c % 64
                    )
                for s in range(3):
                    occurs[j, s] = members[j, s].any()
        for tree, root in enumerate(roots):
            height = 1
            nodes[0] = root
            # an array as a whole takes 4 s more to compile
            for w in range(words):
                waiting[0, w] = everyone[w]
            while height > 0:
                height -= 1
                node = nodes[height]
                for w in range(words):
                    here[w] = waiting[height, w]
                while left[node] >= 0:
                    column = feature[node]
                    j = owners[column]
                    some_left = False
                    some_right = False
                    for s in range(3):
                        if occurs[j, s]:
                            a = background[i, column]
                            if s > 0:
                                a = (
                                    explained[column]
                                    if s == 1
                                    else inactive[column]
                                )
                            goes[s] = (
                                missing_left[node]
                                if np.isnan(a)
                                else a <= threshold[node]
                            )
                            some_left |= goes[s]
                            some_right |= not goes[s]
                    if not some_right:
                        node = left[node]
                        continue
                    if not some_left:
                        node = right[node]
                        continue
                    to_left[:] = 0
                    for s in range(3):
                        if occurs[j, s] and goes[s]:
                            for w in range(words):
                                to_left[w] |= members[j, s, w]
                    some_left = False
                    some_right = False
                    for w in range(words):
                        to_left[w] &= here[w]
                        some_left |= to_left[w] != 0
                        some_right |= to_left[w] != here[w]
                    if not some_right:
                        node = left[node]
                    elif not some_left:
                        node = right[node]
                    else:
                        nodes[height] = left[node]
                        for w in range(words):
                            waiting[height, w] = to_left[w]
                            here[w] &= ~to_left[w]
                        height += 1
                        node = right[node]
                for w in range(words):
                    bits = here[w]
                    if bits == _ALL:
                        for c in range(64 * w, 64 * w + 64):
                            if tree == 0:
                                origin[i, c] = value[node]
                            delta = value[node] - origin[i, c]
                            first[i, c] += delta
                            second[i, c] += delta * delta + within[node]
                        continue
                    while bits != 0:
                        lowest = bits & (~bits + _ONE)
                        c = 64 * w + _POSITION[(lowest * _DE_BRUIJN) >> _TOP]
                        if tree == 0:
                            origin[i, c] = value[node]
                        delta = value[node] - origin[i, c]
                        first[i, c] += delta
                        second[i, c] += delta * delta + within[node]
                        bits ^= lowest
    return origin, first, second


@compiled()
def shapley_of_leaves(
    forest: Nodes,
    value: Array,
    owners: Ints,
    plays: Bools,
    background: npt.NDArray[np.float32],
    explained: npt.NDArray[np.float32],
) -> Array:
    """Return the sums over trees of Shapley values, (rows, hyperparameters).

    ``owners`` is the hyperparameter of each column, ``plays`` says which take part; the others have
    the background row's values.
    """
    roots, left, right, feature, threshold, missing_left, depth = forest
    n = len(background)
    d = len(plays)
    contributions = np.zeros((n, d))
    # 1 / ((a + b) binom(a + b - 1, b)): the weight of each of a players, b others
    weight = np.zeros((depth + 2, depth + 2))
    for a in range(1, depth + 2):
        weight[a, 0] = 1.0 / a
        for b in range(1, depth + 2 - a):
            weight[a, b] = weight[a, b - 1] * b / (a + b)
    # 1: the explained value, 2: the background row's
    state = np.zeros(d, dtype=np.int8)
    trail = np.empty(depth + 1, dtype=np.int64)
    nodes = np.empty(depth + 2, dtype=np.int64)
    decided = np.empty(depth + 2, dtype=np.int64)
    until = np.empty(depth + 2, dtype=np.int64)
    count = np.zeros(3, dtype=np.int64)
    for i in range(n):
        for root in roots:
            length = 0
            height = 1
            nodes[0] = root
            decided[0] = -1
            until[0] = 0
            while height > 0:
                height -= 1
                while length > until[height]:
                    length -= 1
                    count[state[trail[length]]] -= 1
                    state[trail[length]] = 0
                node = nodes[height]
                j = decided[height]
                if j >= 0:
                    state[j] = 2
                    count[2] += 1
                    trail[length] = j
                    length += 1
                while left[node] >= 0:
                    column = feature[node]
                    j = owners[column]
                    x = explained[column]
                    z = background[i, column]
                    of_x = (
                        missing_left[node]
                        if np.isnan(x)
                        else x <= threshold[node]
                    )
                    of_z = (
                        missing_left[node]
                        if np.isnan(z)
                        else z <= threshold[node]
                    )
                    if of_x != of_z and plays[j] and state[j] == 0:
                        nodes[height] = left[node] if of_z else right[node]
                        decided[height] = j
                        until[height] = length
                        height += 1
                        state[j] = 1
                        count[1] += 1
                        trail[length] = j
                        length += 1
                    goes = of_x if plays[j] and state[j] == 1 else of_z
                    node = left[node] if goes else right[node]
                a = count[1]
                b = count[2]
                for k in range(length):
                    j = trail[k]
                    if state[j] == 1:
                        contributions[i, j] += value[node] * weight[a, b]
                    else:
                        contributions[i, j] -= value[node] * weight[b, a]
            while length > 0:
                length -= 1
                state[trail[length]] = 0
            count[:] = 0
    return contributions
