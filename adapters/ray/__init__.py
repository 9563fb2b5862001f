"""The adapter of Ray Tune's results."""

from hpo_explain.adapters.ray.results import from_ray

__all__ = ["from_ray"]
