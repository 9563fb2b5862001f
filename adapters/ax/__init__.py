"""The adapter of Ax's clients."""

from hpo_explain.adapters.ax.client import from_ax

__all__ = ["from_ax"]
