"""The adapter of scikit-optimize."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import skopt as _skopt  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        'reading results of scikit-optimize needs skopt: pip install "hpo_explain[skopt]"'
    ) from error

from hpo_explain.adapters.skopt.callback import ExplanationCallback
from hpo_explain.adapters.skopt.result import from_skopt

if TYPE_CHECKING:
    from hpo_explain.adapters.skopt.reviewed import review

__all__ = ["ExplanationCallback", "from_skopt", "review"]

if not TYPE_CHECKING:  # a type checker that saw it would accept every misspelled name

    def __getattr__(name: str) -> object:
        if name != "review":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # What it builds on need not be loaded to read a result.
        from hpo_explain.adapters.skopt.reviewed import review

        return review
