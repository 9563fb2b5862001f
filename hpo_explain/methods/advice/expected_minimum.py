"""The best predicted configuration of the whole search space."""

from __future__ import annotations

from typing import Any

from hpo_explain.asked.explains import Asked, explains
from hpo_explain.models._on_columns import best_mean


@explains(of="surrogate")
def expected_minimum(asked: Asked) -> tuple[dict[str, Any], float]:
    """Return the configuration whose predicted objective is best, and that prediction.

    It is skopt's function of this name for any run and model. Where the objective is maximized it
    is the maximum. The mean alone counts: where no trial is near, it may be wrong.

    Returns
    -------
    config : dict
        The configuration, in the user's units. It need not have been tried; the best predicted
        trial is :func:`hpo_explain.run.best_predicted.best_predicted`.
    mean : float
        What the surrogate predicts there, in the objective's units.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or an option is not allowed.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": np.linspace(0.0, 1.0, 15)})
    >>> table["loss"] = (table.x - 0.3) ** 2
    >>> config, loss = hx.expected_minimum(table, objective="loss")
    >>> round(config["x"], 1), abs(loss) < 0.01
    (0.3, True)
    """
    run, seed = asked.run, asked.seed
    x, mean = best_mean(asked.model, run.direction, run.X, seed=seed)
    return run.space.decode(x[None])[0], mean
