"""The leaves of regression trees as boxes, with what conditions make of them.

The leaves of trees as boxes over the latent values.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
u_j        latent value of hyperparameter j, uniform on [0, 1); of a categorical one on
           the categories in the order of the tree's columns, each of the same length; of
           an optional one absent on [share, 1)
cut        a value of u_j at which some split of the tree cuts; also 0 and 1
box        for every hyperparameter an interval between two of its cuts
condition  of hyperparameter j: an ancestor and the intervals of its u for which
           j is active; all must be met. An optional one has a condition on itself
=========  ============================================================================

A split on an inactive hyperparameter sends the whole configuration one way. So where a box is
partly active, it is first cut at the ancestor's interval, and both pieces meet the same split
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hpo_explain.base import Fact, fact, format_value, join_names
from hpo_explain.models._kernels import Nodes, walk
from hpo_explain.models._threads import in_parts
from hpo_explain.models.box_sums import Intervals
from hpo_explain.models.protocols import TreeBoxes
from hpo_explain.space import Array, Bools, Ints, Parameter, Range, SearchSpace, common, ends_of

Small = npt.NDArray[np.int32]
_Conditions = tuple[Ints, Ints, Ints, Array, Array]
# of a position: closer than any two values that float32 tells apart
_BESIDE = 1e-7


Values: TypeAlias = Ints | Range | None
"""Codes or the range of an ancestor that let a hyperparameter be active; None if none does."""


def activity_values(space: SearchSpace) -> list[dict[int, Values]]:
    """Return for each hyperparameter the values of each ancestor that let it be active."""
    own: list[dict[int, Values]] = [{} for _ in range(len(space))]
    for j in space.parents_first:
        for parent, values in space.conditions[j]:
            # inactive with its parent: what activates the parent is needed as well
            for ancestor, allowed in [*own[parent].items(), (parent, values)]:
                before = own[j].get(ancestor, allowed)
                own[j][ancestor] = _common(space, ancestor, before, allowed)
    return own


def _common(space: SearchSpace, ancestor: int, one: Values, other: Values) -> Values:
    if one is None or other is None:
        return None
    return common(space.parameters[ancestor], one, other)


def activity_intervals(space: SearchSpace, ranks: dict[int, Array]) -> list[dict[int, Intervals]]:
    """Return for each hyperparameter the intervals of each ancestor's u that activate it."""
    own = activity_values(space)
    intervals: list[dict[int, Intervals]] = []
    for j, parameter in enumerate(space.parameters):
        mine = {p: _latent_intervals(space, p, values, ranks) for p, values in own[j].items()}
        for ancestor in [j, *own[j]]:
            share = space.parameters[ancestor].optional
            if share == 1.0:
                continue
            inside = mine.get(ancestor, [(0.0, 1.0)])
            mine[ancestor] = [(share * a, share * b) for a, b in inside]
        if parameter.optional == 1.0:
            mine.pop(j, None)
        intervals.append(mine)
    return intervals


def _latent_intervals(
    space: SearchSpace, j: int, values: Values, ranks: dict[int, Array]
) -> Intervals:
    """Return the latent intervals of some values of a hyperparameter (its optional share apart)."""
    parameter = space.parameters[j]
    if values is None:
        return []
    if isinstance(values, Range):
        low, high = ends_of(parameter, values)
        return [parameter.latent_interval(low, high)]
    if j in ranks:
        positions = ranks[j][values]
    elif parameter.is_category:
        positions = values.astype(float)
    else:
        positions = parameter.encode(values.tolist())
    pieces = sorted(latent_interval(space, j, float(p)) for p in positions)
    merged: Intervals = []
    for low, high in pieces:
        if merged and low <= merged[-1][1] + 1e-12:
            merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return merged


def latent_interval(space: SearchSpace, j: int, position: float) -> tuple[float, float]:
    """Return the latent interval of one value of a counted hyperparameter."""
    parameter = space.parameters[j]
    below = float(parameter.share_below(np.array([position - _BESIDE]))[0])
    return below, float(parameter.share_below(np.array([position + _BESIDE]))[0])


