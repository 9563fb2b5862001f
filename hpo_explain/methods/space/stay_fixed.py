"""What can stay at the incumbent's values and leave what can still be gained.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
θ⁺         the incumbent
Θ          configurations that may be the best: of low lower confidence bound, tried ones,
           and lines through the best of both
f          a draw of the cost from the joint posterior, noise excluded
gain       ``f(θ⁺) - min f(Θ)``: what can still be gained
loss(F)    ``min f(Θ with F as in θ⁺) - min f(Θ)``: what is lost by fixing F
=========  ============================================================================

F can stay fixed if at least 98 % of the draws lose at most a tenth of the gain, or next to nothing
beside what the cost varies by, and if most other values of each were tried. Shares of variance
cannot tell this: what explains little of the whole may decide all that is left to gain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.asked.explained import Explained
from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.posterior import normal_draws
from hpo_explain.base.subject import Subject
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array, CategoricalParameter, SearchSpace, Ties, ranked

_OF_GAIN = 0.1
_OF_SPREAD = 0.02  # of the standard deviation of the prediction over the space
_CERTAIN = 0.98  # share of the draws
_TRIED_SHARE = 0.8  # of a hyperparameter's values: what they might bring is known
_DRAWS = 200
_FAILURES = 3  # so many that cannot be added: the others are not looked at
_SAMPLE = 2000
_KAPPAS = (0.0, 1.0, 2.0)  # of the lower confidence bounds
_LOW, _TRIED, _STARTS, _OPTIMA = 30, 15, 12, 4
_ROUNDS = 30
_ON_A_LINE = 7
_MOST_LINES = 30


def stay_fixed(model: Surrogate, subject: Subject, seed: int) -> tuple[str, ...] | None:
    """Return the hyperparameters that can certainly stay fixed, all at once, at the incumbent.

    Those with a single value are left out.

    Parameters
    ----------
    model : Surrogate
        The model of the objective.
    subject : Subject
        With the incumbent and the trials.
    seed : int
        Seed of the candidates and of the draws.

    Returns
    -------
    tuple of str, or None
        For a model with a joint posterior, if an incumbent is known.
    """
    explained = Explained.of(model, subject.direction)
    space = subject.space
    if not subject.incumbent or explained.covariance(space.sample(2, seed=seed)) is None:
        return None
    # many small factorizations: several threads would mostly wait for each other
    with one_blas_thread():
        return _found(model, explained, subject, seed)


def _found(model: Surrogate, explained: Explained, subject: Subject, seed: int) -> tuple[str, ...]:
    space = subject.space
    incumbent = space.encode(subject.incumbent)[0]
    pool = _Pool(model, explained, subject, incumbent, seed)
    values = {name: [value] for name, value in subject.incumbent.items()}
    support = subject.support
    tried = [
        name
        for name in values
        if space[name].size != 1  # of a single value it is said already
        and not subject.untried({name: values[name]})
        and (support is None or support.share(name) >= _TRIED_SHARE)
    ]
    columns = [j for j in space.order.tolist() if space.names[j] in tried]
    losses = np.array([pool.mean_loss([j]) for j in columns])
    fixed: list[int] = []
    failures = 0
    for j in [columns[i] for i in ranked(losses)]:
        if pool.certain([*fixed, j]):
            fixed.append(j)
        elif (failures := failures + 1) == _FAILURES:
            break
    return tuple(name for j, name in enumerate(space.names) if j in fixed)


class _Pool:
    """Configurations that may be the best, and what fixing some of their values costs."""

    def __init__(
        self, model: Surrogate, explained: Explained, subject: Subject, incumbent: Array, seed: int
    ) -> None:
        self._model, self._explained = model, explained
        self._space, self._incumbent = subject.space, incumbent
        self._seed = seed
        rng = np.random.default_rng(seed)
        drawn = self._space.sample(_SAMPLE, seed=seed, latent=True)
        mean, std = self._predicted(drawn)
        self._nothing = _OF_SPREAD * float(mean.std())
        start = [drawn[ranked(mean - k * std)[:_STARTS]] for k in _KAPPAS]
        tried = self._complete(_best_tried(subject), drawn)
        optima = [
            self._descended(np.vstack([rows, tried[:_OPTIMA]]), k, rng)[:_OPTIMA]
            for rows, k in zip(start, _KAPPAS, strict=True)
        ]
        own = self._complete(incumbent[None, :], optima[0][:1])
        low = drawn[ranked(mean - _KAPPAS[-1] * std)[:_LOW]]
        lines = _lines(self._space, [own[0], *(rows[0] for rows in optima)])
        self._rows = np.vstack([own, low, tried, *optima, lines])

    def mean_loss(self, fixed: Sequence[int]) -> float:
        """Return what fixing some columns loses by the mean."""
        cost = self._explained.sign * self._explained(self._both(fixed))
        n = len(self._rows)
        return float(min(cost[n:].min(), cost[0]) - min(cost.min(), cost[0]))

    def certain(self, fixed: Sequence[int]) -> bool:
        """Return whether fixing some columns certainly leaves most of what can be gained."""
        rows = self._both(fixed)
        K = self._explained.covariance(rows)
        if K is None:
            return False
        cost = self._explained.sign * normal_draws(self._explained(rows), K, _DRAWS, self._seed)
        best = cost.min(axis=0)
        kept = np.minimum(cost[len(self._rows) :].min(axis=0), cost[0])
        enough = np.maximum(_OF_GAIN * (cost[0] - best), self._nothing)
        return float(np.mean(kept - best <= enough)) >= _CERTAIN

    def _both(self, fixed: Sequence[int]) -> Array:
        """Return the pool, the incumbent first, and the same with some columns fixed."""
        changed = self._rows.copy()
        changed[:, list(fixed)] = self._incumbent[list(fixed)]
        rows = self._space.project(np.vstack([self._rows, changed]))
        rows[0] = self._incumbent
        return rows

    def _predicted(self, rows: Array) -> tuple[Array, Array]:
        """Return mean and standard deviation of the cost."""
        mean, std = self._model.predict(self._space.project(rows))
        return self._explained.sign * mean, std

    def _complete(self, rows: Array, others: Array) -> Array:
        """Return rows in which what is inactive has a value, for where it becomes active."""
        return np.where(np.isnan(rows), np.resize(others, rows.shape), rows)

    def _descended(self, rows: Array, kappa: float, rng: np.random.Generator) -> Array:
        """Return rows moved to lower confidence bounds by a random search, the lowest first."""
        mean, std = self._predicted(rows)
        ties, step = Ties.among(mean - kappa * std), 0.15
        bound = ties.settled(mean - kappa * std)
        for _ in range(_ROUNDS):
            moved = self._moved(rows, step, rng)
            mean, std = self._predicted(moved)
            found = ties.settled(mean - kappa * std)
            rows = np.where((found < bound)[:, None], moved, rows)
            bound = np.minimum(found, bound)
            step *= 0.92
        return rows[np.argsort(bound, kind="stable")]

    def _moved(self, rows: Array, step: float, rng: np.random.Generator) -> Array:
        moved = rows.copy()
        drawn = self._space.sample(len(rows), seed=int(rng.integers(2**31)), latent=True)
        for j in self._space.order.tolist():
            parameter = self._space.parameters[j]
            if isinstance(parameter, CategoricalParameter):
                moved[:, j] = np.where(rng.random(len(rows)) < 0.2, drawn[:, j], rows[:, j])
                continue
            change = step * rng.standard_normal(len(rows)) * (rng.random(len(rows)) < 0.6)
            position = np.clip(rows[:, j] + change, 0.0, 1.0)
            moved[:, j] = parameter.nearest(position)
        return moved


def _best_tried(subject: Subject) -> Array:
    """Return the best of the trials, encoded."""
    costs = np.where(np.isfinite(subject.costs), subject.costs, np.inf)
    return subject.tried[ranked(costs)[:_TRIED]]


def _lines(space: SearchSpace, centres: Sequence[Array]) -> Array:
    """Return rows along every hyperparameter through some centres."""
    rows = []
    most = max(1, _MOST_LINES // len(space))
    for centre in centres[:most]:
        for j in space.order.tolist():
            parameter = space.parameters[j]
            few = parameter.size is not None and parameter.size <= _ON_A_LINE
            n = parameter.size or _ON_A_LINE if few else _ON_A_LINE
            line = np.repeat(centre[None, :], n, axis=0)
            line[:, j] = parameter.from_latent((np.arange(n) + 0.5) / n)
            rows.append(line)
    return np.vstack(rows)
