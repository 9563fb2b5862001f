"""A random forest of regression trees, grown as scikit-learn grows it (Breiman 2001).

Our own, because to import scikit-learn takes longer than to grow most forests, and because columns
are sorted once for all trees rather than at every node. Objectives are on a grid (`Standard`), so
sums of them are exact: splits, bags and draws are those of ``RandomForestRegressor``.

.. [1] Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import isinf
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import steps
from hpo_explain.models._compiled import compiled, compiled_part
from hpo_explain.models._threads import check_wanted, threads
from hpo_explain.models.protocols import HeldOut
from hpo_explain.space import Array, Bools, Ints

Fitted = TypeVar("Fitted")
Single = npt.NDArray[np.float32]
Small = npt.NDArray[np.int32]

FEW = 100  # trials: threads would take longer to start than the trees to grow
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
        return [bag for bag, _ in _draws(self.seeds, self.n_samples)]


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
    bags, states = zip(*_draws(seeds, n), strict=True)
    if n < FEW:
        trees = list(map(one, bags, states))
    else:
        with threads() as pool:
            growing = pool.map(one, bags, states)
            trees = list(steps(growing, "trees", n_trees))
    return GrownForest(
        tuple(trees), tuple(seeds), p, n, min_samples_leaf, seed
    )


def _draws(seeds: Iterable[int], n: int) -> Iterator[tuple[Small, int]]:
    """Yield the trials that the tree of each seed draws, and where its random numbers begin."""
    # a new one for each tree would take as long as a small tree takes to grow
    rng = np.random.RandomState(0)
    for seed in seeds:
        rng.seed(seed)
        bag = rng.randint(0, n, n, dtype=np.int32)
        rng.seed(seed)
        yield bag, int(rng.randint(0, _MOST_DRAWN))


def _tree(
    columns: Single,
    in_order: Small,
    y: Array,
    least: int,
    bag: Small,
    state: int,
) -> Tree:
    check_wanted()
    p, n = columns.shape
    weight = np.bincount(bag, minlength=n).astype(float)
    takes_part = (weight > 0.0).take(in_order).ravel()
    rows = np.compress(takes_part, in_order).reshape(p, -1)
    m = rows.shape[1]
    most = 2 * m  # nodes of a tree whose leaves have a trial each
    links = np.full((3, most), -1, dtype=np.int64)
    links[0] = -2
    numbers = np.full((3, most), -2.0)
    stack = np.zeros((most, 6), dtype=np.int64)
    stack[0, :3] = 0, m, -1
    count, depth = _grow(
        columns,
        y,
        weight,
        least,
        state,
        rows,
        np.zeros((2, n), dtype=np.int32),
        np.array([np.arange(p), np.zeros(p)], dtype=np.int64),
        stack,
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


_compiled = compiled(error_model="numpy")
_part = compiled_part(error_model="numpy")


@_part
def _next_state(state: int) -> int:
    """Return the next state of scikit-learn's random numbers (xorshift)."""
    if state == 0:
        state = 1
    state ^= (state << 13) & _LOW_BITS
    state ^= state >> 17
    state ^= (state << 5) & _LOW_BITS
    return state


@_part
def _best_cut(
    column: Single,
    own: Small,
    start: int,
    end: int,
    y: Array,
    weight: Array,
    least: int,
    total: float,
    mass: float,
) -> tuple[float, int]:
    """Return how good the best cut of a node by a column is, and where the right side begins.

    `own` are the rows in the order of the column, of which the node has some.
    """
    best = -np.inf
    best_end = end
    below = 0.0
    mass_below = 0.0
    for at in range(start, end - 1):
        i = own[at]
        below += weight[i] * y[i]
        mass_below += weight[i]
        if column[own[at + 1]] <= column[i] + _APART:
            continue
        if at + 1 - start < least or end - at - 1 < least:
            continue
        above = total - below
        worth = below * below / mass_below + above * above / (
            mass - mass_below
        )
        if worth > best:
            best = worth
            best_end = at + 1
    return best, best_end


