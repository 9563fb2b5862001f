"""What to do next: actions that the claims support, what is expected to bring most first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any, ClassVar, Literal, TypeAlias

from hpo_explain.base import (
    Claim,
    Fact,
    InputError,
    Result,
    Table,
    chained,
    check_option,
    counted,
    format_value,
    format_values,
    frameworks,
    join_words,
    printable,
    spans,
    told_apart,
    values_in_words,
)
from hpo_explain.methods._engines.decision_words import compared, few, percent, setting, trial
from hpo_explain.methods.advice._code import declarations, evaluations
from hpo_explain.space import Parameter, SearchSpace

ActionKind: TypeAlias = Literal[
    "narrow", "widen", "try", "repeat", "keep", "beware", "go_on", "settle"
]
"""What can be advised: see `Action`."""

Which: TypeAlias = Literal["all", "first"]
"""Which actions are applied, where they are not named one by one."""

_DONE: Mapping[ActionKind, str] = {
    "narrow": "narrow the space",
    "widen": "widen the space",
    "try": "try a configuration",
    "repeat": "repeat trials",
    "keep": "keep a trial",
    "beware": "check the cautions",
    "go_on": "go on",
    "settle": "try what settles it",
}
_MOST_ENDS = 3  # of ranges to widen, of which a reason is told
# which bounds are moved: the upper ones, the lower ones, or both
_WAYS = {
    frozenset([True]): "Raise the upper bound",
    frozenset([False]): "Lower the lower bound",
    frozenset([True, False]): "Widen the range",
}
_WARNED = {
    "fails_where": "Beware of ",
    "category_never_tried": "Try what was never tried: ",
    "enqueued_without_result": "Retry what was enqueued and has no result",
}


@dataclass(frozen=True)
class Narrowed:
    """A number of a result whose interval trials are expected to narrow.

    Attributes
    ----------
    label : str
        What it is of: hyperparameters, or a value of one.
    std : float
        Its standard deviation over functions that the trials allow.
    left : float
        The share of that which is expected to be left; NaN where that is not known.
    """

    label: str
    std: float
    left: float


@dataclass(frozen=True, eq=False, repr=False)
class Action:
    """Something to do next.

    Attributes
    ----------
    kind : str
        "narrow" (search smaller ranges, or fewer categories), "widen" (search larger ranges), "try"
        (evaluate configurations), "repeat" (evaluate trials again), "keep" (the tried configuration
        to take, which need not be the best observed one), "beware" (what trials fail of, or what
        was forgotten), "go_on", or "settle" (evaluate configurations that narrow intervals).
    hyperparameters : tuple of str
        What it is about.
    values : tuple
        The new range, set of categories, or value of each, in the user's units.
    gain : float
        Expected improvement of the best objective, in its units, never negative where the action
        helps; NaN where it is not known. What it is compared with stands in the evidence.
    interval : tuple of (float, float) or None
        What holds the improvement with 95 %.
    probability : float
        How probable it is that the action is right: that more is gained than counts, that what is
        narrowed holds a configuration near the best, that no other tried trial is better than the
        one to keep by what counts.
    certain : bool
        Whether that may be stated without a reservation: of what is narrowed, and of failures; how
        much is gained never is.
    evidence : tuple of Fact
        What speaks for it.
    parameters : tuple of Parameter
        The hyperparameters as they should be searched from now on.
    configurations : tuple of mapping
        What to evaluate, in the user's units.
    times : int
        How often to evaluate each.
    trials : tuple of int
        The trials that it is about; of what to try the one that it is to be better than.
    beside : mapping
        The configuration of that one.
    framework : str
        What ran the optimization, whose code `code` is: "optuna", "skopt", or empty.
    space : SearchSpace, optional
        The space that was searched, whose ranges say how finely values are told.
    narrows : tuple of Narrowed
        The numbers whose intervals it narrows; empty of other kinds than "settle".

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
    probability: float = float("nan")
    evidence: tuple[Fact, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    configurations: tuple[Mapping[str, Any], ...] = ()
    times: int = 1
    trials: tuple[int, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    framework: str = ""
    space: SearchSpace | None = None
    narrows: tuple[Narrowed, ...] = ()

    @property
    def title(self) -> str:
        """What to do, as an order."""
        return printable(chained(self._order()))

    def _order(self) -> Iterator[str]:
        kind = self.kind
        if kind == "narrow":
            yield f"Search on in a narrower space: {self.extents}"
        elif kind == "widen":
            upper = frozenset(fact["upper"] for fact in self.evidence)
            yield f"{_WAYS[upper]}, if such values are allowed: {self.extents}"
        elif kind == "try":
            yield from ("Try next: ", self.settings, self.others)
            better = "that one is better" if self.others else "to be better"
            if not isnan(self.probability):
                yield f" ({percent(self.probability)} chance {better})"
        elif kind == "settle":
            yield from ("Evaluate to narrow intervals: ", self.settings)
            yield self.others
        elif kind == "repeat":
            yield from ("Repeat ", self.which, f" {self.often}")
        elif kind == "keep":
            yield from ("Keep ", self.which, f": {self.settings}")
        elif kind == "go_on":
            yield "Go on as it is"
        else:
            yield _WARNED[self.evidence[0].kind]
            yield self.settings

    @property
    def reason(self) -> str:
        """The evidence in words: a sentence per fact, few of the same kind."""
        return told_apart(self.evidence[: _MOST_ENDS if self.kind == "widen" else None])

    @property
    def told(self) -> str:
        """The title and the evidence."""
        return chained([self.title, ". ", self.reason])

    @property
    def changes(self) -> bool:
        """Whether something is searched otherwise or evaluated."""
        return bool(self.parameters or self.configurations)

    @property
    def code(self) -> str:
        """Python to paste, for the framework that the run came from; empty where none is needed."""
        if self.parameters:
            return declarations(self.parameters, self.framework)
        configs = self.configurations
        if self.space is not None:
            configs = tuple(map(self.space.as_asked, configs))
        return evaluations(configs, self.times, self.framework)

    def __str__(self) -> str:
        return self.told

    def __repr__(self) -> str:
        return f"<Action: {self.title}>"

    # ------------------------------------------------------------------ in its title

    @property
    def extents(self) -> str:
        """The new ranges or categories, as in "lr from 0.01 to 0.1"."""
        return few([f"{p.name} {_extent(p)}" for p in self.parameters])

    @property
    def settings(self) -> str:
        """The values, as in "lr = 0.01"; of what to try those that it has not from a trial."""
        if self.kind == "try" and self.space is not None and self.beside:
            (first, *_), (number, *_) = self.configurations, self.trials
            return compared(self.space, first, self.beside, number, self.hyperparameters)
        within = self.kind == "beware" and self.evidence[0].kind == "fails_where"
        return settings_of(
            self.hyperparameters, self.values, " with " if within else "", space=self.space
        )

    @property
    def others(self) -> str:
        """How many more configurations there are."""
        more = len(self.configurations) - 1
        return f"; then {counted(more, 'other configuration')}" if more > 0 else ""

    @property
    def which(self) -> str:
        """The trials."""
        if len(self.trials) > 1:
            return f"trials {spans(self.trials)}"
        return trial(self.trials[0])

    @property
    def often(self) -> str:
        """How often."""
        return "once more" if self.times == 1 else f"{self.times} times more"


def settings_of(
    names: Sequence[str],
    values: Sequence[Any],
    between: str = "",
    *,
    space: SearchSpace | None = None,
) -> str:
    """Return values as "lr = 0.01 and depth from 2 to 4", or with other words between them.

    With a space, numbers have the digits that their ranges need.
    """
    shown = []
    for name, value in zip(names, values, strict=True):
        if between and isinstance(value, tuple):
            shown.append(f"{name} from {' to '.join(format_values(value))}")
        elif space is None:
            shown.append(f"{name} = {format_value(value)}")
        else:
            shown.append(setting(space, name, value))
    return between.join(shown) if between else few(shown)


def _extent(parameter: Parameter) -> str:
    if parameter.is_category:
        return f"in {values_in_words(parameter.choices)}"
    if parameter.low == parameter.high:
        return f"at {format_value(parameter.low)}"
    ends = format_values([parameter.low, parameter.high])
    return f"from {ends[0]} to {ends[1]}"


def changed_to(kind: ActionKind, parameters: Sequence[Parameter], **details: Any) -> Action:
    """Return an action that has hyperparameters searched otherwise from now on."""
    names, values = (tuple(p.name for p in parameters), tuple(map(values_of, parameters)))
    return Action(kind, names, values, parameters=tuple(parameters), **details)


def values_of(parameter: Parameter) -> Any:
    """Return the choices, both ends of the range, or the only value of a hyperparameter."""
    if parameter.is_category:
        return parameter.choices if len(parameter.choices) > 1 else parameter.choices[0]
    ends = (parameter.low, parameter.high)
    return ends if ends[0] < ends[1] else ends[0]


def _each(name: str) -> Any:
    return lambda advice: [getattr(action, name) for action in advice.actions]


def _end(place: int) -> Any:
    return lambda advice: [
        float("nan") if action.interval is None else action.interval[place]
        for action in advice.actions
    ]


_HELD = (
    "kind",
    "hyperparameters",
    "values",
    "gain",
    "interval",
    "certain",
    "probability",
    "configurations",
    "times",
    "trials",
    "title",
    "reason",
    "code",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Advice(Result):
    """A few actions to do next, each with its evidence.

    Attributes
    ----------
    actions : tuple of Action
        The trial to keep, then what to do, what is expected to bring most first.
    space : SearchSpace
        The space to search on in, after all actions.
    subject, notes
        As in every result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> loss = (X[:, 0] - 0.2) ** 2 + (X[:, 1] - 0.7) ** 2
    >>> advice = hx.advise(hx.Run(space, X, loss, "minimize"))
    >>> [action.kind for action in advice.actions]
    ['keep', 'try', 'narrow']
    """

    table: ClassVar[Table] = Table(
        columns={
            "action": _each("kind"),
            "what": _each("title"),
            "gain": _each("gain"),
            "lower": _end(0),
            "upper": _end(1),
            "probability": _each("probability"),
            "certain": _each("certain"),
        },
        held={
            "actions": lambda advice: [
                {name: getattr(action, name) for name in _HELD}
                | {"evidence": [fact.to_dict() for fact in action.evidence]}
                for action in advice.actions
            ],
            "space": lambda advice: [
                {"kind": type(p).__name__, **p.__dict__} for p in advice.space
            ],
        },
    )
    actions: tuple[Action, ...]
    space: SearchSpace

    @property
    def details(self) -> str:
        """Each action with what speaks for it and code to paste."""
        lines = list[str]()
        for place, action in enumerate(self.actions, start=1):
            code = [f"       {line}" for line in action.code.splitlines()]
            lines += [f"{place}. {action.title}", f"   {action.reason}", *code, ""]
        return "\n".join(lines)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """One per action, in their order."""
        return tuple(
            Claim(
                "action",
                action.hyperparameters,
                action.gain,
                action.interval,
                values=action.values,
                certain=action.certain,
                because=action.evidence,
                term=action.kind,
                probability=action.probability,
            )
            for action in self.actions
        )

    @property
    def basis(self) -> str:
        """What else is to be known: what an action rests on is told with it."""
        return told_apart(self.remarks)

    @property
    def answer(self) -> str:
        """What to do first, without values."""
        if not self.actions:
            return printable(self.finding)
        keep = [action.which for action in self.actions if action.kind == "keep"]
        others = [_DONE[action.kind] for action in self.actions if action.kind != "keep"]
        if not keep:
            return printable(f"Next: {others[0]}.")
        then = f", then {others[0]}" if others else ""
        return printable(f"Keep {keep[0]}{then}.")

    @property
    def finding(self) -> str:
        """What to do first, and what else."""
        if not self.actions:
            return "Nothing can be advised yet."
        first, *others = self.actions
        also = [f"{title[0].lower()}{title[1:]}" for title in (other.title for other in others)]
        if not also:
            return first.told
        return chained([first.told, " Then: ", join_words(also), "."])

    def chosen(self, actions: Which | Sequence[Action | int] = "all") -> tuple[Action, ...]:
        """Return all actions, the first with something to do, or those named or by place.

        Raises
        ------
        InputError
            If one is not among them.
        """
        if isinstance(actions, str):
            check_option("actions", actions, ("all", "first"))
            first = next((a for a in self.actions if a.changes), None)
            return self.actions if actions == "all" else tuple(a for a in (first,) if a)
        chosen = []
        for action in actions:
            # by its place, or itself
            is_place = isinstance(action, int) and not isinstance(action, bool)
            same = [
                a for k, a in enumerate(self.actions) if a is action or (is_place and k == action)
            ]
            if not same:
                raise InputError(
                    "actions",
                    f"must be 'all', 'first', or some of the {len(self.actions)} actions of this "
                    f"advice or their places, but one was {action!r}",
                    action,
                    "Take them from advice.actions.",
                )
            chosen += same[:1]
        return tuple(chosen)

    def only(self, actions: Which | Sequence[Action | int]) -> Advice:
        """Return the advice with some of its actions only."""
        return replace(self, actions=self.chosen(actions))

    def apply(
        self, source: Any, actions: Which | Sequence[Action | int] = "all", **options: Any
    ) -> Any:
        """Return the study as it goes on with the actions; what is given stays as it is.

        Parameters
        ----------
        source : optuna.Study
            The study that is advised.
        actions : {"all", "first"} or sequence of Action or int, default "all"
            Which actions to follow; numbers are places in `actions`.
        **options
            Options of the adapter: ``storage=`` and ``study_name=`` of Optuna's new study.

        Returns
        -------
        optuna.Study
            A new study with all old trials and its own sampler, in which the configurations advised
            are enqueued, for the same objective: ``study.optimize(objective)``. Wider ranges and
            other scales are searched; smaller ranges are not kept to, because a search that cannot
            leave them stays where the advice is wrong.

        Raises
        ------
        InputError
            If the source is no study, or an action is not among the advice's.
        """
        return frameworks().apply_advice(self.only(actions), source, **options)
