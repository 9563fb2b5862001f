"""What tuning can gain over a default, and what else hyperparameters can do to it (HyperSHAP)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hpo_explain._checks import check_sequence
from hpo_explain.errors import InputError
from hpo_explain.explainers.games import GameExplainer
from hpo_explain.explanations import GameExplanation, Subject
from hpo_explain.facade._asked import (
    config_of,
    default_source,
    read,
    read_one,
    surrogate_of,
    trial_of,
)
from hpo_explain.facts import Fact, fact
from hpo_explain.options import InteractionIndex, Kind
from hpo_explain.run import Run
from hpo_explain.space import Config


def tunability(
    run: Any,
    default: Config | int | None = None,
    *,
    index: InteractionIndex = "k-SII",
    order: int = 2,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    seed: int = 0,
    **reading: Any,
) -> GameExplanation:
    """Say what tuning each set of hyperparameters gains over a default, by the surrogate.

    The best values of every set are searched for on the surrogate while the others stay at the
    default; the model's uncertainty of what they gain comes with them.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    default : dict or int, optional
        The default: a configuration, or the number of a trial. By default the first trial; where
        that is the incumbent, the trial in the middle of the ranking.
    index : {"k-SII", "STII", "FSII"}, default "k-SII"
        How what hyperparameters do together is shared out, as in :func:`shapley_interactions`.
    order : int, default 2
        The size of the largest sets.
    before, kind, surrogate, seed
        As in :func:`ablation`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    GameExplanation
        ``gain("lr", "depth")`` is what tuning these two gains, ``configuration("lr", "depth")``
        with which values; ``total`` shares the gain of all among single ones and sets.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, or
        an option is not allowed.

    References
    ----------
    .. [1] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.tunability(table, {"x": 0.9}, objective="loss").configuration("x")
    {'x': 0.1}
    """
    run = read(tunability, run, reading, surrogate, kind)
    explainer, config, trial = _explainer(run, default, index, order, before, kind, seed)
    return explainer.tunability(config, trial=trial)


def mistunability(
    run: Any,
    default: Config | int | None = None,
    *,
    index: InteractionIndex = "k-SII",
    order: int = 2,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    seed: int = 0,
    **reading: Any,
) -> GameExplanation:
    """Say what the worst values of each set of hyperparameters lose against a default.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    default, index, order, before, kind, surrogate, seed
        As in :func:`tunability`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    GameExplanation
        Gains below 0: ``gain("lr")`` is that of the worst value of lr.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, or
        an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.mistunability(table, {"x": 0.1}, objective="loss").configuration("x")
    {'x': 0.9}
    """
    run = read(mistunability, run, reading, surrogate, kind)
    explainer, config, trial = _explainer(run, default, index, order, before, kind, seed)
    return explainer.mistunability(config, trial=trial)


def sensitivity(
    run: Any,
    default: Config | int | None = None,
    *,
    index: InteractionIndex = "k-SII",
    order: int = 2,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    seed: int = 0,
    **reading: Any,
) -> GameExplanation:
    """Say how much the prediction varies with each set of hyperparameters around a default.

    The variance is that over the space's measure, the other hyperparameters are at the default:
    other than in :func:`importance`, which averages over them.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    default, index, order, before, kind, surrogate, seed
        As in :func:`tunability`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    GameExplanation
        Variances, in squared units of the objective.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, or
        an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.sensitivity(table, objective="loss")
    >>> bool(found.gain("x") == found.whole > 0.0)
    True
    """
    run = read(sensitivity, run, reading, surrogate, kind)
    explainer, config, trial = _explainer(run, default, index, order, before, kind, seed)
    return explainer.sensitivity(config, trial=trial)


def optimizer_bias(
    run: Any,
    default: Config | int | None = None,
    *,
    ensemble: Sequence[Any] = (),
    index: InteractionIndex = "k-SII",
    order: int = 2,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    seed: int = 0,
    **reading: Any,
) -> GameExplanation:
    """Say in which hyperparameters the tried values miss what could have been gained.

    The values of a set of hyperparameters that the run tried, put into a default, are compared with
    the best values that the surrogate predicts, or with those that an ensemble of other runs tried.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run, of whose optimizer this is about.
    default : dict or int, optional
        As in :func:`tunability`.
    ensemble : sequence of runs, default ()
        Other optimizers' runs in the same space: Runs, or whatever is read as `run` is. By default
        the reference is the best that the surrogate predicts.
    index, order, before, kind, surrogate, seed
        As in :func:`tunability`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    GameExplanation
        Gains below 0: ``gain("lr")`` is what the tried values of lr miss, by themselves.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, a
        run of the ensemble has another space, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.optimizer_bias(table, 1, objective="loss").whole <= 0.0
    True
    """
    run = read(optimizer_bias, run, reading, surrogate, kind)
    others = [
        read_one(optimizer_bias, "ensemble", "has a run that cannot be read: ", other, reading)
        for other in check_sequence("ensemble", ensemble, "runs")
    ]
    for other in others:
        if other.space.names != run.space.names:
            problem = f"has a run of {list(other.space.names)}, not of {list(run.space.names)}"
            raise InputError("ensemble", problem, ensemble, "Give runs in the same space.")
    note = fact("games_of_others", runs=len(others)) if others else fact("games_of_model")
    explainer, config, trial = _explainer(run, default, index, order, before, kind, seed, note)
    tried = [run.space.encode(other.space.decode(np.asarray(other.X))) for other in others]
    return explainer.optimizer_bias(config, tried, trial=trial)


def _explainer(
    run: Run, default: Config | int | None, index: InteractionIndex, order: int,
    before: int | None, kind: Kind, seed: int, *notes: Fact,
) -> tuple[GameExplainer, Config, int | None]:  # fmt: skip
    """Return the explainer of a run, the default, and the trial that it is."""
    model, about = surrogate_of(run, before, kind, seed)
    if default is None:
        default = default_source(run, run.incumbent)
        notes = (fact("default_chosen", trials=[default]), *notes)
    subject = Subject.of(run, notes=(*notes, *about))
    explainer = GameExplainer(model, index=index, order=order, subject=subject, seed=seed)
    return explainer, config_of(run, "default", default), trial_of(run, default)
