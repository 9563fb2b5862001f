"""A short formula for the partial dependence on at most three hyperparameters.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
λ_S        the hyperparameters, at most three
ĉ_S        their partial dependence (Moosbauer et al. 2021, Eq. 3)
φ_k        terms: powers and logarithms of single values, categories, and products of these
=========  ============================================================================

ĉ_S is computed at points of the space's measure. Of all sums of up to three terms the one with the
least squared error is found, and further terms are added one by one, at a half of the points. How
many there are is decided at a quarter, and R² is that at the last quarter. So that R² is not that
with what the model merely believes, functions are drawn from its posterior, and the R² of the
formula with the partial dependence of each is the interval. The coefficients of each are those of
the formula and what least squares make of the difference between the two partial dependences.

Segel et al. search expressions by genetic programming; a sum of terms has a unique best choice,
and hardly an effect of a hyperparameter needs more.

References
----------
.. [1] Segel, S. et al. (2023). Symbolic explanations for hyperparameter optimization. AutoML.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.checks import (
    check_count,
    check_fraction,
    check_name,
    check_seed,
    check_sequence,
)
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import fact
from hpo_explain.base.options import Direction
from hpo_explain.base.posterior import normal_draws
from hpo_explain.base.progress import shows_progress, steps
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.symbolic import Factor, Function, SymbolicEffect, Term
from hpo_explain.methods._engines.explained import Explained, accepted_surrogate
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import SupportsJoint, SupportsTrees, Surrogate, mean_of
from hpo_explain.run import LARGEST
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace

_MOST_NAMES = 3
_POINTS = 240
_DRAWN_POINTS = 64  # at which functions are drawn
_DRAWN_ROWS = 20  # that each of them averages
_DRAWS = 400
_MODELS = 8  # of plausible parameters
_ENDS = 0.025, 0.975
_SEARCHED = 3  # terms of which all sums are compared
_GAIN = 0.01  # of R²: a term that adds less is left out
_SINGULAR = 1e-6  # determinant of correlations
_MOST_AT_ONCE = 20_000


class SymbolicExplainer:
    """Finds a short formula for the effect of at most three hyperparameters.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    sample : int, default 200
        Rows of the sample of all other hyperparameters.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained, such as ``Subject.of(run)``; by default it is made from the surrogate.
    seed : int, default 0
        Seed of points, sample and draws.

    Raises
    ------
    ValueError
        If an option is not allowed.

    References
    ----------
    .. [1] Segel, S. et al. (2023). Symbolic explanations for hyperparameter optimization. AutoML.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 2.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(60, seed=1)
    >>> gp = hx.GaussianProcessSurrogate.fit(space, X, 8.0 * X[:, 0] * X[:, 1])
    >>> [term.label for term in SymbolicExplainer(gp).explain(["x", "y"]).terms]
    ['x · y']
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        sample: int = 200,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        seed: int = 0,
    ) -> None:
        self._surrogate = accepted_surrogate(surrogate)
        self._space: SearchSpace = surrogate.space
        self._subject = Explained.of(surrogate, direction).completed(subject)
        self._sample = check_count("sample", sample)
        self._seed = check_seed(seed)

    @shows_progress
    def explain(
        self, names: str | Sequence[str], *, terms: int = 4, least: float = 0.9
    ) -> SymbolicEffect:
        """Return the formula.

        Parameters
        ----------
        names : str or sequence of str
            One to three hyperparameters.
        terms : int, default 4
            Largest number of terms, beside the constant.
        least : float, default 0.9
            The R² from which on it counts as a formula of the effect.

        Raises
        ------
        InputError
            If a name is unknown, there are not one to three different ones, or an option is not
            allowed.
        NothingToExplain
            If they are never active together.
        """
        most = check_count("terms", terms)
        check_fraction("least", least)
        given = [names] if isinstance(names, str) else check_sequence("names", names, "names")
        known = self._space.names
        wanted = tuple(check_name("names", name, known, "hyperparameter") for name in given)
        if len(set(wanted)) != len(wanted) or not 1 <= len(wanted) <= _MOST_NAMES:
            problem = f"must be one to three different hyperparameters, but was {names!r}"
            raise InputError("names", problem, names)
        with one_blas_thread():  # terms are chosen by sums whose last digits depend on it
            return self._explained(wanted, most, least)

    def _explained(self, wanted: tuple[str, ...], most: int, least: float) -> SymbolicEffect:
        space = self._space
        members = [space.index(name) for name in wanted]
        positions, groups = self._points(members)
        effect = _means(self._surrogate, groups)
        columns = {
            name: space.parameters[j].decode(positions[:, i])
            for i, (name, j) in enumerate(zip(wanted, members, strict=True))
        }
        part = np.arange(len(effect)) % 4
        library = _library([space.parameters[j] for j in members])
        with np.errstate(over="ignore", invalid="ignore"):  # such terms are not usable
            values = np.array(
                [np.prod([f.of(columns[f.name]) for f in factors], axis=0) for factors in library]
            ).T
        chosen, weights = _best_sum(values, effect, part, most)
        fitted = weights[0] + values[:, chosen] @ weights[1:]
        out = part == 3
        few = [group[:_DRAWN_ROWS] for group in groups[:_DRAWN_POINTS]]
        functions = self._drawn(few, effect[: len(few)])
        interval, known = _intervals(functions, effect[: len(few)], fitted[: len(few)])
        coefficients = None
        if functions is not None and isinstance(self._surrogate, SupportsJoint):
            apart = functions - effect[: len(few), None]
            change = _weights(values[: len(few), chosen], apart, slice(None))
            coefficients = (weights[:, None] + change)[1:].T
        without = [
            _r2(effect[out], _fit(values[:, others], effect, part < 2)[out])
            for others in ([k for k in chosen if k != left] for left in chosen)
        ]
        return SymbolicEffect(
            subject=self._subject,
            names=wanted,
            intercept=float(weights[0]),
            terms=tuple(
                Term(library[k], float(weight), float(r2))
                for k, weight, r2 in zip(chosen, weights[1:], without, strict=True)
            ),
            points=tuple(
                dict(zip(wanted, point, strict=True))
                for point in zip(*columns.values(), strict=True)
            ),
            mean=effect,
            fitted=fitted,
            held_out=out,
            r2=_r2(effect[out], fitted[out]),
            r2_interval=interval,
            known=known,
            least=least,
            drawn=coefficients,
            notes=(fact("formula_of_effect", points=len(effect)), *self._subject.notes),
        )

    def _points(self, members: list[int]) -> tuple[Array, list[Array]]:
        """Return points of the members (K, k), and of each the configurations that take it."""
        space = self._space
        drawn = space.sample(_POINTS, seed=self._seed, latent=True)[:, members]
        drawn = drawn[np.random.default_rng(self._seed).permutation(len(drawn))]
        rows = space.sample(self._sample, seed=self._seed + 1, latent=True)
        positions, groups = [], []
        for point in drawn:
            composed = rows.copy()
            composed[:, members] = point
            composed = space.project(composed)
            composed = composed[~np.isnan(composed[:, members]).any(axis=1)]
            if len(composed):
                positions.append(point)
                groups.append(composed)
        if len(groups) < _POINTS // 4:
            raise NothingToExplain(fact("rarely_together", names=[space.names[j] for j in members]))
        return np.array(positions), groups

    def _drawn(self, groups: list[Array], effect: Array) -> Array | None:
        """Return effects that the trials allow, (points, number): None where that is not known.

        Of a Gaussian process for several plausible parameters: each model's effect differs from
        that of the surrogate, and its posterior leaves some of it open.
        """
        surrogate = self._surrogate
        if isinstance(surrogate, SupportsJoint):
            models: Sequence[Surrogate] = (surrogate,)
            if isinstance(surrogate, GaussianProcessSurrogate):
                models = surrogate.plausible(_MODELS, seed=self._seed)
            moved = effect - _means(surrogate, groups)
            each = np.array_split(np.arange(self._subject.draws or _DRAWS), len(models))
            drawn = [
                normal_draws(
                    moved + _means(model, groups),
                    model.covariance_of_means(groups),
                    len(some),
                    self._seed + i,
                )
                for i, (model, some) in enumerate(zip(models, each, strict=True))
                if isinstance(model, SupportsJoint)
            ]
            return np.hstack(drawn)
        if isinstance(surrogate, SupportsTrees):
            return np.array([surrogate.predict_trees(group).mean(axis=0) for group in groups])
        return None


