"""What a hyperparameter does, how sure that is, and what would make it surer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters import as_run
from hpo_explain.explainers.next_experiments import choose_experiments
from hpo_explain.explainers.partial_dependence import PartialDependenceExplainer
from hpo_explain.explainers.regional import RegionalPartialDependenceExplainer
from hpo_explain.explanations import (
    PartialDependence,
    Region,
    RegionalPartialDependence,
)
from hpo_explain.run import Run


def partial_dependence(
    source: Any,
    names: str | Sequence[str],
    *,
    sample: int | npt.ArrayLike = 1000,
    grid_size: int = 20,
    variance: str = "average",
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> PartialDependence:
    """Show the effect of one or two hyperparameters, and how sure the surrogate is of it.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    names : str or pair of str
        The hyperparameters.
    sample, grid_size, variance, seed
        As in :class:`PartialDependenceExplainer`.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    PartialDependence
        Curve or surface with its band, in the objective's units.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> effect = hx.partial_dependence(table, "x", objective="loss", sample=10)
    >>> bool(effect.mean[-1] > effect.mean[0])
    True
    """
    run = as_run(source, **reading)
    explainer = PartialDependenceExplainer(
        run.surrogate(kind=kind, seed=seed),
        sample=sample,
        grid_size=grid_size,
        variance=variance,
        seed=seed,
    )
    return _of_run(run, explainer.explain(names))


def regional_partial_dependence(
    source: Any,
    names: str | Sequence[str],
    *,
    sample: int | npt.ArrayLike = 1000,
    grid_size: int = 20,
    max_depth: int = 3,
    criterion: str = "l2",
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> RegionalPartialDependence:
    """Show the effect of one or two hyperparameters in regions of like certainty.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    names : str or pair of str
        The hyperparameters.
    sample, grid_size, max_depth, criterion, seed
        As in :class:`RegionalPartialDependenceExplainer`.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    RegionalPartialDependence
        The regions, the incumbent's first.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + table.y
    >>> result = hx.regional_partial_dependence(table, "x", objective="loss", sample=100)
    >>> result.regions[0].holds(result.incumbent)
    True
    """
    run = as_run(source, **reading)
    explainer = RegionalPartialDependenceExplainer(
        run.surrogate(kind=kind, seed=seed),
        sample=sample,
        grid_size=grid_size,
        max_depth=max_depth,
        criterion=criterion,
        seed=seed,
    )
    incumbent = run.incumbent if np.any(run.feasible) else None
    found = explainer.explain(names, incumbent=incumbent)
    named = {
        id(node): replace(node, effect=_of_run(run, node.effect, within=node))
        for node in found.tree
    }
    return replace(
        found,
        tree=tuple(named[id(node)] for node in found.tree),
        regions=tuple(named[id(node)] for node in found.regions),
    )


def _of_run(
    run: Run, effect: PartialDependence, *, within: Region | None = None
) -> PartialDependence:
    """Return a partial dependence with what the run knows of its hyperparameters."""
    members = [run.space.index(name) for name in effect.names]
    active = ~np.isnan(run.X[:, members]).any(axis=1)
    if within is not None:
        active &= np.array([within.holds(config) for config in run.space.decode(run.X)], dtype=bool)
    incumbent = run.incumbent if np.any(run.feasible) else {}
    return replace(
        effect,
        incumbent=tuple(incumbent[name] for name in effect.names)
        if all(name in incumbent for name in effect.names)
        else None,
        tried=tuple(tuple(run.space.parameters[j].decode(run.X[active, j])) for j in members),
        objective_name=run.objective_name,
        direction=run.direction,
    )


def next_experiments(
    source: Any,
    names: str | Sequence[str],
    n: int = 5,
    *,
    sample: int = 200,
    grid_size: int = 15,
    candidates: int = 500,
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> list[dict[str, Any]]:
    """Return the experiments that would tighten a partial dependence most.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    names : str or pair of str
        The hyperparameters.
    n : int, default 5
        Number of experiments.
    sample, grid_size, candidates, seed
        As in :func:`hpo_explain.explainers.next_experiments.choose_experiments`.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`. Without a joint posterior the experiments are
        those where it is least sure, with a warning.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    list of dict
        Configurations, the most useful first, as ``study.enqueue_trial`` takes them.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> [sorted(config) for config in hx.next_experiments(table, "x", n=2, objective="loss")]
    [['x'], ['x']]
    """
    run = as_run(source, **reading)
    rows = choose_experiments(
        run.surrogate(kind=kind, seed=seed),
        names,
        n,
        sample=sample,
        grid_size=grid_size,
        candidates=candidates,
        seed=seed,
    )
    return run.space.decode(rows)
