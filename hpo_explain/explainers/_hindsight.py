"""What a model from outside knows that was not known when a trial was proposed."""

from __future__ import annotations

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.models.protocols import KnowsTrainingRows, Surrogate
from hpo_explain.run import Run
from hpo_explain.space.support import nearest


def learned_later(run: Run, number: int, model: Surrogate | None) -> tuple[Fact, ...]:
    """Return a fact where a model from outside has seen a trial or later ones, or may have.

    Parameters
    ----------
    run : Run
        The run.
    number : int
        The trial.
    model : Surrogate or None
        The model; None where it is not known.
    """
    known = run.known_before(number)
    later = np.setdiff1d(np.arange(len(run)), known)
    # a configuration that was known already may be the earlier trial
    later = later[nearest(run.space, run.X[later], run.X[known]) > 0.0]
    learned = model.learned_from(run.X[later]) if isinstance(model, KnowsTrainingRows) else None
    if learned is None:
        return (fact("model_may_have_learned", trials=[number]),)
    trials = np.asarray(run.trials)[later[learned]]
    return (fact("model_learned_later", trials=trials, at=number),) if len(trials) else ()
