"""The history of a run: what its trials reached, in their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base.checks import check_number
from hpo_explain.base.facts import fact
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.history import History
from hpo_explain.run import Run


def history_of(run: Run, *, optimum: float | None = None) -> History:
    """Return what the trials of a run reached, and the best so far.

    Parameters
    ----------
    run : Run
        The run.
    optimum : float, optional
        The best objective there is, in the user's units, where it is known.

    Raises
    ------
    ValueError
        If `optimum` is not a finite number.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5]], [1.0, 9.0, 4.0], "minimize")
    >>> history_of(run).best.tolist()
    [1.0, 1.0, 1.0]
    """
    known = None if optimum is None else check_number("optimum", optimum)
    sign = 1.0 if run.direction == "minimize" else -1.0
    order = np.argsort(np.asarray(run.trials), kind="stable")
    trials = np.asarray(run.trials)[order]
    feasible = np.asarray(run.feasible)[order]
    tied = run.tied if feasible.any() else ()
    found = History(
        subject=replace(Subject.of(run), notes=()),
        trials=trials,
        objective=run.objective[order],
        learned=sign * run.learned_cost()[order],
        bound=float(sign * run.diverged_above()),
        feasible=feasible,
        origins=tuple(run.origin(t) for t in trials.tolist()),
        proposed=np.isin(trials, run.proposals or ()),
        proposes=run.proposes,
        tied=tied,
        later=run.later_trials(tied[0]) if tied else (),
        left_out=dict(sorted(run.excluded.items())),
        optimum=known,
    )
    regret = found.regret
    if regret is None or not (regret < 0.0).any():
        return found
    beaten = fact(
        "optimum_beaten", trials=[found.tied[0]], optimum=known, names=[run.objective_name]
    )
    return replace(found, notes=(beaten,))
