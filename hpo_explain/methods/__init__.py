"""Methods: one topic a folder, one method three files of one name.

Their names stand in ``__init__.pyi``, which ``python -m tests.stubs`` writes from the catalog.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
