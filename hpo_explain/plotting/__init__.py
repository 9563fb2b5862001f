"""Plots: one file per result, each drawing numbers that are already computed."""

from hpo_explain.plotting._registry import draw
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.plotting.html import Drawable, figure_svg, plot_svg, result_html, result_svg

__all__ = [
    "Drawable",
    "abbreviated",
    "draw",
    "figure_svg",
    "plain",
    "plot_svg",
    "result_html",
    "result_svg",
]
