"""A model as draws of functions: what statements about the objective are decided by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np

from hpo_explain.base import Direction, sign_of, unit_of
from hpo_explain.belief.feasibility import Feasibility
from hpo_explain.belief.functionals import Anova
from hpo_explain.belief.landscape import Landscape
from hpo_explain.belief.noise import Noise
from hpo_explain.belief.trust import Trust
from hpo_explain.models import SupportsJoint, Surrogate, mean_of
from hpo_explain.space import Array, Bools, Ints, SearchSpace

_FUNCTIONS, _ANCHORS = 192, 384


class Draws(ABC):
    """Functions that the objective may be: what a model says of it; a surrogate, too.

    Most are drawn from a posterior. A model that does not know how its predictions vary together
    is `OneFunction`.

    Attributes
    ----------
    joint : bool
        Whether they say how predictions vary together: of one function nothing is decided.
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        The encoded rows that they were learned from; none where these are not known.
    direction : {"minimize", "maximize"}
        Which way is better.
    seed : int
        Seed of everything random.
    feasibility : Feasibility or None
        How probable it is that a configuration gives a result that counts; None if all do.
    """

    joint = True

    def __init__(
        self,
        space: SearchSpace,
        X: Array,
        direction: Direction,
        seed: int,
        feasibility: Feasibility | None = None,
    ) -> None:
        self.space, self.X, self.direction, self.seed = (space, X, direction, seed)
        self.feasibility = feasibility
        self.sign = sign_of(direction)

    @property
    def parts(self) -> tuple[slice, ...]:
        """The draws of each model that they are of."""
        return (slice(None),)

    @property
    def at_best(self) -> Draws:
        """The draws of which is asked what is best."""
        return self

    @property
    def among_best(self) -> Draws:
        """The draws of which is asked what decides whether a configuration is among the best."""
        return self

    @property
    def rarely_feasible(self) -> bool:
        """Whether a result that counts is less probable than not, even where trials gave one."""
        return self.feasibility is not None and self.feasibility.rare

    def feasible(self, X: Array) -> Bools:
        """Return which encoded rows are safe to give a result that counts, (n,)."""
        if self.feasibility is None:
            return np.ones(len(X), bool)
        return self.feasibility.probable(X)

    def probability(self, X: Array) -> Array:
        """Return how probable a result that counts is at encoded rows, (n,)."""
        return np.ones(len(X)) if self.feasibility is None else self.feasibility.probability(X)

    @property
    def trust(self) -> Trust | None:
        """How well the objective is known; None of a model of the user's."""
        return None

    @property
    @abstractmethod
    def noise_std(self) -> float:
        """Standard deviation of one evaluation among good trials, in the user's units."""

    @property
    def noise(self) -> Noise:
        """The noise of one evaluation, which decisions take."""
        return Noise.known(self.noise_std)

    @property
    def roughness(self) -> float:
        """Standard deviation of what draws leave out of the objective, in the user's units.

        By so much trials scatter about them. Where no repeats tell that it is noise, it may be the
        objective itself.
        """
        return 0.0

    def at_one(self, of_draws: Array) -> Array:
        """Return an objective of each draw (k, ...) with what draws leave out at one configuration.

        It is another number in each draw, of mean 0, in the user's units.
        """
        from scipy.special import ndtri

        k = len(of_draws)
        order = np.random.default_rng([self.seed, k]).permutation(k)
        left_out = self.sign * self.roughness * ndtri((order + 0.5) / k)
        return of_draws + left_out.reshape(k, *[1] * (of_draws.ndim - 1))

    @abstractmethod
    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n)."""

    def costs_over_space(self) -> Array:
        """Return the cost of each draw at the rows that stand for the space, (k, N)."""
        return self.costs(self.landscape.rows)

    def draws(self, X: Array) -> Array:
        """Return the objective of each draw at encoded rows (n, d), in the user's units, (k, n).

        A draw is the mean of an evaluation: noise is excluded.
        """
        X = self.space.check_rows("X", X)
        return self.sign * self.costs(X).astype(float)

    def costs_at(self, X: Array, members: Sequence[int], values: Array) -> Array:
        """Return the cost of each draw at encoded rows with some columns at values, (G, k, n)."""
        costs = []
        for value in values:
            rows = X.copy()
            rows[:, members] = value
            costs.append(self.costs(rows))
        return np.stack(costs) if costs else np.empty((0, *self.costs(X).shape))

    def own_costs(self, rows: Array) -> Array:
        """Return the cost of each draw at rows of its own (k, m, d), (k, m)."""
        k, m, d = rows.shape
        costs = self.costs(rows.reshape(k * m, d)).reshape(k, k, m)
        return costs[np.arange(k), np.arange(k)]

    def noise_at(self, X: Array) -> Array:
        """Return the standard deviation of one evaluation at encoded rows, (n,)."""
        return np.full(len(X), self.noise_std)

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Return mean and standard deviation over the draws, each (n,), at encoded rows."""
        draws = self.draws(X)
        unit = unit_of(draws)  # in which no square overflows
        return draws.mean(axis=0), (draws / unit).std(axis=0) * unit

    def posterior_covariance(self, X: Array) -> Array:
        """Return the draws' covariance (n, n) at encoded rows, noise excluded."""
        return self.covariance_with(X, X)

    def covariance_with(self, X: Array, others: Array) -> Array:
        """Return the draws' covariance (n, m) of encoded rows with others, noise excluded."""
        a, b = self.draws(X), self.draws(others)
        return (a - a.mean(axis=0)).T @ (b - b.mean(axis=0)) / len(a)

    def std_of_mean(self, X: Array, members: Ints, values: Array) -> Array:
        """Return the draws' standard deviation of the mean over rows at values (G, ...), (G,)."""
        return self.costs_at(X, members.tolist(), values).mean(axis=2).std(axis=1)

    @cached_property
    def landscape(self) -> Landscape:
        """The draws where statements about the whole space look at them."""
        return Landscape(self)

    @cached_property
    def anova(self) -> Anova:
        """Functional ANOVA of each draw."""
        return Anova(self.landscape)


