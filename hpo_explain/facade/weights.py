"""What matters to several objectives, whatever their weights."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base.checks import check_count, check_option
from hpo_explain.base.options import KINDS, Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.explanations.weights import WeightedImportance
from hpo_explain.facade._asked import read_objectives
from hpo_explain.facade.fanova import importance
from hpo_explain.space import Array

_TWO, _MORE = 10, 3  # steps from one objective alone to another, of two and of more


@shows_progress
def weighted_importance(
    run: Any,
    *,
    divisions: int | None = None,
    kind: Kind = "forest",
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> WeightedImportance:
    """Say which hyperparameters matter to the weighted sum of several objectives, for all weights.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, table, path, Run or dict of runs
        The optimization run with several objectives, as in :func:`pareto`.
    divisions : int, optional
        Number of steps from one objective alone to another; by default 10 for two objectives, else
        3.
    kind : {"auto", "gp", "forest"}, default "forest"
        The model of each weighted sum, as in :func:`importance`; the paper has forests.
    seed : int, default 0
        Seed of the models and refits.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    WeightedImportance
        Shares with their intervals for each of the weights.

    Raises
    ------
    NothingToExplain
        If there is one objective and no duration.
    InputError
        If the runs are of other trials, or `divisions` is less than 1.

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
    >>> table = pd.DataFrame({"width": rng.random(40), "lr": rng.random(40)})
    >>> table = table.assign(loss=(table.lr - 0.5) ** 2, seconds=10.0 * table.width)
    >>> found = hx.weighted_importance(table, objective="loss", duration="seconds", divisions=1)
    >>> found.shares.round().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    check_option("kind", kind, KINDS)
    objectives = read_objectives(weighted_importance, run, reading)
    m = len(objectives.names)
    default = _TWO if m == 2 else _MORE
    steps = check_count("divisions", default if divisions is None else divisions)
    weights = _lattice(m, steps)
    runs = [
        objectives.run(dict(zip(objectives.names, row, strict=True))) for row in weights.tolist()
    ]
    found = [importance(joined, kind=kind, draws=draws, seed=seed) for joined in runs]
    return WeightedImportance(
        subject=replace(found[0].subject, objective_name="weighted sum"),
        objectives=objectives.names,
        weights=weights,
        importances=tuple(found),
    )


def _lattice(m: int, steps: int) -> Array:
    """Return all weights of m objectives that are multiples of 1 / steps."""
    rows = [row for row in itertools.product(range(steps, -1, -1), repeat=m) if sum(row) == steps]
    return np.array(rows, dtype=float) / steps
