"""Whether a surrogate can be trusted."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "_narrow": ["trust_of_densities"],
        "_sampling_bias": ["SamplingBias", "sampling_bias"],
        "_trust": ["Trust", "Verdict", "trust"],
    },
)
