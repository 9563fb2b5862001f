"""Table 1 of Moosbauer et al. (2021): regions on the Styblinski-Tang function.

    python examples/papers/moosbauer_synthetic.py --dimensions 3 --repetitions 5

Budgets and settings of their Appendix C.2.1: {80, 150, 250} evaluations for d in {3, 5, 8}, an
initial design of 4 d points, G = 20, n = 1000, a nugget of 1e-8. Design, grid and sample are the
same in all repetitions. Every node is split to the given depth, and what is reported is the leaf
with the best configuration.

Set as in the paper: the optimizer's last process, of the product kernel (`--kernel product`; `norm`
is scikit-optimize's), its bound optimized by focus search; bands of Eq. 5; `criterion="l2"`, every
node split down to two rows (`min_leaf=2`, `min_improvement=0.0`).

Run with the command above, mean ± standard deviation of 5 repetitions and [the paper's, of 30]:

===  ===================  =================  ==================  =================  ================
τ    MMD                  δMC 1 (%)          δMC 3 (%)           δNLL 1 (%)         δNLL 3 (%)
===  ===================  =================  ==================  =================  ================
5    0.21 ± 0.01 [0.18]   7.8 ± 1.3 [7.7]    18.5 ± 1.9 [13.6]   4.0 ± 0.5 [5.9]    9.9 ± 0.9 [10.9]
1    0.48 ± 0.05 [0.51]   9.9 ± 3.2 [12.9]   12.3 ± 5.0 [36.9]   4.0 ± 3.4 [4.8]    -6 ± 6 [7.7]
0.1  0.52 ± 0.00 [0.56]   4.5 ± 0.5 [16.5]   20.7 ± 2.3 [34.8]   -4.0 ± 0.9 [2.8]   -16 ± 14 [-1.6]
===  ===================  =================  ==================  =================  ================

For τ = 5 all measures are within 5 percentage points, and the MMD agrees for every τ. For τ = 1 and
0.1 δMC after three splits is a third to three fifths of the paper's, and the NLL gets worse there.
The kernel does not explain that: 3 repetitions with the kernel of the norm show the same. All
repetitions share one initial design, which is not the paper's; what another one changes
(`--new-designs`) was not measured. d = 5 and d = 8 can be asked for, but were not run.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from moosbauer_bo import improvement, mean_and_spread, minimize, minimize_as_mlrmbo, path_to
from skopt.space import Real

import hpo_explain as hx
from hpo_explain.methods.runs.sampling_bias import sampling_bias
from hpo_explain.models.protocols import Surrogate

BUDGETS = {3: 80, 5: 150, 8: 250}
DEPTHS = (1, 3)
KERNELS = ("product", "norm")
HEADS = ["MMD", *(f"δ{measure} {depth} (%)" for measure in ("MC", "NLL") for depth in DEPTHS)]
# by dimension and τ: MMD, then δMC and δNLL (%) after one and three splits
PAPER = {
    (3, 5.0): (0.18, 7.65, 13.64, 5.89, 10.92),
    (3, 1.0): (0.51, 12.86, 36.92, 4.78, 7.70),
    (3, 0.1): (0.56, 16.52, 34.84, 2.77, -1.62),
    (5, 5.0): (0.15, 6.63, 15.45, 2.82, 6.05),
    (5, 1.0): (0.45, 19.67, 37.28, 4.05, 7.80),
    (5, 0.1): (0.53, 11.99, 33.06, -3.86, -1.93),
    (8, 5.0): (0.11, 3.58, 9.67, 0.84, 2.40),
    (8, 1.0): (0.42, 8.86, 23.03, 1.51, 3.30),
    (8, 0.1): (0.56, 6.59, 19.84, 1.53, 4.29),
}


def term(x):
    """Return one summand of the Styblinski-Tang function; the paper prints +16."""
    return 0.5 * (x**4 - 16.0 * x**2 + 5.0 * x)


def measures(
    run: hx.Run, surrogate: Surrogate, sample: np.ndarray
) -> dict[int, tuple[float, float]]:
    """Return MC and NLL of the PDP of x1 by depth, in the region of the best configuration."""
    explainer = hx.methods.RegionalPartialDependenceExplainer(
        surrogate,
        sample=sample,
        grid_size=20,
        max_depth=max(DEPTHS),
        criterion="l2",
        min_leaf=2,
        min_improvement=0.0,
    )
    values = -5.0 + 10.0 * sample
    others = term(values[:, 1:]).sum(axis=1)
    found = {}
    for node in path_to(explainer.explain("x1"), run.incumbent):
        # the true partial dependence on the same rows: the function is a sum
        true = term(np.array(node.effect.grid)) + others[node.rows].mean()
        found[node.depth] = (
            node.effect.mean_confidence,
            node.effect.negative_log_likelihood(true),
        )
    return found


def optimized(
    d: int, tau: float, kernel: str, *, n_trials: int, seed: int, design_seed: int
) -> tuple[hx.Run, Surrogate]:
    """Return one optimization, and its last model."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", -5.0, 5.0) for j in range(1, d + 1)])
    design = space.sample(4 * d, seed=design_seed, method="uniform")
    settings = {"n_trials": n_trials, "tau": tau, "nugget": 1e-8, "seed": seed}
    if kernel == "product":
        return minimize_as_mlrmbo(
            lambda row: float(term(-5.0 + 10.0 * row).sum()), space, design, **settings
        )
    run = minimize(
        lambda point: float(term(np.array(point)).sum()),
        [Real(-5.0, 5.0, name=name) for name in space.names],
        (-5.0 + 10.0 * design).tolist(),
        **settings,
    )
    return run, run.surrogate(kind="auto")


