"""Several objectives together."""

from __future__ import annotations

from typing import Any

from hpo_explain.base.options import Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.pareto import ParetoExplainer
from hpo_explain.explanations.pareto import ParetoFront
from hpo_explain.facade._asked import read_objectives


@shows_progress
def pareto(
    run: Any,
    *,
    loss: float = 0.001,
    kind: Kind = "auto",
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> ParetoFront:
    """Say which trials no other one beats in all objectives, and what moving along them costs.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, table, path, Run or dict of runs
        The optimization run with several objectives, or runs of the same trials by objective. Of a
        run with a single objective, how long trials took is the other one.
    loss : float, default 0.001
        How much of an objective may be lost where another trial than its best saves something in
        another objective: as a share of the best value, 0.1 % by default.
    kind : {"auto", "gp", "forest"}, default "auto"
        The models, as in :meth:`Run.surrogate`.
    seed : int, default 0
        Seed of the models.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    ParetoFront
        The front, from the best trial of the first objective on; for the way from one end to the
        other, and along it, what each hyperparameter gains or costs in each objective; and what can
        be saved for a small loss.

    Raises
    ------
    NothingToExplain
        If there is one objective and no duration, or no trial is feasible.
    InputError
        If the runs are of other trials, or `loss` is not between 0 and 1.

    References
    ----------
    .. [1] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. https://arxiv.org/abs/2405.07640

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"width": rng.random(30), "lr": rng.random(30)})
    >>> table["loss"] = (1.0 - table.width) ** 2 + (table.lr - 0.5) ** 2
    >>> table["seconds"] = 10.0 * table.width
    >>> found = hx.pareto(table, objective="loss", duration="seconds")
    >>> found.objectives, found.claims[0].hyperparameters
    (('loss', 'duration in seconds'), ('width',))
    """
    objectives = read_objectives(pareto, run, reading)
    models = {name: r.surrogate(kind=kind, seed=seed) for name, r in objectives.runs.items()}
    subjects = {name: Subject.of(r, draws=draws) for name, r in objectives.runs.items()}
    return ParetoExplainer(objectives, models, subjects=subjects, seed=seed).explain(loss=loss)
