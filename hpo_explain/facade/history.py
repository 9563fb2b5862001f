"""What the trials of a run reached, and where they lie: no model takes part in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hpo_explain.base.progress import shows_progress
from hpo_explain.explainers.configurations import configurations_of
from hpo_explain.explainers.history import history_of
from hpo_explain.explanations.configurations import Configurations
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


@shows_progress
def configurations(
    run: Any,
    names: Sequence[str] | None = None,
    *,
    highlight: Sequence[int] = (),
    seed: int = 0,
    **reading: Any,
) -> Configurations:
    """Show where the trials lie, in their order, and which values were hardly tried.

    The counterpart of skopt's ``plot_evaluations``.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    names : sequence of str, optional
        The hyperparameters, the first ones first; by default all, in the order of the space.
    highlight : sequence of int, default ()
        Numbers of at most ten finished trials that are drawn in colors of their own.
    seed : int, default 0
        Seed of the uniform sample that the trials are compared with.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Configurations
        The trials' values, those of failed and pruned trials included where they are known, and
        in `coverage` the share of each range that was tried. ``.plot()`` draws pairs,
        ``.plot_parallel()`` all hyperparameters as parallel coordinates.

    Raises
    ------
    ValueError
        If a hyperparameter or a trial does not exist, or more than ten trials are highlighted.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.12, 0.15, 0.2, 0.9], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.configurations(table, objective="loss")
    >>> found.names, bool(found.coverage.share["x"] < 0.5)
    (('x',), True)
    """
    return configurations_of(
        read(configurations, run, reading), names, highlight=highlight, seed=seed
    )
