"""Bayesian optimization as mlrMBO does it, which Moosbauer et al. (2021) and Croppi (2021) use.

A Gaussian process with a *product* of one-dimensional Matérn-3/2 kernels (:mod:`dice_kriging`), the
lower confidence bound m - τ·s (Moosbauer et al. print a plus; Croppi calls τ λ), optimized by focus
search with mlrMBO's 3 restarts of 5 rounds of 1,000 points. mlrMBO searches the likelihood's global
maximum; here it is maximized from several starts, up to 40 trials and at every fifth proposal, and
from the last model's parameters otherwise. A single start finds other length-scales, and other
proposals. The model of every proposal is kept.

The papers' programs set R's seed before they draw an initial design. :func:`r_uniform` draws as R
does, so that designs can be theirs.

Bischl, B. et al. (2017). mlrMBO: a modular framework for model-based optimization of expensive
black-box functions. https://arxiv.org/abs/1703.03373
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.distance import pdist

import hpo_explain as hx
from examples.papers.dice_kriging import DiceKriging
from hpo_explain.run import OwnAcquisition


@dataclass(frozen=True, eq=False)
class Bounds:
    """What the optimizer knew: the confidence bound of a model of all earlier trials.

    A model that is not among those kept, by the number of its trials, is fitted.
    """

    space: hx.SearchSpace
    X: np.ndarray
    objective: np.ndarray
    lam: float
    models: dict[int, hx.models.Surrogate] = field(default_factory=dict)

    def surrogate(self, before: int | None) -> hx.models.Surrogate:
        """Return the model of the trials before one."""
        n = len(self.X) if before is None else before
        if n not in self.models:
            self.models[n] = DiceKriging(self.space, self.X[:n], self.objective[:n])
        return self.models[n]

    def acquisition(self, before: int | None) -> OwnAcquisition:
        """Return its confidence bound."""
        bound = hx.models.LowerConfidenceBound(self.surrogate(before), kappa=self.lam)
        return OwnAcquisition(bound)


def minimize(
    objective: Callable[[np.ndarray], float],
    space: hx.SearchSpace,
    design: np.ndarray,
    *,
    n_trials: int,
    lam: float,
    nugget: float | None = None,
    seed: int = 0,
) -> hx.Run:
    """Return the run of a minimization from encoded rows; a nugget of None is estimated."""
    rng = np.random.default_rng(seed)
    X, y = design.copy(), np.array([objective(row) for row in design])
    models: dict[int, hx.models.Surrogate] = {}
    model = None
    while True:
        starts = 4 if len(y) < 40 or len(y) % 5 == 0 else 1
        model = DiceKriging(space, X, y, starts=starts, nugget=nugget, before=model)
        models[len(y)] = model
        if len(y) == n_trials:
            return run_of(space, X, y, len(design), lam, models)
        row = focus_search(model, lam, space, rng)
        X, y = np.vstack([X, row]), np.append(y, objective(row))


def run_of(
    space: hx.SearchSpace,
    X: np.ndarray,
    y: np.ndarray,
    initial: int,
    lam: float,
    models: dict[int, hx.models.Surrogate] | None = None,
) -> hx.Run:
    """Return trials as a run whose proposals have been made by a confidence bound."""
    made = {"proposals": range(initial, len(X)), "optimizer": "mlrMBO"}
    return hx.Run(space, X, y, "minimize", record=Bounds(space, X, y, lam, models or {}), **made)


def focus_search(
    model: DiceKriging, lam: float, space: hx.SearchSpace, rng: np.random.Generator
) -> np.ndarray:
    """Return the encoded row of the lowest bound, of random ones in boxes that halve around it."""
    found = []
    for _ in range(3):
        low, high = np.zeros(len(space)), np.ones(len(space))
        for _ in range(5):
            latent = rng.uniform(low, high, (1000, len(space)))
            tried = space.from_latent(latent)
            best, bound = model.lowest_bound(tried, lam)
            found.append((bound, tried[best]))
            quarter = (high - low) / 4.0
            low = np.maximum(low, latent[best] - quarter)
            high = np.minimum(high, latent[best] + quarter)
    return min(found, key=lambda one: one[0])[1]


def cube(d: int, low: float = 0.0, high: float = 1.0) -> hx.SearchSpace:
    """Return a space of d numbers, x1 to xd, in the same range."""
    return hx.SearchSpace([hx.FloatParameter(f"x{j}", low, high) for j in range(1, d + 1)])


def spread_out(space: hx.SearchSpace, n: int, seed: int, tries: int = 200) -> np.ndarray:
    """Return the Latin hypercube, of some tries, whose closest rows are farthest apart."""
    cubes = (space.sample(n, seed=tries * seed + k) for k in range(tries))
    return max(cubes, key=lambda X: pdist(X).min())


def r_uniform(seed: int) -> Callable[[int], np.ndarray]:
    """Return a function that draws numbers as R's ``runif`` does after ``set.seed``."""
    state = [seed]
    for _ in range(675):  # Matsumoto's generator, whose state R fills with a congruential one
        state.append((69069 * state[-1] + 1) % 2**32)
    rng = np.random.RandomState()
    rng.set_state(("MT19937", np.array(state[-624:], dtype=np.uint32), 624))
    return lambda n: np.frombuffer(rng.bytes(4 * n), dtype="<u4") * 2.3283064365386963e-10


def r_latin(n: int, d: int, seed: int) -> np.ndarray:
    """Return the Latin hypercube that R's ``lhs::randomLHS`` draws after ``set.seed``, (n, d)."""
    draw = r_uniform(seed)
    ranks = np.column_stack([np.argsort(draw(n)) for _ in range(d)])
    return (ranks + draw(n * d).reshape(n, d)) / n
