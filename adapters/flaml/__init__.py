"""The adapter of FLAML."""

from hpo_explain.adapters.flaml.analysis import from_flaml

__all__ = ["from_flaml"]
