from ._narrow import trust_of_densities as trust_of_densities
from ._sampling_bias import SamplingBias as SamplingBias
from ._sampling_bias import sampling_bias as sampling_bias
from ._trust import Trust as Trust
from ._trust import Verdict as Verdict
from ._trust import trust as trust