def _intervals(
    functions: Array | None, effect: Array, fitted: Array
) -> tuple[tuple[float, float] | None, float]:
    """Return R² with the effects that the trials allow: of the formula, and of the effect."""
    if functions is None:
        return None, float("nan")
    (low, high), (known, _) = (
        np.quantile([_r2(function, of) for function in functions.T], _ENDS)
        for of in (fitted, effect)
    )
    return (float(low), float(high)), float(known)


def _means(surrogate: Surrogate, groups: list[Array]) -> Array:
    """Return the mean of a surrogate over each of some groups of rows."""
    ends = np.cumsum([len(group) for group in groups])[:-1]
    values = np.split(mean_of(surrogate, np.concatenate(groups)), ends)
    return np.array([part.mean() for part in values])


def _library(parameters: Sequence[Parameter]) -> list[tuple[Factor, ...]]:
    """Return the terms: functions of each hyperparameter, and products of simple ones."""
    singles = [_functions(parameter) for parameter in parameters]
    library: list[tuple[Factor, ...]] = [(factor,) for factors, _ in singles for factor in factors]
    simple = [factors for _, factors in singles]
    for a, b in combinations(range(len(parameters)), 2):
        library += [(first, second) for first in simple[a] for second in simple[b]]
    if len(parameters) == _MOST_NAMES:
        library += [(x, y, z) for x in simple[0] for y in simple[1] for z in simple[2]]
    return library


