"""The public names of the adapters, and where they are."""

from .ax import from_ax as from_ax
from .configspace import from_configspace as from_configspace
from .flaml import from_flaml as from_flaml
from .frame import from_frame as from_frame
from .hyperopt import from_hyperopt as from_hyperopt
from .keras_tuner import from_keras_tuner as from_keras_tuner
from .optuna import from_optuna as from_optuna
from .optuna import to_optuna as to_optuna
from .publishing import publish as publish
from .ray import from_ray as from_ray
from .sklearn import from_sklearn as from_sklearn
from .skopt import from_skopt as from_skopt
from .smac import from_smac as from_smac
from .sources import apply_advice as apply_advice
from .sources import as_run as as_run
