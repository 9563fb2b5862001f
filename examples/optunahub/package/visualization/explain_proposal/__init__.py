"""Why a sampler proposed a trial: what each hyperparameter contributes to its acquisition."""

from __future__ import annotations

from typing import Any

from hpo_explain import explain_proposal
import optuna
import plotly.graph_objects as go


__all__ = ["explain_proposal", "plot_proposal"]


def plot_proposal(study: optuna.Study, trial: Any = "latest", **options: Any) -> go.Figure:
    """Plot why a trial was proposed.

    Parameters
    ----------
    study : optuna.Study
        The study.
    trial : int, str, dict or optuna.trial.Trial, default "latest"
        As of `explain_proposal`.
    **options
        Options of `explain_proposal`.

    Returns
    -------
    plotly.graph_objects.Figure
        What each hyperparameter contributes.
    """
    return explain_proposal(study, trial, **options).to_plotly()
