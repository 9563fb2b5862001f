"""Which hyperparameters matter, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain._checks import check_number
from hpo_explain.adapters import as_run
from hpo_explain.explainers.fanova import FanovaExplainer
from hpo_explain.explanations import (
    FanovaImportance,
)
from hpo_explain.run import Run, average_instances
from hpo_explain.space import Config, FloatParameter
from hpo_explain.surrogates import Surrogate


def importance(
    source: Any,
    order: int = 1,
    *,
    n_trees: int = 64,
    seed: int = 0,
    cap: float | str | Config | None = None,
    given: Mapping[str, Sequence[Any]] | None = None,
    **reading: Any,
) -> FanovaImportance:
    """Say which hyperparameters matter, exactly for a forest, with interactions and error bars.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    order : int, default 1
        Size of the largest sets of hyperparameters: 2 adds all pairs.
    n_trees : int, default 64
        Number of trees.
    seed : int, default 0
        Seed of the forest.
    cap : float, str or dict, optional
        Only the good region: predictions worse than this count as this. A number in the
        objective's units, a quantile of the observed trials from the best on (``"25%"``), or a
        configuration such as a default (its observed objective, else the predicted one).
    given : mapping of str to sequence, optional
        Sub-space, as in :meth:`FanovaExplainer.explain`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    FanovaImportance
        Shares of the variance of ``run.surrogate(kind="forest", n_trees=n_trees, seed=seed)``;
        of a run with instances, after :func:`hpo_explain.run.average_instances`.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, `order` is larger than the number of
        hyperparameters, `cap` is outside the observed objective, or `given` leaves nothing.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.importance(table, objective="loss").share("x")
    1.0
    """
    read = as_run(source, **reading)
    run = average_instances(read, n_trees=n_trees, seed=seed)
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=seed)
    explainer = FanovaExplainer(forest, direction=run.direction, seed=seed)
    result = explainer.explain(order=order, cap=_cap(run, forest, cap), given=given, tried=run.X)
    return replace(
        result,
        objective_name=run.objective_name,
        incumbent=_incumbent(run, given or {}),
        notes=(*result.notes, *[str(note) for note in run.notes if note not in read.notes]),
    )


def _incumbent(run: Run, given: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return the best feasible configuration of a sub-space; empty if none was tried."""
    inside = np.array(run.feasible, dtype=bool)
    for name, values in given.items():
        column, ends = run.X[:, run.space.index(name)], run.space[name].encode(values)
        if isinstance(run.space[name], FloatParameter):
            inside &= (ends[0] <= column) & (column <= ends[1])
        else:
            inside &= np.isclose(column[:, None], ends).any(axis=1)
    trials = np.asarray(run.trials)[inside]
    return run.config(run.best(trials.tolist())) if len(trials) else {}


def _cap(run: Run, forest: Surrogate, cap: float | str | Config | None) -> float | None:
    """Return the objective beyond which predictions are clipped."""
    if cap is None:
        return None
    best, worst = float(run.cost.min()), float(run.cost.max())
    sign = 1.0 if run.direction == "minimize" else -1.0
    if isinstance(cap, Mapping):
        x = run.space.encode(cap)
        same = np.flatnonzero((np.isclose(run.X, x, equal_nan=True)).all(axis=1))
        value = float(run.objective[same[0]] if len(same) else forest.predict(x)[0][0])
    elif isinstance(cap, str):
        try:
            share = float(cap.removesuffix("%")) / 100.0
        except ValueError:
            share = np.nan
        if not cap.endswith("%") or not 0.0 < share <= 1.0:
            raise ValueError(
                f"cap must be a number, a quantile such as '25%', or a configuration, "
                f"but was {cap!r}."
            )
        value = sign * float(np.quantile(run.cost, share))
    else:
        value = check_number("cap", cap)
    if isinstance(cap, str) and sign * value <= best < worst:
        raise ValueError(
            f"cap = {cap!r} is the best {run.objective_name} itself ({value:.6g}), which as many "
            "trials reach. Give a larger quantile, or a number."
        )
    if not best < sign * value <= worst:
        raise ValueError(
            f"cap = {value:.6g} must lie within the observed {run.objective_name}, beyond the best "
            f"({sign * best:.6g}) and up to the worst ({sign * worst:.6g}). Choose a value between."
        )
    return value
