"""Whether a run's model can be trusted."""

from __future__ import annotations

from typing import Any

from hpo_explain.asked.given import read
from hpo_explain.base.progress import shows_progress
from hpo_explain.diagnostics._trust import Trust
from hpo_explain.diagnostics._trust import trust as trust_in


@shows_progress
def trust(run: Any, *, surrogate: Any = None, **reading: Any) -> Trust:
    """Say whether the surrogate of a run is good enough to be explained.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    surrogate : Surrogate or object, optional
        A model of your own, as in :meth:`Run.explained_by`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Trust
        The verdict on `surrogate`, else ``run.surrogate()``: level, held-out R² and coverage, with
        reasons.

    Raises
    ------
    ValueError
        If fewer than two trials are finished.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.trust(table, objective="loss").n_trials
    5
    """
    run = read(trust, run, reading, surrogate)
    return trust_in(run.surrogate(), run.direction)
