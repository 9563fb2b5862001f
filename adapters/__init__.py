"""Adapters: what a framework recorded, turned into a Run.

Every reader is loaded when it is first used, so that reading one framework does not need the
others.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if __name__ != "hpo_explain.adapters":
    raise ImportError(
        f"the adapters of hpo_explain were imported as {__name__!r}, which is another project's "
        "name; import them as 'hpo_explain.adapters': from hpo_explain.adapters import ..."
    )

if TYPE_CHECKING:
    from hpo_explain.adapters.ax import from_ax as from_ax
    from hpo_explain.adapters.configspace import (
        from_configspace as from_configspace,
    )
    from hpo_explain.adapters.flaml import from_flaml as from_flaml
    from hpo_explain.adapters.frame import from_frame as from_frame
    from hpo_explain.adapters.hyperopt import from_hyperopt as from_hyperopt
    from hpo_explain.adapters.keras_tuner import (
        from_keras_tuner as from_keras_tuner,
    )
    from hpo_explain.adapters.optuna import from_optuna as from_optuna
    from hpo_explain.adapters.optuna import to_optuna as to_optuna
    from hpo_explain.adapters.publishing import publish as publish
    from hpo_explain.adapters.ray import from_ray as from_ray
    from hpo_explain.adapters.sklearn import from_sklearn as from_sklearn
    from hpo_explain.adapters.skopt import from_skopt as from_skopt
    from hpo_explain.adapters.smac import from_smac as from_smac
    from hpo_explain.adapters.sources import apply_advice as apply_advice
    from hpo_explain.adapters.sources import as_run as as_run

_MODULE_OF = {
    "apply_advice": "sources",
    "as_run": "sources",
    "from_ax": "ax",
    "from_configspace": "configspace",
    "from_flaml": "flaml",
    "from_frame": "frame",
    "from_hyperopt": "hyperopt",
    "from_keras_tuner": "keras_tuner",
    "from_optuna": "optuna",
    "from_ray": "ray",
    "from_sklearn": "sklearn",
    "from_skopt": "skopt",
    "from_smac": "smac",
    "publish": "publishing",
    "to_optuna": "optuna",
}

__all__ = [*_MODULE_OF]


def loaded(module: str, name: str) -> Any:
    """Return what a module of the adapters has, which is loaded only now."""
    return getattr(import_module(f"hpo_explain.adapters.{module}"), name)


def loaded_reader(name: str) -> Callable[..., Any]:
    """Return a reader: a public one such as "from_frame", or "module:function" of the adapters."""
    module, _, function = name.rpartition(":")
    reader: Callable[..., Any] = loaded(module or _MODULE_OF[name], function)
    return reader


if (
    not TYPE_CHECKING
):  # a type checker that saw it would accept every misspelled name

    def __getattr__(name: str) -> object:
        if name not in _MODULE_OF:
            raise AttributeError(
                f"module 'hpo_explain.adapters' has no attribute {name!r}"
            )
        value = loaded_reader(name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
