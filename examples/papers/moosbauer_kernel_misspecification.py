"""Table 3 of Moosbauer et al. (2021): bands of Eq. 4 and 5 where the kernel is wrong.

    python examples/papers/moosbauer_kernel_misspecification.py --repetitions 50

The truth is the posterior mean of a Matérn-3/2 process fitted to 30 values of the Styblinski-Tang
function; processes with that kernel and with a Gaussian one are fitted to the truth at the same 30
configurations. What is compared is the NLL of the truth's partial dependence on x1. The column
headings of Eq. 4 and 5 look swapped in the paper's table, against its own prose: it is Eq. 4 whose
NLL varies more and has the lower median. They stand here as the prose has them.

Set as in the paper: the band of Eq. 4 (`variance="covariance"`) beside that of Eq. 5, the default
(`"average"`), 20 points of the grid, 1,000 rows; the processes are fitted here, not by
`run.surrogate`. With 12 repetitions at d = 3 and 300 rows the mean NLL is 3.2 (Eq. 4) and 4.5
(Eq. 5) with the right kernel, 3.5 and 4.5 with the wrong one: Eq. 5 agrees with the paper, Eq. 4's
outliers, which make its mean of 50 repetitions, are rarer here.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from moosbauer_synthetic import term
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

import hpo_explain as hx

LENGTH_SCALES = (0.01, 2.0)  # of each hyperparameter's range; DiceKriging's upper bound
KERNELS = ("Matérn-3/2", "Gaussian")
VARIANCES = {"covariance": "Eq. 4", "average": "Eq. 5"}
# by dimension, kernel and equation: mean and standard deviation of the NLL
PAPER = {
    (3, "Matérn-3/2"): {"covariance": (3.61, 2.02), "average": (4.47, 0.27)},
    (3, "Gaussian"): {"covariance": (5.10, 5.91), "average": (4.62, 0.32)},
    (5, "Matérn-3/2"): {"covariance": (3.93, 2.00), "average": (4.87, 0.23)},
    (5, "Gaussian"): {"covariance": (4.33, 3.72), "average": (4.89, 0.28)},
    (8, "Matérn-3/2"): {"covariance": (4.05, 1.12), "average": (5.18, 0.14)},
    (8, "Gaussian"): {"covariance": (4.24, 2.12), "average": (5.13, 0.17)},
}


def fitted(space: hx.SearchSpace, X, y, kernel: str) -> hx.models.GaussianProcessSurrogate:
    """Return a process whose kernel's parameters are fitted by maximum likelihood."""
    scales = np.full(len(space), 0.5)
    stationary = (
        Matern(scales, LENGTH_SCALES, nu=1.5)
        if kernel == "Matérn-3/2"
        else RBF(scales, LENGTH_SCALES)
    )
    process = GaussianProcessRegressor(
        ConstantKernel(1.0, (1e-2, 1e3)) * stationary,
        alpha=1e-8,
        normalize_y=True,
        n_restarts_optimizer=2,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a length-scale at its bound
        return hx.models.GaussianProcessSurrogate(space, process.fit(X, y))


def likelihoods(d: int, n_rows: int, seed: int) -> dict[tuple[str, str], float]:
    """Return the NLL of the true PDP by kernel and equation."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", -5.0, 5.0) for j in range(1, d + 1)])
    X = space.sample(30, seed=seed, method="uniform")
    sample = space.sample(n_rows, seed=seed + 1000, method="uniform")
    truth = fitted(space, X, term(-5.0 + 10.0 * X).sum(axis=1), "Matérn-3/2")
    y = truth.predict(X)[0]
    true = (
        hx.methods.PartialDependenceExplainer(truth, sample=sample, grid_size=20).explain("x1").mean
    )
    found = {}
    for kernel in KERNELS:
        surrogate = fitted(space, X, y, kernel)
        for variance in VARIANCES:
            explainer = hx.methods.PartialDependenceExplainer(
                surrogate, sample=sample, grid_size=20, variance=variance, attainable=False
            )
            effect = explainer.explain("x1")
            found[kernel, variance] = effect.negative_log_likelihood(true)
    return found


def table_3(d: int, *, repetitions: int = 50, n_rows: int = 1000) -> pd.DataFrame:
    """Return the NLL of the true PDP: a row per repetition, columns by kernel and equation."""
    return pd.DataFrame([likelihoods(d, n_rows, seed) for seed in range(repetitions)])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dimensions", type=int, nargs="+", choices=(3, 5, 8), default=[3, 5, 8])
    parser.add_argument("--repetitions", type=int, default=50, help="the paper's: 50")
    parser.add_argument("--quick", action="store_true", help="little work, to see that it runs")
    options = parser.parse_args()
    repetitions = 2 if options.quick else options.repetitions
    print(f"NLL of the true PDP: mean (standard deviation), median of {repetitions} repetitions")
    print(f"{'d':<3}{'kernel':<12}{'':<8}{'here':<28}the paper's")
    for d in options.dimensions[:1] if options.quick else options.dimensions:
        found = table_3(d, repetitions=repetitions, n_rows=50 if options.quick else 1000)
        for kernel, variance in found:
            values = found[kernel, variance]
            here = f"{values.mean():.2f} ({values.std():.2f}), {values.median():.2f}"
            mean, std = PAPER[d, kernel][variance]
            equation = VARIANCES[variance]
            print(f"{d:<3}{kernel:<12}{equation:<8}{here:<28}{mean} ({std})", flush=True)


if __name__ == "__main__":
    main()