class DrawnSurrogate(Draws):
    """Draws of a surrogate with a joint posterior.

    They are drawn at rows that stand for the space, and continued from there as the posterior
    covariance says.

    Parameters
    ----------
    surrogate : Surrogate
        A surrogate that knows the covariance of its predictions.
    direction : {"minimize", "maximize"}
        Which way is better.
    feasibility : Feasibility, optional
        How probable it is that a configuration gives a result that counts.
    seed : int, default 0
        Seed of the draws.
    """

    def __init__(
        self,
        surrogate: Surrogate,
        direction: Direction,
        *,
        feasibility: Feasibility | None = None,
        seed: int = 0,
    ) -> None:
        space = surrogate.space
        super().__init__(space, np.empty((0, len(space))), direction, seed, feasibility)
        self.surrogate = surrogate

    @cached_property
    def _anchored(self) -> tuple[Array, Array]:
        """Anchors, and what each adds to each draw per covariance, (m, k)."""
        rows = self.space.distinct(self.space.sample(_ANCHORS, seed=self.seed))
        joint: SupportsJoint = self.surrogate  # type: ignore[assignment]  # asked by `as_draws`
        values, vectors = np.linalg.eigh(joint.posterior_covariance(rows))
        positive = values > 1e-9 * values.max(initial=0.0)
        # the symmetric root: rounding turns eigenvectors around, and it not
        root = vectors[:, positive] / np.sqrt(values[positive]) @ vectors[:, positive].T
        normal = np.random.default_rng(self.seed).standard_normal((len(rows), _FUNCTIONS))
        # so that the draws' mean is what the surrogate predicts
        return rows, root @ (normal - normal.mean(axis=1, keepdims=True))

    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n)."""
        rows, weights = self._anchored
        joint: SupportsJoint = self.surrogate  # type: ignore[assignment]
        mean = self.surrogate.predict(X)[0]
        apart = joint.covariance_with(X, rows) @ weights if weights.size else 0.0
        # the same draws of the cost, whichever way the objective is better
        return (self.sign * mean[:, None] + apart).T

    @property
    def noise_std(self) -> float:
        """Standard deviation of one evaluation, as the surrogate has it; 0 where it has none."""
        return float(np.nan_to_num(getattr(self.surrogate, "noise_std", 0.0)))

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Return the surrogate's own mean and standard deviation."""
        return self.surrogate.predict(X)


