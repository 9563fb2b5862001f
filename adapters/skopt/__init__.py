"""The adapter of scikit-optimize."""

from __future__ import annotations

try:
    import skopt as _skopt  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        "reading results of scikit-optimize needs skopt: pip install scikit-optimize"
    ) from error

from hpo_explain.adapters.skopt.callback import ExplanationCallback
from hpo_explain.adapters.skopt.result import from_skopt

__all__ = ["ExplanationCallback", "from_skopt"]
