"""The public names and where they are; ``python -m tests.stubs`` writes this file."""

from . import methods as methods
from . import models as models
from .adapters import from_ax as from_ax
from .adapters import from_flaml as from_flaml
from .adapters import from_frame as from_frame
from .adapters import from_hyperopt as from_hyperopt
from .adapters import from_keras_tuner as from_keras_tuner
from .adapters import from_optuna as from_optuna
from .adapters import from_ray as from_ray
from .adapters import from_sklearn as from_sklearn
from .adapters import from_skopt as from_skopt
from .adapters import from_smac as from_smac
from .adapters import publish as publish
from .catalog.guide import guide as guide
from .methods.advice.advise import advise as advise
from .methods.advice.optimum import optimum as optimum
from .methods.advice.summary import summary as summary
from .methods.around.changes import changes as changes
from .methods.effects.effects import partial_dependence as partial_dependence
from .methods.importance.importance import importance as importance
from .methods.proposals.explain_prediction import explain_prediction as explain_prediction
from .methods.proposals.explain_proposal import explain_proposal as explain_proposal
from .methods.runs.compare import compare as compare
from .methods.runs.history import history as history
from .methods.runs.pareto import pareto as pareto
from .methods.runs.pruning import pruning as pruning
from .methods.runs.trust import trust as trust
from .methods.space.recommended_space import recommended_space as recommended_space
from .reporting import report as report
from .reporting import watch as watch
from .reporting import what_if as what_if
from .run import Run as Run
from .space import CategoricalParameter as CategoricalParameter
from .space import FloatParameter as FloatParameter
from .space import IntParameter as IntParameter
from .space import SearchSpace as SearchSpace

__version__: str
