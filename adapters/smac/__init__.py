"""The adapter of SMAC3."""

from hpo_explain.adapters.smac.runhistory import from_smac

__all__ = ["from_smac"]