def repetition(run: hx.Run, surrogate: Surrogate, *, n_rows: int) -> tuple[float, ...]:
    """Return MMD, δMC and δNLL by depth of one optimization."""
    sample = run.space.sample(n_rows, seed=1, method="uniform")
    by_depth = measures(run, surrogate, sample)
    reached = [by_depth[min(depth, max(by_depth))] for depth in DEPTHS]
    return (
        sampling_bias(run).mmd,
        *(improvement(by_depth[0][0], confidence) for confidence, _ in reached),
        *(improvement(by_depth[0][1], likelihood) for _, likelihood in reached),
    )


def table_1(
    d: int,
    tau: float,
    *,
    kernel: str = "product",
    repetitions: int = 5,
    n_trials: int | None = None,
    n_rows: int = 1000,
    new_designs: bool = False,
) -> pd.DataFrame:
    """Return the measures of Table 1, a row per repetition and a column per entry of `HEADS`."""
    found = []
    for seed in range(repetitions):
        run, surrogate = optimized(
            d,
            tau,
            kernel,
            n_trials=n_trials or BUDGETS[d],
            seed=seed,
            design_seed=seed if new_designs else 0,
        )
        found.append(repetition(run, surrogate, n_rows=n_rows))
    return pd.DataFrame(found, columns=HEADS)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dimensions", type=int, nargs="+", choices=tuple(BUDGETS), default=[3])
    parser.add_argument("--tau", type=float, nargs="+", default=[5.0, 1.0, 0.1])
    parser.add_argument(
        "--kernel", choices=KERNELS, default="product", help="the paper's, or scikit-optimize's"
    )
    parser.add_argument("--repetitions", type=int, default=5, help="the paper's: 30")
    parser.add_argument(
        "--new-designs", action="store_true", help="another initial design in each repetition"
    )
    parser.add_argument("--quick", action="store_true", help="a few trials, to see that it runs")
    options = parser.parse_args()
    repetitions = 1 if options.quick else options.repetitions
    print(f"mean (± standard deviation) of {repetitions} repetitions; [the paper's, of 30]")
    print("d  τ    " + "".join(f"{head:<22}" for head in HEADS))
    for d in options.dimensions:
        for tau in options.tau:
            found = table_1(
                d,
                tau,
                kernel=options.kernel,
                repetitions=repetitions,
                n_trials=4 * d + 3 if options.quick else None,
                n_rows=60 if options.quick else 1000,
                new_designs=options.new_designs,
            )
            theirs = PAPER.get((d, tau), ("-",) * len(HEADS))
            cells = [
                f"{mean_and_spread(found[head], digits=2 if head == 'MMD' else 1)} [{paper}]"
                for head, paper in zip(HEADS, theirs, strict=True)
            ]
            print(f"{d}  {tau:<5}" + "".join(f"{cell:<22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
