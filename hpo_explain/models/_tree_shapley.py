"""The Shapley values of a forest's mean against single background rows, for any number of players.

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

import numba
import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

Ints = npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def shapley_of_leaves(
    roots: Ints,
    left: Ints,
    right: Ints,
    feature: Ints,
    threshold: Array,
    missing_left: npt.NDArray[np.bool_],
    value: Array,
    depth: int,
    owners: Ints,
    plays: npt.NDArray[np.bool_],
    background: npt.NDArray[np.float32],
    explained: npt.NDArray[np.float32],
) -> Array:
    """Return the sums over trees of Shapley values, (rows, hyperparameters).

    ``owners`` is the hyperparameter of each column, ``plays`` says which take part; the others have
    the background row's values.
    """
    n, d = len(background), len(plays)
    found = np.zeros((n, d))
    # 1 / ((a + b) binom(a + b - 1, b)): the weight of each of a players, b others
    weight = np.zeros((depth + 2, depth + 2))
    for a in range(1, depth + 2):
        weight[a, 0] = 1.0 / a
        for b in range(1, depth + 2 - a):
            weight[a, b] = weight[a, b - 1] * b / (a + b)
    state = np.zeros(d, dtype=np.int8)  # 1: the explained value, 2: the background row's
    trail = np.empty(depth + 1, dtype=np.int64)
    nodes = np.empty(depth + 2, dtype=np.int64)
    decided = np.empty(depth + 2, dtype=np.int64)
    until = np.empty(depth + 2, dtype=np.int64)
    count = np.zeros(3, dtype=np.int64)
    for i in range(n):
        for root in roots:
            length, height = 0, 1
            nodes[0], decided[0], until[0] = root, -1, 0
            while height > 0:
                height -= 1
                while length > until[height]:
                    length -= 1
                    count[state[trail[length]]] -= 1
                    state[trail[length]] = 0
                node, j = nodes[height], decided[height]
                if j >= 0:
                    state[j] = 2
                    count[2] += 1
                    trail[length] = j
                    length += 1
                while left[node] >= 0:
                    column = feature[node]
                    j = owners[column]
                    x, z = explained[column], background[i, column]
                    of_x = missing_left[node] if np.isnan(x) else x <= threshold[node]
                    of_z = missing_left[node] if np.isnan(z) else z <= threshold[node]
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
                a, b = count[1], count[2]
                for k in range(length):
                    j = trail[k]
                    if state[j] == 1:
                        found[i, j] += value[node] * weight[a, b]
                    else:
                        found[i, j] -= value[node] * weight[b, a]
            while length > 0:
                length -= 1
                state[trail[length]] = 0
            count[:] = 0
    return found