def forest_boxes(
    trees: Sequence[Any],
    space: SearchSpace,
    intervals: list[dict[int, Intervals]],
    inactive_left: Sequence[Bools],
) -> tuple[TreeBoxes, ...]:
    """Return the leaves of scikit-learn trees as boxes, tree by tree.

    Parameters
    ----------
    trees : sequence of sklearn.tree._tree.Tree
        The trees; feature j is hyperparameter j.
    space : SearchSpace
        The space.
    intervals : list of dict
        As `activity_intervals` gives them.
    inactive_left : sequence of ndarray of bool
        For each tree and node whether an inactive value goes left.

    Returns
    -------
    tuple of TreeBoxes
        The boxes of each tree.
    """
    conditions = _condition_arrays(intervals)
    counted = np.array([p.size is not None for p in space.parameters])
    shares = np.array([p.optional for p in space.parameters])

    def work(part: slice) -> list[TreeBoxes]:
        mine = trees[part]
        root = np.cumsum([0, *(tree.node_count for tree in mine)], dtype=np.int64)
        feature = np.concatenate([tree.feature for tree in mine])
        place = np.concatenate([tree.threshold for tree in mine])
        for j in np.flatnonzero(counted):
            at = np.flatnonzero(feature == j)
            place[at] = _share_left(space.parameters[j], place[at])
        # those of leaves, whose feature is negative, are not looked at
        place = shares[feature.clip(0)] * place.clip(0.0, 1.0)
        value = np.concatenate([tree.value[:, 0, 0] for tree in mine])
        left = np.concatenate([tree.children_left for tree in mine])
        right = np.concatenate([tree.children_right for tree in mine])
        inactive = np.concatenate(inactive_left[part])
        first, cut_at, cuts, of_node, of_interval = _all_cuts(root, feature, place, conditions)
        box_at, leaf, volume, ends, dims, lower, upper = _all_boxes(
            root,
            (left, right, feature, inactive, of_node),
            (first, cut_at, cuts),
            conditions,
            of_interval,
        )
        boxes_of_trees = []
        for t in range(len(mine)):
            a = box_at[t]
            b = box_at[t + 1]
            entries = slice(ends[a], ends[b])
            boxes_of_trees.append(
                TreeBoxes(
                    cuts=cuts[cut_at[t] : cut_at[t + 1]],
                    first=first[t],
                    value=value[leaf[a:b]],
                    volume=volume[a:b],
                    ends=ends[a : b + 1] - ends[a],
                    dims=dims[entries],
                    lower=lower[entries],
                    upper=upper[entries],
                )
            )
        return boxes_of_trees

    return tuple(in_parts(work, len(trees), sum(tree.node_count for tree in trees)))


def _share_left(parameter: Parameter, threshold: Array) -> Array:
    """Return the share of a counted hyperparameter's values that a split sends to the left.

    scikit-learn compares positions rounded to float32, and midpoints often are such positions.
    """
    near = parameter.nearest(threshold)
    left = near.astype(np.float32) <= threshold
    return parameter.share_below(near + np.where(left, _BESIDE, -_BESIDE))


def _condition_arrays(intervals: list[dict[int, Intervals]]) -> _Conditions:
    """Return the conditions of all hyperparameters, one after the other."""
    pointer = [0]
    ancestor_of = []
    interval_pointer = [0]
    edges = []
    for mine in intervals:
        for ancestor, pieces in mine.items():
            ancestor_of.append(ancestor)
            edges += pieces
            interval_pointer.append(len(edges))
        pointer.append(len(ancestor_of))
    low, high = np.array(edges, dtype=float).reshape(-1, 2).T.copy()
    return (
        np.array(pointer, dtype=np.int64),
        np.array(ancestor_of, dtype=np.int64),
        np.array(interval_pointer, dtype=np.int64),
        low,
        high,
    )


def _all_cuts(
    root: Ints, feature: Ints, place: Array, conditions: _Conditions
) -> tuple[Ints, Ints, Array, Small, Small]:
    """Return the cuts of trees, those of each hyperparameter in order.

    Where each hyperparameter's begin in each tree, each tree's, and the cuts; which of them each
    node's is, -1 of a leaf's; and of each tree which the ends of each interval are, (2, intervals).
    """
    pointer, ancestor_of, interval_pointer, low, high = conditions
    n_trees = len(root) - 1
    d = len(pointer) - 1
    splits = feature >= 0
    tree = np.repeat(np.arange(n_trees), np.diff(root))[splits]
    used = np.zeros((n_trees, d), dtype=bool)
    used[tree, feature[splits]] = True
    rule = np.repeat(np.arange(len(ancestor_of)), np.diff(interval_pointer))
    ruled = np.repeat(np.arange(d), np.diff(pointer))[rule]
    trees, intervals = np.nonzero(used[:, ruled])
    every = np.arange(n_trees * d)
    at_ends = trees * d + ancestor_of[rule[intervals]]
    owner = np.concatenate([every, every, at_ends, at_ends, tree * d + feature[splits]])
    ends = [np.zeros(n_trees * d), np.ones(n_trees * d), low[intervals], high[intervals]]
    cuts = np.concatenate([*ends, place[splits]])
    in_order = np.lexsort((cuts, owner))
    owner = owner[in_order]
    cuts = cuts[in_order]
    new = np.concatenate([[True], (np.diff(owner) > 0) | (np.diff(cuts) > 0.0)])
    begin = np.searchsorted(owner[new], np.arange(n_trees * d + 1))
    which = np.empty(len(owner), dtype=np.int32)
    which[in_order] = np.cumsum(new) - 1 - begin[owner]
    _, of_low, of_high, of_splits = np.split(
        which, np.cumsum([2 * n_trees * d, len(trees), len(trees)])
    )
    of_node = np.full(len(feature), -1, dtype=np.int32)
    of_node[splits] = of_splits
    of_interval = np.zeros((n_trees, 2, len(low)), dtype=np.int32)
    of_interval[trees, 0, intervals] = of_low
    of_interval[trees, 1, intervals] = of_high
    cut_at = begin[::d]
    first = np.column_stack([begin[:-1].reshape(n_trees, d), cut_at[1:]]) - cut_at[:-1, None]
    return first, cut_at, cuts[new], of_node, of_interval


