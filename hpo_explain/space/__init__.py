"""The search space, its encoding, its conditions, and the measure every method integrates over.

=============  =======================================================================
symbol         meaning
=============  =======================================================================
value          what the user sees: a float, an int, or one of the choices
position       the encoded value: in [0, 1] on the hyperparameter's own scale (log where
               it is log), or the index of the category
latent u       uniform on [0, 1); `from_latent` maps it to a position, so that the
               measure of a set of positions is the length of the u that lead there
code           whole number that identifies a value of a categorical or integer
               hyperparameter, for conditions: category index, or the integer itself
=============  =======================================================================
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
