"""How good the objective may at best be with a value: an optimistic bound over all others.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
x*          the reference: a configuration that is known to be good
d(x)        cost of x minus that of x*, under the models' joint posterior
b(x)        ``E[d(x)] - κ sd[d(x)]``, of the mixture of several models
b_j(v)      the least b(x) over configurations in which hyperparameter j has value v and is active
==========  ============================================================================

The minimum is searched among the trials, changed copies of the most promising configurations, and a
sample of the space. All values of a hyperparameter share these rows, so that their bounds can be
compared. One model ranks the rows, and all of them judge the best and what is near those. The first
row is x* itself: where it shows that every value may be as good, nothing is searched.

References
----------
.. [1] Srinivas, N., Krause, A., Kakade, S. and Seeger, M. (2010). Gaussian process optimization in
   the bandit setting. ICML (regions whose lower bound is above the best upper bound hold no
   optimum).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array, CategoricalParameter, FloatParameter, SearchSpace, Ties, ranked
from hpo_explain.space.searches import changed, descended, filled

_SAMPLE = 200  # rows of the space among which the minimum is searched
_TRIALS = 100  # and of the trials, the best ones and others
_COPIES = 100  # and of changed copies of the best
_PARENTS = 20
_SCREENED = 9  # values of a number at which one model ranks the rows
_TOP = 6  # rows per value that all models judge
_ROUNDS = 3  # of changing these
_CHILDREN = 3
_JUDGED = 3  # of the new rows per value: those that one model ranks first
_DOUBT = 0.5  # standard deviations by which a reference must be good
_STEPS = (0.15, 0.07, 0.03)  # of the encoded range


@dataclass(frozen=True, eq=False)
class Difference:
    """The cost of configurations minus that of a reference, under several models.

    Attributes
    ----------
    models : tuple of Surrogate
        Equally plausible models.
    reference : ndarray of shape (d,)
        The encoded reference.
    sign : float
        1 where the objective is minimized, else -1.
    kappa : float
        How many standard deviations the optimistic bound lies below the mean.
    """

    models: tuple[Surrogate, ...]
    reference: Array
    sign: float
    kappa: float

    def bound(self, X: Array, *, screening: bool = False) -> Array:
        """Return b at encoded rows (n, d), (n,): of the first model alone if `screening`."""
        models = self.models[:1] if screening else self.models
        # equal models are the same object
        different = {id(model): model for model in models}
        found = {key: difference(m, X, self.reference) for key, m in different.items()}
        parts = [found[id(model)] for model in models]
        means, stds = (np.array(part) for part in zip(*parts, strict=True))
        variance = (stds**2).mean(axis=0) + means.var(axis=0)
        return np.asarray(self.sign * means.mean(axis=0) - self.kappa * np.sqrt(variance))


def difference(model: Surrogate, X: Array, x: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of f(X) - f(x); as if independent where not known."""
    if isinstance(model, GaussianProcessSurrogate):
        return model.difference(X, x)
    mean, std = model.predict(X)
    of_x, std_of_x = model.predict(x[None])
    return mean - of_x[0], np.hypot(std, std_of_x[0])


def reachable(
    at: Difference, space: SearchSpace, j: int, values: Array, rows: Array, seed: int
) -> Array:
    """Return b_j at encoded values (G,), (G,); infinite where j cannot be active.

    Where no bound is above 0 they are those at the reference with the value alone.

    Parameters
    ----------
    at : Difference
        What is bounded.
    space : SearchSpace
        The search space.
    j : int
        The hyperparameter's column.
    values : ndarray of shape (G,)
        Its values, encoded.
    rows : ndarray of shape (n, d)
        Latent rows, as from `search_rows`.
    seed : int
        Seed of the changes.
    """
    rng = np.random.default_rng(seed)
    G = len(values)
    reference = np.repeat(activated(space, filled(space, at.reference[None], seed), j, rng), G, 0)
    alone = _at_values(at, space, reference, j, values, False)
    if not (alone > 0.0).any():
        return alone
    rows = activated(space, rows, j, rng)
    n = len(rows)
    few = np.arange(G)
    if not isinstance(space.parameters[j], CategoricalParameter):  # neighbours have similar rows
        few = np.unique(np.linspace(0, G - 1, _SCREENED).round().astype(int))
    looked_at = np.repeat(values[few], n)
    bounds = _at_values(at, space, np.tile(rows, (len(few), 1)), j, looked_at, True)
    ties = Ties.among(bounds)
    by_value = ties.settled(bounds.reshape(len(few), n))
    top = np.argsort(by_value, axis=1, kind="stable")[:, : min(_TOP, n)]
    nearest = np.abs(values[:, None] - values[few]).argmin(axis=1)
    chosen = rows[top[nearest]]  # (G, T, d)
    best = _judged(at, space, chosen, j, values)
    for round_ in range(_ROUNDS):
        # what is good at one value may be at the next
        spread = [np.roll(chosen[:, :2], 1, axis=0), np.roll(chosen[:, :2], -1, axis=0)]
        parents = np.repeat(chosen[:, :3], _CHILDREN, axis=1)
        shape = parents.shape
        children = changed(space, parents.reshape(-1, shape[2]), _STEPS[round_], rng)
        children = activated(space, children, j, rng).reshape(shape)
        new = np.concatenate([children, *spread], axis=1)
        screened = ties.settled(_judged(at, space, new, j, values, screening=True))
        first = np.argsort(screened, axis=1, kind="stable")[:, :_JUDGED]
        new = np.take_along_axis(new, first[:, :, None], axis=1)
        chosen = np.concatenate([chosen, new], axis=1)
        best = np.concatenate([best, _judged(at, space, new, j, values)], axis=1)
        order = np.argsort(ties.settled(best), axis=1, kind="stable")[:, :_TOP]
        best = np.take_along_axis(best, order, axis=1)
        chosen = np.take_along_axis(chosen, order[:, :, None], axis=1)
    return np.asarray(np.minimum(best.min(axis=1), alone))


