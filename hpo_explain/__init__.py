"""Explanations of hyperparameter optimization: why this proposal, and can the answer be trusted.

Every public name is loaded when it is first used (``__init__.pyi`` lists them), so that ``import
hpo_explain`` costs milliseconds although scikit-learn, shap and matplotlib cost seconds.

Examples
--------
>>> import hpo_explain as hx
>>> space = hx.SearchSpace([hx.FloatParameter("lr", 1e-5, 1e-1, log=True)])
>>> space.encode({"lr": 1e-3})
array([[0.5]])
"""

from functools import partial
from importlib import import_module

import lazy_loader

from hpo_explain.base import loaders as _loaders
from hpo_explain.base.guessed import hinting

__version__ = "0.1.0"

_lookup, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _public() -> list[str]:
    methods = import_module("hpo_explain.methods")
    return [*__all__, *(f"methods.{name}" for name in methods.__all__)]


__getattr__ = hinting(_lookup, __name__, _public)

_loaders.connect(
    pages=partial(import_module, "hpo_explain.draw.pages"),
    renderer=partial(import_module, "hpo_explain.draw.on_matplotlib"),
    plotly=partial(import_module, "hpo_explain.draw.on_plotly"),
    frameworks=partial(import_module, "hpo_explain.adapters"),
)
