"""What to do next: actions that the claims support, what is expected to bring most first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from hpo_explain.base.checks import check_option
from hpo_explain.base.claim import Claim
from hpo_explain.base.edge import frameworks, words
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.space import CategoricalParameter, Parameter, SearchSpace

if TYPE_CHECKING:
    import pandas as pd

ActionKind: TypeAlias = Literal[
    "narrow",
    "fix",
    "widen",
    "rescale",
    "try",
    "explore",
    "experiment",
    "repeat",
    "branch",
    "beware",
    "stop",
    "go_on",
    "wait",
]
"""What can be advised: see `Action`."""

Which: TypeAlias = Literal["all", "first"]
"""Which actions are applied, where they are not named one by one."""


@dataclass(frozen=True, eq=False, repr=False)
class Action:
    """Something to do next.

    Attributes
    ----------
    kind : str
        "narrow" (search smaller ranges, or fewer categories), "fix" (keep hyperparameters at one
        value), "widen" (search larger ranges), "rescale" (search on another scale), "try" (evaluate
        a configuration), "explore" (evaluate configurations far from all trials), "experiment"
        (evaluate configurations that tell most), "repeat" (evaluate trials again), "branch" (a
        category of a conditional space deserves more trials, or none), "beware" (what trials fail
        of, or what was forgotten), "stop", "go_on", or "wait" (for more trials).
    hyperparameters : tuple of str
        What it is about.
    values : tuple
        The new range, set of categories, or value of each, in the user's units.
    gain : float
        Expected improvement of the best objective, in its units, never negative where the action
        helps; NaN where it is not known. What it is compared with stands in the evidence.
    interval : tuple of (float, float) or None
        Where the improvement lies with 90 % probability, under the model.
    certain : bool
        Whether the claims that it follows from are certain.
    evidence : tuple of Fact
        What speaks for it.
    parameters : tuple of Parameter
        The hyperparameters as they should be searched from now on.
    configurations : tuple of mapping
        What to evaluate, in the user's units.
    times : int
        How often to evaluate each.
    trials : tuple of int
        The trials that it is about.
    framework : str
        What ran the optimization, whose code `code` is: "optuna", "skopt", or empty.

    Examples
    --------
    >>> action = Action("try", ("lr",), (0.01,), configurations=({"lr": 0.01},), framework="optuna")
    >>> print(action.code)
    study.enqueue_trial({'lr': 0.01})
    """

    kind: ActionKind
    hyperparameters: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    gain: float = float("nan")
    interval: tuple[float, float] | None = None
    certain: bool = False
    evidence: tuple[Fact, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    configurations: tuple[Mapping[str, Any], ...] = ()
    times: int = 1
    trials: tuple[int, ...] = ()
    framework: str = ""

    @property
    def title(self) -> str:
        """What to do, as an order."""
        return str(words().action_title(self))

    @property
    def reason(self) -> str:
        """The evidence in words."""
        return str(words().action_reason(self))

    @property
    def code(self) -> str:
        """Python to paste, for the framework that the run came from; empty where none is needed."""
        return str(words().action_code(self))

    def __str__(self) -> str:
        return f"{self.title}. {self.reason}"

    def __repr__(self) -> str:
        return f"<Action: {self.title}>"


def changed_to(kind: ActionKind, parameters: Sequence[Parameter], **known: Any) -> Action:
    """Return an action that has hyperparameters searched otherwise from now on."""
    return Action(
        kind,
        tuple(parameter.name for parameter in parameters),
        tuple(values_of(parameter) for parameter in parameters),
        parameters=tuple(parameters),
        **known,
    )


def values_of(parameter: Parameter) -> Any:
    """Return the choices, both ends of the range, or the only value of a hyperparameter."""
    if isinstance(parameter, CategoricalParameter):
        return parameter.choices if len(parameter.choices) > 1 else parameter.choices[0]
    ends = (parameter.low, parameter.high)
    return ends if ends[0] < ends[1] else ends[0]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Advice(Result):
    """What to do next, a handful of actions at most, each with its evidence.

    Attributes
    ----------
    actions : tuple of Action
        What to do, what is expected to bring most first.
    space : SearchSpace
        The space to search on in, after all actions.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> advice = hx.advise(hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize"))
    >>> advice.actions[0].kind, advice.actions[0].evidence[1].names  # nothing is left near 0.2
    ('explore', ('x',))
    """

    scope: ClassVar[Scope] = "good_region"
    actions: tuple[Action, ...]
    space: SearchSpace

    @property
    def claims(self) -> tuple[Claim, ...]:
        """One per action, what is expected to bring most first."""
        return tuple(
            Claim(
                "action",
                action.hyperparameters,
                action.values,
                estimate=action.gain,
                interval=action.interval,
                certain=action.certain,
                because=action.evidence,
                term=action.kind,
            )
            for action in self.actions
        )

    def chosen(self, actions: Which | Sequence[Action | int] = "all") -> tuple[Action, ...]:
        """Return some of the actions: all, the first, or those named by themselves or by place.

        Raises
        ------
        InputError
            If one is not among them.
        """
        if isinstance(actions, str):
            check_option("actions", actions, ("all", "first"))
            return self.actions if actions == "all" else self.actions[:1]
        return tuple(self._one(action) for action in actions)

    def _one(self, action: Action | int) -> Action:
        places = range(len(self.actions))
        if isinstance(action, int) and not isinstance(action, bool) and action in places:
            return self.actions[action]
        if isinstance(action, Action) and any(action is own for own in self.actions):
            return action
        raise InputError(
            "actions",
            f"must be 'all', 'first', or some of the {len(self.actions)} actions of this advice or "
            f"their places, but one was {action!r}",
            action,
            "Take them from advice.actions.",
        )

    def only(self, actions: Which | Sequence[Action | int]) -> Advice:
        """Return the advice with some of its actions only."""
        return replace(self, actions=self.chosen(actions))

    def apply(
        self, source: Any, actions: Which | Sequence[Action | int] = "all", **options: Any
    ) -> Any:
        """Return the optimization as it goes on with the actions; what is given stays as it is.

        Parameters
        ----------
        source : optuna.Study or skopt result
            The optimization that is advised.
        actions : {"all", "first"} or sequence of Action or int, default "all"
            Which actions to follow; numbers are places in `actions`.
        **options
            Options of the adapter: ``storage=`` and ``study_name=`` of Optuna's new study.

        Returns
        -------
        optuna.Study or dict
            A new study with all old trials, which searches the space advised with the same
            objective: ``study.optimize(objective)``. Of skopt's result the arguments by which it
            goes on: ``skopt.gp_minimize(objective, **found)``.

        Raises
        ------
        InputError
            If the source is neither, or an action is not among the advice's.
        """
        return frameworks().apply_advice(self.only(actions), source, **options)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per action: kind, what to do, expected gain and its interval, certain."""
        import pandas as pd

        low_high = [action.interval or (None, None) for action in self.actions]
        return pd.DataFrame(
            {
                "action": [action.kind for action in self.actions],
                "what": [action.title for action in self.actions],
                "gain": [action.gain for action in self.actions],
                "lower": [low for low, _ in low_high],
                "upper": [high for _, high in low_high],
                "certain": [action.certain for action in self.actions],
            }
        ).astype({"gain": float, "lower": float, "upper": float})

    def _numbers(self) -> dict[str, Any]:
        return {
            "actions": [
                {
                    "kind": action.kind,
                    "hyperparameters": action.hyperparameters,
                    "values": action.values,
                    "gain": action.gain,
                    "interval": action.interval,
                    "certain": action.certain,
                    "evidence": [found.to_dict() for found in action.evidence],
                    "configurations": [dict(config) for config in action.configurations],
                    "times": action.times,
                    "trials": action.trials,
                    "title": action.title,
                    "reason": action.reason,
                    "code": action.code,
                }
                for action in self.actions
            ],
            "space": [{"kind": type(p).__name__, **p.__dict__} for p in self.space.parameters],
        }
