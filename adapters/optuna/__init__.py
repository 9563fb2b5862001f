"""The adapter of Optuna: a study read into a Run, a callback, and importance evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import optuna as _optuna  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError("reading Optuna studies needs Optuna: pip install optuna") from error

from hpo_explain.adapters.optuna._space import to_optuna
from hpo_explain.adapters.optuna.study import from_optuna

if TYPE_CHECKING:
    from hpo_explain.adapters.optuna.callback import ExplanationCallback
    from hpo_explain.adapters.optuna.importance import (
        FanovaImportanceEvaluator,
        TopImportanceEvaluator,
    )
    from hpo_explain.adapters.optuna.reviewed import ReviewedSampler

__all__ = [
    "ExplanationCallback",
    "FanovaImportanceEvaluator",
    "ReviewedSampler",
    "TopImportanceEvaluator",
    "from_optuna",
    "to_optuna",
]

if not TYPE_CHECKING:  # a type checker that saw it would accept every misspelled name

    def __getattr__(name: str) -> object:
        # what they build on takes a second to load, which reading need not
        if name == "ExplanationCallback":
            from hpo_explain.adapters.optuna import callback as module
        elif name == "ReviewedSampler":
            from hpo_explain.adapters.optuna import reviewed as module
        elif name in __all__:
            from hpo_explain.adapters.optuna import importance as module
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(module, name)
