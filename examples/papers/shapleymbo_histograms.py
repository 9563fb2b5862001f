"""Figure 8 of Croppi (2021): what λ = 10 proposes first on the Hyper-Ellipsoid, as histograms.

    python examples/papers/shapleymbo_histograms.py --runs 15 --out figures

The thesis's Figure 8 shows all values proposed in the first ten iterations: more than 80 % of those
of θ1 lie on the boundary of the domain, of those of θ4 about 40 %, and the rest around zero. It
draws them to explain why contributions scatter so much there (Table 9). Here the histograms of the
contributions stand beside, those of the R tool and those of this project's explanations of the same
proposals, apart for values on the boundary and for others.

What is positive is attractive, as in `shapleymbo_hyper_ellipsoid.py`.

On the 15 logged runs 85 % of the values of x1 lie on the boundary and 41 % of those of x4, as in
the thesis. Whether a value does explains 38, 67, 81 and 87 % of the variance of the R tool's φ(se)
for x1 to x4 (27, 44, 67 and 76 % of this project's): contributions scatter because they are of two
kinds of proposals, as the thesis says. On the boundary uncertainty is attractive and the mean is
not; elsewhere it is the mean, and uncertainty next to nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from shapleymbo_hyper_ellipsoid import (
    DATA,
    INITIAL,
    MODELS,
    NAMES,
    PATHS,
    SHAPLEY,
    Logged,
    contributions_of,
)

LAMBDA, ITERATIONS = 10, range(1, 11)
EDGE, BINS = 5.12, 20
BOUNDARY = EDGE * (1.0 - 2.0 / BINS)  # the outermost bins of the histogram
THESIS = {"x1": "more than 80 %", "x4": "about 40 %"}
COLORS = {"mean": "#0072b2", "uncertainty": "#e69f00"}


def proposed(logged: Logged) -> np.ndarray:
    """Return the values proposed in the first iterations, (runs, iterations, 4)."""
    return logged.theta(LAMBDA)[:, INITIAL : INITIAL + len(ITERATIONS)]


def on_boundary(theta: np.ndarray) -> np.ndarray:
    """Return which values lie in the outermost bins of the histogram."""
    return np.asarray(np.abs(theta) >= BOUNDARY)


def table(theta: np.ndarray, phi: np.ndarray) -> pd.DataFrame:
    """Return by hyperparameter how many values are on the boundary, and contributions there.

    `phi` holds φ(m) and φ(se), (runs, iterations, 4, 2 or more). `explained` is the share of the
    variance of φ(se) that lies between values on the boundary and others.
    """
    rows = {}
    for j, name in enumerate(NAMES):
        edge, own = on_boundary(theta[..., j]).ravel(), phi[..., j, :2].reshape(-1, 2)
        parts = [own[edge], own[~edge]]
        means = [part.mean(axis=0) if len(part) else np.full(2, np.nan) for part in parts]
        fitted = np.where(edge, *(mean[1] for mean in means))
        rows[name] = {
            "on boundary": edge.mean(),
            "φ(m) there": means[0][0],
            "φ(m) else": means[1][0],
            "φ(se) there": means[0][1],
            "φ(se) else": means[1][1],
            "std of φ(se)": own[:, 1].std(),
            "explained": fitted.var() / own[:, 1].var(),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def figure(theta: np.ndarray, phi: np.ndarray) -> Figure:
    """Return the histograms of values, and below them those of contributions."""
    drawn = Figure(figsize=(12.0, 5.2), layout="constrained")
    upper, lower = drawn.subplots(2, len(NAMES), sharey="row")
    ends = np.linspace(-EDGE, EDGE, BINS + 1)
    span = np.linspace(phi[..., :2].min(), phi[..., :2].max(), 41)
    for j, name in enumerate(NAMES):
        upper[j].hist(theta[..., j].ravel(), bins=ends, color="#707070")
        upper[j].set_title(name)
        upper[j].set_xlabel("value proposed")
        for k, (term, color) in enumerate(COLORS.items()):
            values = phi[..., j, k].ravel()
            lower[j].hist(values, bins=span, color=color, alpha=0.6, label=term)
        lower[j].axvline(0.0, color="black", linewidth=0.8)
        lower[j].set_xlabel("contribution (positive: attractive)")
    upper[0].set_ylabel("proposals")
    lower[0].set_ylabel("proposals")
    lower[0].legend()
    return drawn


def main() -> None:
    """Print the tables, and draw the histograms."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the logged runs")
    parser.add_argument("--runs", type=int, default=15, help="logged runs, at most 15")
    parser.add_argument("--background", type=int, default=1000, help="the thesis's: 4000")
    parser.add_argument("--n-jobs", type=int, default=1, help="workers")
    parser.add_argument("--out", type=Path, help="folder of the figures; none without")
    parser.add_argument("--quick", action="store_true", help="little work, to see that it runs")
    options = parser.parse_args()
    if not all((options.data / name).exists() for name in (PATHS, SHAPLEY)):
        print(f"skipped: {PATHS} and {SHAPLEY} are not in {options.data}; --data names its folder")
        return
    logged = Logged.read(options.data, 1 if options.quick else options.runs)
    iterations = range(1, 3) if options.quick else ITERATIONS
    theta = proposed(logged)[:, : len(iterations)]
    paths = logged.explained(
        LAMBDA, MODELS["this project's GP"], iterations,
        50 if options.quick else options.background, options.n_jobs,
    )  # fmt: skip
    found = {
        "R tool": logged.contributions(LAMBDA, iterations),
        "this project": contributions_of(paths),
    }
    print(f"{theta.shape[0] * theta.shape[1]} proposals of {theta.shape[0]} runs")
    for name, share in THESIS.items():
        print(f"  {name} on the boundary: {on_boundary(theta[..., int(name[1]) - 1]).mean():.0%}"
              f" (thesis, 30 runs: {share})")  # fmt: skip
    for label, phi in found.items():
        print(f"\n{label}")
        print(table(theta, phi).to_string(float_format="{:.2f}".format))
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            name = f"figure8_{label.replace(' ', '_')}.svg"
            figure(theta, phi).savefig(options.out / name)


if __name__ == "__main__":
    main()
