"""A map of the configurations."""

from __future__ import annotations

from typing import Any

from hpo_explain.base.options import Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.footprint import FootprintExplainer
from hpo_explain.explanations.footprint import Footprint
from hpo_explain.facade._asked import read


@shows_progress
def footprint(
    run: Any,
    *,
    border: int = 60,
    random: int = 60,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> Footprint:
    """Draw the configurations on a map, with what the model predicts, and where none was tried.

    Places on the map are as far apart as the configurations, as well as two dimensions allow
    (``result.stress`` says how well).

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    border, random : int, default 60
        How many configurations that were not tried are shown, at the ends of all ranges and from
        anywhere in the space.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`.
    surrogate : Surrogate or object, optional
        A model of your own in place of `kind`, as in :meth:`Run.explained_by`.
    seed : int, default 0
        Seed of the surrogate and of the configurations that were not tried.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Footprint
        The map: tried configurations, incumbents and others, their places and predictions.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or an option is not allowed.

    References
    ----------
    .. [1] Sass, R. et al. (2022). DeepCAVE: an interactive analysis tool for automated machine
       learning. ICML workshop. https://arxiv.org/abs/2206.03493

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 0.5]})
    >>> found = hx.footprint(table, objective="loss", border=2, random=10)
    >>> [len(found.of_kind(kind)) for kind in ("tried", "incumbent", "random")]
    [3, 2, 10]
    """
    run = read(footprint, run, reading, surrogate, kind)
    explainer = FootprintExplainer(
        run.surrogate(kind=kind, seed=seed),
        border=border,
        random=random,
        subject=Subject.of(run, draws=draws),
        seed=seed,
    )
    return explainer.explain(run.trials)
