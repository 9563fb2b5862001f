"""A forest as a surrogate: our own, or a fitted one of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base import InputError, check_array, check_count, steps
from hpo_explain.models._coalitions import Compositions, in_blocks
from hpo_explain.models._on_columns import OnColumns
from hpo_explain.models._repeats import TOGETHER, different_rows, rows_among
from hpo_explain.models._standard import STEP, Standard
from hpo_explain.models._trees import GrownForest, grown, tuned
from hpo_explain.models.columns import INACTIVE, OrderedColumns
from hpo_explain.models.protocols import (
    CoalitionBlock,
    HeldOut,
    TreeBoxes,
    std_from_variance,
)
from hpo_explain.space import Array, Bools, Ints, SearchSpace

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestRegressor

_BLOCK = 50_000  # coalitions times background rows at once
# share of the trees that have not seen a trial, with bootstrap
_OUT_OF_BAG = np.exp(-1.0)
_FOLDS = 5
_ENOUGH = 1000  # trials held out: as many say how well a model predicts, further folds only cost
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
        The encoded rows (n, d) and objectives (n,) it was fitted on, for out-of-bag checks.
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
        forest: RandomForestRegressor | GrownForest,
        *,
        columns: Callable[[Array], Array] | None = None,
        data: tuple[Array, Array] | None = None,
        min_variance: float = 0.0,
        negated: bool = False,
    ) -> None:
        if not isinstance(forest, GrownForest):
            _check_forest(forest)
        super().__init__(
            space, forest, "forest", forest.n_features_in_, columns, negated
        )
        self._forest = forest
        self._data = data
        self._tuned: ForestSurrogate | None = None
        self._min_variance = min_variance

    @classmethod
    def fit(
        cls,
        space: SearchSpace,
        X: Array,
        y: Array,
        *,
        n_trees: int = 64,
        seed: int = 0,
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
        y = check_array("y", y)
        space = space.ordered(X)
        standard = Standard.of(y)
        columns = OrderedColumns(space, X, standard.values)
        forest = _grown_standardized(
            columns(X),
            y,
            standard,
            space.order,
            n_trees=n_trees,
            min_samples_leaf=1,
            seed=seed,
        )
        data = (np.array(X), np.array(y))
        return cls(space, forest, columns=columns, data=data)

    @property
    def forest(self) -> RandomForestRegressor:
        """The fitted forest; of our own fit one of scikit-learn's that predicts the same."""
        if not isinstance(self._forest, GrownForest):
            return self._forest
        from hpo_explain.models._as_sklearn import forest_of

        return forest_of(self._forest)

    @property
    def _trees(self) -> Sequence[Any]:
        if isinstance(self._forest, GrownForest):
            return self._forest.trees
        return [estimator.tree_ for estimator in self._forest.estimators_]

    def _leaves(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of the leaf that each row falls into, each (n, trees)."""
        Z = self._as_seen(self._space.check_rows("X", X))
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
        from hpo_explain.models._tree_boxes import (
            activity_intervals,
            forest_boxes,
        )

        ordered = isinstance(self._columns, OrderedColumns)
        if self._columns is not None and not ordered:
            return None
        trees = self._trees
        inactive_left = [
            tree.threshold >= INACTIVE
            if ordered
            else tree.missing_go_to_left.astype(np.bool_)
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

    def predict_coalitions(
        self, x: Array, background: Array, players: Ints, coalitions: Bools
    ) -> Iterator[CoalitionBlock] | None:
        """Return predictions in coalitions of players, block by block of background rows.

        Two rows part at few nodes of a tree, so the leaves of all their coalitions are found in
        one walk.

        Parameters
        ----------
        x : ndarray of shape (d,)
            The explained row, encoded.
        background : ndarray of shape (n, d)
            Latent background rows.
        players : ndarray of int
            The columns of the hyperparameters that take part.
        coalitions : ndarray of bool, shape (m, number of players)
            Which players have the value of `x`.

        Returns
        -------
        iterator of CoalitionBlock, or None
            None where `columns` does not split by hyperparameter.
        """
        from hpo_explain.models._tree_coalitions import flatten, walk

        owners = self._owners()
        if owners is None:
            return None
        compositions = Compositions(self._space, x, players, coalitions)
        nodes, value, impurity = flatten(self._trees)
        within = np.maximum(impurity, self._min_variance)
        n_trees = len(self._trees)

        def work(part: slice) -> CoalitionBlock:
            origin, first, second = walk(
                nodes,
                value,
                within,
                owners,
                compositions.sources(background[part]),
                self._as_seen(background[part]),
                self._as_seen(x[None, :])[0],
                self._as_seen(compositions.inactive[None, :])[0],
            )
            mean = first / n_trees
            square = second / n_trees
            return CoalitionBlock(
                part,
                self._sign * (origin + mean),
                std_from_variance(square - mean**2),
            )

        return in_blocks(
            len(background), max(1, _BLOCK // len(coalitions)), work
        )

    def mean_shapley(
        self, x: Array, background: Array, players: Ints
    ) -> Array | None:
        """Return Shapley values of the mean against each background row, exact: (n, players).

        Parameters
        ----------
        x : ndarray of shape (d,)
            The explained row, encoded.
        background : ndarray of shape (n, d)
            Latent background rows.
        players : ndarray of int
            The columns of the hyperparameters that take part.

        Returns
        -------
        ndarray of shape (n, number of players), or None
            None where activity depends on values, or `columns` does not split by hyperparameter.
        """
        from hpo_explain.models._tree_coalitions import (
            flatten,
            shapley_of_leaves,
        )

        owners = self._owners()
        space = self._space
        if owners is None or any(map(space.is_conditional, space.names)):
            return None
        nodes, value, _ = flatten(self._trees)
        # counted from the overall mean, sums of leaves far from 0 do not cancel
        value = value - value[nodes[0]].mean()
        plays = np.zeros(len(space), dtype=bool)
        plays[players] = True
        contributions = shapley_of_leaves(
            nodes,
            value,
            owners,
            plays,
            self._as_seen(background),
            self._as_seen(x[None, :])[0],
        )
        of_players = self._sign * contributions[:, players]
        return np.asarray(of_players / len(self._trees))

    def _as_seen(self, rows: Array) -> npt.NDArray[np.float32]:
        """Return encoded rows as the trees see them."""
        return np.asarray(self.to_columns(rows), dtype=np.float32)

    def _held_out_now(self) -> HeldOut:
        """Return out-of-bag predictions, or those of five-fold cross-validation.

        Five folds are used without bootstrap; where a hyperparameter has three categories or more
        (the order of its categories was learned from every trial, and each fold learns its own);
        and where a configuration was tried more than once (its trials are held out together). With
        bootstrap a fold has as many trees as predict a trial out of bag on average. Of many trials
        no more folds are held out than hold 1,000 of them; each is spread over the run.

        Raises
        ------
        ValueError
            If the surrogate was made without `data`.
        """
        X, y = self._data_for("no trial can be held out")
        first, which = different_rows(X)
        if self._leaves_out(first):
            return self._out_of_bag(X, y)
        return self._cross_validated(X, y, which)

    def _data_for(self, use: str) -> tuple[Array, Array]:
        if self._data is None:
            problem = f"was not given to this ForestSurrogate, so {use}"
            remedy = "Pass data=(X, y), the rows and objectives the forest was fitted on."
            raise InputError("data", problem, None, remedy)
        return self._data

    def _leaves_out(self, first: npt.NDArray[np.intp]) -> bool:
        """Say whether its own trees predict trials that they had not seen."""
        return (
            getattr(self._forest, "bootstrap", False)
            and not self._learned_order()
            and self._data is not None
            and len(first) == len(self._data[1])
        )

    def with_leaves(
        self, size: int
    ) -> tuple[HeldOut, Callable[[], ForestSurrogate]]:
        """Return what a forest with larger leaves predicts of held-out trials, and how to get it.

        Where trials are held out by cross-validation, the forest itself is not fitted until it is
        asked for.
        """
        X, y = self._data_for("it cannot be fitted again")
        first, which = different_rows(X)
        if self._leaves_out(first):
            forest = self.refitted(X, y, min_samples_leaf=size)
            return forest.held_out(), lambda: forest
        held_out = self._cross_validated(X, y, which, min_samples_leaf=size)

        def fit() -> ForestSurrogate:
            forest = self.refitted(X, y, min_samples_leaf=size)
            forest._held_out = held_out
            return forest

        return held_out, fit

    def tuned(self) -> ForestSurrogate:
        """Return the forest with the size of leaves that predicts held-out trials best.

        Sizes are doubled from its own on as long as that pays; a forest of noisy trials with
        leaves of one trial learns the noise. It may be the forest itself.

        Raises
        ------
        ValueError
            If the surrogate was made without `data`.
        """
        if self._tuned is None:  # it takes several fits
            n = len(self._data_for("it cannot be fitted again")[1])
            size = int(self._forest.min_samples_leaf)
            fit = tuned(self.with_leaves, self.held_out(), size, n)
            self._tuned = self if fit is None else fit()
            self._tuned.notes = self.notes
        return self._tuned

    @property
    def data(self) -> tuple[Array, Array] | None:
        """The encoded rows (n, d) and objectives (n,) it was fitted on, where they were given."""
        return self._data

    def refitted(self, X: Array, y: Array, **settings: Any) -> ForestSurrogate:
        """Return a forest fitted to other trials, with other settings.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Encoded rows.
        y : ndarray of shape (n,)
            Their objective, in the user's units.
        **settings
            What differs: of our own ``n_estimators`` and ``min_samples_leaf``, of a forest of
            scikit-learn any of its parameters.
        """
        target = self._sign * np.asarray(y, dtype=float)
        standard = Standard.of(target)
        columns = self._columns
        if isinstance(columns, OrderedColumns):
            columns = OrderedColumns(self._space, X, standard.values)
        Z = np.asarray(X if columns is None else columns(X))
        own = columns is None or isinstance(columns, OrderedColumns)
        order = self._space.order if own else np.arange(Z.shape[1])
        forest = self._grown_again(Z, target, standard, order, settings)
        return ForestSurrogate(
            self._space,
            forest,
            columns=columns,
            data=(X, y),
            min_variance=self._min_variance,
            negated=self._sign < 0,
        )

    def _grown_again(
        self,
        Z: Array,
        target: Array,
        standard: Standard,
        order: Ints,
        settings: dict[str, Any],
    ) -> GrownForest | RandomForestRegressor:
        before = self._forest
        if isinstance(before, GrownForest):
            return _grown_standardized(
                Z,
                target,
                standard,
                order,
                n_trees=settings.get("n_estimators", len(before.trees)),
                min_samples_leaf=settings.get(
                    "min_samples_leaf", before.min_samples_leaf
                ),
                seed=before.random_state,
            )
        from sklearn.base import clone

        forest = clone(before).set_params(**settings)
        _fit_standardized(forest, Z, target, standard, order)
        return forest

    def _learned_order(self) -> bool:
        """Say whether the columns depend on the objective (two categories split the same way)."""
        columns = self._columns
        return isinstance(columns, OrderedColumns) and any(
            len(ranks) > 2 for ranks in columns.ranks.values()
        )

    def _out_of_bag(self, X: Array, y: Array) -> HeldOut:
        means, variances = self._leaves(X)
        out = np.ones(means.shape, dtype=bool)
        for t, bag in enumerate(self._forest.estimators_samples_):
            out[bag, t] = False
        seen = out.any(axis=1)  # with few trees a trial may be in every bag
        means = np.where(out, means, np.nan)[seen]
        variances = np.where(out, variances, np.nan)[seen]
        return HeldOut(
            method="out-of-bag",
            observed=y[seen],
            mean=np.nanmean(means, axis=1),
            std=std_from_variance(
                np.nanvar(means, axis=1) + np.nanmean(variances, axis=1)
            ),
            rows=X[seen],
        )

    def _cross_validated(
        self, X: Array, y: Array, which: npt.NDArray[np.intp], **settings: Any
    ) -> HeldOut:
        count = int(which.max()) + 1
        fold = which % _FOLDS
        sizes = np.cumsum(np.bincount(fold, minlength=_FOLDS))
        n_folds = min(int(np.searchsorted(sizes, _ENOUGH)) + 1, _FOLDS)
        method = "five-fold cross-validation"
        if n_folds < _FOLDS:
            method = f"{method}, {n_folds} of the folds"
        if count < len(y):
            method = f"{method}, {TOGETHER}"
        if count == 1:  # nothing would be left to learn from
            return HeldOut(
                method=method, observed=y[:0], mean=y[:0], std=y[:0]
            )
        mean = np.empty(len(y))
        std = np.empty(len(y))
        trees = len(self._trees)
        if getattr(self._forest, "bootstrap", False):
            trees = int(np.ceil(_OUT_OF_BAG * trees))
        for k in steps(range(min(n_folds, count)), "folds"):
            out = fold == k
            others = self.refitted(
                X[~out], y[~out], n_estimators=trees, **settings
            )
            mean[out], std[out] = others.predict(X[out])
        out = fold < n_folds
        return HeldOut(
            method=method,
            observed=y[out],
            mean=mean[out],
            std=std[out],
            rows=X[out],
        )


def _check_forest(forest: Any) -> None:
    """Raise InputError unless it is a fitted forest of scikit-learn with squared error."""
    if not hasattr(forest, "estimators_"):
        problem = f"must be fitted, but was {forest!r}"
        raise InputError(
            "forest", problem, forest, "Call forest.fit(X, y) first."
        )
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


def _grown_standardized(
    Z: Array,
    y: Array,
    standard: Standard,
    order: Ints,
    *,
    n_trees: int,
    min_samples_leaf: int,
    seed: int,
) -> GrownForest:
    """Return our own forest, fitted as `_fit_standardized` does."""
    columns = np.ascontiguousarray(Z[:, order], dtype=np.float32)
    forest = grown(
        columns,
        standard.values,
        n_trees=n_trees,
        min_samples_leaf=min_samples_leaf,
        seed=seed,
    )
    above = (y - standard.centre) / standard.unit
    trees = []
    for tree, bag in zip(
        forest.trees, forest.estimators_samples_, strict=True
    ):
        leaf = tree.apply(columns[bag])
        value, impurity = _of_leaves(tree, leaf, above[bag], standard)
        is_leaf = tree.feature < 0
        column = order[np.where(is_leaf, 0, tree.feature)]
        splits = np.where(is_leaf, tree.feature, column)
        trees.append(
            replace(
                tree,
                feature=splits,
                value=value[:, None, None],
                impurity=impurity,
            )
        )
    return replace(forest, trees=tuple(trees))


def _fit_standardized(
    forest: RandomForestRegressor,
    Z: Array,
    y: Array,
    standard: Standard,
    order: Ints,
) -> None:
    """Fit a forest so that neither the objective's unit nor the order of columns changes a split.

    Splits are chosen by standardized objectives, with columns in the given order; the leaves then
    get the mean and the variance of the objectives as they are.
    """
    from hpo_explain.models._as_sklearn import grow

    columns = np.ascontiguousarray(Z[:, order], dtype=np.float32)
    grow(forest, columns, standard.values)
    # a sum of what is large may overflow
    above = (y - standard.centre) / standard.unit
    bags = forest.estimators_samples_ if forest.bootstrap else None
    for t, estimator in enumerate(forest.estimators_):
        tree = estimator.tree_
        of_tree = above if bags is None else above[bags[t]]
        leaf = tree.apply(columns if bags is None else columns[bags[t]])
        value, impurity = _of_leaves(tree, leaf, of_tree, standard)
        tree.value[:, 0, 0] = value
        tree.impurity[...] = impurity
        tree.feature[tree.feature >= 0] = order[
            tree.feature[tree.feature >= 0]
        ]


def _of_leaves(
    tree: Any, leaf: Ints, of_tree: Array, standard: Standard
) -> tuple[Array, Array]:
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
    return (
        standard.centre + standard.unit * mean,
        resolved * standard.unit**2,
    )


def _total_std(means: Array, variances: Array) -> Array:
    # relative to the first tree, so that equal trees have no variance from rounding
    return std_from_variance(
        (means - means[:, :1]).var(axis=1) + variances.mean(axis=1)
    )
