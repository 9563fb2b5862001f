"""Our own Gaussian process and forest as scikit-learn's, for those who ask for one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    ConstantKernel,
    Hyperparameter,
    Kernel,
    NormalizedKernelMixin,
    StationaryKernelMixin,
)
from sklearn.tree import DecisionTreeRegressor
from sklearn.tree._tree import NODE_DTYPE
from sklearn.tree._tree import Tree as TheirTree

from hpo_explain.models._gp_fit import SIGNAL, FittedProcess
from hpo_explain.models._kernel import ScaledMatern, matern
from hpo_explain.models._squares import squared_distances
from hpo_explain.models._trees import GrownForest, Tree
from hpo_explain.space import Array


class MixedMatern(StationaryKernelMixin, NormalizedKernelMixin, Kernel):  # type: ignore[misc]
    """`ScaledMatern` without its signal, as a kernel of scikit-learn.

    Parameters
    ----------
    amid : ndarray of shape (p,)
        For each column of categories the squared distance of an inactive one, 0 for a number.
    length_scale : ndarray of shape (p,)
        Length-scales, in units of the columns.
    length_scale_bounds : tuple of float
        Bounds within which the length-scales are fitted.

    """

    def __init__(
        self,
        amid: Array,
        length_scale: Array,
        length_scale_bounds: tuple[float, float] = (0.05, 2.0),
    ) -> None:
        self.amid = amid
        self.length_scale = length_scale
        self.length_scale_bounds = length_scale_bounds

    @property
    def hyperparameter_length_scale(self) -> Hyperparameter:
        """The length-scales, as scikit-learn's optimizer sees them."""
        return Hyperparameter(
            "length_scale",
            "numeric",
            self.length_scale_bounds,
            len(self._scales()),
        )

    def _scales(self) -> Array:
        # scikit-learn sets a single length-scale as a number
        return np.atleast_1d(np.asarray(self.length_scale, dtype=float))

    def __call__(
        self, X: Array, Y: Array | None = None, eval_gradient: bool = False
    ) -> Any:
        """Return the kernel matrix, and its gradient by the logarithm of the length-scales."""
        X = np.asarray(X, dtype=float)
        scales = self._scales()
        Y = X if Y is None else np.asarray(Y, dtype=float)
        if not eval_gradient:
            return ScaledMatern(1.0, scales, self.amid)(X, Y)
        derivatives = np.array(
            [
                squared_distances(
                    X[:, [c]], X[:, [c]], 1.0 / scales[[c]], self.amid[[c]]
                )
                for c in range(len(scales))
            ]
        )
        r = np.sqrt(derivatives.sum(axis=0))
        profile, slope = matern(r)
        derivatives *= 5.0 / 3.0 * slope
        return profile, np.moveaxis(derivatives, 0, 2)

    def __repr__(self) -> str:
        scales = ", ".join(f"{scale:.3g}" for scale in self._scales())
        return f"MixedMatern(length_scale=[{scales}], nu=2.5)"


def regressor_of(process: FittedProcess) -> GaussianProcessRegressor:
    """Return a process as scikit-learn's ``fit`` makes it without an optimizer."""
    kernel = process.kernel_
    own = MixedMatern(kernel.amid, kernel.length_scale)
    gp = GaussianProcessRegressor(
        ConstantKernel(kernel.signal, SIGNAL) * own,
        alpha=process.alpha,
        optimizer=None,
    )
    gp.kernel_ = gp.kernel
    gp.n_features_in_ = process.X_train_.shape[1]
    gp._y_train_mean = np.array([process.offset])
    gp._y_train_std = np.array([process.scale])
    gp.X_train_ = process.X_train_
    gp.y_train_ = process.y_train_
    gp.L_ = process.L_
    gp.alpha_ = process.alpha_
    gp.log_marginal_likelihood_value_ = process.log_likelihood
    return gp


def forest_of(grown: GrownForest) -> RandomForestRegressor:
    """Return a forest as scikit-learn's ``fit`` makes it."""
    size = grown.min_samples_leaf
    forest = RandomForestRegressor(
        len(grown.trees),
        min_samples_leaf=size,
        max_features=1.0,
        random_state=grown.random_state,
    )
    forest.estimator_ = forest.estimator
    forest.estimators_ = [
        _estimator(tree, seed, grown.n_features_in_, size)
        for tree, seed in zip(grown.trees, grown.seeds, strict=True)
    ]
    forest.n_features_in_ = grown.n_features_in_
    forest.n_outputs_ = 1
    forest._n_samples = grown.n_samples
    forest._n_samples_bootstrap = grown.n_samples
    forest._sample_weight = None
    return forest


def _estimator(
    tree: Tree, seed: int, n_columns: int, size: int
) -> DecisionTreeRegressor:
    nodes = np.zeros(tree.node_count, dtype=NODE_DTYPE)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    for name in ("feature", "threshold", "impurity"):
        nodes[name] = getattr(tree, name)
    theirs = TheirTree(n_columns, np.ones(1, dtype=np.intp), 1)
    theirs.__setstate__(
        {
            "max_depth": tree.max_depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": np.array(tree.value),
        }
    )
    estimator = DecisionTreeRegressor(
        min_samples_leaf=size, max_features=1.0, random_state=seed
    )
    estimator.tree_ = theirs
    estimator.n_features_in_ = n_columns
    estimator.n_outputs_ = 1
    estimator.max_features_ = n_columns
    return estimator
