"""The adapter of tables: one row per trial, or per trial and instance."""

from hpo_explain.adapters.frame.table import from_frame

__all__ = ["from_frame"]
