"""Where results scatter."""

from __future__ import annotations

from typing import Any

from hpo_explain.base.options import Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.noise import NoiseExplainer
from hpo_explain.explanations.noise import Noise
from hpo_explain.facade._asked import read


@shows_progress
def noise(run: Any, order: int = 1, *, kind: Kind = "auto", seed: int = 0, **reading: Any) -> Noise:
    """Say where results of the same configuration scatter, and what that depends on.

    It needs configurations that were evaluated several times: as repeated trials, or on several
    instances (folds, data sets), whose difficulty is no noise.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    order : int, default 1
        Size of the largest sets of hyperparameters: 2 adds all pairs.
    kind : {"auto", "gp", "forest"}, default "auto"
        The model of the logarithm of the noise's variance, as in :meth:`Run.surrogate`.
    seed : int, default 0
        Seed of the model, samples and draws.
    **reading
        Options of the adapter, such as ``objective=`` and ``instance=`` for a table.

    Returns
    -------
    Noise
        The standard deviation of one evaluation: at the incumbent, over the space, and the share
        of each hyperparameter in the variance of its logarithm.

    Raises
    ------
    NothingToExplain
        If fewer than two configurations were evaluated several times, or their results are the
        same each time.
    ValueError
        If `order` is larger than the number of hyperparameters, or an option is not allowed.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F. et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. https://arxiv.org/abs/2403.04629

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame(np.repeat(rng.random((30, 2)), 5, axis=0), columns=["lr", "width"])
    >>> table["fold"] = np.tile(np.arange(5), 30)
    >>> table["loss"] = table.fold + 10.0**table.lr * rng.standard_normal(150)
    >>> found = hx.noise(table, objective="loss", instance="fold")
    >>> found.main, found.importance.share("lr") > 0.8
    ('lr', True)
    """
    run = read(noise, run, reading)
    explainer = NoiseExplainer(run.noise(kind=kind, seed=seed), subject=Subject.of(run), seed=seed)
    return explainer.explain(order)
