"""The adapter of Ray Tune's results."""

from hpo_explain.adapters.ray._space import flat, read_domains
from hpo_explain.adapters.ray.results import from_ray

__all__ = ["flat", "from_ray", "read_domains"]
