"""What results on axes of hyperparameters know of their scales."""

from __future__ import annotations

from dataclasses import dataclass

from hpo_explain.explanations.result import Result
from hpo_explain.space import CategoricalParameter


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OnAxes(Result):
    """A result over values of one or several hyperparameters, an axis for each."""

    names: tuple[str, ...]

    @property
    def log(self) -> tuple[bool, ...]:
        """Whether each hyperparameter's own scale is logarithmic."""
        return tuple(getattr(self.subject.space[name], "log", False) for name in self.names)

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Whether each hyperparameter is categorical."""
        space = self.subject.space
        return tuple(isinstance(space[name], CategoricalParameter) for name in self.names)
