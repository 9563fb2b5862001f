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

from hpo_explain.space._values import POSITION_TOLERANCE, Array, Bools, Config, Ints
from hpo_explain.space.categorical_parameter import (
    CategoricalParameter,
    CategoryIndex,
    category_index,
    different,
)
from hpo_explain.space.conditions import Conditions
from hpo_explain.space.number_parameters import LARGEST_WHOLE, FloatParameter, IntParameter
from hpo_explain.space.parameter import Parameter
from hpo_explain.space.search_space import SearchSpace, encode_one
from hpo_explain.space.searches import Ties, lowest, ranked
from hpo_explain.space.shared import Shared, values_of

__all__ = [
    "LARGEST_WHOLE",
    "POSITION_TOLERANCE",
    "Array",
    "Bools",
    "CategoricalParameter",
    "CategoryIndex",
    "Conditions",
    "Config",
    "FloatParameter",
    "IntParameter",
    "Ints",
    "Parameter",
    "SearchSpace",
    "Shared",
    "Ties",
    "category_index",
    "different",
    "encode_one",
    "lowest",
    "ranked",
    "values_of",
]
