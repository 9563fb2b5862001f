"""Criteria of mean and standard deviation, whose gains are shared between the two.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
a(m, s)     the criterion at a mean and a standard deviation, the sum of its terms
0, 1        before and after a hyperparameter joins a coalition
G           its gain ``a(m₁, s₁) - a(m₀, s₀)``
D           ``a(m₁, s₀) - a(m₀, s₁)``
==========  ============================================================================

Averaged over which of the two changes first, the change of the mean earns
``½ [a(m₁, s₀) - a(m₀, s₀) + a(m₁, s₁) - a(m₀, s₁)] = (G + D) / 2``, that of the standard deviation
``(G - D) / 2``: the Shapley values of a game of two players. For the confidence bound these are its
two terms, as in Eq. 8 of [1]_.

References
----------
.. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
   LMU Munich.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from hpo_explain.models.acquisition.protocols import Acquisition, OfPredictions, SurrogateBased
from hpo_explain.models.own_model import mean_and_std
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array, SearchSpace

PREDICTED = ("predicted mean", "predicted std")
_SEPARATE = {"mean", "uncertainty"}  # each of one prediction alone


@runtime_checkable
class Split(Acquisition, Protocol):
    """A criterion whose last terms are the predictions that it is made of.

    The first `own` terms are those of the criterion; then come those of `PREDICTED`, and others if
    it needs more to be computed again.
    """

    @property
    def own(self) -> int:
        """How many terms the criterion has."""
        ...

    def crossed(self, before: Mapping[str, Array], after: Mapping[str, Array]) -> Array:
        """Return D from the terms at two configurations, of the shape of each term."""
        ...


@dataclass(frozen=True, eq=False)
class SplitCriterion:
    """A criterion of a surrogate's predictions, with these as further terms.

    Attributes
    ----------
    criterion : SurrogateBased
        The criterion.
    surrogate : Surrogate
        The model whose predictions it takes.
    of_predictions : callable
        Returns its terms at means and standard deviations.
    """

    criterion: SurrogateBased
    surrogate: Surrogate
    of_predictions: Callable[[Array, Array], dict[str, Array]]

    @property
    def own(self) -> int:
        """How many terms the criterion has."""
        return len(self.criterion.term_names)

    @property
    def term_names(self) -> tuple[str, ...]:
        """The criterion's terms, and its predictions."""
        return (*self.criterion.term_names, *PREDICTED)

    @property
    def label(self) -> str:
        """Name of the criterion with its settings."""
        return self.criterion.label

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self.surrogate.space

    @property
    def direction(self) -> str:
        """Whether the objective is minimized or maximized."""
        return self.criterion.direction

    def terms(self, X: Array) -> dict[str, Array]:
        """Return each of ``term_names``, (n,), at encoded rows (n, d)."""
        return self.terms_of(*mean_and_std(self.surrogate, X))

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective."""
        std = np.nan_to_num(std)  # of a model without uncertainty
        predicted = dict(zip(PREDICTED, (mean, std), strict=True))
        return {**self.of_predictions(mean, std), **predicted}

    def crossed(self, before: Mapping[str, Array], after: Mapping[str, Array]) -> Array:
        """Return ``a(m₁, s₀) - a(m₀, s₁)``."""
        mean, std = PREDICTED
        return self._utility(after[mean], before[std]) - self._utility(before[mean], after[std])

    def _utility(self, mean: Array, std: Array) -> Array:
        terms = self.of_predictions(mean, std)
        return np.asarray(sum(terms.values()))


def split_of(acquisition: Acquisition) -> Split | None:
    """Return a criterion of mean and standard deviation with these as further terms.

    None where the terms are of one of them alone already, or of neither. An acquisition that is a
    criterion of other predictions than its surrogate's says itself how it is split.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> split_of(hx.models.LogExpectedImprovement(run.surrogate(), best=1.0)).term_names
    ('log expected improvement', 'predicted mean', 'predicted std')
    >>> split_of(hx.models.LowerConfidenceBound(run.surrogate())) is None
    True
    """
    if hasattr(acquisition, "split"):
        own: Split = acquisition.split()
        return own
    if not isinstance(acquisition, OfPredictions):
        return None
    if _SEPARATE.issuperset(acquisition.term_names):
        return None
    return SplitCriterion(acquisition, acquisition.surrogate, acquisition.terms_of)
