"""The compiled walk of trees through all coalitions of two rows."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array


def flatten(trees: list[Any]) -> dict[str, npt.NDArray[Any]]:
    """Return the nodes of scikit-learn trees one after the other.

    Children are counted from the first node of all; a leaf has no left child (-1).
    """
    sizes = np.array([tree.node_count for tree in trees])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def shifted(name: str) -> npt.NDArray[np.int64]:
        parts = [np.asarray(getattr(tree, name), dtype=np.int64) for tree in trees]
        return np.concatenate(
            [np.where(p < 0, -1, p + start) for p, start in zip(parts, first, strict=True)]
        )

    return {
        "roots": first.astype(np.int64),
        "left": shifted("children_left"),
        "right": shifted("children_right"),
        "feature": np.concatenate([np.asarray(t.feature, dtype=np.int64) for t in trees]),
        "threshold": np.concatenate([np.asarray(t.threshold, dtype=float) for t in trees]),
        "missing_left": np.concatenate(
            [np.asarray(t.missing_go_to_left, dtype=np.bool_) for t in trees]
        ),
        "value": np.concatenate([t.value[:, 0, 0] for t in trees]),
        "impurity": np.concatenate([np.asarray(t.impurity, dtype=float) for t in trees]),
    }


@numba.njit(cache=True, nogil=True)
def walk(
    roots: npt.NDArray[np.int64],
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    feature: npt.NDArray[np.int64],
    threshold: Array,
    missing_left: npt.NDArray[np.bool_],
    value: Array,
    impurity: Array,
    bit: npt.NDArray[np.int64],
    everyone: int,
    explained: npt.NDArray[np.float32],
    background: npt.NDArray[np.float32],
) -> tuple[Array, Array, Array]:
    """Return sums over trees of leaf mean, squared leaf mean and leaf variance.

    Each is (n, everyone + 1): for every pair of rows and every coalition, whose members take the
    explained row's columns. ``bit`` is the player's bit of each column (0 where it belongs to no
    player; the two rows agree there). Where the two rows part at a node, so do the coalitions
    with and without that player; every coalition ends in exactly one leaf.
    """
    n = explained.shape[0]
    first = np.zeros((n, everyone + 1))
    second = np.zeros((n, everyone + 1))
    within = np.zeros((n, everyone + 1))
    nodes = np.empty(left.shape[0] + 1, dtype=np.int64)
    joined = np.empty(left.shape[0] + 1, dtype=np.int64)
    missed = np.empty(left.shape[0] + 1, dtype=np.int64)
    for i in range(n):
        for root in roots:
            depth = 0
            nodes[0] = root
            joined[0] = 0
            missed[0] = 0
            while depth >= 0:
                node, yes, no = nodes[depth], joined[depth], missed[depth]
                depth -= 1
                while left[node] >= 0:
                    column = feature[node]
                    a, b = explained[i, column], background[i, column]
                    a_left = missing_left[node] if np.isnan(a) else a <= threshold[node]
                    b_left = missing_left[node] if np.isnan(b) else b <= threshold[node]
                    player = bit[column]
                    if a_left == b_left or no & player:
                        node = left[node] if b_left else right[node]
                    elif yes & player:
                        node = left[node] if a_left else right[node]
                    else:
                        depth += 1
                        nodes[depth] = left[node] if a_left else right[node]
                        joined[depth] = yes | player
                        missed[depth] = no
                        node = left[node] if b_left else right[node]
                        no |= player
                mean, variance = value[node], impurity[node]
                free = everyone & ~(yes | no)
                part = free
                while True:
                    code = part | yes
                    first[i, code] += mean
                    second[i, code] += mean * mean
                    within[i, code] += variance
                    if part == 0:
                        break
                    part = (part - 1) & free
    return first, second, within
