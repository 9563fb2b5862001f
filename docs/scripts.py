"""How the scripts of the gallery are run: what is drawn, and what a process does only once."""

from __future__ import annotations

import gc
from functools import cache
from importlib import import_module
from typing import Any

import optuna
from sphinx_gallery.scrapers import matplotlib_scraper

USED = ("hpo_explain", "matplotlib.pyplot", "pandas", "sklearn.svm")


def vector_graphics(block: Any, variables: Any, settings: Any) -> str:
    """Draw the figures of a block once, sharp at any size and smaller than as pixels."""
    drawn: str = matplotlib_scraper(block, variables, settings, format="svg")
    return drawn


@cache
def _start() -> None:
    """Import what scripts use before the first of them runs."""
    for name in USED:
        import_module(name)
    # The log of a study is not in the page.
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    # Garbage is collected before each script; it does not look through modules again.
    gc.collect()
    gc.freeze()


def starts_once(settings: Any, script: str) -> None:
    """Do before a script what its process has not done yet."""
    _start()
