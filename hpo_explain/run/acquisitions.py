"""The acquisition function by which a proposal is explained: the optimizer's own, or another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hpo_explain.base import Direction, Fact, InputError, as_facts, fact, set_fields
from hpo_explain.models import (
    Acquisition,
    ExpectedImprovement,
    LogExpectedImprovement,
    LowerConfidenceBound,
    MeanResponse,
    ProbabilityOfImprovement,
    StandardError,
    SupportsAnotherModel,
    Surrogate,
)


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
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> from hpo_explain.models import LowerConfidenceBound
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> run = Run(space, [[0.2], [0.7], [0.4]], [3.0, 1.0, 2.0], "minimize")
    >>> bound = LowerConfidenceBound(run.surrogate(), kappa=2.0)
    >>> [str(note) for note in OwnAcquisition(bound, ("inferred from the settings",)).notes]
    ['inferred from the settings']
    """

    acquisition: Acquisition
    notes: tuple[Fact, ...] = ()

    def __post_init__(self) -> None:
        set_fields(self, notes=as_facts(self.notes))


class OptimizerRecord(Protocol):
    """What only the framework knows; an adapter puts one into the run."""

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the optimizer's own model when it proposed trial `before`, None if unknown."""
        ...

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return the optimizer's own acquisition for trial `before`, None if unknown."""
        ...


@runtime_checkable
class KnowsWhyNot(Protocol):
    """A record that says why there is no acquisition of the optimizer's own."""

    def why_not(self, before: int | None) -> Fact | None:
        """Return why trial `before` has no acquisition; None if it has one."""
        ...


_IMPROVEMENTS: dict[str, Callable[..., Acquisition]] = {
    "ei": ExpectedImprovement,
    "pi": ProbabilityOfImprovement,
    "logei": LogExpectedImprovement,
}
_OF_PREDICTIONS: dict[str, Callable[..., Acquisition]] = {"mean": MeanResponse, "se": StandardError}


def acquisition_assumed(optimizer: str, criterion: str, model: str, why: Fact | None) -> Fact:
    """Return that a criterion is assumed, and why the optimizer's own is not known."""
    if why is None:
        return fact(f"the acquisition function of {optimizer} is unknown: {criterion} is assumed")
    return fact(why, f"; {model} with {criterion} is assumed")


@dataclass(frozen=True, eq=False)
class ChosenAcquisition:
    """An acquisition function, whose it is, and how that is known.

    Attributes
    ----------
    acquisition : Acquisition
        The acquisition function.
    assumed : bool
        Whether it is assumed (True) or the optimizer's own (False).
    notes : tuple of Fact
        What was assumed, or how the optimizer's own is known.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> run = Run(space, [[0.2], [0.7], [0.4]], [3.0, 1.0, 2.0], "minimize")
    >>> chosen = run.chosen_acquisition(before=2)
    >>> chosen.acquisition.label, chosen.assumed
    ('LCB (κ = 1.96)', True)
    """

    acquisition: Acquisition
    assumed: bool = True
    notes: tuple[Fact, ...] = ()

    def through(self, surrogate: Surrogate, direction: Direction) -> ChosenAcquisition:
        """Return the same criterion through another model.

        Where the acquisition function has no surrogate it is the confidence bound with κ = 1.96.

        Raises
        ------
        ValueError
            If the model is of another space.
        """
        names = surrogate.space.names
        own_names = self.acquisition.space.names
        if names != own_names:
            raise InputError(
                "surrogate",
                f"is a model of {list(names)}, but the run has {list(own_names)}",
                surrogate,
                "Fit it on the run's space.",
            )
        built: Acquisition = LowerConfidenceBound(surrogate, direction=direction)
        if isinstance(self.acquisition, SupportsAnotherModel):
            built = self.acquisition.through(surrogate)
        view = f"another model's view: {built.label} through the surrogate that was given"
        return ChosenAcquisition(built, True, (fact(view),))


def criterion_of(name: str, surrogate: Surrogate, best: float, direction: Direction) -> Acquisition:
    """Return the criterion of a name; "auto" is the confidence bound.

    Parameters
    ----------
    name : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"}
        The name.
    surrogate : Surrogate
        The model of the objective.
    best : float
        The best objective so far, in the user's units.
    direction : {"minimize", "maximize"}
        Direction of the objective.
    """
    if name in _IMPROVEMENTS:
        return _IMPROVEMENTS[name](surrogate, best=best, direction=direction)
    return _OF_PREDICTIONS.get(name, LowerConfidenceBound)(surrogate, direction=direction)