def _functions(parameter: Parameter) -> tuple[list[Factor], list[Factor]]:
    """Return the functions of a hyperparameter, and those of them that products are made of."""
    name = parameter.name
    if isinstance(parameter, CategoricalParameter):
        which = [Factor(name, "is", choice) for choice in parameter.choices[1:]]
        return which, which
    names: list[Function] = ["identity", "square", "cube"]
    simple: list[Function] = ["identity"]
    if parameter.low >= 0.0:
        names += ["root"]
    if parameter.low > 0.0:
        names += ["inverse", "log", "log_square", "log_cube"]
        simple += ["log"]
    if parameter.log:
        # on the scale on which it varies first: of two sums that fit alike the first one is taken
        names = ["log", "log_square", "log_cube", "identity", "square", "root", "inverse"]
        simple = ["log", "identity"]
    return [Factor(name, f) for f in names], [Factor(name, f) for f in simple]


def _best_sum(
    values: Array, effect: Array, part: npt.NDArray[np.int64], most: int
) -> tuple[list[int], Array]:
    """Return the terms that are summed, by their columns, and their weights, the constant first.

    Fitted where `part` is 0 or 1; a term more must add to R² where it is 2.
    """
    train, judge = part < 2, part == 2
    # squares of what is beyond would overflow, or vanish
    small = np.flatnonzero((np.abs(values) < LARGEST).all(axis=0))
    usable = small[np.ptp(values[np.ix_(train, small)], axis=0) > 1.0 / LARGEST]
    chosen: list[int] = []
    best = 0.0
    if np.ptp(effect[train]) > 0.0:
        for size in steps(range(1, min(most, len(usable)) + 1), "numbers of terms"):
            found = _of_size(values[:, usable], effect, train, size, chosen, usable)
            if found is None:
                break
            r2 = _r2(effect[judge], _fit(values[:, found], effect, train)[judge])
            if r2 - best >= _GAIN:
                chosen, best = found, r2
    return chosen, _weights(values[:, chosen], effect, train)


def _of_size(
    values: Array,
    effect: Array,
    train: npt.NDArray[np.bool_],
    size: int,
    chosen: list[int],
    usable: npt.NDArray[np.int64],
) -> list[int] | None:
    """Return the sum of so many terms with the least error: of all sums, or one more than before.

    None where no sum of that size is well determined.
    """
    Z = values[train] - values[train].mean(axis=0)
    Z /= np.sqrt((Z**2).sum(axis=0))
    y = effect[train] - effect[train].mean()
    gram, target = Z.T @ Z, Z.T @ y
    if size <= _SEARCHED:
        sets = np.array([*combinations(range(Z.shape[1]), size)])
    else:
        own = [int(np.flatnonzero(usable == k)[0]) for k in chosen]
        sets = np.array([[*own, k] for k in range(Z.shape[1]) if k not in own])
        if not len(sets):
            return None
    explained = np.empty(len(sets))
    for start in steps(range(0, len(sets), _MOST_AT_ONCE), "batches"):
        some = sets[start : start + _MOST_AT_ONCE]
        grams, targets = gram[some[:, :, None], some[:, None, :]], target[some]
        determined = np.linalg.det(grams) > _SINGULAR
        grams[~determined] = np.eye(some.shape[1])
        weights = np.linalg.solve(grams, targets[:, :, None])[:, :, 0]
        gain = (weights * targets).sum(axis=1)
        explained[start : start + len(some)] = np.where(determined, gain, -np.inf)
    largest = explained.max()
    if not np.isfinite(largest):
        return None
    # of sums that fit alike, the first: those of simple functions stand first
    alike = explained >= largest - 1e-4 * float(y @ y)
    return sorted(usable[sets[int(np.flatnonzero(alike)[0])]].tolist())


def _weights(columns: Array, effect: Array, rows: npt.NDArray[np.bool_] | slice) -> Array:
    """Return the constant and the weights of least squares over some points.

    Of one effect (n,), or of several (n, number of effects) at once.
    """
    design = np.column_stack([np.ones(len(columns)), columns])[rows]
    scale = np.maximum(np.abs(design).max(axis=0), 1e-300)
    weights, *_ = np.linalg.lstsq(design / scale, effect[rows], rcond=None)
    return np.asarray((weights.T / scale).T)


def _fit(columns: Array, effect: Array, rows: npt.NDArray[np.bool_]) -> Array:
    weights = _weights(columns, effect, rows)
    return np.asarray(weights[0] + columns @ weights[1:])


def _r2(values: Array, fitted: Array) -> float:
    """Return R², without a difference in level: an effect is how much values differ."""
    variance = float(np.var(values))
    return 1.0 - float(np.var(values - fitted)) / variance if variance > 0.0 else 0.0
