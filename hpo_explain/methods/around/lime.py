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
=========  ============================================================================

The coordinates of g compare z with x: a number's position with that of x, a category with that of
x. What is inactive in z counts as unchanged: its parent's coordinate says that it is inactive.

A leaf of a tree is a coordinate as well, which is 1 in it: its coefficient is the leaf's mean minus
that of the leaf of x. The coefficients of a function that the trials allow are those of the same
fit to it: W times its values at the sample, the leaves of g being given.

How far g agrees with f̂ is told of each fifth of the sample from a g of the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    LIME_SAMPLINGS,
    READABLE,
    Fact,
    InputError,
    LimeSampling,
    Readable,
    check_count,
    check_number,
    check_option,
    fact,
    join_names,
    r_squared,
    shows_progress,
    steps,
)
from hpo_explain.belief import std_of_draws
from hpo_explain.methods._engines.background import local_background
from hpo_explain.methods._engines.explainer import Explainer
from hpo_explain.methods.around.lime_models import (
    Coordinate,
    FittedModel,
    at_rows,
    coordinates_of,
    fit_linear,
    fit_tree,
)
from hpo_explain.methods.around.lime_result import LimeExplanation, whiskers
from hpo_explain.question import Question, explains
from hpo_explain.space import Array, Config, SearchSpace

_WIDTH = 0.75  # of the root mean square distance: the ratio in the authors' own code
_WIDEST = 1e150  # whose square is a number
_FOLDS = 5  # of the sample, each of which is held out once


@explains
def lime(
    question: Question,
    config: Config | int | None = None,
    model: Readable = "linear",
    *,
    sampling: LimeSampling | Literal["tried"] = "uniform",
    sample: int = 1000,
    kernel_width: float | None = None,
    max_depth: int = 3,
) -> LimeExplanation:
    """Explain a prediction by a simple model that holds near the configuration.

    Parameters
    ----------
    config : dict or int, optional
        The configuration, or the number of a trial; by default the one to keep.
    model : {"linear", "tree"}, default "linear"
        A linear model, or a small tree.
    sampling : {"uniform", "local", "tried"}, default "uniform"
        Where the simple model is fitted: in the whole space, around the configuration, or at the
        tried configurations.
    sample : int, default 1000
        Number of sampled configurations.
    kernel_width : float, optional
        Width of the kernel, as in `LimeExplainer`.
    max_depth : int, default 3
        Depth of the tree.

    Returns
    -------
    LimeExplanation
        The effects, and the weighted R² of the simple model, also on held-out configurations.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the configuration is not in the space, or an option
        is not allowed.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD. https://arxiv.org/abs/1602.04938

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.methods.lime(table, objective="loss", sampling="tried").statements[0].text
    'x from 0.1 to 0.9'
    """
    check_option("sampling", sampling, (*LIME_SAMPLINGS, "tried"))
    at, explained = question.config("config", config), question.model
    explainer = LimeExplainer(
        explained,
        model=model,
        sample=question.run.X if sampling == "tried" else sample,
        sampling="uniform" if sampling == "tried" else sampling,
        kernel_width=kernel_width,
        max_depth=max_depth,
        subject=question.subject(question.trial(config)),
        seed=question.seed,
    )
    return explainer.explain(at)


