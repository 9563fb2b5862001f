"""Which trial or configuration is explained, by the words and numbers that ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from hpo_explain.base import (
    INACTIVE,
    TRIALS,
    Fact,
    InputError,
    NothingToExplain,
    Option,
    Origin,
    State,
    Text,
    WhichTrial,
    check_option,
    counted,
    declared_fact,
    format_value,
    join_words,
    spans,
)
from hpo_explain.question import RunDecision
from hpo_explain.run import Run, optimized_another
from hpo_explain.space import Array, Config, lowest

_ORIGINS = {
    Origin.INITIAL: "it belongs to the initial design",
    Origin.ENQUEUED: "it was enqueued",
    Origin.RETRIED: "it repeats a trial that failed",
    Origin.ADDED: "it was added with its result",
    Origin.PERSON: "a person changed it",
    Origin.UNKNOWN: "it belongs to the initial design, or was set by hand",
}


def _changes(fact: Fact) -> str:
    new, old = ([format_value(value) for value in fact[which]] for which in ("set", "proposed"))
    changed = zip(fact.names, new, old, strict=True)
    return join_words([f"{name} = {now} in place of {was}" for name, now, was in changed])


def _no_proposals(fact: Fact) -> Text:
    trials = counted(fact["finished"], "finished trial")
    if fact["unknown"]:
        return (
            f"run has no proposal, as far as is known: it is not recorded who chose its {trials}. "
            "Where an optimizer did, name it with ",
            Option(fact["option"]),
            " when the run is read, or name a trial.",
        )
    return (
        f"run has no proposal: {fact.names[0]} chose none of its {trials} by a model. Name a trial "
        "with ",
        Option("acquisition", "lcb"),
        " to see what a model would have predicted for it.",
    )


_NO_RESULT = declared_fact(
    "no_result",
    {
        "running": "trial {trials} is running: it has no result yet",
        "waiting": "trial {trials} was set by hand and waits: it is explained as the next one, "
        "with what is known now",
        "failed": "trial {trials} failed: it has no result",
        "pruned": "trial {trials} was pruned: its result does not count",
    },
)
_UNTIL = {
    "running": "yet",
    "waiting": "yet",
    "failed": "before it ended",
    "pruned": "before it ended",
}
_NOT_CHOSEN = declared_fact(
    "not_chosen",
    {
        state: f"no value of {{names}} was chosen {when}; the rest is explained as the mean over "
        "the values in the background"
        for state, when in _UNTIL.items()
    },
)
_NOTHING_CHOSEN = declared_fact(
    "nothing_chosen",
    {
        state: f"trial {{trials}} {what} and has no value of any hyperparameter that is known from "
        "finished trials, so there is nothing to explain. Name another trial."
        for state, what in {
            "running": "is running",
            "waiting": "waits to be started",
            "failed": "has ended",
            "pruned": "has ended",
        }.items()
    },
)
_CHANGED = declared_fact(
    "changed_by_person",
    "a person changed trial {trials} before it started, and it ran with "
    "{changes}; what was proposed is explained",
    changes=_changes,
)
_GIVEN = declared_fact(
    "configuration_given",
    "the configuration was given: it is explained as the next one, with what is known now",
)
_NOT_PROPOSED = declared_fact(
    "not_proposed",
    "no model selected trial {trials}: {origin}. Explain it with "
    "{acquisition='lcb'} to see what a model would have predicted for it. Proposals: {proposals}.",
    origin=lambda fact: _ORIGINS[fact["origin"]],
    proposals=lambda fact: spans(fact["proposals"]),
)
_CHOOSER_UNKNOWN = declared_fact(
    "chooser_unknown",
    "it is not recorded that an optimizer's model chose trial {trials}; it is "
    "explained as if one had",
)
_NO_PROPOSALS = declared_fact("no_proposals", "{text}", text=_no_proposals)


AnyTrial: TypeAlias = int | WhichTrial | Config | Any
"""A trial by its number, by what is special about it, or itself; or a configuration.

