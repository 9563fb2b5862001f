"""The leaves of trees as boxes over the latent values.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
u_j        latent value of hyperparameter j, uniform on [0, 1); of a categorical one on
           the categories in the order of the tree's columns, each of the same length; of
           an optional one absent on [share, 1)
cut        a value of u_j at which some split of the tree cuts; also 0 and 1
box        for every hyperparameter an interval between two of its cuts
condition  of hyperparameter j: an ancestor and the intervals ("runs") of its u for which
           j is active; all must be met. An optional one has a condition on itself
=========  ============================================================================

A split on an inactive hyperparameter sends the whole configuration one way. So where a box is
partly active, it is first cut at the ancestor's run, and both pieces meet the same split again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, FloatParameter, SearchSpace
from hpo_explain.surrogates.protocols import TreeBoxes

Ints = npt.NDArray[np.int64]
Runs = list[tuple[float, float]]


def activity_runs(space: SearchSpace, ranks: dict[int, Array]) -> list[dict[int, Runs]]:
    """Return for each hyperparameter the runs of each ancestor's latent value that activate it."""
    own: list[dict[int, Ints]] = [{} for _ in range(len(space))]
    for j in space.parents_first:
        for parent, codes in space.conditions[j]:
            # inactive with its parent: what activates the parent is needed as well
            for ancestor, allowed in [*own[parent].items(), (parent, codes)]:
                before = own[j].get(ancestor, allowed)
                own[j][ancestor] = np.intersect1d(before, allowed)
    runs: list[dict[int, Runs]] = []
    for j, parameter in enumerate(space.parameters):
        mine = {p: _code_runs(space, p, codes, ranks) for p, codes in own[j].items()}
        for ancestor in [j, *own[j]]:
            share = space.parameters[ancestor].optional
            if share is None:
                continue
            inside = mine.get(ancestor, [(0.0, 1.0)])
            mine[ancestor] = [(share * a, share * b) for a, b in inside]
        if parameter.optional is None:
            mine.pop(j, None)
        runs.append(mine)
    return runs


def _code_runs(space: SearchSpace, j: int, codes: Ints, ranks: dict[int, Array]) -> Runs:
    """Return the latent intervals of some values of a hyperparameter (its optional share apart)."""
    parameter = space.parameters[j]
    if isinstance(parameter, FloatParameter):  # parents never are
        raise ValueError(f"{parameter.name} is real-valued and cannot be a parent.")
    if j in ranks:
        positions = ranks[j][codes]
    elif hasattr(parameter, "choices"):
        positions = codes.astype(float)
    else:
        positions = parameter.encode(codes.tolist())
    pieces = sorted(latent_interval(space, j, float(p)) for p in positions)
    merged: Runs = []
    for low, high in pieces:
        if merged and low <= merged[-1][1] + 1e-12:
            merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return merged


def latent_interval(space: SearchSpace, j: int, position: float) -> tuple[float, float]:
    """Return the latent interval of one value of a counted hyperparameter."""
    parameter = space.parameters[j]
    below = float(parameter.share_below(np.array([position - 1e-7]))[0])
    return below, float(parameter.share_below(np.array([position + 1e-7]))[0])


def tree_boxes(
    tree: Any,
    space: SearchSpace,
    runs: list[dict[int, Runs]],
    inactive_left: npt.NDArray[np.bool_],
    extra: list[Array],
) -> TreeBoxes:
    """Return the leaves of a scikit-learn tree as boxes.

    Parameters
    ----------
    tree : sklearn.tree._tree.Tree
        The tree; its feature j is hyperparameter j.
    space : SearchSpace
        The space.
    runs : list of dict
        As `activity_runs` gives them.
    inactive_left : ndarray of bool
        For each node whether an inactive value goes left.
    extra : list of ndarray
        For each hyperparameter further cuts that are wanted.

    Returns
    -------
    TreeBoxes
        The boxes.
    """
    d = len(space)
    feature = np.asarray(tree.feature, dtype=np.int64)
    threshold = np.asarray(tree.threshold, dtype=float)
    wanted: list[list[Array]] = [[np.array([0.0, 1.0]), np.asarray(e)] for e in extra]
    place = np.zeros(len(feature))
    used = np.unique(feature[feature >= 0])
    for j in used:
        at = feature == j
        parameter = space.parameters[j]
        place[at] = parameter.share_below(threshold[at]) * (parameter.optional or 1.0)
        wanted[j].append(place[at])
        for ancestor, intervals in runs[j].items():
            wanted[ancestor].append(np.array(intervals).ravel())
    cuts = [np.unique(np.concatenate(parts)) for parts in wanted]
    cut_of_node = np.zeros(len(feature), dtype=np.int64)
    for j in used:
        at = feature == j
        cut_of_node[at] = np.searchsorted(cuts[j], place[at])
    n_cuts = np.array([len(c) for c in cuts], dtype=np.int64)
    pointer, ancestor_of, run_pointer, low, high = _condition_arrays(runs, cuts, used, d)
    leaf, dims, lower, upper, ends = _extract(
        np.asarray(tree.children_left, dtype=np.int64),
        np.asarray(tree.children_right, dtype=np.int64),
        feature,
        cut_of_node,
        inactive_left,
        n_cuts,
        pointer,
        ancestor_of,
        run_pointer,
        low,
        high,
    )
    first = np.concatenate([[0], np.cumsum(n_cuts)])
    flat = np.concatenate(cuts)
    lengths = flat[first[dims] + upper] - flat[first[dims] + lower]
    # a tree of one leaf has a box without entries; any other box is cut somewhere
    volume = np.multiply.reduceat(lengths, ends[:-1]) if len(dims) else np.ones(1)
    return TreeBoxes(
        cuts=flat,
        first=first,
        value=tree.value[leaf, 0, 0],
        volume=volume,
        ends=ends,
        dims=dims,
        lower=lower,
        upper=upper,
    )


