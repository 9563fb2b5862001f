"""Tables that frameworks write, known by their columns: which is what in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts.ax import read_ax
from hpo_explain.adapters.frame.layouts.layout import Layout
from hpo_explain.adapters.frame.layouts.mlflow import read_mlflow, table_of_mlflow
from hpo_explain.adapters.frame.layouts.optuna import read_optuna
from hpo_explain.adapters.frame.layouts.ray import read_ray
from hpo_explain.adapters.frame.layouts.sklearn import read_sklearn
from hpo_explain.adapters.frame.layouts.wandb import expanded, read_dictionaries, read_wandb

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Layout", "expanded", "layout_of", "table_of_mlflow"]

_READERS = (
    read_optuna,
    read_sklearn,
    read_ray,
    read_mlflow,
    read_dictionaries,
    read_wandb,
    read_ax,
)


def layout_of(table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table whose columns have text for names; None if it is none of these.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"trial_id": ["a_1"], "config/lr": [0.1], "logdir": ["x"], "acc": [1]})
    >>> layout_of(table).names
    {'config/lr': 'lr'}
    """
    return next((found for read in _READERS if (found := read(table)) is not None), None)
