"""Where results come from: how probable it is that a configuration gives one that counts.

A trial gives none that counts if it crashed, gave NaN or an infinity, was pruned without a value,
or violated a constraint. The probability is the posterior mean of a Gaussian process on the labels
0 and 1, by least squares [1]_, with the belief's own kernel and priors. Where failures are spread
at random (a node died), the process takes them for noise, and no hole is left.

References
----------
.. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
   Section 6.5 (least-squares classification).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base import one_blas_thread
from hpo_explain.models.pathwise import Functions, posterior_mean, valued
from hpo_explain.models.product_kernel import Pairs, Prior, posterior
from hpo_explain.space import Array, Bools, SearchSpace

SETTINGS = 8
TEMPER = 0.5
MOST = 500  # trials that it learns from
_USUAL = 0.9  # of trials that gave a result are less safe: many of a converged run lie at a border

PROBABLE = 0.5
"""What is less probable to give a result that counts is not told as an effect."""
PROPOSED = 0.8
"""Of the largest probability: what is less probable is not proposed.

A search that comes to a border makes most of its trials there: without this half of the proposals
failed, with it a sixth, and the best that was found was as good. It is another question than what
may be best: with .75 for both, half of the proposals under constraints failed, and with .85 for
both boxes lost .22 of the way from the median to the best in place of .05 (15 runs).
"""
SAFE = 0.75
"""Of the probability at trials that gave one: what is less probable is not called best.

The best of many places at a border is where the border is believed too far away: among the best
rows of runs whose border is known, half of those with a probability of 0.5 to 0.7 failed."""


@dataclass(frozen=True, eq=False)
class Feasibility:
    """How probable it is that a configuration gives a result that counts.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    functions : tuple of Functions
        The posterior mean of the standardized labels with each setting of the kernel; empty where
        all trials have the same label.
    feasible, infeasible : int
        How many trials gave a result that counts, and how many did not.
    usual : float
        The probability at the safest tenth of the trials that gave one.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> x = np.linspace(0.0, 1.0, 21)[:, None]
    >>> run = Run(space, x, x[:, 0], "maximize", feasible=x[:, 0] < 0.6)
    >>> run.feasibility().probability([[0.2], [0.9]]).round(1).tolist()
    [1.0, 0.0]
    """

    space: SearchSpace
    functions: tuple[Functions, ...]
    feasible: int
    infeasible: int
    usual: float = 1.0

    @classmethod
    def fit(cls, space: SearchSpace, X: Array, feasible: Bools, *, seed: int = 0) -> Feasibility:
        """Learn it from trials.

        Parameters
        ----------
        space : SearchSpace
            The search space.
        X : ndarray of shape (n, d)
            Encoded configurations of the trials.
        feasible : ndarray of bool, shape (n,)
            Which of them gave a result that counts.
        seed : int, default 0
            Seed of the kernel's parameters.
        """
        good = int(np.sum(feasible))
        bad = len(feasible) - good
        if not good or not bad:
            return cls(space, (), good, bad)
        label = np.asarray(feasible, float)
        columns = space.in_own_order(X)
        in_order = np.lexsort((label, *columns.T))
        if len(X) > MOST:
            rng = np.random.default_rng(seed)
            some = np.sort(rng.choice(len(X), MOST, replace=False))
            in_order = in_order[some]
        label, columns = label[in_order], columns[in_order]
        spread = float(label.std()) or 1.0
        categories = space.categories_in_own_order
        prior = Prior(categories, additive=False)
        pairs = Pairs(columns, (label - label.mean()) / spread, prior, TEMPER)
        with one_blas_thread():  # the last digits of sums depend on it
            functions = tuple(
                posterior_mean(columns, pairs, kernel, categories)
                for kernel in posterior(pairs, seed=seed).drawn(SETTINGS)
            )
        fitted = cls(space, functions, good, bad)
        there = fitted.probability(X[np.asarray(feasible, bool)])
        return replace(fitted, usual=float(np.quantile(there, _USUAL)))

    @property
    def rate(self) -> float:
        """The share of trials that gave a result that counts, by the rule of succession."""
        return (self.feasible + 1) / (self.feasible + self.infeasible + 2)

    @property
    def rare(self) -> bool:
        """Whether a result that counts is less probable than not, even where trials gave one."""
        return self.usual < PROBABLE

    def probability(self, X: npt.ArrayLike) -> Array:
        """Return the probability of a result that counts, (n,), at encoded rows (n, d)."""
        rows = self.space.check_rows("X", X)
        if not self.functions or not len(rows):
            return np.full(len(rows), self.rate)
        with one_blas_thread():
            of_each = valued(
                self.functions, self.space.in_own_order(rows), self.space.categories_in_own_order
            )
        mean = np.mean([values[:, 0] for values in of_each], axis=0)
        share = self.feasible / (self.feasible + self.infeasible)
        spread = np.sqrt(share * (1.0 - share))
        return np.asarray(np.clip(share + spread * mean, 0.0, 1.0), float)

    def probable(self, X: Array) -> Bools:
        """Return which encoded rows are safe enough to be proposed, or called best, (n,)."""
        return self.probability(X) >= SAFE * self.usual
