"""Plots: one file per result, each drawing numbers that are already computed."""

from hpo_explain.plotting._registry import draw
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.plotting.html import Drawable, figure_svg, plot_svg, result_html, result_svg
from hpo_explain.plotting.path import plot_path
from hpo_explain.plotting.path_payouts import plot_payouts
from hpo_explain.plotting.path_predictions import plot_predictions
from hpo_explain.plotting.prediction import plot_prediction
from hpo_explain.plotting.prediction_overview import plot_prediction_overview
from hpo_explain.plotting.proposal import plot_proposal
from hpo_explain.plotting.repeated_runs import plot_repeated_runs
from hpo_explain.plotting.sample_size import plot_sample_size

__all__ = [
    "Drawable",
    "abbreviated",
    "draw",
    "figure_svg",
    "plain",
    "plot_path",
    "plot_payouts",
    "plot_prediction",
    "plot_prediction_overview",
    "plot_predictions",
    "plot_proposal",
    "plot_repeated_runs",
    "plot_sample_size",
    "plot_svg",
    "result_html",
    "result_svg",
]
