"""What only the framework knows about its optimizer: its own model and acquisition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hpo_explain.base.facts import Fact, as_facts
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class OwnAcquisition:
    """The acquisition the optimizer itself used, and how that is known.

    Attributes
    ----------
    acquisition : Acquisition
        The acquisition function.
    notes : tuple of Fact
        How it is known; empty where it is on record. A text becomes a fact.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, LowerConfidenceBound, Run, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> run = Run(space, [[0.2], [0.7], [0.4]], [3.0, 1.0, 2.0], "minimize")
    >>> bound = LowerConfidenceBound(run.surrogate(), kappa=2.0)
    >>> [str(note) for note in OwnAcquisition(bound, ("inferred from the settings",)).notes]
    ['inferred from the settings']
    """

    acquisition: Acquisition
    notes: tuple[Fact, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", as_facts(self.notes))


class OptimizerRecord(Protocol):
    """What only the framework knows; an adapter puts one into the run."""

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the optimizer's own model when it proposed trial `before`, None if unknown."""
        ...

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return the optimizer's own acquisition for trial `before`, None if unknown."""
        ...


@runtime_checkable
class KnowsRegret(Protocol):
    """A record whose framework bounds the regret: how much better the optimum may be."""

    def regret_bound(self, trials: Sequence[int], objective: Array) -> float | None:
        """Return the framework's own bound for these trials; None where it does not apply."""
        ...


@runtime_checkable
class KnowsWhyNot(Protocol):
    """A record that says why there is no acquisition of the optimizer's own."""

    def why_not(self, before: int | None) -> Fact | None:
        """Return why trial `before` has no acquisition; None if it has one."""
        ...
