"""The kernels that a process has compiled."""

import sys

from numba.core.dispatcher import Dispatcher


def compiled_twice():
    """Names of kernels with more than one compilation: each takes up to a second."""
    kernels = {
        f"{kernel.__module__}.{kernel.__name__}": kernel
        for name, module in [*sys.modules.items()]
        if name.startswith("hpo_explain.models")
        for kernel in vars(module).values()
        if isinstance(kernel, Dispatcher)
    }
    return [name for name, kernel in kernels.items() if len(kernel.signatures) > 1]
