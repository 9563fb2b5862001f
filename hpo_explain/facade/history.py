"""What the trials of a run reached: no model takes part in it."""

from __future__ import annotations

from typing import Any

from hpo_explain.base.progress import shows_progress
from hpo_explain.explainers.history import history_of
from hpo_explain.explanations.history import History
from hpo_explain.facade._asked import read


@shows_progress
def history(run: Any, *, optimum: float | None = None, **reading: Any) -> History:
    """Show what every trial reached, the best so far, and which trials failed or were pruned.

    The counterpart of skopt's ``plot_convergence`` and Optuna's ``plot_optimization_history``.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    optimum : float, optional
        The best objective there is, in the user's units, where it is known: for the regret.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

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
    The best loss of 4 trials is 1, by trial 2; 1 later trial brought nothing better.
    """
    return history_of(read(history, run, reading), optimum=optimum)
