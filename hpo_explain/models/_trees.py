"""A random forest of regression trees, grown as scikit-learn grows it (Breiman 2001).

Our own, because to import scikit-learn takes longer than to grow most forests, and because columns
are sorted once for all trees rather than at every node. Objectives are on a grid (`Standard`), so
sums of them are exact: splits, bags and draws are those of ``RandomForestRegressor``.

.. [1] Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from hpo_explain.base import steps
from hpo_explain.models._compiled import compiled
from hpo_explain.models._threads import check_wanted, threads
from hpo_explain.space import Array, Bools, Ints

Single = npt.NDArray[np.float32]
Small = npt.NDArray[np.int32]

_FEW = 100  # trials: threads would take longer to start than the trees to grow
_EPSILON = float(np.finfo(float).eps)
# values that differ by less are not parted
_APART = np.float32(1e-7)
_MOST_DRAWN = 2**31 - 1  # of scikit-learn's RAND_R_MAX
_LOW_BITS = 2**32 - 1


@dataclass(frozen=True, eq=False)
class Tree:
    """A regression tree, whose arrays are named as those of scikit-learn's.

    Attributes
    ----------
    feature : ndarray of int, shape (k,)
        The column that each node splits; negative of a leaf.
    threshold : ndarray of shape (k,)
        What goes left is at most this.
    children_left, children_right : ndarray of int, shape (k,)
        The nodes below; -1 of a leaf.
    value : ndarray of shape (k, 1, 1)
        The mean of the objective.
    impurity : ndarray of shape (k,)
        Its variance.
    max_depth : int
        The depth of the deepest leaf.
    """

    feature: Ints
    threshold: Array
    children_left: Ints
    children_right: Ints
    value: Array
    impurity: Array
    max_depth: int

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.feature)

    @property
    def missing_go_to_left(self) -> Bools:
        """Where missing values go; no column has any."""
        return np.zeros(self.node_count, dtype=np.bool_)

    def apply(self, Z: Single) -> Ints:
        """Return the leaf that each row (n, p) falls into, (n,)."""
        leaves = np.zeros(len(Z), dtype=np.int64)
        _fall(
            np.ascontiguousarray(Z),
            self.feature,
            self.threshold,
            self.children_left,
            self.children_right,
            leaves,
        )
        return leaves


@dataclass(frozen=True, eq=False)
class GrownForest:
    """A forest; what one of scikit-learn has, has its name there.

    Attributes
    ----------
    trees : tuple of Tree
        The trees.
    seeds : tuple of int
        The seed of each tree.
    n_features_in_ : int
        The number of columns.
    n_samples : int
        The number of trials.
    min_samples_leaf : int
        Different trials that a leaf has at least.
    random_state : int
        The seed of the forest.
    """

    trees: tuple[Tree, ...]
    seeds: tuple[int, ...]
    n_features_in_: int
    n_samples: int
    min_samples_leaf: int
    random_state: int
    bootstrap = True

    @property
    def estimators_samples_(self) -> list[Small]:
        """The trials that each tree has drawn."""
        return [_bag(seed, self.n_samples) for seed in self.seeds]


def grown(
    Z: Single,
    y: Array,
    *,
    n_trees: int,
    min_samples_leaf: int,
    seed: int,
) -> GrownForest:
    """Return a forest that is fitted to columns (n, p) and objectives (n,) of a `Standard`."""
    n, p = Z.shape
    rng = np.random.RandomState(seed)
    seeds = [int(rng.randint(np.iinfo(np.int32).max)) for _ in range(n_trees)]
    columns = np.ascontiguousarray(Z.T)
    in_order = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
    one = partial(_tree, columns, in_order, y, min_samples_leaf)
    if n < _FEW:
        trees = [one(seed_of_tree) for seed_of_tree in seeds]
    else:
        with threads() as pool:
            trees = list(steps(pool.map(one, seeds), "trees", n_trees))
    return GrownForest(
        tuple(trees), tuple(seeds), p, n, min_samples_leaf, seed
    )


def _bag(seed: int, n: int) -> Small:
    """Return the trials that the tree of a seed draws."""
    return np.random.RandomState(seed).randint(0, n, n, dtype=np.int32)


def _tree(
    columns: Single, in_order: Small, y: Array, least: int, seed: int
) -> Tree:
    check_wanted()
    p, n = columns.shape
    weight = np.bincount(_bag(seed, n), minlength=n).astype(float)
    state = int(np.random.RandomState(seed).randint(0, _MOST_DRAWN))
    m = int((weight > 0.0).sum())
    most = 2 * m  # nodes of a tree whose leaves have a trial each
    links = np.zeros((3, most), dtype=np.int64)
    numbers = np.zeros((3, most))
    count, depth = _grow(
        columns,
        in_order,
        y,
        weight,
        least,
        state,
        np.zeros((p, m), dtype=np.int32),
        np.zeros((2, n), dtype=np.int32),
        np.zeros((2, p), dtype=np.int64),
        np.zeros((most, 6), dtype=np.int64),
        links,
        numbers,
    )
    feature, left, right = links[:, :count].copy()
    threshold, value, impurity = numbers[:, :count].copy()
    return Tree(
        feature, threshold, left, right, value[:, None, None], impurity, depth
    )


@compiled()
def _fall(
    Z: Single,
    feature: Ints,
    threshold: Array,
    left: Ints,
    right: Ints,
    leaves: Ints,
) -> None:
    for i in range(len(Z)):
        node = 0
        while feature[node] >= 0:
            goes_left = Z[i, feature[node]] <= threshold[node]
            node = left[node] if goes_left else right[node]
        leaves[i] = node


@compiled()
def _grow(
    columns: Single,
    in_order: Small,
    y: Array,
    weight: Array,
    least: int,
    state: int,
    rows: Small,
    scratch: Small,
    features: Ints,
    stack: Ints,
    links: Ints,
    numbers: Array,
) -> tuple[int, int]:
    """Grow a tree depth first; return how many nodes it has, and how deep it is.

    Every column has the rows of a node in its own order, in the same place of `rows`. Columns are
    looked at in a random order, by which the first of equal splits is taken; those that do not vary
    in a node are first in `features`, and not looked at below it.
    """
    p = len(columns)
    for j in range(p):
        at = 0
        for i in in_order[j]:
            if weight[i] > 0.0:
                rows[j, at] = i
                at += 1
        features[0, j] = j
    stack[0, 1] = rows.shape[1]
    stack[0, 2] = -1
    waiting = 1
    count = 0
    deepest = 0
    while waiting > 0:
        waiting -= 1
        start = stack[waiting, 0]
        end = stack[waiting, 1]
        parent = stack[waiting, 2]
        constant_above = stack[waiting, 4]
        depth = stack[waiting, 5]
        deepest = max(deepest, depth)
        total = 0.0
        squares = 0.0
        mass = 0.0
        for at in range(start, end):
            i = rows[0, at]
            total += weight[i] * y[i]
            squares += weight[i] * y[i] * y[i]
            mass += weight[i]
        impurity = squares / mass - (total / mass) ** 2
        node = count
        count += 1
        if parent >= 0:
            links[stack[waiting, 3], parent] = node
        links[0, node] = -2
        links[1, node] = -1
        links[2, node] = -1
        numbers[0, node] = -2.0
        numbers[1, node] = total / mass
        numbers[2, node] = impurity
        size = end - start
        if size < 2 or size < 2 * least or impurity <= _EPSILON:
            continue
        best = -np.inf
        best_column = -1
        best_end = end
        still = constant_above  # columns that do not vary here
        unseen = p
        constant_seen = 0
        constant_drawn = 0
        visited = 0
        while unseen > still and (
            visited < p or visited <= constant_seen + constant_drawn
        ):
            visited += 1
            if state == 0:
                state = 1
            state ^= (state << 13) & _LOW_BITS
            state ^= state >> 17
            state ^= (state << 5) & _LOW_BITS
            place = constant_drawn + (state % (_MOST_DRAWN + 1)) % (
                unseen - constant_seen - constant_drawn
            )
            if place < constant_above:
                j = features[0, place]
                features[0, place] = features[0, constant_drawn]
                features[0, constant_drawn] = j
                constant_drawn += 1
                continue
            place += constant_seen
            j = features[0, place]
            column = columns[j]
            if column[rows[j, end - 1]] <= column[rows[j, start]] + _APART:
                features[0, place] = features[0, still]
                features[0, still] = j
                constant_seen += 1
                still += 1
                continue
            unseen -= 1
            features[0, place] = features[0, unseen]
            features[0, unseen] = j
            below = 0.0
            mass_below = 0.0
            for at in range(start, end - 1):
                i = rows[j, at]
                below += weight[i] * y[i]
                mass_below += weight[i]
                if column[rows[j, at + 1]] <= column[i] + _APART:
                    continue
                if at + 1 - start < least or end - at - 1 < least:
                    continue
                above = total - below
                worth = below * below / mass_below + above * above / (
                    mass - mass_below
                )
                if worth > best:
                    best = worth
                    best_column = j
                    best_end = at + 1
        for k in range(constant_above):
            features[0, k] = features[1, k]
        for k in range(constant_above, constant_above + constant_seen):
            features[1, k] = features[0, k]
        if best_column < 0:
            continue
        column = columns[best_column]
        last = column[rows[best_column, best_end - 1]]
        following = column[rows[best_column, best_end]]
        threshold = last / 2.0 + following / 2.0
        if threshold == following or np.isinf(threshold):
            threshold = np.float64(last)
        links[0, node] = best_column
        numbers[0, node] = threshold
        for at in range(start, end):
            i = rows[best_column, at]
            scratch[0, i] = at < best_end
        for j in range(p):
            to = start
            others = 0
            for at in range(start, end):
                i = rows[j, at]
                if scratch[0, i]:
                    rows[j, to] = i
                    to += 1
                else:
                    scratch[1, others] = i
                    others += 1
            for k in range(others):
                rows[j, to + k] = scratch[1, k]
        for side in (2, 1):  # the left one is next
            stack[waiting, 0] = start if side == 1 else best_end
            stack[waiting, 1] = best_end if side == 1 else end
            stack[waiting, 2] = node
            stack[waiting, 3] = side
            stack[waiting, 4] = still
            stack[waiting, 5] = depth + 1
            waiting += 1
    return count, deepest
