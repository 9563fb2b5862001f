"""Hyperparameter importance with intervals: evaluators, and their figure."""

from __future__ import annotations

from typing import Any

from hpo_explain import importance
from hpo_explain.adapters.optuna import FanovaImportanceEvaluator
from hpo_explain.adapters.optuna import TopImportanceEvaluator
import optuna
import plotly.graph_objects as go


__all__ = ["FanovaImportanceEvaluator", "TopImportanceEvaluator", "plot_importance"]


def plot_importance(study: optuna.Study, **options: Any) -> go.Figure:
    """Plot what the objective depends on, with 95 % intervals.

    Parameters
    ----------
    study : optuna.Study
        The study.
    **options
        Options of ``hpo_explain.importance``: ``top=0.1`` asks what `TopImportanceEvaluator`
        does, ``order=2`` adds pairs, ``target=`` names one of several objectives.

    Returns
    -------
    plotly.graph_objects.Figure
        The share of the variance that each hyperparameter explains.
    """
    return importance(study, **options).to_plotly()
