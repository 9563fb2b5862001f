"""The adapter of ConfigSpace's search spaces."""

from hpo_explain.adapters.configspace.space import from_configspace, read_configspace

__all__ = ["from_configspace", "read_configspace"]
