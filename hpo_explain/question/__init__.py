"""What users call: a question of a run, what is decided of it, and the model that answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
