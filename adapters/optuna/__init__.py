"""The adapter of Optuna: a study read into a Run, and a callback that keeps a report up to date."""

try:
    import optuna as _optuna  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        'reading Optuna studies needs Optuna: pip install "hpo_explain[optuna]"'
    ) from error

from hpo_explain.adapters.optuna.callback import ExplanationCallback
from hpo_explain.adapters.optuna.study import from_optuna

__all__ = ["ExplanationCallback", "from_optuna"]