class OneFunction(Draws):
    """A function of which nothing is known but its values.

    Parameters
    ----------
    space : SearchSpace
        Its space.
    values : callable
        Returns its values, (n,), at encoded rows (n, d).
    direction : {"minimize", "maximize"}
        Which way they are better.
    feasibility : Feasibility, optional
        How probable it is that a configuration gives a result that counts.
    seed : int, default 0
        Seed of the rows at which it is looked at.
    """

    joint = False

    def __init__(
        self,
        space: SearchSpace,
        values: Callable[[Array], Array],
        direction: Direction,
        *,
        feasibility: Feasibility | None = None,
        seed: int = 0,
    ) -> None:
        nothing = np.empty((0, len(space)))
        super().__init__(space, nothing, direction, seed, feasibility)
        self._values = values

    @property
    def noise_std(self) -> float:
        """Nothing is known of it."""
        return 0.0

    def costs(self, X: Array) -> Array:
        """Return the cost at encoded rows, (1, n)."""
        return self.sign * np.asarray(self._values(X), float)[None]

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Return the values at encoded rows; their standard deviation is not known."""
        return self.draws(X)[0], np.full(len(X), np.nan)


class Within(Draws):
    """Draws in a part of their space.

    Parameters
    ----------
    draws : Draws
        The functions.
    space : SearchSpace
        The part: the same hyperparameters with fewer values.
    """

    def __init__(self, draws: Draws, space: SearchSpace) -> None:
        nothing = np.empty((0, len(space)))
        super().__init__(space, nothing, draws.direction, draws.seed)
        self._whole = draws

    @property
    def noise_std(self) -> float:
        """Standard deviation of one evaluation, as in the whole space."""
        return self._whole.noise_std

    @property
    def roughness(self) -> float:
        """Standard deviation of what draws leave out, as in the whole space."""
        return self._whole.roughness

    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n)."""
        return self._whole.costs(self._in_whole(X))

    def feasible(self, X: Array) -> Bools:
        """Return which encoded rows rather give a result that counts than not, (n,)."""
        return self._whole.feasible(self._in_whole(X))

    def _in_whole(self, X: Array) -> Array:
        return self._whole.space.encode(self.space.decode(X))


class Weighted(Draws):
    """The weighted sum of the costs of several objectives, drawn independently of each other.

    Parameters
    ----------
    draws : sequence of Draws
        The functions of each objective, over the same space and equally many.
    weights : sequence of float
        The weight of each.
    """

    def __init__(self, draws: Sequence[Draws], weights: Sequence[float]) -> None:
        space = draws[0].space
        nothing = np.empty((0, len(space)))
        super().__init__(space, nothing, "minimize", draws[0].seed)
        self._of_each, self._weights = draws, weights

    @property
    def noise_std(self) -> float:
        """Standard deviation of one evaluation of the sum, whose noises are independent."""
        each = zip(self._of_each, self._weights, strict=True)
        return float(np.hypot.reduce([w * one.noise_std for one, w in each]))

    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n)."""
        whole = np.zeros(1)
        each = zip(self._of_each, self._weights, strict=True)
        for place, (one, weight) in enumerate(each):
            if weight:
                own = in_own_order(one.costs(X).astype(float), place)
                whole = whole + weight * own
        return np.asarray(whole)


def as_draws(
    surrogate: Surrogate,
    direction: Direction,
    *,
    feasibility: Feasibility | None = None,
    seed: int = 0,
) -> Draws:
    """Return a surrogate as functions.

    Of one that does not know how its predictions vary together, such as a forest, the mean is the
    only one, and nothing about the objective can be certain. A belief knows by itself where results
    come from.
    """
    if isinstance(surrogate, Draws):
        return surrogate
    if isinstance(surrogate, SupportsJoint):
        return DrawnSurrogate(surrogate, direction, feasibility=feasibility, seed=seed)
    return OneFunction(
        surrogate.space, partial(mean_of, surrogate), direction, feasibility=feasibility, seed=seed
    )


def equally_many(draws: Sequence[Array]) -> list[Array]:
    """Return draws (k, ...) of several runs; where one has a single function, the means of all."""
    if len(set(map(len, draws))) == 1:
        return [*draws]
    return [one.mean(axis=0, keepdims=True) for one in draws]


def in_own_order(draws: Array, place: int) -> Array:
    """Return draws in an order of the run's own: functions of two runs are independent."""
    return draws[np.random.default_rng([place, len(draws)]).permutation(len(draws))]
