"""Which model answers, and what was assumed: the belief, one of the user's, an acquisition."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hpo_explain.base import (
    Criterion,
    Fact,
    InputError,
    Kind,
    counted,
    fact,
    join_words,
    spans,
)
from hpo_explain.models import Acquisition, Surrogate
from hpo_explain.question.explained import accepted_acquisition
from hpo_explain.run import Run
from hpo_explain.space import among


def model_of(
    run: Run, acquisition: Criterion | Acquisition | None, before: int | None, kind: Kind, seed: int
) -> tuple[Surrogate | Acquisition, tuple[Fact, ...]]:
    """Return what is explained around a configuration, and what was assumed."""
    _check_before(run, before)
    if acquisition is None:
        return surrogate_of(run, before, kind, seed)
    chosen = run.chosen_acquisition(before, acquisition, seed=seed)
    if run.model is None or kind != "auto":
        return accepted_acquisition(chosen.acquisition), chosen.notes
    model, later = surrogate_of(run, before, kind, seed)
    through = chosen.through(model, run.direction)
    return accepted_acquisition(through.acquisition), (*through.notes, *later)


def surrogate_of(
    run: Run, before: int | None, kind: Kind, seed: int
) -> tuple[Surrogate, tuple[Fact, ...]]:
    """Return the surrogate before a trial, and what one of the user's knows of later trials.

    By default the belief; "gp" and "forest" ask for another model.
    """
    _check_before(run, before)
    if kind != "auto":
        return run.surrogate(before=before, kind=kind, seed=seed), ()
    if run.model is None:
        belief = run.belief(before, seed=seed)
        taken, of = len(belief.X), belief.of_trials
        if taken == of:
            return belief, ()
        some = fact(
            f"the model of the objective uses {taken:,} of {of:,} trials: the best ones, and some "
            "from every other part of its range; where noise limits the precision, "
            f"uncertainties are about {math.sqrt(of / taken):.2g} times those of all trials"
        )
        return belief, (some,)
    return run.model, () if before is None else learned_later(run, before, run.model)


def _check_before(run: Run, before: int | None) -> None:
    """Raise InputError unless `before` is None, or the number of a trial or of the next one."""
    if before is not None and (
        isinstance(before, bool) or not isinstance(before, (int, np.integer))
    ):
        problem = f"must be the number of a trial, but was {before!r}"
        raise InputError("before", problem, before, f"Finished trials: {spans(run.trials)}.")
    try:
        run.known_before(before)
    except InputError as error:
        raise error.inside("before", "", before) from None


def _seen(trials: Sequence[int], number: int) -> str:
    later = sum(trial != number for trial in trials)
    itself = [f"trial {number} itself"] if later < len(trials) else []
    others = [f"{counted(later, 'trial')} not finished by then"] if later else []
    return join_words([*itself, *others])


def learned_later(run: Run, number: int, model: Surrogate | None) -> tuple[Fact, ...]:
    """Return a fact where a model from outside has seen a trial or later ones, or may have.

    Parameters
    ----------
    run : Run
        The run.
    number : int
        The trial.
    model : Surrogate or None
        The model, if it is known.
    """
    earlier = run.known_before(number)
    later = np.setdiff1d(np.arange(len(run)), earlier)
    # a configuration that was known already may be the earlier trial
    later = later[~among(run.space, run.X[later], run.X[earlier])]
    learned_from = getattr(model, "learned_from", lambda _: None)
    learned = learned_from(run.X[later])
    if learned is None:
        may = f"the model given may have learned from trial {number} itself: it does not say which "
        return (fact(f"{may}trials it was fitted on", trials=[number]),)
    trials = run.trials[later[learned]].tolist()
    seen = f"the model given has learned from {_seen(trials, number)}, which the optimizer "
    return (fact(f"{seen}had not seen", trials=trials),) if trials else ()
