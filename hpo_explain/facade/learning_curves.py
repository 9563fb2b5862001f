"""What learning curves say: how early ranks are known, and what stopping early would cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hpo_explain.base.checks import check_option
from hpo_explain.base.options import KINDS, Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.explainers.learning_curves import LearningCurvesExplainer
from hpo_explain.explanations.learning_curves import LearningCurves
from hpo_explain.facade._asked import read


@shows_progress
def learning_curves(
    run: Any,
    *,
    enough: float = 0.8,
    at: Sequence[float] | None = None,
    orders: int = 50,
    kind: Kind = "auto",
    seed: int = 0,
    **reading: Any,
) -> LearningCurves:
    """Say how early the final rank of trials is known, and whether a pruner would cost the best.

    It needs values that trials reported step by step: intermediate values of Optuna, iterations of
    Ray Tune, or a table with one row per trial and step (``trial=``, ``fidelity=``). Pruned trials
    tell what values at a step depend on; ranks and regrets are those of finished trials.

    Parameters
    ----------
    run : optuna.Study, Ray's ResultGrid, pandas.DataFrame, path or Run
        The optimization run.
    enough : float, default 0.8
        The rank correlation with the final values that is asked for.
    at : sequence of float, optional
        The steps at which it is asked what the value depends on; by default the first one, one
        after a quarter of the steps, and the last one. Steps with fewer than 10 trials are passed
        over.
    orders : int, default 50
        In how many random orders of the trials pruners are replayed, at most.
    kind : {"auto", "gp", "forest"}, default "auto"
        The model of the value at a step, as in :meth:`Run.surrogate`.
    seed : int, default 0
        Seed of orders, models and draws.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    LearningCurves
        The rank correlation at each step, what pruners would have done to the finished trials (the
        median rule, successive halving, Hyperband, and the study's own pruner), and at a few steps
        the shares of hyperparameters.

    Raises
    ------
    NothingToExplain
        If no trial reported a value, or fewer than three of those that did have finished.
    ValueError
        If an option is not allowed.

    References
    ----------
    .. [1] Li, L. et al. (2018). Hyperband: a novel bandit-based approach to hyperparameter
       optimization. JMLR 18(185).

    Examples
    --------
    >>> import numpy as np
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> def objective(trial):
    ...     lr = trial.suggest_float("lr", 0.0, 1.0)
    ...     for epoch in range(5):
    ...         trial.report(lr + np.exp(-epoch), epoch)
    ...     return lr + np.exp(-4.0)
    >>> study.optimize(objective, n_trials=20)
    >>> hx.learning_curves(study).known_from
    0.0
    """
    check_option("kind", kind, KINDS)
    run = read(learning_curves, run, reading)
    explainer = LearningCurvesExplainer(run, seed=seed)
    return explainer.explain(enough=enough, at=at, orders=orders, kind=kind)
