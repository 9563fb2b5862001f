"""All words: sentences of claims, notes, reasons and captions; one file per method.

Results, explainers, adapters and plots hold none but names and labels. Every file of this package
is loaded with it, so that a new method's words are known once its file is there.
"""

from importlib import import_module
from pkgutil import iter_modules

from hpo_explain.wording._registry import known_facts
from hpo_explain.wording.facts import tell
from hpo_explain.wording.numbers import format_value, plus_minus

__all__ = [
    "format_value",
    "known_facts",
    "plus_minus",
    "tell",
]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