@dataclass(frozen=True, eq=False, kw_only=True)
class LimeExplainer(Explainer):
    """Explains a prediction by a simple model that holds near the configuration.

    Parameters
    ----------
    surrogate, direction, subject
        As in `Explainer`.
    model : {"linear", "tree"}, default "linear"
        The simple model: linear, or a small tree.
    sample : int or ndarray of shape (n, d), default 1000
        The configurations z: a number of random ones, or encoded rows such as the tried ones.
    sampling : {"uniform", "local"}, default "uniform"
        Where random configurations are drawn: in the whole space (one Latin hypercube), or around
        x as in `hpo_explain.methods.local_background`.
    kernel_width : float, optional
        Width σ > 0 of the kernel, where 1 is the whole range of one hyperparameter. By default 0.75
        times the root mean square distance between x and the configurations of the space.
    max_depth : int, default 3
        Depth of the tree.
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
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> result = hx.methods.LimeExplainer(surrogate, sample=200).explain({"x": 0.5, "y": 0.5})
    >>> result.statements[0].text, round(result.statements[0].effect, 1)
    ('x from 0 to 1', 3.0)
    """

    model: Readable = "linear"
    sample: int | npt.ArrayLike = 1000
    sampling: LimeSampling = "uniform"
    kernel_width: float | None = None
    max_depth: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option("model", self.model, READABLE)
        check_option("sampling", self.sampling, LIME_SAMPLINGS)
        width = self.kernel_width
        if width is not None and check_number("kernel_width", width) <= 0.0:
            raise InputError("kernel_width", f"must be above 0, but was {width!r}", width)
        check_count("max_depth", self.max_depth)
        if np.ndim(self.sample) == 0:
            check_count("sample", self.sample, minimum=2)
        else:
            _ = self._given

    @cached_property
    def _given(self) -> Array:
        """The rows that were given; none where they are drawn."""
        if np.ndim(self.sample) == 0:
            return np.empty((0, len(self.space)))
        rows = self.space.check_rows("sample", self.sample)
        if len(rows) < 2:
            problem = f"must have at least 2 rows, but had {len(rows)}"
            raise InputError("sample", problem, self.sample, "Give more, or a number.")
        rows = self.space.project(rows)
        wrong = np.flatnonzero(~self.space.is_valid(rows))
        if len(wrong):
            problem = f"has a row outside the space (row {wrong[0]}: {rows[wrong[0]].tolist()})"
            remedy = "Encode configurations with space.encode."
            raise InputError("sample", problem, self.sample, remedy)
        return rows

    @shows_progress
    def explain(self, config: Config) -> LimeExplanation:
        """Return the simple model around a configuration.

        Parameters
        ----------
        config : dict
            The configuration x, in the user's units; what is inactive is left out.

        Returns
        -------
        LimeExplanation
            The effects, and the R² between the simple model and the surrogate.

        Raises
        ------
        ValueError
            If the configuration is not in the space.
        """
        explained, space = self.explained, self.space
        x = space.row(config, "config")
        z = self._given if len(self._given) else self._sample(x)
        of_all = _squared_distances(space, x, space.sample(1000, seed=self.seed))
        width = self.kernel_width or _WIDTH * float(np.sqrt(of_all.mean())) or 1.0
        squares = _squared_distances(space, x, z) / min(width, _WIDEST) ** 2
        # those of far samples would all be 0
        weights = np.exp(squares.min() - squares)
        weights /= weights.sum()
        values = explained(np.vstack([x, z]))
        coordinates = coordinates_of(space, x, z)
        change = values[1:] - values[0]
        # squares of what is tiny are 0
        unit = float(np.abs(change).max()) or 1.0
        y = change / unit
        fitted = self._fit(x, coordinates, weights, y)
        draws = explained.draws(self.seed)
        of_draws = fitted.drawn(coordinates, weights, draws.draws(np.vstack([x, z])).T)
        of_draws[[s.own for s in fitted.statements]] = 0.0
        stds = std_of_draws(of_draws.T).tolist()
        statements = [
            replace(s, effect=unit * s.effect, std=unit * s.std, model_std=std)
            for s, std in zip(fitted.statements, stds, strict=True)
        ]
        order = sorted(
            range(len(statements)),
            key=lambda i: (not statements[i].own, -abs(statements[i].effect)),
        )
        return LimeExplanation(
            subject=self.about,
            config=space.decode(x[None, :])[0],
            model=self.model,
            statements=tuple(statements[i] for i in order),
            draws=of_draws[order],
            fidelity=_r2(weights, y, fitted.at(coordinates)),
            held_out=_r2(weights, y, self._held_out(x, coordinates, weights, y)),
            prediction=float(values[0]),
            local_prediction=float(values[0]) + unit * fitted.at_x,
            kernel_width=float(width),
            sampling="given" if len(self._given) else self.sampling,
            sample_size=len(z),
            effective_size=float(1.0 / np.sum(weights**2)),
            seed=self.seed,
            notes=self._notes(x, coordinates, draws.joint),
        )

    def _fit(
        self, x: Array, coordinates: list[Coordinate], weights: Array, y: Array
    ) -> FittedModel:
        if self.model == "linear":
            return fit_linear(self.space, coordinates, weights, y)
        depth, seed = self.max_depth, self.seed
        return fit_tree(self.space, x, coordinates, weights, y, depth=depth, seed=seed)

    def _held_out(self, x: Array, coordinates: list[Coordinate], weights: Array, y: Array) -> Array:
        """Return what the readable model predicts for each part of the sample from the others."""
        fold = np.random.default_rng(self.seed).permutation(len(y)) % _FOLDS
        predicted = np.empty(len(y))
        for k in steps(range(_FOLDS), "folds"):
            inside, out = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            own = weights[inside] if weights[inside].any() else np.ones(len(inside))
            if not coordinates:  # nothing differs from the configuration
                predicted[out] = np.average(y[inside], weights=own)
                continue
            fitted = self._fit(x, at_rows(coordinates, inside), own / own.sum(), y[inside])
            predicted[out] = fitted.at(at_rows(coordinates, out))
        return predicted

    def _notes(self, x: Array, coordinates: list[Coordinate], has_draws: bool) -> tuple[Fact, ...]:
        space, owners = self.space, {c.owner for c in coordinates}
        notes = [fact(f"± is {whiskers(self.model, has_draws)}")]
        silent = [
            name
            for j, name in enumerate(space.names)
            if j not in owners and not np.isnan(x[j]) and space.parameters[j].size != 1
        ]
        if silent:
            text = f"the sample does not vary {join_names(silent)}, so its effect is unknown"
            notes.append(fact(text, names=silent))
        if any(space.is_conditional(name) for name in space.names):
            text = "hyperparameters that are inactive in a sampled configuration count as unchanged"
            notes.append(fact(text))
        return (*notes, *self.about.notes)

    def _sample(self, x: Array) -> Array:
        """Return encoded configurations, (n, d)."""
        space, size, seed = self.space, int(np.asarray(self.sample)), self.seed
        if self.sampling == "uniform":
            return space.sample(size, seed=seed)
        (config,) = space.decode(x[None, :])
        return space.project(local_background(space, config, size, seed=seed))


# ---------------------------------------------------------------------- the sample


def _squared_distances(space: SearchSpace, x: Array, z: Array) -> Array:
    squares = np.zeros(len(z))
    for j, parameter in enumerate(space.parameters):
        gap = np.abs(z[:, j] - x[j])
        if parameter.is_category:
            gap = np.where(np.isnan(gap), gap, gap > 0.0)
        both = np.isnan(z[:, j]) & np.isnan(x[j])
        squares += np.where(both, 0.0, np.where(np.isnan(gap), 1.0, gap)) ** 2
    return squares


def _r2(weights: Array, y: Array, fitted: Array) -> float:
    """Return the weighted R²; 1 where there is nothing to explain, as nothing is missed."""
    r2 = r_squared(y, fitted, weights)
    return 1.0 if math.isnan(r2) else r2
