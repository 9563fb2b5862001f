"""Predicted against true marginals and interactions (Hutter et al. 2014, Section 4.1).

The paper's experiment on measurements made here: online variational Bayes for Latent Dirichlet
Allocation, on the pixel counts of scikit-learn's digits, for every point of a grid of
learning_decay κ, learning_offset τ0 and batch_size S. A forest sees 100 of the points; its
functional ANOVA is compared with that of the complete grid, for the perplexity on held-out digits
and for the run time.

Set as in the paper: a forest whatever predicts better (`kind="forest"`), with leaves of one trial,
not capped.

    python examples/papers/fanova_ground_truth.py --out figures

Takes about three minutes; `--quick` takes seconds.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.decomposition import LatentDirichletAllocation

import hpo_explain as hx
from hpo_explain.base.subject import Subject

NAMES = ("learning_decay", "learning_offset", "batch_size")
SYMBOLS = ("κ", "τ0", "S")


@dataclass(frozen=True)
class Size:
    """How much is measured: the grid's values, digits, points that the forest sees, and trees."""

    kappa: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    tau0: tuple[float, ...] = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
    batch: tuple[int, ...] = (2, 4, 8, 16, 32, 64, 128, 256)
    digits: int = 1000
    seen: int = 100
    trees: int = 64

    @property
    def grid(self) -> tuple[tuple[float, ...], ...]:
        """The values of κ, τ0 and S."""
        return self.kappa, self.tau0, tuple(map(float, self.batch))


QUICK = Size((0.5, 0.75, 1.0), (1.0, 16.0, 256.0), (4, 16, 64), digits=80, seen=20, trees=16)


