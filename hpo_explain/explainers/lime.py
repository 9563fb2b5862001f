"""LIME: a model one can read, in place of the surrogate around one configuration.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x          the explained configuration
z          a configuration of the sample
f̂          what is explained: the surrogate's mean, or an acquisition
d(x, z)    Euclidean distance of positions on their own scale; 1 for two categories, and where
           only one of the two is active
n(z)       weight, ``exp(-d(x, z)² / σ²)`` with the kernel width σ
g          the readable model, which minimizes ``Σ_z n(z) (f̂(z) - g(z))²``
W          what makes the coefficients of g of f̂ at the sample: they are linear in it
K          posterior covariance of the surrogate at the sample
=========  ============================================================================

The coordinates of g compare z with x: a number's position with that of x, a category with that of
x. What is inactive in z counts as unchanged: its parent's coordinate says that it is inactive.

A leaf of a tree is a coordinate as well, which is 1 in it: its coefficient is the leaf's mean minus
that of the leaf of x; a rule is 1 where it holds. The standard deviations of coefficients under the
model are the roots of the diagonal of ``W K Wᵀ``, for a forest those over its trees, which
hyperparameters, leaves and rules g has being given.

How far g agrees with f̂ is told of each fifth of the sample from a g of the others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.checks import check_count, check_number, check_option, check_seed
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import LIME_SAMPLINGS, READABLE, Direction, LimeSampling, Readable
from hpo_explain.base.progress import shows_progress, steps
from hpo_explain.base.subject import Subject
from hpo_explain.explainers._explained import Explained
from hpo_explain.explainers._lime_models import (
    Coordinate,
    FittedModel,
    at_rows,
    coordinates_of,
    fit_linear,
    fit_rules,
    fit_tree,
    weighted_inverse,
)
from hpo_explain.explainers._lime_samples import sample_of
from hpo_explain.explainers._sums import Sums, sums_under
from hpo_explain.explanations.lime import LimeExplanation
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array, CategoricalParameter, Config, SearchSpace, encode_one

_WIDTH = 0.75  # of the root mean square distance: the ratio in the authors' own code
_FOLDS = 5  # of the sample, each of which is held out once
_ROWS = 2000  # of the sample, at which the posterior covariance is asked for


class LimeExplainer:
    """Explains a prediction by a model one can read, which holds around it.

    Parameters
    ----------
    surrogate : Surrogate or Acquisition
        The model of the objective, or an acquisition to explain in its place.
    model : {"linear", "lasso", "tree", "rules"}, default "linear"
        The readable model: a sparse linear one, whose hyperparameters are chosen step by step or
        by the LASSO; a small tree; or short rules whose effects add up.
    sample : int or ndarray of shape (n, d), default 1000
        The configurations z: a number of them, or encoded rows such as those that were tried.
    sampling : {"uniform", "local", "perturbed", "univariate", "grid"}, default "uniform"
        Where a number of them is drawn: from the whole space (one Latin hypercube); around x as
        :func:`hpo_explain.local_background` does; from the configurations tried, some values
        changed; from the values tried of each hyperparameter by itself; or from an equidistant grid
        with at most so many points.
    kernel_width : float, optional
        σ, above 0, in units of d: 1 is the whole range of one hyperparameter. By default 0.75 times
        the root mean square distance of the space's configurations from x.
    max_features : int, default 10
        Hyperparameters in the linear model, or rules.
    max_depth : int, default 3
        Depth of the tree, or conditions of a rule.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained, with names for plots and sentences, such as ``Subject.of(run)``; by
        default it is made from the model and `direction`.
    seed : int, default 0
        Seed of the sample.

    Raises
    ------
    ValueError
        If an option is unknown or not positive, or the sample is outside the space.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD, Eq. 1 and 2. https://arxiv.org/abs/1602.04938

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> result = hx.LimeExplainer(surrogate, sample=200).explain({"x": 0.5, "y": 0.5})
    >>> result.statements[0].text, round(result.statements[0].effect, 1)
    ('x from 0 to 1', 3.0)
    """

    def __init__(
        self,
        surrogate: Surrogate | Acquisition,
        *,
        model: Readable = "linear",
        sample: int | npt.ArrayLike = 1000,
        sampling: LimeSampling = "uniform",
        kernel_width: float | None = None,
        max_features: int = 10,
        max_depth: int = 3,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        seed: int = 0,
    ) -> None:
        self._explained = Explained.of(surrogate, subject.direction if subject else direction)
        self._subject = self._explained.completed(subject)
        self._space = self._explained.space
        check_option("model", model, READABLE)
        check_option("sampling", sampling, LIME_SAMPLINGS)
        self._model, self._sampling = model, sampling
        tried = self._subject.tried
        if sampling in ("perturbed", "univariate") and (tried is None or not len(tried)):
            problem = f"is {sampling!r}, but the configurations tried are not known"
            raise InputError("sampling", problem, sampling, "Give a subject that knows them.")
        if kernel_width is not None and check_number("kernel_width", kernel_width) <= 0.0:
            problem = f"must be above 0, but was {kernel_width!r}"
            raise InputError("kernel_width", problem, kernel_width)
        self._width = kernel_width
        self._max_features = check_count("max_features", max_features)
        self._max_depth = check_count("max_depth", max_depth)
        self._seed = check_seed(seed)
        self._given: Array | None = None
        self._size = 0
        if np.ndim(sample) == 0:
            self._size = check_count("sample", sample, minimum=2)
        else:
            self._given = _checked(self._space, sample)

    @shows_progress
    def explain(self, config: Config) -> LimeExplanation:
        """Return the readable model around a configuration.

        Parameters
        ----------
        config : dict
            The configuration x, in the user's units; what is inactive is left out.

        Returns
        -------
        LimeExplanation
            What changes the prediction, and how well the readable model agrees with it (R²).

        Raises
        ------
        ValueError
            If the configuration is not one of the space.
        """
        explained, space = self._explained, self._space
        x = encode_one(space, config, "config")
        z = self._sample(x)
        width = self._width or _default_width(space, x, self._seed)
        squares = _squared_distances(space, x, z) / width**2
        weights = np.exp(squares.min() - squares)  # those of far samples would all be 0
        weights /= weights.sum()
        values = explained(np.vstack([x, z]))
        origin, change = float(values[0]), values[1:] - values[0]
        unit = float(np.abs(change).max()) or 1.0  # squares of what is tiny are 0
        coordinates, y = coordinates_of(space, x, z), change / unit
        fitted = self._fit(x, coordinates, weights, y)
        sums = self._under(x, z, fitted.columns(coordinates), weights)
        statements = [
            replace(s, effect=unit * s.effect, std=unit * s.std) for s in fitted.statements
        ]
        covariance, std_kind = None, ""
        order = sorted(
            range(len(statements)),
            key=lambda i: (not statements[i].own, -abs(statements[i].effect)),
        )
        if sums is not None:
            std_kind = "trees" if sums.covariance is None else "posterior"
            free = np.array([not s.own for s in statements], dtype=float)
            statements = [
                replace(s, model_std=float(std))
                for s, std in zip(statements, free * sums.std, strict=True)
            ]
            if sums.covariance is not None:
                covariance = (np.outer(free, free) * sums.covariance)[np.ix_(order, order)]
        return LimeExplanation(
            subject=self._subject,
            config=space.decode(x[None, :])[0],
            model=self._model,
            statements=tuple(statements[i] for i in order),
            std_kind=std_kind,
            covariance=covariance,
            fidelity=_r2(weights, y, fitted.at(coordinates)),
            held_out=_r2(weights, y, self._held_out(x, coordinates, weights, y)),
            prediction=origin,
            local_prediction=origin + unit * float(fitted.beta[0]),
            kernel_width=float(width),
            sampling="given" if self._given is not None else self._sampling,
            sample_size=len(z),
            effective_size=float(1.0 / np.sum(weights**2)),
            seed=self._seed,
            notes=self._notes(x, coordinates, std_kind),
        )

    def _sample(self, x: Array) -> Array:
        space = self._space
        if self._given is not None:
            return self._given
        return sample_of(space, x, self._subject.tried, self._sampling, self._size, seed=self._seed)

    def _fit(
        self, x: Array, coordinates: list[Coordinate], weights: Array, y: Array
    ) -> FittedModel:
        space, most, depth = self._space, self._max_features, self._max_depth
        if self._model == "tree":
            return fit_tree(space, x, coordinates, weights, y, depth=depth, seed=self._seed)
        if self._model == "rules":
            return fit_rules(
                space, x, coordinates, weights, y, most=most, depth=depth, seed=self._seed
            )
        return fit_linear(space, coordinates, weights, y, most=most, lasso=self._model == "lasso")

    def _held_out(self, x: Array, coordinates: list[Coordinate], weights: Array, y: Array) -> Array:
        """Return what the readable model predicts for each part of the sample from the others."""
        fold = np.random.default_rng(self._seed).permutation(len(y)) % _FOLDS
        found = np.empty(len(y))
        for k in steps(range(_FOLDS), "folds"):
            kept, out = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            own = weights[kept] if weights[kept].any() else np.ones(len(kept))
            if not coordinates:  # nothing differs from the configuration
                found[out] = np.average(y[kept], weights=own)
                continue
            fitted = self._fit(x, at_rows(coordinates, kept), own / own.sum(), y[kept])
            found[out] = fitted.at(at_rows(coordinates, out))
        return found

    def _under(self, x: Array, z: Array, design: Array, weights: Array) -> Sums | None:
        """Return what the model does not know of the coefficients but the first."""
        surrogate = self._explained.surrogate
        if not self._explained.of_objective or surrogate is None:
            return None
        kept = _thinned(design, weights)
        W = weighted_inverse(design[kept], weights[kept])[1:]
        # what is fitted is the change from x
        W = np.column_stack([-W.sum(axis=1), W])
        with one_blas_thread():
            return sums_under(surrogate, np.vstack([x, z[kept]]), W)

    def _notes(self, x: Array, coordinates: list[Coordinate], std_kind: str) -> tuple[Fact, ...]:
        space, owners = self._space, {c.owner for c in coordinates}
        notes = [fact("effect_std", model=self._model, over=std_kind)]
        if self._model in ("linear", "lasso") and len(owners) > self._max_features:
            limited = fact(
                "features_limited", model=self._model, most=self._max_features, of=len(owners)
            )
            notes.append(limited)
        silent = [
            name
            for j, name in enumerate(space.names)
            if j not in owners and not np.isnan(x[j]) and space.parameters[j].size != 1
        ]
        if silent:
            notes.append(fact("not_varied", names=silent))
        if any(space.is_conditional(name) for name in space.names):
            notes.append(fact("inactive_unchanged"))
        return (*notes, *self._subject.notes)


# ---------------------------------------------------------------------- the sample


def _checked(space: SearchSpace, sample: npt.ArrayLike) -> Array:
    rows = space.check_rows("sample", sample)
    if len(rows) < 2:
        problem = f"must have at least 2 rows, but had {len(rows)}"
        raise InputError("sample", problem, sample, "Give more, or a number.")
    rows = space.project(rows)
    wrong = np.flatnonzero(~space.is_valid(rows))
    if len(wrong):
        raise InputError(
            "sample",
            f"has a row outside the space (row {wrong[0]}: {rows[wrong[0]].tolist()})",
            sample,
            "Encode configurations with space.encode.",
        )
    return rows


def _squared_distances(space: SearchSpace, x: Array, z: Array) -> Array:
    squares = np.zeros(len(z))
    for j, parameter in enumerate(space.parameters):
        gap = np.abs(z[:, j] - x[j])
        if isinstance(parameter, CategoricalParameter):
            gap = np.where(np.isnan(gap), gap, gap > 0.0)
        both = np.isnan(z[:, j]) & np.isnan(x[j])
        squares += np.where(both, 0.0, np.where(np.isnan(gap), 1.0, gap)) ** 2
    return squares


def _default_width(space: SearchSpace, x: Array, seed: int) -> float:
    squares = _squared_distances(space, x, space.sample(1000, seed=seed))
    return _WIDTH * float(np.sqrt(squares.mean())) or 1.0


def _thinned(design: Array, weights: Array) -> npt.NDArray[np.int64]:
    """Return so many rows as a covariance is asked for: of all weights, and of every column."""
    order = np.argsort(-weights, kind="stable")
    if len(order) <= _ROWS:
        return order
    heaviest = [order[np.argmax(column[order] != 0.0)] for column in design.T]
    return np.unique([*order[:: -(-len(order) // _ROWS)], *heaviest])


def _r2(weights: Array, y: Array, fitted: Array) -> float:
    """Return the weighted R²; 1 where there is nothing to explain, as nothing is missed."""
    whole = float(weights @ (y - weights @ y) ** 2)
    missed = float(weights @ (y - fitted) ** 2)
    return 1.0 if whole <= 1e-24 else 1.0 - missed / whole