@_part
def _best_split(
    columns: Single,
    rows: Small,
    start: int,
    end: int,
    y: Array,
    weight: Array,
    least: int,
    total: float,
    mass: float,
    features: Ints,
    constant_above: int,
    state: int,
) -> tuple[int, int, int, int]:
    """Return the column of a node's best split, where its right side begins, and what goes on.

    That is how many columns do not vary here, and the state of random numbers. The column is -1
    where there is no split.
    """
    p = len(columns)
    best = -np.inf
    best_column = -1
    best_end = end
    constant = constant_above
    unseen = p
    constant_here = 0
    n_passed = 0
    visited = 0
    while unseen > constant and (
        visited < p or visited <= constant_here + n_passed
    ):
        visited += 1
        state = _next_state(state)
        place = n_passed + (state % (_MOST_DRAWN + 1)) % (
            unseen - constant_here - n_passed
        )
        if place < constant_above:
            j = features[0, place]
            features[0, place] = features[0, n_passed]
            features[0, n_passed] = j
            n_passed += 1
            continue
        place += constant_here
        j = features[0, place]
        column = columns[j]
        own = rows[j]
        if column[own[end - 1]] <= column[own[start]] + _APART:
            features[0, place] = features[0, constant]
            features[0, constant] = j
            constant_here += 1
            constant += 1
            continue
        unseen -= 1
        features[0, place] = features[0, unseen]
        features[0, unseen] = j
        worth, cut = _best_cut(
            column, own, start, end, y, weight, least, total, mass
        )
        if worth > best:
            best = worth
            best_column = j
            best_end = cut
    for k in range(constant_above):
        features[0, k] = features[1, k]
    for k in range(constant_above, constant):
        features[1, k] = features[0, k]
    return best_column, best_end, constant, state


@_part
def _separate(
    rows: Small, start: int, end: int, column: int, cut: int, scratch: Small
) -> None:
    """Put a node's rows that go left before those that go right, in every column's own order."""
    goes_left = scratch[0]
    others = scratch[1]
    for at in range(start, end):
        goes_left[rows[column, at]] = at < cut
    for j in range(len(rows)):
        own = rows[j]
        to = start
        count = 0
        for at in range(start, end):
            i = own[at]
            if goes_left[i]:
                own[to] = i
                to += 1
            else:
                others[count] = i
                count += 1
        for k in range(count):
            own[to + k] = others[k]


@_compiled
def _grow(
    columns: Single,
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
    in a node are first in `features`, and not looked at below it. A row of `stack` is a node to
    come: where its rows begin and end, the node above it and on which side, how many columns do
    not vary there, and its depth.
    """
    waiting = 1
    count = 0
    deepest = 0
    while waiting > 0:
        waiting -= 1
        start = stack[waiting, 0]
        end = stack[waiting, 1]
        parent = stack[waiting, 2]
        depth = stack[waiting, 5]
        deepest = depth if depth > deepest else deepest
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
        numbers[1, node] = total / mass
        numbers[2, node] = impurity
        size = end - start
        if size < 2 or size < 2 * least or impurity <= _EPSILON:
            continue
        j, cut, constant, state = _best_split(
            columns,
            rows,
            start,
            end,
            y,
            weight,
            least,
            total,
            mass,
            features,
            stack[waiting, 4],
            state,
        )
        if j < 0:
            continue
        last = columns[j, rows[j, cut - 1]]
        following = columns[j, rows[j, cut]]
        threshold = last / 2.0 + following / 2.0
        if threshold == following or isinf(threshold):
            threshold = np.float64(last)
        links[0, node] = j
        numbers[0, node] = threshold
        _separate(rows, start, end, j, cut, scratch)
        for side in (2, 1):  # the left one is next
            stack[waiting, 0] = start if side == 1 else cut
            stack[waiting, 1] = cut if side == 1 else end
            stack[waiting, 2] = node
            stack[waiting, 3] = side
            stack[waiting, 4] = constant
            stack[waiting, 5] = depth + 1
            waiting += 1
    return count, deepest


# that a tree may have, about: with fewer nothing is left to explain
_FEWEST_LEAVES = 6
# of the error: larger leaves must lower it by more than chance does
_PAYS = 0.98


def _error(held_out: HeldOut) -> float:
    """Return the mean square of the held-out residuals."""
    if not len(held_out.observed):
        return 0.0
    return float(np.mean((held_out.observed - held_out.mean) ** 2))


def tuned(
    with_leaves: Callable[[int], tuple[HeldOut, Callable[[], Fitted]]],
    own: HeldOut,
    size: int,
    n: int,
) -> Callable[[], Fitted] | None:
    """Return what fits the forest whose size of leaves predicts held-out trials best.

    Parameters
    ----------
    with_leaves : callable
        Returns of a size what such a forest predicts of held-out trials, and what fits it.
    own : HeldOut
        What the forest predicts of them as it is.
    size : int
        The size of its leaves.
    n : int
        How many trials it is fitted to.

    Returns
    -------
    callable or None
        None where no other size pays.
    """
    best: Callable[[], Fitted] | None = None
    lowest = _error(own)
    size *= 2
    while size * _FEWEST_LEAVES <= n:
        held_out, fit = with_leaves(size)
        error = _error(held_out)
        if error > lowest:
            break
        if error < _PAYS * lowest:
            best = fit
            lowest = error
        size *= 2
    return best
