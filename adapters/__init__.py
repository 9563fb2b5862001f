"""Adapters: what a framework recorded, turned into a Run.

Every reader is loaded when it is first used (``__init__.pyi`` lists them), so that reading one
framework does not need the others.
"""

import lazy_loader

if __name__ != "hpo_explain.adapters":
    raise ImportError(
        f"the adapters of hpo_explain were imported as {__name__!r}, which is another project's "
        "name; import them as 'hpo_explain.adapters': from hpo_explain.adapters import ..."
    )

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