def search_rows(at: Difference, space: SearchSpace, tried: Array, seed: int) -> Array:
    """Return latent rows among which the best are searched, (n, d)."""
    rng = np.random.default_rng(seed)
    sample = space.sample(_SAMPLE, seed=seed, latent=True)
    trials = filled(space, tried, seed)
    best = trials[ranked(at.bound(space.project(trials), screening=True))[: _TRIALS // 2]]
    others = trials[rng.permutation(len(trials))[: _TRIALS // 2]]
    parents = best[rng.integers(min(len(best), _PARENTS), size=_COPIES)]
    return np.vstack([best, others, changed(space, parents, 0.1, rng), sample])


def best_predicted(at: Difference, space: SearchSpace, parents: Array, j: int, seed: int) -> Array:
    """Return the configuration with the best predicted cost among trials and what is near, (d,).

    Predicted is the mean and half a standard deviation, so that one is not preferred for being
    uncertain.

    Parameters
    ----------
    at : Difference
        Relative to one of the trials.
    space : SearchSpace
        The search space.
    parents : ndarray of shape (n, d)
        Encoded trials in which hyperparameter j is active, the most promising ones.
    j : int
        The hyperparameter's column.
    seed : int
        Seed of the changes.
    """
    rng = np.random.default_rng(seed)
    doubtful = replace(at, kappa=-_DOUBT)

    def moved(rows: Array) -> Array:
        rows = activated(space, rows, j, rng)
        return rows[~np.isnan(space.project(rows)[:, j])]

    found, _ = descended(
        space, filled(space, parents, seed), lambda rows: doubtful.bound(space.project(rows)),
        (0.1, *_STEPS), kept=_PARENTS, children=_CHILDREN, rng=rng, moved=moved,
    )  # fmt: skip
    return np.asarray(space.project(found[:1])[0])


def activated(space: SearchSpace, rows: Array, j: int, rng: np.random.Generator) -> Array:
    """Return latent rows in which hyperparameter j is active, as far as its parents decide it."""
    rows = np.array(rows)
    for parent, codes in space.conditions[j]:
        rows = activated(space, rows, parent, rng)
        parameter = space.parameters[parent]
        if isinstance(parameter, FloatParameter):
            continue
        wrong = np.isnan(rows[:, parent])
        wrong[~wrong] = ~np.isin(parameter.codes(rows[~wrong, parent]), codes)
        category = isinstance(parameter, CategoricalParameter)
        if category:
            listed = space.codes(parent)
            codes = listed[np.isin(listed, codes)]
        drawn = rng.choice(codes, size=int(wrong.sum()))
        rows[wrong, parent] = drawn if category else parameter.encode(drawn.tolist())
    return rows


def _judged(
    at: Difference,
    space: SearchSpace,
    rows: Array,
    j: int,
    values: Array,
    *,
    screening: bool = False,
) -> Array:
    """Return b at rows (G, n, d), whose column j has one of the values (G,), (G, n)."""
    G, n, d = rows.shape
    bounds = _at_values(at, space, rows.reshape(-1, d), j, np.repeat(values, n), screening)
    return bounds.reshape(G, n)


def _at_values(
    at: Difference, space: SearchSpace, rows: Array, j: int, values: Array, screening: bool
) -> Array:
    """Return b at rows whose column j has a value each; infinite where that is not active."""
    rows = np.array(rows)
    rows[:, j] = values
    rows = space.project(rows)
    active: npt.NDArray[np.bool_] = ~np.isnan(rows[:, j])
    bounds = np.full(len(rows), np.inf)
    if active.any():
        bounds[active] = at.bound(rows[active], screening=screening)
    return bounds