def _all_boxes(
    root: Ints,
    nodes: Nodes,
    all_of: tuple[Ints, Ints, Array],
    conditions: _Conditions,
    of_interval: Small,
) -> tuple[Ints, Ints, Array, Ints, Small, Small, Small]:
    """Return the boxes of trees, one tree after the other.

    For each tree where its boxes begin; for each box its leaf, its volume and where its entries
    begin; for each entry the hyperparameter and the cuts.
    """
    first, cut_at, cuts = all_of
    n_trees = len(root) - 1
    n_nodes = len(nodes[0])
    d = first.shape[1] - 1
    box_at = np.zeros(n_trees + 1, dtype=np.int64)
    capacity = n_nodes // 2 + n_trees  # enough where nothing is conditional
    dims, lower, upper = np.empty((3, 8 * capacity + d + 1), dtype=np.int32)
    arrays: Any = (
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity),
        np.zeros(capacity + 1, dtype=np.int64),
        dims,
        lower,
        upper,
        np.empty((256, 4), dtype=np.int32),
    )
    bounds = np.empty((3, d), dtype=np.int32)
    for t in range(n_trees):
        mine = slice(root[t], root[t + 1])
        start = box_at[t]
        tree: Any = tuple(array[mine] for array in nodes)
        own = (cuts[cut_at[t] : cut_at[t + 1]], first[t], (*conditions[:3], of_interval[t]), bounds)
        count = -1
        while count < 0:
            rest: Any = *(array[start:] for array in arrays[:3]), *arrays[3:]
            count = walk(tree, *own, rest)
            if count < 0:  # without room: twice as much
                arrays = tuple(np.concatenate([x, np.empty_like(x)]) for x in arrays)
        arrays[0][start : start + count] += root[t]
        box_at[t + 1] = start + count
    leaf, volume, ends, *along, _ = arrays
    n = box_at[-1]
    dims, lower, upper = (array[: ends[n]] for array in along)
    return box_at, leaf[:n], volume[:n], ends[: n + 1], dims, lower, upper


def _activity(name: str, ancestor: str, values: tuple[Any, ...] | Range) -> str:
    if isinstance(values, Range):
        return f"{name} when {values.of(ancestor)}"
    listed = " or ".join(map(format_value, values))
    return f"{name} when {ancestor} = {listed}"


def excluded_pair(space: SearchSpace, j: int, k: int) -> Fact | None:
    """Return why two hyperparameters are never active together; None if they may be.

    The fact names both, their common ancestor, and its values for which each is active.
    """
    one, other = (activity_values(space)[member] for member in (j, k))
    for ancestor in one.keys() & other.keys():
        if _common(space, ancestor, one[ancestor], other[ancestor]) is None:
            names = [space.names[j], space.names[k]]
            when = ", ".join(
                _activity(name, space.names[ancestor], _values(space, ancestor, values))
                for name, values in zip(names, (one[ancestor], other[ancestor]), strict=True)
            )
            text = f"{join_names(names)} are never active together ({when})"
            return fact(text, names=names)
    return None


def _values(space: SearchSpace, j: int, values: Values) -> tuple[Any, ...] | Range:
    """Return the values of a parent that have these codes, or their range."""
    parameter = space.parameters[j]
    if isinstance(values, Range):
        return values
    codes = [] if values is None else values.tolist()
    if parameter.is_category:
        return tuple(parameter.choices[code] for code in codes)
    return tuple(codes)
