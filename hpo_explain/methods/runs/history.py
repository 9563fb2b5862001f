"""The history of a run: what its trials reached, in their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base import Subject, check_number, fact, format_value
from hpo_explain.methods.runs.history_result import History
from hpo_explain.question import Question, explains


@explains(of="optimizer", without=("seed",))
def history(question: Question, *, optimum: float | None = None) -> History:
    """Show what every trial reached, the best so far, and which trials failed or were pruned.

    The counterpart of skopt's ``plot_convergence`` and Optuna's ``plot_optimization_history``.

    Parameters
    ----------
    optimum : float, optional
        The best objective there is, in the user's units, where it is known: for the regret.

    Returns
    -------
    History
        The objective and the incumbent by trial. A run without a finished trial has one, too.

    Raises
    ------
    ValueError
        If `optimum` is not a finite number, or the run cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3], "loss": [4.0, 9.0, 1.0, 2.0]})
    >>> print(hx.history(table, objective="loss").sentence)
    Best loss: 1 (trial 2 of 4); 1 later trial brought nothing better.
    """
    run, is_optimum = (question.run, None if optimum is None else check_number("optimum", optimum))
    order = np.argsort(np.asarray(run.trials), kind="stable")
    trials = np.asarray(run.trials)[order]
    feasible = np.asarray(run.feasible)[order]
    tied = run.tied if feasible.any() else ()
    subject = Subject.of(run)
    result = History(
        subject=replace(subject, notes=(), tried=run.X[order], costs=subject.costs[order]),
        trials=trials,
        objective=run.objective[order],
        learned=run.sign * run.learned_cost()[order],
        bound=float(run.sign * run.diverged_above()),
        feasible=feasible,
        origins=tuple(run.origin(t) for t in trials.tolist()),
        proposed=np.isin(trials, run.proposals or ()),
        proposes=run.proposes,
        tied=tied,
        later=run.later_trials(tied[0]) if tied else (),
        left_out=dict(sorted(run.excluded.items())),
        optimum=is_optimum,
    )
    if result.regret is None or not (result.regret < 0.0).any():
        return result
    beaten = fact(
        f"regret: trial {result.tied[0]} reached a better {run.objective_name} than the optimum "
        f"given, {format_value(is_optimum)}: by noise, or it is not the optimum",
        trials=result.tied[:1],
        names=[run.objective_name],
    )
    return replace(result, notes=(beaten,))
