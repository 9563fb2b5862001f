"""Table 1 of Moosbauer et al. (2021): regions on the Styblinski-Tang function.

    python examples/papers/moosbauer_synthetic.py --dimensions 3 --repetitions 3

Budgets and settings of their Appendix C.2.1: {80, 150, 250} evaluations for d in {3, 5, 8}, an
initial design of 4 d points, G = 20, n = 1000, a nugget of 1e-8. Design, grid and sample are the
same in all repetitions. Every node is split to the given depth, down to two rows, and what is
reported is the leaf with the best configuration.

With 3 repetitions at d = 3, δMC, δNLL and their growth with depth agree for τ = 5 and the MMD for
τ = 1 and 0.1. The gains for τ = 1 and 0.1 are smaller than the paper's and the NLL gets worse at
depth 3. With one initial design repetitions hardly differ for small τ, so that they say little
about another design: see --new-designs. The MMD for τ = 5 is close to 0, as an unbiased estimate
is where trials are spread evenly. The kernel, of the norm here and a product there, and how the
acquisition is optimized differ too; how much of the rest each explains was not measured.
"""

from __future__ import annotations

import argparse

import numpy as np
from moosbauer_bo import improvement, mean_and_spread, minimize, path_to
from skopt.space import Real

import hpo_explain as hx
from hpo_explain.diagnostics import sampling_bias

BUDGETS = {3: 80, 5: 150, 8: 250}
DEPTHS = (1, 3)
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


def measures(run: hx.Run, sample: np.ndarray) -> dict[int, tuple[float, float]]:
    """Return MC and NLL of the PDP of x1 by depth, in the region of the best configuration."""
    explainer = hx.RegionalPartialDependenceExplainer(
        run.surrogate(),
        sample=sample,
        grid_size=20,
        max_depth=max(DEPTHS),
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


def repetition(
    d: int, tau: float, *, n_trials: int, n_rows: int, seed: int, design_seed: int
) -> tuple[float, ...]:
    """Return MMD, δMC and δNLL by depth of one optimization."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", -5.0, 5.0) for j in range(1, d + 1)])
    design = -5.0 + 10.0 * space.sample(4 * d, seed=design_seed, method="uniform")
    sample = space.sample(n_rows, seed=1, method="uniform")
    run = minimize(
        lambda point: float(term(np.array(point)).sum()),
        [Real(-5.0, 5.0, name=name) for name in space.names],
        design.tolist(),
        n_trials=n_trials,
        tau=tau,
        nugget=1e-8,
        seed=seed,
    )
    by_depth = measures(run, sample)
    reached = [by_depth[min(depth, max(by_depth))] for depth in DEPTHS]
    return (
        sampling_bias(run).mmd,
        *(improvement(by_depth[0][0], confidence) for confidence, _ in reached),
        *(improvement(by_depth[0][1], likelihood) for _, likelihood in reached),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dimensions", type=int, nargs="+", choices=tuple(BUDGETS), default=[3])
    parser.add_argument("--tau", type=float, nargs="+", default=[5.0, 1.0, 0.1])
    parser.add_argument("--repetitions", type=int, default=3, help="the paper's: 30")
    parser.add_argument(
        "--new-designs", action="store_true", help="another initial design in each repetition"
    )
    parser.add_argument("--quick", action="store_true", help="a few trials, to see that it runs")
    options = parser.parse_args()
    repetitions = 1 if options.quick else options.repetitions
    print(f"mean (± standard deviation) of {repetitions} repetitions; [the paper's, of 30]")
    heads = ["MMD", *(f"δ{m} {k} (%)" for m in ("MC", "NLL") for k in DEPTHS)]
    print("d  τ    " + "".join(f"{head:<22}" for head in heads))
    for d in options.dimensions:
        for tau in options.tau:
            found = [
                repetition(
                    d,
                    tau,
                    n_trials=4 * d + 3 if options.quick else BUDGETS[d],
                    n_rows=60 if options.quick else 1000,
                    seed=seed,
                    design_seed=seed if options.new_designs else 0,
                )
                for seed in range(repetitions)
            ]
            theirs = PAPER.get((d, tau), ("-",) * len(heads))
            cells = [
                f"{mean_and_spread(column, digits=2 if head == 'MMD' else 1)} [{paper}]"
                for head, column, paper in zip(heads, np.transpose(found), theirs, strict=True)
            ]
            print(f"{d}  {tau:<5}" + "".join(f"{cell:<22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