That of a framework knows its `number`, such as Optuna's.
"""


@dataclass(frozen=True, eq=False)
class Proposed:
    """What is explained: a trial, or a configuration that may be the next one.

    Attributes
    ----------
    x : ndarray of shape (d,)
        The configuration, encoded.
    number : int or None
        The trial; None for a configuration that was given.
    before : int or None
        The trial before which is explained what was known; None: what is known now.
    state : {"running", "waiting", "failed", "pruned", "given", "changed"} or None
        Why there is no result, also where a person changed what is explained; None where there is
        one.
    not_chosen : tuple of str
        The hyperparameters without a value that may be active.
    notes : tuple of Fact
        What is said about it.
    """

    x: Array
    number: int | None = None
    before: int | None = None
    state: State | Literal["given", "changed"] | None = None
    not_chosen: tuple[str, ...] = ()
    notes: tuple[Fact, ...] = ()

    @classmethod
    def without_result(cls, run: Run, number: int) -> Proposed:
        """Return a trial without a result; one that waits is explained with what is known now.

        Raises
        ------
        NothingToExplain
            If it has no value of any hyperparameter.
        """
        trial = run.without_result[number]
        if np.isnan(trial.x).all():
            raise NothingToExplain(_NOTHING_CHOSEN(trials=[number], state=trial.state))
        missing = trial.not_chosen(run.space)
        notes = [_NO_RESULT(trials=[number], state=trial.state)]
        if missing:
            notes.append(_NOT_CHOSEN(trials=[number], names=missing, state=trial.state))
        return cls(
            trial.x,
            number,
            None if trial.state == "waiting" else number,
            trial.state,
            missing,
            tuple(notes),
        )

    @classmethod
    def before_change(cls, run: Run, number: int) -> Proposed:
        """Return what the optimizer proposed for a trial that a person changed."""
        reviewed = run.reviewed[number]
        names = tuple(reviewed.set_by_person)
        was = run.space.decode(reviewed.proposed[None, :])[0]
        now = run.config(number)
        note = _CHANGED(
            trials=[number],
            names=names,
            proposed=tuple(was.get(name, INACTIVE) for name in names),
            set=tuple(now.get(name, INACTIVE) for name in names),
        )
        return cls(reviewed.proposed, number, number, "changed", notes=(note,))


def proposed(run: Run, trial: AnyTrial, *, seed: int = 0, any_trial: bool = False) -> Proposed:
    """Return what is explained.

    Parameters
    ----------
    run : Run
        The optimization run.
    trial : int, "latest", "best", "best-predicted", "pending", dict or trial of Optuna
        A proposal. "pending" is the latest trial that runs, or if none does the latest that waits;
        trials that failed or were pruned are known by their numbers. A configuration (dict) is
        explained as the next one.
    seed : int, default 0
        Seed of the draws by which the best predicted one is decided.
    any_trial : bool, default False
        Whether a trial that no model chose may be named as well.

    Raises
    ------
    NothingToExplain
        If no model chose the trial, or any.
    ValueError
        If there is no such trial, or no such configuration.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> proposed(run, "best").number, proposed(run, {"x": 0.2}).state
    (0, 'given')
    """
    if isinstance(trial, Mapping):
        x = run.space.row(trial, "trial")
        return Proposed(x, state="given", notes=(_GIVEN(),))
    which: Any = getattr(trial, "number", trial)
    if isinstance(which, str) and which == "pending":
        which = _pending(run)
    whole = isinstance(which, (int, np.integer)) and not isinstance(which, bool)
    changed = [number for number, review in run.reviewed.items() if review.set_by_person]
    if whole and which in changed:
        return Proposed.before_change(run, int(which))
    if whole and which in run.without_result:
        number = int(which)
        candidate = run.without_result[number]
        if not (candidate.proposed or candidate.state == "waiting" or any_trial):
            raise _not_proposed(run, number)
        return Proposed.without_result(run, number)
    number = _finished(run, which, seed=seed, any_trial=any_trial)
    unknown = not any_trial and _may_be_proposed(run, number)
    notes = (_CHOOSER_UNKNOWN(trials=[number]),) if unknown else ()
    return Proposed(run.X[run.row(number)], number, number, notes=notes)


def _pending(run: Run) -> int:
    """Return the number of the latest trial that runs, or of the latest that waits."""
    if not run.pending:
        others = {t: trial.state for t, trial in run.without_result.items()}
        ended = ", ".join(f"{t} ({state})" for t, state in others.items())
        remedy = f"Trials without a result: {ended}. " if ended else ""
        raise InputError(
            "trial",
            "is 'pending', but no trial of the run is running or waiting, as far as is known",
            "pending",
            f"{remedy}Finished trials: {spans(run.trials)}.",
        )
    running = [t for t in run.pending if run.without_result[t].state == "running"]
    return max(running or run.pending)


def _not_proposed(run: Run, number: int) -> NothingToExplain:
    if run.measured is not None:
        return _optimized_another(run)
    return NothingToExplain(
        _NOT_PROPOSED(
            trials=[number], origin=run.origin(number), proposals=tuple(run.proposals or ())
        )
    )


def _optimized_another(run: Run) -> NothingToExplain:
    return NothingToExplain(optimized_another(run.objective_name))


def _finished(run: Run, trial: int | WhichTrial, *, seed: int, any_trial: bool) -> int:
    """Return the number of a finished proposal."""
    if not isinstance(trial, str):
        run.row(trial)
        if any_trial or _may_be_proposed(run, trial) or trial in all_proposals(run):
            return int(trial)
        raise _not_proposed(run, trial)
    proposals = all_proposals(run)
    check_option("trial", trial, TRIALS)
    if trial == "latest":
        return proposals[-1]
    if trial == "best":
        return run.best(proposals)
    return _best_predicted(run, proposals, seed)


def _best_predicted(run: Run, proposals: list[int], seed: int) -> int:
    """Return the trial to keep, or the proposal that is expected to be best."""
    decision = RunDecision.of(run, seed=seed)
    if decision is not None:
        return decision.best_of(proposals)
    rows = [run.row(number) for number in proposals]
    predicted = run.surrogate(seed=seed).predict(run.X[rows])[0]
    return proposals[lowest(run.sign * predicted)]


def _may_be_proposed(run: Run, trial: int) -> bool:
    """Say whether a trial is of a run of which nothing is recorded about who chose its trials."""
    return not run.proposals and run.origin(trial) is Origin.UNKNOWN


def all_proposals(run: Run) -> list[int]:
    """Return the numbers of a run's proposals in their order.

    Raises
    ------
    NothingToExplain
        If there is none.
    """
    if not run.proposals:
        if run.measured is not None:
            raise _optimized_another(run)
        unknown = all(run.origin(t) is Origin.UNKNOWN for t in np.asarray(run.trials).tolist())
        raise NothingToExplain(
            _NO_PROPOSALS(
                names=[run.optimizer],
                finished=len(run),
                unknown=unknown,
                option="sampler" if run.framework == "optuna" else "optimizer",
            )
        )
    return sorted(run.proposals)
