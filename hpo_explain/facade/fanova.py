"""Which hyperparameters matter, and which can stay fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain._checks import check_number
from hpo_explain.adapters import as_run
from hpo_explain.errors import InputError
from hpo_explain.explainers.fanova import FanovaExplainer
from hpo_explain.explainers.subspace import SubspaceExplainer
from hpo_explain.explanations import FanovaImportance, Subject, Subspace
from hpo_explain.facts import fact
from hpo_explain.run import Run, average_instances
from hpo_explain.space import Config
from hpo_explain.surrogates import Surrogate

Cap = float | str | Config | None


def importance(
    run: Any,
    order: int = 1,
    *,
    n_trees: int = 64,
    seed: int = 0,
    cap: Cap = None,
    given: Mapping[str, Sequence[Any]] | None = None,
    **reading: Any,
) -> FanovaImportance:
    """Say which hyperparameters matter, exactly for a forest, with interactions and error bars.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    order : int, default 1
        Size of the largest sets of hyperparameters: 2 adds all pairs.
    n_trees : int, default 64
        Number of trees.
    seed : int, default 0
        Seed of the forest.
    cap : float, str or dict, optional
        Only the good region: the forest learns objectives worse than this as this. A number in
        the objective's units, a quantile of the observed trials from the best on (``"25%"``), or a
        configuration such as a default (its observed objective, else the predicted one). To clip
        the predictions of a forest that has learned the objectives as they are, call
        :meth:`FanovaExplainer.explain` with `cap`.
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
    forest, subject, bound = _explained(run, n_trees, seed, cap, reading)
    explainer = FanovaExplainer(forest, subject=subject, seed=seed)
    return explainer.explain(order=order, cap=bound, given=given)


def subspace(
    run: Any,
    share: float = 0.9,
    *,
    n_trees: int = 64,
    seed: int = 0,
    cap: Cap = None,
    given: Mapping[str, Sequence[Any]] | None = None,
    **reading: Any,
) -> Subspace:
    """Find the smallest set of hyperparameters that explains a share of the variance.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    share : float, default 0.9
        Share of the variance, in (0, 1], that the set explains alone: its main effects and all
        interactions among its members.
    n_trees, seed, cap, given
        As in :func:`importance`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Subspace
        The set, and in `fixed` the incumbent's values of all others.

    Raises
    ------
    ValueError
        If `share` is not in (0, 1], fewer than two trials are finished, `cap` is outside the
        observed objective, or `given` leaves nothing.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 4.4.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(50), "y": rng.random(50)})
    >>> table["loss"] = table.x
    >>> hx.subspace(table, objective="loss").names
    ('x',)
    """
    forest, subject, bound = _explained(run, n_trees, seed, cap, reading)
    explainer = SubspaceExplainer(forest, subject=subject, seed=seed)
    return explainer.explain(share, cap=bound, given=given)


def _explained(
    run: Any, n_trees: int, seed: int, cap: Cap, reading: Mapping[str, Any]
) -> tuple[Surrogate, Subject, float | None]:
    """Return the forest of a run, what it is about, and where the objective is capped.

    The forest learns the capped objective (Hutter et al. 2014, Section 3.3): one that has learned
    the objective as it is spends its splits on differences that the cap takes away.
    """
    read = as_run(run, **reading)
    run = average_instances(read, n_trees=n_trees, seed=seed)
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=seed)
    notes = [note for note in run.notes if note not in read.notes]
    bound = _cap(run, forest, cap)
    if bound is not None:
        better = np.minimum if run.direction == "minimize" else np.maximum
        averaged = None if run.averaged is None else replace(run.averaged, cap=bound)
        capped = replace(run, objective=better(run.objective, bound), averaged=averaged)
        forest = capped.surrogate(kind="forest", n_trees=n_trees, seed=seed)
        notes.append(fact("objectives_capped"))
    return forest, Subject.of(run, notes=notes), bound


def _cap(run: Run, forest: Surrogate, cap: Cap) -> float | None:
    """Return the objective beyond which it is capped."""
    if cap is None:
        return None
    best, worst = float(run.cost.min()), float(run.cost.max())
    sign = 1.0 if run.direction == "minimize" else -1.0
    if isinstance(cap, Mapping):
        x = run.space.encode(cap)
        same = np.flatnonzero((np.isclose(run.X, x, equal_nan=True)).all(axis=1))
        value = float(run.objective[same[0]] if len(same) else forest.predict(x)[0][0])
    elif isinstance(cap, str):
        value = sign * float(np.quantile(run.cost, _quantile(cap)))
    else:
        value = check_number("cap", cap)
    if isinstance(cap, str) and sign * value <= best < worst:
        raise InputError(
            "cap",
            f"is {cap!r}, which is the best {run.objective_name} itself ({value:.6g}): as many "
            "trials reach it",
            cap,
            "Give a larger quantile, or a number.",
        )
    if not best < sign * value <= worst:
        raise InputError(
            "cap",
            f"must lie within the observed {run.objective_name}, beyond the best "
            f"({sign * best:.6g}) and up to the worst ({sign * worst:.6g}), but was {value:.6g}",
            cap,
        )
    return value


def _quantile(text: str) -> float:
    """Return a percentage as a fraction."""
    try:
        share = float(text.removesuffix("%")) / 100.0
    except ValueError:
        share = np.nan
    if not text.endswith("%") or not 0.0 < share <= 1.0:
        raise InputError(
            "cap",
            f"must be a number, a quantile such as '25%', or a configuration, but was {text!r}",
            text,
        )
    return share
