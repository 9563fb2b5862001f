"""What every method stands on: the declared result, claims, words, and what a model believes.

A method's files import from here (and figures from `base.figures`); the floor's own files from one
another.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
