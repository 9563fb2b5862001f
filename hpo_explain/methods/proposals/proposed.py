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
    WhichTrial,
    check_option,
    counted,
    fact,
    format_value,
    join_names,
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
_RESULTS = {
    "running": "trial {} is running: it has no result yet",
    "waiting": "trial {} was set by hand and waits: it is explained as the next one, with what is "
    "known now",
    "failed": "trial {} failed: it has no result",
    "pruned": "trial {} was pruned: its result does not count",
}


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
            pending = {"running": "is running", "waiting": "waits to be started"}
            raise NothingToExplain(
                fact(
                    f"trial {number} {pending.get(trial.state, 'has ended')} and has no value of "
                    "any hyperparameter that is known from finished trials, so there is nothing to "
                    "explain. Name another trial.",
                    trials=[number],
                )
            )
        missing = trial.not_chosen(run.space)
        notes = [fact(_RESULTS[trial.state].format(number), trials=[number])]
        if missing:
            until = "yet" if trial.state in ("running", "waiting") else "before it ended"
            text = (
                f"no value of {join_names(missing)} was chosen {until}; the rest is explained as "
            )
            text += "the mean over the values in the background"
            notes.append(fact(text, trials=[number], names=missing))
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
        old, new = ([format_value(c.get(name, INACTIVE)) for name in names] for c in (was, now))
        each = zip(names, new, old, strict=True)
        changes = join_words(
            [f"{name} = {value} in place of {other}" for name, value, other in each]
        )
        note = fact(
            f"a person changed trial {number} before it started, and it ran with {changes}; what "
            "was proposed is explained",
            trials=[number],
            names=names,
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
        text = "the given configuration is explained as the next proposal, with all finished trials"
        return Proposed(x, state="given", notes=(fact(text),))
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
    note = fact(
        f"it is not recorded that an optimizer's model chose trial {number}; it is explained as if "
        "one had",
        trials=[number],
    )
    return Proposed(run.X[run.row(number)], number, number, notes=(note,) * unknown)


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
        fact(
            f"no model selected trial {number}: {_ORIGINS[run.origin(number)]}. Explain it with ",
            Option("acquisition", "lcb"),
            " to see what a model would have predicted for it. Proposals: "
            f"{spans(run.proposals or ())}.",
            trials=[number],
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
    # the trial to keep, or the proposal that is expected to be best
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
        trials = counted(len(run), "finished trial")
        if any(run.origin(t) is not Origin.UNKNOWN for t in np.asarray(run.trials).tolist()):
            raise NothingToExplain(
                fact(
                    f"run has no proposal: {run.optimizer} chose none of its {trials} by a model. "
                    "Name a trial with ",
                    Option("acquisition", "lcb"),
                    " to see what a model would have predicted for it.",
                )
            )
        raise NothingToExplain(
            fact(
                "run has no proposal, as far as is known: it is not recorded who chose its "
                f"{trials}. Where an optimizer did, name it with ",
                Option("sampler" if run.framework == "optuna" else "optimizer"),
                " when the run is read, or name a trial.",
            )
        )
    return sorted(run.proposals)
