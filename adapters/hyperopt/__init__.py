"""The adapter of Hyperopt's trials."""

from hpo_explain.adapters.hyperopt.trials import from_hyperopt

__all__ = ["from_hyperopt"]