def _condition_arrays(
    runs: list[dict[int, Runs]], cuts: list[Array], used: Iterable[int], d: int
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the conditions of all hyperparameters that are split on, as cut indices."""
    splits = set(used)
    pointer, ancestor_of, run_pointer, low, high = [0], [], [0], [], []
    for j in range(d):
        for ancestor, intervals in runs[j].items() if j in splits else ():
            ancestor_of.append(ancestor)
            for a, b in intervals:
                low.append(int(np.searchsorted(cuts[ancestor], a)))
                high.append(int(np.searchsorted(cuts[ancestor], b)))
            run_pointer.append(len(low))
        pointer.append(len(ancestor_of))
    return (
        np.array(pointer, dtype=np.int64),
        np.array(ancestor_of, dtype=np.int64),
        np.array(run_pointer, dtype=np.int64),
        np.array(low, dtype=np.int64),
        np.array(high, dtype=np.int64),
    )


@numba.njit(cache=True, nogil=True)
def _extract(
    left: Ints,
    right: Ints,
    feature: Ints,
    cut_of_node: Ints,
    inactive_left: npt.NDArray[np.bool_],
    n_cuts: Ints,
    pointer: Ints,
    ancestor_of: Ints,
    run_pointer: Ints,
    run_low: Ints,
    run_high: Ints,
) -> tuple[Ints, Ints, npt.NDArray[np.int32], npt.NDArray[np.int32], Ints]:
    """Walk a tree with a box; return each box's leaf and, where it is cut, dimension and cuts."""
    d = len(n_cuts)
    capacity = 1024
    leaf = np.empty(capacity, dtype=np.int64)
    ends = np.zeros(capacity + 1, dtype=np.int64)
    dims = np.empty(8 * capacity, dtype=np.int64)
    lower = np.empty(8 * capacity, dtype=np.int32)
    upper = np.empty(8 * capacity, dtype=np.int32)
    boxes, entries = 0, 0
    rooms = 64
    nodes = np.zeros(rooms, dtype=np.int64)
    lows = np.zeros((rooms, d), dtype=np.int32)
    highs = np.zeros((rooms, d), dtype=np.int32)
    highs[0] = (n_cuts - 1).astype(np.int32)
    depth = 0
    low = np.empty(d, dtype=np.int32)
    high = np.empty(d, dtype=np.int32)
    while depth >= 0:
        node = nodes[depth]
        low[:] = lows[depth]
        high[:] = highs[depth]
        depth -= 1
        while left[node] >= 0:
            if depth + 2 >= rooms:
                nodes = np.concatenate((nodes, np.zeros(rooms, dtype=np.int64)))
                lows = np.concatenate((lows, np.zeros((rooms, d), dtype=np.int32)))
                highs = np.concatenate((highs, np.zeros((rooms, d), dtype=np.int32)))
                rooms *= 2
            j = feature[node]
            active, parted = True, False
            for c in range(pointer[j], pointer[j + 1]):
                p = ancestor_of[c]
                inside, boundary = False, -1
                for r in range(run_pointer[c], run_pointer[c + 1]):
                    a, b = run_low[r], run_high[r]
                    if a <= low[p] and high[p] <= b:
                        inside = True
                    elif low[p] < a < high[p]:
                        boundary = a
                    elif low[p] < b < high[p]:
                        boundary = b
                if inside:
                    continue
                if boundary < 0:
                    active = False
                    break
                # partly active: one piece waits at this node, the other meets it again now
                depth += 1
                nodes[depth] = node
                lows[depth] = low
                highs[depth] = high
                lows[depth, p] = boundary
                high[p] = boundary
                parted = True
                break
            if parted:
                continue
            if not active:
                node = left[node] if inactive_left[node] else right[node]
                continue
            cut = cut_of_node[node]
            if high[j] <= cut:
                node = left[node]
            elif low[j] >= cut:
                node = right[node]
            else:
                depth += 1
                nodes[depth] = right[node]
                lows[depth] = low
                highs[depth] = high
                lows[depth, j] = cut
                high[j] = cut
                node = left[node]
        if boxes == capacity:
            leaf = np.concatenate((leaf, np.empty(capacity, dtype=np.int64)))
            ends = np.concatenate((ends, np.zeros(capacity, dtype=np.int64)))
            capacity *= 2
        if entries + d > len(dims):
            more = max(len(dims), d)
            dims = np.concatenate((dims, np.empty(more, dtype=np.int64)))
            lower = np.concatenate((lower, np.empty(more, dtype=np.int32)))
            upper = np.concatenate((upper, np.empty(more, dtype=np.int32)))
        for j in range(d):
            if low[j] > 0 or high[j] < n_cuts[j] - 1:
                dims[entries] = j
                lower[entries] = low[j]
                upper[entries] = high[j]
                entries += 1
        leaf[boxes] = node
        boxes += 1
        ends[boxes] = entries
    return (
        leaf[:boxes].copy(),
        dims[:entries].copy(),
        lower[:entries].copy(),
        upper[:entries].copy(),
        ends[: boxes + 1].copy(),
    )
