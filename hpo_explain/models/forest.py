"""A forest as a surrogate: our own, or a fitted one of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.base import InputError, check_array, check_count, steps
from hpo_explain.models._on_columns import OnColumns
from hpo_explain.models._repeats import different_rows, rows_among
from hpo_explain.models._standard import STEP, Standard
from hpo_explain.models.columns import INACTIVE, OrderedColumns
from hpo_explain.models.protocols import TreeBoxes, std_from_variance
from hpo_explain.space import Array, Bools, Ints, SearchSpace

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestRegressor

# share of the trees that have not seen a trial, with bootstrap
_OUT_OF_BAG = np.exp(-1.0)
_FOLDS = 5
_ENOUGH = 1000  # trials held out: as many say how well a model predicts, further folds only cost
# that a tree may have, about: with fewer nothing is left to explain
_FEWEST_LEAVES = 6
_PAYS = 0.98  # of the error: larger leaves must lower it by more than chance does
_ROUNDED = 1e-14  # of the least variance that is resolved: what rounding leaves of none
# the second chooses other splits, but impurity and value of a leaf mean the same
VARIANCE_CRITERIA = ("squared_error", "friedman_mse")


class ForestSurrogate(OnColumns):
    """A fitted forest of regression trees as a surrogate.

    The mean is the mean over trees. The variance follows the law of total variance over trees
    and leaves: the variance of the trees' leaf means plus the mean variance within their leaves.
    It is that of a new observation rather than of the function: a leaf holds single trials, so
    their noise is in both parts, and does not fall with the number of trials.

    Parameters
    ----------
    space : SearchSpace
        The space of the encoded rows.
    forest : sklearn.ensemble.RandomForestRegressor or ExtraTreesRegressor
        A fitted forest (or a subclass, such as skopt's) with squared error and a single output.
    columns : callable, optional
        Function from encoded rows (n, d) to the columns the forest was fitted on; by default it
        was fitted on the encoded rows themselves.
    data : tuple of ndarray, optional
        The encoded rows (n, d) and objectives (n,) it was fitted on.
    min_variance : float, default 0.0
        Variance that a leaf has at least, in squared units of the objective: a leaf of one trial
        has none of its own.
    negated : bool, default False
        Whether the forest was fitted on the negated objective, as by an optimizer that only
        minimizes; `data` holds the objective itself.

    Raises
    ------
    ValueError
        If `forest` is not fitted, has several outputs or another criterion than squared error, or
        was fitted on another number of columns.

    References
    ----------
    .. [1] Hutter, F., Xu, L., Hoos, H. H. and Leyton-Brown, K. (2014). Algorithm runtime
       prediction: methods & evaluation. Artificial Intelligence 206, 79-111, Section 4.3.2.
       https://doi.org/10.1016/j.artint.2013.10.003

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import ForestSurrogate
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> surrogate = ForestSurrogate.fit(space, X, 3.0 + X[:, 0])
    >>> mean, std = surrogate.predict(np.array([[0.5]]))
    >>> bool(abs(mean[0] - 3.5) < 0.05)
    True
    """

    label = "a forest"
    std_with_noise = True

    def __init__(
        self,
        space: SearchSpace,
        forest: RandomForestRegressor,
        *,
        columns: Callable[[Array], Array] | None = None,
        data: tuple[Array, Array] | None = None,
        min_variance: float = 0.0,
        negated: bool = False,
    ) -> None:
        _check_forest(forest)
        super().__init__(space, forest, "forest", forest.n_features_in_, columns, negated)
        self.forest = forest
        self._data = data
        self._tuned: ForestSurrogate | None = None
        self._min_variance = min_variance

    @classmethod
    def fit(
        cls, space: SearchSpace, X: Array, y: Array, *, n_trees: int = 64, seed: int = 0
    ) -> ForestSurrogate:
        """Fit a random forest to observed trials.

        Bootstrap, every hyperparameter considered at every split, leaves of one trial; categories
        in the order of their mean objective, inactive hyperparameters below every position.
        :meth:`tuned` chooses larger leaves where the trials are noisy.

        Parameters
        ----------
        space : SearchSpace
            The space of the encoded rows.
        X : ndarray of shape (n, d)
            Encoded rows of the trials.
        y : ndarray of shape (n,)
            Their objective, in the user's units.
        n_trees : int, default 64
            Number of trees.
        seed : int, default 0
            Seed of the forest.

        Returns
        -------
        ForestSurrogate
            The fitted surrogate.
        """
        n_trees = check_count("n_trees", n_trees)
        X = space.check_rows("X", X)
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(n_trees, random_state=seed)
        return cls._of(space.ordered(X), forest, X, check_array("y", y))

    @classmethod
    def _of(
        cls, space: SearchSpace, forest: RandomForestRegressor, X: Array, y: Array
    ) -> ForestSurrogate:
        """Return a forest, fitted so that neither units nor the order of columns change a split.

        Splits are chosen by standardized objectives, with columns in the space's order; the leaves
        then get the mean and the variance of the objectives as they are.
        """
        standard = Standard.of(y)
        columns, order = OrderedColumns(space, X, standard.values), space.order
        Z = np.ascontiguousarray(columns(X)[:, order], dtype=np.float32)
        forest.fit(Z, standard.values)
        # a sum of what is large may overflow
        above = (y - standard.centre) / standard.unit
        bags = zip(forest.estimators_, forest.estimators_samples_, strict=True)
        for tree, bag in ((estimator.tree_, bag) for estimator, bag in bags):
            value, impurity = _of_leaves(tree, tree.apply(Z[bag]), above[bag], standard)
            tree.value[:, 0, 0] = value
            tree.impurity[...] = impurity
            tree.feature[tree.feature >= 0] = order[tree.feature[tree.feature >= 0]]
        return cls(space, forest, columns=columns, data=(np.array(X), np.array(y)))

    @property
    def _trees(self) -> Sequence[Any]:
        return [estimator.tree_ for estimator in self.forest.estimators_]

    def _leaves(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of the leaf that each row falls into, each (n, trees)."""
        rows = self._space.check_rows("X", X)
        Z = np.asarray(self.to_columns(rows), dtype=np.float32)
        means = np.empty((len(Z), len(self._trees)))
        variances = np.empty_like(means)
        for t, tree in enumerate(self._trees):
            leaf = tree.apply(Z)
            means[:, t] = tree.value[leaf, 0, 0]
            variances[:, t] = tree.impurity[leaf]
        return self._sign * means, np.maximum(variances, self._min_variance)

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Return mean and standard deviation, each (n,), at encoded rows (n, d)."""
        means, variances = self._leaves(X)
        # counted from the first tree, sums of leaves far from 0 lose nothing
        mean = means[:, 0] + (means - means[:, :1]).mean(axis=1)
        return mean, _total_std(means, variances)

    def predict_trees(self, X: Array) -> Array:
        """Return each tree's prediction, (n, trees), at encoded rows (n, d)."""
        return self._leaves(X)[0]

    def category_ranks(self) -> dict[int, Array]:
        """Return for categorical columns the place of each category on the latent axis."""
        return dict(getattr(self._columns, "ranks", {}))

    def boxes(self) -> tuple[TreeBoxes, ...] | None:
        """Return the leaves of each tree as boxes over the latent values.

        Returns
        -------
        tuple of TreeBoxes, or None
            None where the forest was fitted on other columns than one per hyperparameter.
        """
        from hpo_explain.models._tree_boxes import activity_intervals, forest_boxes

        ordered = isinstance(self._columns, OrderedColumns)
        if self._columns is not None and not ordered:
            return None
        trees = self._trees
        inactive_left = [
            tree.threshold >= INACTIVE if ordered else tree.missing_go_to_left.astype(np.bool_)
            for tree in trees
        ]
        intervals = activity_intervals(self._space, self.category_ranks())
        boxes = forest_boxes(trees, self._space, intervals, inactive_left)
        if self._sign > 0:
            return boxes
        return tuple(replace(of, value=-of.value) for of in boxes)

    def learned_from(self, X: Array) -> Bools | None:
        """Return which encoded rows (n, d) it was fitted on, (n,); None without `data`."""
        if self._data is None:
            return None
        return rows_among(self._space.check_rows("X", X), self._data[0])

    def relevant(self) -> Bools:
        """Return for each hyperparameter whether a tree splits on it, (d,)."""
        if (owners := self._owners()) is None:
            return np.ones(len(self._space), dtype=bool)
        used = np.concatenate([tree.feature for tree in self._trees])
        splits = owners[np.unique(used[used >= 0])]
        return np.isin(np.arange(len(self._space)), splits)

    def tuned(self) -> ForestSurrogate:
        """Return the forest with the size of leaves that predicts held-out trials best.

        Sizes are doubled from its own on as long as that pays; a forest of noisy trials with
        leaves of one trial learns the noise. It may be the forest itself.

        Raises
        ------
        ValueError
            If it was not made by :meth:`fit`.
        """
        if self._data is None or not isinstance(self._columns, OrderedColumns):
            problem = "was not fitted by ForestSurrogate.fit, so it cannot be fitted again"
            raise InputError("forest", problem, self.forest, "Use run.surrogate(kind='forest').")
        if self._tuned is None:  # it takes several fits
            X, y = self._data
            size = own = best = int(self.forest.min_samples_leaf)
            lowest = self._error(X, y, size)
            while 2 * size * _FEWEST_LEAVES <= len(y):
                size *= 2
                error = self._error(X, y, size)
                if error > lowest:
                    break
                if error < _PAYS * lowest:
                    best, lowest = size, error
            self._tuned = self if best == own else self._refitted(X, y, min_samples_leaf=best)
            self._tuned.notes = self.notes
        return self._tuned

    def _refitted(self, X: Array, y: Array, **settings: Any) -> ForestSurrogate:
        """Return a forest fitted to other trials, with other settings."""
        from sklearn.base import clone

        return self._of(self._space, clone(self.forest).set_params(**settings), X, y)

    def _error(self, X: Array, y: Array, size: int) -> float:
        """Return the mean square of what forests with leaves of a size miss of held-out trials.

        Out of bag, or by five folds: where a hyperparameter has three categories or more (the order
        of its categories was learned from every trial, and each fold learns its own); and where a
        configuration was tried more than once (its trials are held out together). A fold has as
        many trees as predict a trial out of bag on average. Of many trials no more folds are held
        out than hold 1,000 of them; each is spread over the run.
        """
        first, which = different_rows(X)
        if len(first) == 1:  # nothing would be left to learn from
            return 0.0
        settings = {"min_samples_leaf": size}
        if not self._learned_order() and len(first) == len(y):
            is_own = size == self.forest.min_samples_leaf
            forest = self if is_own else self._refitted(X, y, **settings)
            missed = y - forest._out_of_bag(X)
            missed = missed[~np.isnan(missed)]
            return float(np.mean(missed**2)) if len(missed) else 0.0
        fold = which % _FOLDS
        sizes = np.cumsum(np.bincount(fold, minlength=_FOLDS))
        n_folds = min(int(np.searchsorted(sizes, _ENOUGH)) + 1, _FOLDS, len(first))
        trees = int(np.ceil(_OUT_OF_BAG * len(self._trees)))
        errors = []
        for k in steps(range(n_folds), "folds"):
            out = fold == k
            others = self._refitted(X[~out], y[~out], n_estimators=trees, **settings)
            errors.append(y[out] - others.predict(X[out])[0])
        return float(np.mean(np.concatenate(errors) ** 2))

    def _learned_order(self) -> bool:
        """Say whether the columns depend on the objective (two categories split the same way)."""
        return any(len(ranks) > 2 for ranks in self.category_ranks().values())

    def _out_of_bag(self, X: Array) -> Array:
        """Return what is predicted of its own trials by trees without them, (n,); NaN of none."""
        means = self.predict_trees(X)
        out = np.ones(means.shape, dtype=bool)
        for t, bag in enumerate(self.forest.estimators_samples_):
            out[bag, t] = False
        # with few trees a trial may be in every bag
        with np.errstate(invalid="ignore"):
            return np.where(out, means, 0.0).sum(axis=1) / out.sum(axis=1)


def _check_forest(forest: Any) -> None:
    """Raise InputError unless it is a fitted forest of scikit-learn with squared error."""
    if not hasattr(forest, "estimators_"):
        problem = f"must be fitted, but was {forest!r}"
        raise InputError("forest", problem, forest, "Call forest.fit(X, y) first.")
    outputs = getattr(forest, "n_outputs_", 0)  # 0: boosted trees
    criterion = getattr(forest, "criterion", None)
    if outputs != 1 or criterion not in VARIANCE_CRITERIA:
        raise InputError(
            "forest",
            "must be a RandomForestRegressor or ExtraTreesRegressor with a single "
            "output and criterion 'squared_error', but was "
            f"{type(forest).__name__} with {outputs} output(s) and criterion {criterion!r}",
            forest,
            "Fit such a forest instead.",
        )


def _of_leaves(tree: Any, leaf: Ints, of_tree: Array, standard: Standard) -> tuple[Array, Array]:
    """Return mean and variance of the objectives in each node, of leaves as they are."""
    n = tree.node_count
    weight = np.bincount(leaf, minlength=n)
    at = weight > 0
    mean = tree.value[:, 0, 0] * standard.sign
    mean[at] = np.bincount(leaf, of_tree, n)[at] / weight[at]
    within = tree.impurity.copy()
    apart = (of_tree - mean[leaf]) ** 2
    within[at] = np.bincount(leaf, apart, n)[at] / weight[at]
    resolved = np.where(within <= STEP**2 * _ROUNDED, 0.0, within)
    return (standard.centre + standard.unit * mean, resolved * standard.unit**2)


def _total_std(means: Array, variances: Array) -> Array:
    # relative to the first tree, so that equal trees have no variance from rounding
    return std_from_variance((means - means[:, :1]).var(axis=1) + variances.mean(axis=1))
