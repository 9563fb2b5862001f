"""Explainers: one method per file, each asking a surrogate or an acquisition."""

import lazy_loader

# loaded when they are asked for, as methods import what some of them stand on
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={},
)
