"""What explainers of a model have in common: the model, its direction, the subject and the seed."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

from hpo_explain.base import Direction, Subject, check_seed, set_fields
from hpo_explain.models import Acquisition, Surrogate, as_surrogate
from hpo_explain.question import Explained
from hpo_explain.space import SearchSpace


@dataclass(frozen=True, eq=False)
class Explainer:
    """Explains a surrogate of the objective, or an acquisition in its place.

    Parameters
    ----------
    surrogate : Surrogate or Acquisition
        The model of the objective, or an acquisition to explain in its place.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective; an acquisition is larger where it is better.
    subject : Subject, optional
        Names for plots and sentences, such as ``Subject.of(run)``; by default made from the model
        and `direction`.
    space : SearchSpace, optional
        The search space, for a model of your own.
    seed : int, default 0
        Seed of all random draws.

    Raises
    ------
    ValueError
        If `surrogate` is not a model or an acquisition function, or an option is not allowed.
    """

    surrogate: Surrogate | Acquisition | Any
    _: KW_ONLY
    direction: Direction = "minimize"
    subject: Subject | None = None
    space: SearchSpace = None  # type: ignore[assignment]
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.space is not None:
            set_fields(self, surrogate=as_surrogate(self.surrogate, self.space))
        set_fields(self, space=self.explained.space)
        # what is wrong with the model is said before it is asked
        _ = self.about

    @cached_property
    def explained(self) -> Explained:
        """What the model predicts, in the units in which it is shown."""
        subject = self.subject
        return Explained.of(
            self.surrogate, self.direction if subject is None else subject.direction
        )

    @cached_property
    def about(self) -> Subject:
        """What is explained, with all that is known of the model."""
        return self.explained.completed(self.subject)
