"""Where to search on."""

from __future__ import annotations

from typing import Any

from hpo_explain.base.facts import fact
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.recommended_space import RecommendedSpaceExplainer
from hpo_explain.explanations.recommended_space import Recommendation
from hpo_explain.facade._asked import read
from hpo_explain.run import average_instances, on_log_tail


@shows_progress
def recommended_space(
    run: Any, *, surrogate: Any = None, seed: int = 0, **reading: Any
) -> Recommendation:
    """Recommend a narrower search space that keeps what may be good, with the evidence.

    A value is given up only if trials were made near it, and if the model is certain that even with
    the best choice of all other hyperparameters it is worse than the best predicted configuration.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    surrogate : Surrogate or object, optional
        A model of your own, as in :meth:`Run.explained_by`.
    seed : int, default 0
        Seed of the models and of the search.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Recommendation
        The space, and for each hyperparameter what is kept and why. The rules are those of
        :class:`hpo_explain.RecommendedSpaceExplainer`, with a Gaussian process of at most 500
        trials, fitted to the objective on the scale of :class:`hpo_explain.run.LogTail`, or the
        model given; of a run with instances, after :func:`hpo_explain.run.average_instances`.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or none is feasible.

    References
    ----------
    .. [1] Srinivas, N., Krause, A., Kakade, S. and Seeger, M. (2010). Gaussian process
       optimization in the bandit setting. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(60), "y": rng.random(60)})
    >>> table["loss"] = (table.x - 0.2) ** 2
    >>> space = hx.recommended_space(table, objective="loss").space
    >>> space["x"].high < 0.7, space["y"].high - space["y"].low > 0.9
    (True, True)
    """
    whole = read(recommended_space, run, reading, surrogate)
    run = average_instances(whole, seed=seed)
    notes = [note for note in run.notes if note not in whole.notes]
    if run.model is not None:
        subject = Subject.of(run, notes=notes)
        return RecommendedSpaceExplainer(run.model, subject=subject, seed=seed).explain()
    scaled, tail = on_log_tail(run, seed=seed)
    if len(scaled) < len(run):
        notes.append(fact("fitted_on_some", used=len(scaled), n=len(run)))
    sign = 1.0 if run.direction == "minimize" else -1.0
    explainer = RecommendedSpaceExplainer(
        scaled.surrogate(kind="gp", seed=seed),
        subject=Subject.of(run, notes=notes),
        objective=lambda predicted: sign * tail.cost(sign * predicted),
        seed=seed,
    )
    return explainer.explain()
