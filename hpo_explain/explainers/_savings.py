"""What can be saved in one objective for a small loss in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.subject import Subject
from hpo_explain.diagnostics._trust import Trust
from hpo_explain.diagnostics._trust import trust as trust_in
from hpo_explain.explanations.pareto import Saving
from hpo_explain.models.protocols import SupportsDifference, SupportsTrees, Surrogate
from hpo_explain.run import Objectives, Run
from hpo_explain.space import Array

LOSS = 0.001
"""How much of an objective may be lost, as a share of its best value."""
_ONE_SIDED_95 = 1.6448536269514722
_SHORT = 1.0  # seconds: what takes less needs no saving
_LESS = 0.9  # of the time of the best trial: a saving that is worth mentioning


def saving_of(
    objectives: Objectives,
    surrogates: Mapping[str, Surrogate],
    k: int,
    other: int,
    loss: float,
    doubts: tuple[Fact, ...],
) -> Saving | None:
    """Return what the trial saves most that costs at most so much; None where none does.

    Of trials that the models are certain of the one that saves most, else by the means.

    Parameters
    ----------
    objectives : Objectives
        The objectives.
    surrogates : mapping of str to Surrogate
        The model of each.
    k, other : int
        In which little is lost, and in which something is saved.
    loss : float
        How much may be lost, as a share of the best value.
    doubts : tuple of Fact
        Why nothing of this is certain; empty where the models are trusted.
    """
    name, name_of_other = objectives.names[k], objectives.names[other]
    rows = np.flatnonzero(objectives.feasible)
    best = int(rows[np.argmin(objectives.costs[rows, k])])
    lost, lost_std = _difference(objectives, name, surrogates[name], rows, best)
    extra, saved_std = _difference(objectives, name_of_other, surrogates[name_of_other], rows, best)
    saved = -extra
    allowed = loss * abs(float(objectives.values[best, k]))
    level = abs(float(objectives.values[best, other]))
    if level == 0.0:
        return None
    lower = saved - _ONE_SIDED_95 * saved_std
    sure = (lost + _ONE_SIDED_95 * lost_std <= allowed) & (lower > 0.0)
    likely = (lost <= allowed) & (saved > 0.0) & (rows != best)
    if sure.any():
        chosen = int(np.argmax(np.where(sure, lower, -np.inf)))
    elif likely.any():
        chosen = int(np.argmax(np.where(likely, saved, -np.inf)))
        doubts = (*doubts, fact("saving_not_told", names=[name]))
    else:
        return None
    return Saving(
        objective=name,
        other=name_of_other,
        best=int(objectives.trials[best]),
        instead=int(objectives.trials[rows[chosen]]),
        loss=loss,
        saved=(float(saved[chosen]) / level, float(lower[chosen]) / level),
        doubts=doubts,
    )


def certain_saving_of_time(run: Run, surrogate: Surrogate, trust: Trust | None) -> Saving | None:
    """Return what can certainly be saved of the best trial's time; None where nothing can.

    Durations are modelled only where the best trial took a second, a faster one is known, and the
    model of the objective is certain that it loses little.

    Parameters
    ----------
    run : Run
        The run.
    surrogate : Surrogate
        The model of its objective.
    trust : Trust or None
        Whether that can be trusted.
    """
    if run.durations is None or not np.isfinite(run.durations).any():
        return None
    if replace(Subject.of(run), trust=trust).doubts("everywhere"):
        return None
    best = run.row(run.incumbent_trial)
    took = run.durations
    faster = np.asarray(run.feasible) & (took <= _LESS * took[best])
    if not took[best] >= _SHORT or not faster.any():
        return None
    objectives = Objectives.of({run.objective_name: run})
    rows = np.flatnonzero(np.isin(objectives.trials, np.asarray(run.trials)[faster]))
    place = int(np.flatnonzero(objectives.trials == run.incumbent_trial)[0])
    lost, std = _difference(objectives, run.objective_name, surrogate, rows, place)
    if not (lost + _ONE_SIDED_95 * std <= LOSS * abs(float(run.objective[best]))).any():
        return None
    timed = objectives.runs[objectives.names[1]]
    model = timed.surrogate()
    about = replace(Subject.of(timed), trust=trust_in(model, timed.direction))
    surrogates = {run.objective_name: surrogate, timed.objective_name: model}
    found = saving_of(objectives, surrogates, 0, 1, LOSS, about.doubts("everywhere"))
    return None if found is None or found.doubts else found


def _difference(
    objectives: Objectives, name: str, surrogate: Surrogate, rows: npt.NDArray[np.int64], best: int
) -> tuple[Array, Array]:
    """Return how much larger the predicted cost of rows is than that of one, and its std."""
    X = objectives.first.X
    sign = 1.0 if objectives.runs[name].direction == "minimize" else -1.0
    x = X[best]
    if isinstance(surrogate, SupportsDifference):
        mean, std = surrogate.difference(X[rows], x)
    elif isinstance(surrogate, SupportsTrees):
        each = surrogate.predict_trees(X[rows]) - surrogate.predict_trees(x[None, :])
        mean, std = each.mean(axis=1), each.std(axis=1)
    else:
        mean = surrogate.predict(X[rows])[0] - surrogate.predict(x[None, :])[0]
        std = np.full(len(rows), np.inf)
    return sign * mean, std
