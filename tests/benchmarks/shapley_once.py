"""One explanation in a fresh process: ``python shapley_once.py HOW D ROWS`` prints seconds and MB.

HOW is "ours" (the surrogate's structure), "kernel" (`shap.KernelExplainer` behind our batches) or
"plain" (KernelExplainer itself on scikit-learn's `predict`, as one would write it by hand). The
time is the explanation's, the memory what the process held at most above what it held before.
"""

import sys
import time
from pathlib import Path

import numpy as np
import sklearn.gaussian_process  # noqa: F401 - its import is not the explanation's time
from scipy.stats import t  # noqa: F401

import hpo_explain as hx
from tests.models.as_sklearn import regressor_of

KAPPA = 1.96


def acquisition_of(d, trials=100):
    """A confidence bound on a Gaussian process of smooth data."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d)])
    X = space.sample(trials, seed=1)
    y = np.sin(5.0 * X[:, 0]) + (X**2) @ np.arange(1.0, d + 1.0) / d
    surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, y)
    return hx.models.LowerConfidenceBound(surrogate, kappa=KAPPA)


def plainly(acquisition, x, background):
    """Return contributions (player, term) by KernelExplainer on scikit-learn's own `predict`."""
    import shap

    gp = regressor_of(acquisition.surrogate.gp)
    d = len(x)

    def terms(Z):
        mean, std = gp.predict(Z, return_std=True)
        return np.column_stack([-mean, KAPPA * std])

    explainer = shap.KernelExplainer(terms, background)
    return explainer.shap_values(x[None, :], nsamples=2**d - 2, l1_reg=False, silent=True)[0]


def explained(how, acquisition, x, background):
    if how == "plain":
        return plainly(acquisition, x, background)
    estimator = {"ours": "exact", "kernel": "kernel"}[how]
    explainer = hx.methods.ShapleyExplainer(acquisition, background=background, estimator=estimator)
    return explainer.explain(acquisition.space.decode(x[None, :])[0]).phi


def resident(field):
    """Return a field of this process's memory in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024.0


if __name__ == "__main__":
    how, d, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if how != "ours":
        import shap  # noqa: F401
    acquisition = acquisition_of(d)
    background = hx.methods.global_background(acquisition.space, rows, seed=0)
    x = acquisition.space.sample(1, seed=7)[0]
    before = resident("VmRSS")
    start = time.perf_counter()
    explained(how, acquisition, x, background)
    print(time.perf_counter() - start, resident("VmHWM") - before)
