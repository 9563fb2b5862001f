"""The adapter of Ray Tune: its results, and the folders of its experiments."""

from hpo_explain.adapters.ray.results import from_ray

__all__ = ["from_ray"]
