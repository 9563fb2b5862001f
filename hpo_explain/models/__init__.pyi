from .acquisition.criteria import expected_improvement as expected_improvement
from .acquisition.criteria import (
    log_expected_improvement as log_expected_improvement,
)
from .acquisition.criteria import (
    lower_confidence_bound as lower_confidence_bound,
)
from .acquisition.criteria import (
    probability_of_improvement as probability_of_improvement,
)
from .acquisition.protocols import Acquisition as Acquisition
from .acquisition.protocols import OfPredictions as OfPredictions
from .acquisition.protocols import SupportsAnotherModel as SupportsAnotherModel
from .acquisition.protocols import SurrogateBased as SurrogateBased
from .acquisition.split import PREDICTED as PREDICTED
from .acquisition.split import Split as Split
from .acquisition.split import split_of as split_of
from .acquisition.surrogate_based import (
    ExpectedImprovement as ExpectedImprovement,
)
from .acquisition.surrogate_based import (
    LogExpectedImprovement as LogExpectedImprovement,
)
from .acquisition.surrogate_based import (
    LowerConfidenceBound as LowerConfidenceBound,
)
from .acquisition.surrogate_based import MeanResponse as MeanResponse
from .acquisition.surrogate_based import (
    ProbabilityOfImprovement as ProbabilityOfImprovement,
)
from .acquisition.surrogate_based import StandardError as StandardError
from .columns import KernelColumns as KernelColumns
from .columns import OrderedColumns as OrderedColumns
from .columns import ValueColumns as ValueColumns
from .densities.ratio import DensityRatio as DensityRatio
from .densities.ratio import SupportsDensities as SupportsDensities
from .forest import ForestSurrogate as ForestSurrogate
from .gaussian_process import (
    GaussianProcessSurrogate as GaussianProcessSurrogate,
)
from .own_model import ModelSurrogate as ModelSurrogate
from .own_model import as_surrogate as as_surrogate
from .protocols import HeldOut as HeldOut
from .protocols import SupportsBoxes as SupportsBoxes
from .protocols import SupportsJoint as SupportsJoint
from .protocols import SupportsRelevance as SupportsRelevance
from .protocols import Surrogate as Surrogate
from .protocols import TreeBoxes as TreeBoxes
from .protocols import mean_of as mean_of
from .protocols import std_from_variance as std_from_variance
