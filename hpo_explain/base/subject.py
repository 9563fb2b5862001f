"""What an explanation is about, the same for every method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hpo_explain.base import chained, trial_number
from hpo_explain.base.checks import check_direction
from hpo_explain.base.facts import Fact, as_facts
from hpo_explain.base.html import plain_json
from hpo_explain.base.numbers import format_values, values_in_words
from hpo_explain.base.options import BETTER, Direction, State, sign_of
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.base.posterior import Order
from hpo_explain.space import Array, FloatParameter, SearchSpace
from hpo_explain.space.support import Support

if TYPE_CHECKING:
    from hpo_explain.belief.trust import Trust
    from hpo_explain.run import Run

LEAST_TRIALS = 5  # of which something is told, and as many as hyperparameters


@dataclass(frozen=True, eq=False)
class Subject:
    """What is explained: the objective of a run, or an acquisition function, through a model.

    Explainers take one, fill in what they know of the model, and every result holds it.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    direction : {"minimize", "maximize"}
        Which way the objective is better.
    objective_name : str
        What the objective is called.
    trial : int or None
        The trial whose configuration is explained; None for any other configuration, and where no
        single one is.
    state : {"running", "waiting", "failed", "pruned", "given", "changed"} or None
        Why the trial has no result, that the configuration was given, or that it was proposed for
        the trial, and a person changed it; None for all else.
    model : str
        The surrogate's label, as in "a GP"; empty where there is none.
    acquisition : str
        The acquisition function's label; empty where the predicted objective is explained.
    assumed : bool
        Whether the acquisition function is assumed (True) or the optimizer's own (False).
    optimizer : str
        What ran the optimization.
    trust : Trust or None
        How well the objective is known, where the belief is explained; None elsewhere.
    tried : ndarray of shape (n, d)
        Encoded configurations of the finished trials; empty where they are not known.
    costs : ndarray of shape (n,)
        Their objectives, negated where the objective is maximized; NaN where infeasible. Empty
        where they are not known.
    incumbent : mapping
        The best feasible configuration, in the user's units; empty where none is known.
    bounds : tuple of (float, float)
        The objective's natural range; infinite where none is known.
    best_left_out : tuple of Fact
        The note that a better trial was left out, as it is outside the space; empty otherwise.
    notes : tuple of Fact
        What was assumed when the model and the acquisition function were chosen.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> Subject(SearchSpace([FloatParameter("x", 0.0, 1.0)]), "maximize").names
    ('x',)
    """

    space: SearchSpace
    direction: Direction = "minimize"
    objective_name: str = "objective"
    trial: int | None = None
    state: State | Literal["given", "changed"] | None = None
    model: str = ""
    acquisition: str = ""
    assumed: bool = True
    optimizer: str = "the optimizer"
    trust: Trust | None = None
    tried: Array = field(default_factory=lambda: np.empty((0, 0)))
    costs: Array = field(default_factory=lambda: np.empty(0))
    incumbent: Mapping[str, Any] = field(default_factory=dict)
    bounds: tuple[float, float] = (-np.inf, np.inf)
    best_left_out: tuple[Fact, ...] = ()
    notes: tuple[Fact, ...] = ()

    def __post_init__(self) -> None:
        check_direction(self.direction)
        if not len(self.tried):
            object.__setattr__(self, "tried", np.empty((0, len(self.space))))

    @classmethod
    def of(
        cls,
        run: Run,
        *,
        trial: int | None = None,
        state: State | Literal["given", "changed"] | None = None,
        assumed: bool = True,
        notes: Iterable[Fact | str] = (),
    ) -> Subject:
        """Return what explanations of a run are about."""
        return cls(
            space=run.space,
            direction=run.direction,
            objective_name=run.objective_name,
            trial=trial,
            state=state,
            assumed=assumed,
            optimizer=run.optimizer,
            tried=run.X,
            costs=np.where(run.feasible, run.cost, np.nan),
            incumbent=run.incumbent if run.feasible is not None and run.feasible.any() else {},
            bounds=run.bounds or (-np.inf, np.inf),
            best_left_out=run.best_left_out,
            notes=as_facts([*run.model_notes, *notes]),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.space.names

    @property
    def too_few(self) -> str:
        """That nothing is told from so few trials, in a sentence; empty where they are enough."""
        n = len(self.tried)
        n_varying = sum(len(np.unique(x[~np.isnan(x)])) > 1 for x in self.tried.T)
        if not n or n >= max(LEAST_TRIALS, n_varying):
            return ""
        return f"{counted(n, 'trial')}: too few to tell what matters."

    @cached_property
    def support(self) -> Support | None:
        """Where the finished trials lie, if they are known."""
        return Support(self.space, self.tried) if len(self.tried) else None

    def sub_space(self, restricted: Mapping[str, Sequence[Any]]) -> str:
        """Return a part of the space in words; empty for the whole space."""
        return join_words(
            [
                f"{name} between {join_words(format_values(values))}"
                if isinstance(self.space[name], FloatParameter)
                else f"{name} in {{{values_in_words(values)}}}"
                for name, values in restricted.items()
            ]
        )

    @property
    def better_outside(self) -> str:
        """What stands in brackets after the best trial where a better one was left out."""
        outside = map(join_words, ([*map(trial_number, n.trials)] for n in self.best_left_out))
        return chained(
            part
            for trials in outside
            for part in (" (trial ", trials, " is better, outside the space)")
        )

    @property
    def sign(self) -> float:
        """What makes a cost of the objective, where smaller is better."""
        return sign_of(self.direction)

    @property
    def lower_is_better(self) -> bool:
        """Whether smaller values of what is explained are better: an acquisition's never are."""
        return self.direction == "minimize" and not self.acquisition

    @property
    def value_sign(self) -> float:
        """What makes a cost of a value of what is explained."""
        return 1.0 if self.lower_is_better else -1.0

    @property
    def better(self) -> str:
        """Which values of what is explained are better: "lower" or "higher"."""
        return BETTER["minimize" if self.lower_is_better else "maximize"]

    @property
    def best_first(self) -> Order:
        """Which of several values of what is explained comes first."""
        return "smallest" if self.lower_is_better else "largest"

    def to_dict(self) -> dict[str, Any]:
        """Return what is explained as plain values that `json.dumps` accepts."""
        return {
            "trial": self.trial,
            "state": self.state,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "model": self.model,
            "acquisition": self.acquisition,
            "assumed": self.assumed,
            "optimizer": self.optimizer,
            "trust": None if self.trust is None else plain_json(self.trust.to_dict()),
        }
