"""What matters around one configuration, and which hyperparameters work together."""

from __future__ import annotations

from typing import Any, Literal

from hpo_explain.base.checks import check_option
from hpo_explain.base.options import (
    LIME_SAMPLINGS,
    Criterion,
    Kind,
    LimeSampling,
    Readable,
)
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.lime import LimeExplainer
from hpo_explain.explanations.lime import LimeExplanation
from hpo_explain.facade._asked import config_of, model_of, read, trial_of
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.space import Config


@shows_progress
def lime(
    run: Any,
    config: Config | int | None = None,
    model: Readable = "linear",
    *,
    sampling: LimeSampling | Literal["tried"] = "uniform",
    sample: int = 1000,
    kernel_width: float | None = None,
    max_features: int = 10,
    max_depth: int = 3,
    acquisition: Criterion | Acquisition | None = None,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> LimeExplanation:
    """Explain a prediction by a model one can read, which holds around the configuration.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    config : dict or int, optional
        The configuration, or the number of a trial; by default the incumbent.
    model : {"linear", "lasso", "tree", "rules"}, default "linear"
        A sparse linear model, chosen step by step or by the LASSO, a small tree, or short rules.
    sampling : {"uniform", "local", "perturbed", "univariate", "grid", "tried"}, default "uniform"
        Where the readable model is fitted: in the whole space, around the configuration, at the
        configurations tried with some values changed, at the values tried of each hyperparameter
        by itself, at a grid, or at the configurations tried as they are.
    sample, kernel_width, max_features, max_depth
        As in :class:`LimeExplainer`.
    acquisition, before, kind, surrogate, seed
        As in :func:`ablation`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    LimeExplanation
        What changes the prediction, and the weighted R² of the readable model, also held out.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the configuration is not one of the space, or an
        option is not allowed.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD. https://arxiv.org/abs/1602.04938

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.lime(table, objective="loss", sampling="tried").statements[0].text
    'x from 0.1 to 0.9'
    """
    run = read(lime, run, reading, surrogate, kind)
    check_option("sampling", sampling, (*LIME_SAMPLINGS, "tried"))
    asked = config_of(run, "config", config)
    explained, notes = model_of(run, acquisition, before, kind, seed)
    explainer = LimeExplainer(
        explained,
        model=model,
        sample=run.X if sampling == "tried" else sample,
        sampling="uniform" if sampling == "tried" else sampling,
        kernel_width=kernel_width,
        max_features=max_features,
        max_depth=max_depth,
        subject=Subject.of(run, trial=trial_of(run, config), draws=draws, notes=notes),
        seed=seed,
    )
    return explainer.explain(asked)
