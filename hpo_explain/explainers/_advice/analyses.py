"""What advice rests on: the analyses of a run, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from hpo_explain.diagnostics._trust import Trust
from hpo_explain.explanations.recommended_space import Recommendation
from hpo_explain.explanations.subspace import Subspace
from hpo_explain.methods.effects.effect_result import PartialDependence
from hpo_explain.run import Run


def believed(trust: Trust) -> bool:
    """Return whether the model is good enough anywhere: over the space, or among good trials."""
    return trust.everywhere.enough or trust.good_region.enough


class Analyses(Protocol):
    """The analyses of a run; one for which there is nothing raises `NothingToExplain`."""

    @property
    def run(self) -> Run:
        """The run."""
        ...

    @property
    def trust(self) -> Trust:
        """Whether the surrogate of all trials is good enough to be explained."""
        ...

    def effect(self, name: str) -> PartialDependence:
        """Return the partial dependence on a hyperparameter."""
        ...

    @property
    def recommended_space(self) -> Recommendation:
        """A narrower space."""
        ...

    @property
    def subspace(self) -> Subspace:
        """What can stay fixed."""
        ...

    @property
    def experiments(self) -> Sequence[Mapping[str, Any]]:
        """The trials that would narrow the most important effect most; empty where unknown."""
        ...
