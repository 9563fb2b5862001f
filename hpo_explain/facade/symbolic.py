"""A short formula for an effect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hpo_explain.base.options import Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.symbolic import SymbolicExplainer
from hpo_explain.explanations.symbolic import SymbolicEffect
from hpo_explain.facade._asked import read


@shows_progress
def symbolic(
    run: Any,
    names: str | Sequence[str],
    *,
    terms: int = 4,
    least: float = 0.9,
    sample: int = 200,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> SymbolicEffect:
    """Say in a short formula what one to three hyperparameters do to the objective.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    names : str or sequence of str
        One to three hyperparameters; the formula is of their partial dependence.
    terms, least
        As of :meth:`SymbolicExplainer.explain`.
    sample, seed
        As of :class:`SymbolicExplainer`.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`.
    surrogate : Surrogate or object, optional
        A model of your own in place of `kind`, as in :meth:`Run.explained_by`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    SymbolicEffect
        The formula with its R². ``result.formula`` is empty where no short one fits, or where the
        trials do not tell the effect from none.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    References
    ----------
    .. [1] Segel, S. et al. (2023). Symbolic explanations for hyperparameter optimization. AutoML.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.uniform(1, 5, 40), "y": rng.uniform(1, 5, 40)})
    >>> table["loss"] = 2.0 + table.x * table.y
    >>> [term.label for term in hx.symbolic(table, ["x", "y"], objective="loss").terms]
    ['x · y']
    """
    run = read(symbolic, run, reading, surrogate, kind)
    explainer = SymbolicExplainer(
        run.surrogate(kind=kind, seed=seed),
        sample=sample,
        subject=Subject.of(run, draws=draws),
        seed=seed,
    )
    return explainer.explain(names, terms=terms, least=least)