def measure(size: Size, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return perplexity and run time in seconds at every point of the grid."""
    counts = load_digits().data
    order = np.random.default_rng(seed).permutation(len(counts))
    train, test = counts[order[: size.digits]], counts[order[-size.digits // 2 :]]
    shape = tuple(len(values) for values in size.grid)
    perplexity, seconds = np.empty(shape), np.empty(shape)
    for place in product(*map(range, shape)):
        kappa, tau0, batch = (values[i] for values, i in zip(size.grid, place, strict=True))
        model = LatentDirichletAllocation(
            n_components=10, learning_method="online", max_iter=1, random_state=seed,
            learning_decay=kappa, learning_offset=tau0, batch_size=int(batch),
        )  # fmt: skip
        start = perf_counter()
        model.fit(train)
        seconds[place] = perf_counter() - start
        perplexity[place] = model.perplexity(test)
    return perplexity, seconds


def search_space(size: Size) -> hx.SearchSpace:
    """Return the space whose measure gives every value of the grid the same weight.

    κ is linear, τ0 and S are logarithmic; each range reaches half a step beyond the grid.
    """
    parameters = []
    for name, values, log in zip(NAMES, size.grid, (False, True, True), strict=True):
        ends = np.log(values) if log else np.array(values)
        half = (ends[1] - ends[0]) / 2.0
        low, high = ends[0] - half, ends[-1] + half
        if log:
            low, high = np.exp(low), np.exp(high)
        parameters.append(hx.FloatParameter(name, float(low), float(high), log=log))
    return hx.SearchSpace(parameters)


def true_components(values: np.ndarray) -> dict[tuple[int, ...], np.ndarray]:
    """Return every component of the functional ANOVA of a function on the grid (Eq. 4)."""
    found: dict[tuple[int, ...], np.ndarray] = {(): values.mean(keepdims=True)}
    for size in range(1, values.ndim + 1):
        for members in combinations(range(values.ndim), size):
            others = tuple(j for j in range(values.ndim) if j not in members)
            below = [u for s in range(size) for u in combinations(members, s)]
            mean = values.mean(axis=others, keepdims=True)
            found[members] = mean - sum(found[u] for u in below)
    return found


def explained(
    label: str, values: np.ndarray, size: Size, seen: np.ndarray
) -> hx.methods.FanovaImportance:
    """Return the functional ANOVA of a forest that has seen some points of the grid."""
    space = search_space(size)
    points = list(product(*size.grid))
    configs = [dict(zip(NAMES, points[i], strict=True)) for i in seen]
    run = hx.Run(
        space, space.encode(configs), values.ravel()[seen], "minimize", objective_name=label
    )
    forest = run.surrogate(kind="forest", n_trees=size.trees, seed=0)
    explainer = hx.methods.FanovaExplainer(forest, subject=Subject.of(run), seed=0)
    return explainer.explain(order=3, cap=None, given=None)


def shares(result: hx.methods.FanovaImportance, values: np.ndarray) -> pd.DataFrame:
    """Return the true and the predicted share of every component, and its std over trees."""
    components = true_components(values)
    table = result.importance
    return pd.DataFrame(
        {
            "true": [(components[u] ** 2).mean() / values.var() for u in result.members],
            "predicted": table["importance"].to_numpy(),
            "std": table["std"].to_numpy(),
        },
        index=[" × ".join(SYMBOLS[j] for j in u) for u in result.members],
    )


def marginals(result: hx.methods.FanovaImportance, values: np.ndarray, size: Size) -> pd.DataFrame:
    """Return how predicted marginals agree with the true ones.

    Their correlation, and the largest difference as a share of the range of all values.
    """
    rows = []
    for j, name in enumerate(NAMES):
        true = true_marginal(values, j)
        predicted = at_grid(result.marginal(name), size.grid[j])
        error = np.abs(predicted - true).max() / np.ptp(values)
        rows.append((float(np.corrcoef(true, predicted)[0, 1]), float(error)))
    return pd.DataFrame(rows, columns=["correlation", "error"], index=SYMBOLS)


def analyse(
    label: str, values: np.ndarray, size: Size, seen: np.ndarray
) -> tuple[hx.methods.FanovaImportance, np.ndarray]:
    """Print true and predicted shares and marginals of one measurement; return the importance."""
    result = explained(label, values, size, seen)
    print(f"\n{label}: {len(seen)} of {values.size} points seen")
    print(f"  {'share of the variance':24}{'true':>8}{'predicted':>12}{'std over trees':>16}")
    for row in shares(result, values).itertuples():
        print(f"  {row.Index:24}{row.true:8.1%}{row.predicted:12.1%}{row.std:16.1%}")
    for row in marginals(result, values, size).itertuples():
        print(
            f"  marginal of {row.Index}: correlation of predicted and true {row.correlation:.3f}, "
            f"largest difference {row.error:.1%} of the range of all values"
        )
    return result, values


def true_marginal(values: np.ndarray, j: int) -> np.ndarray:
    """Return the mean over the grid of all but one hyperparameter."""
    return np.asarray(values.mean(axis=tuple(k for k in range(values.ndim) if k != j)))


def at_grid(marginal: Any, wanted: tuple[float, ...]) -> np.ndarray:
    """Return a marginal prediction at the values of the grid."""
    scale = np.log if marginal.log[0] else np.asarray
    shown = scale(np.array(marginal.grid[0]))
    nearest = [int(np.abs(shown - scale(value)).argmin()) for value in wanted]
    return np.asarray(marginal.mean[nearest])


def main_effects(
    result: hx.methods.FanovaImportance, values: np.ndarray, size: Size, path: Path
) -> None:
    """Save the marginals as in Figures 1 and 3."""
    figure = Figure(figsize=(10.0, 3.4), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    for j, (ax, name) in enumerate(zip(axes, NAMES, strict=True)):
        marginal = result.marginal(name)
        x = np.array(marginal.grid[0])
        ax.fill_between(
            x, marginal.mean - marginal.std, marginal.mean + marginal.std, step="mid",
            color="#d9d9d9", label="± std over trees",
        )  # fmt: skip
        ax.step(x, marginal.mean, "k--", where="mid", label="predicted")
        ax.plot(size.grid[j], true_marginal(values, j), "o", color="#0072B2", label="true")
        if marginal.log[0]:
            ax.set_xscale("log")
        ax.set_xlabel(f"{SYMBOLS[j]} ({name})")
    axes[0].set_ylabel(result.subject.objective_name)
    axes[0].legend()
    figure.savefig(path)


def interaction(
    result: hx.methods.FanovaImportance, values: np.ndarray, size: Size, path: Path
) -> None:
    """Save the joint marginal of κ and S, true and predicted, as in Figure 2."""
    figure = Figure(figsize=(9.0, 3.8), layout="constrained")
    marginal = result.marginal(NAMES[0], NAMES[2])
    true = values.mean(axis=1)
    limits = {
        "vmin": min(true.min(), marginal.mean.min()),
        "vmax": max(true.max(), marginal.mean.max()),
        "shading": "nearest",
        "cmap": "viridis",
    }
    left, right = figure.subplots(1, 2, sharey=True)
    left.pcolormesh(size.grid[2], size.grid[0], true, **limits)
    drawn = right.pcolormesh(marginal.grid[1], marginal.grid[0], marginal.mean, **limits)
    for ax, title in ((left, "true, on the grid"), (right, "predicted, on a finer grid")):
        ax.set_xscale("log")
        ax.set_xlabel("S (batch_size)")
        ax.set_title(title, fontsize=10)
    left.set_ylabel("κ (learning_decay)")
    figure.colorbar(drawn, ax=[left, right], label=result.subject.objective_name)
    figure.savefig(path)


def main() -> None:
    """Run the experiment."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("fanova-ground-truth"))
    parser.add_argument("--digits", type=int, default=Size.digits, help="images to learn from")
    parser.add_argument("--seen", type=int, default=Size.seen, help="points that the forest sees")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="a small grid, few digits and trees")
    options = parser.parse_args()
    size = QUICK if options.quick else Size(digits=options.digits, seen=options.seen)
    start = perf_counter()
    perplexity, seconds = measure(size, options.seed)
    print(f"{perplexity.size} points of the grid measured in {perf_counter() - start:.0f} s")
    rng = np.random.default_rng(options.seed)
    seen = rng.choice(perplexity.size, min(size.seen, perplexity.size), replace=False)
    options.out.mkdir(parents=True, exist_ok=True)
    result, values = analyse("perplexity", perplexity, size, seen)
    main_effects(result, values, size, options.out / "figure1_perplexity.svg")
    interaction(result, values, size, options.out / "figure2_interaction.svg")
    result, values = analyse("run time in seconds", seconds, size, seen)
    main_effects(result, values, size, options.out / "figure3_run_time.svg")
    print(f"\nfigures: {options.out}")


if __name__ == "__main__":
    main()
