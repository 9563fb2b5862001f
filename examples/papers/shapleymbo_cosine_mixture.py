"""Figure 1 and Table 1 of Croppi (2021): why a proposal needs to be explained.

    python examples/papers/shapleymbo_cosine_mixture.py --out figures

In one dimension the reasons can be seen: the figure shows what the optimizer knew, what the
acquisition function made of it, and how far the proposal stands above the average, by term (the
seed is one whose run ends at the minimum). In three dimensions there is nothing to look at, and the
thesis asks which hyperparameter had the biggest influence, and whether for its effect on the mean
or on the uncertainty. The table answers. Designs and models differ from the thesis's, and so do the
proposals.

The thesis minimizes the confidence bound cb = m - λ·se; here the utility -cb is divided, so that
what is positive is attractive.

Set as in the thesis: the stored model of each iteration with the optimizer's own bound, λ = 1
(`acquisition="auto"`), all coalitions (`estimator="exact"`), a background of the whole space.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure
from shapleymbo_bo import minimize, spread_out

import hpo_explain as hx

ITERATIONS = 3
INITIAL = 4  # per hyperparameter
MEAN, UNCERTAINTY, INK = "#0072B2", "#E69F00", "#333333"
# Table 1: x1, x2, x3, y, cb, se, m
THESIS = (
    (0.15, 0.41, 0.47, 0.33, 0.16, 0.32, 0.48),
    (0.61, 0.16, 0.43, 0.67, 0.18, 0.27, 0.45),
    (-0.30, 0.32, 0.49, 0.39, 0.17, 0.23, 0.40),
)


def cosine_mixture(x) -> float:
    """Return the cosine mixture function, whose minimum -0.1 d is at 0."""
    x = np.asarray(x, dtype=float)
    return float(np.sum(x**2) - 0.1 * np.sum(np.cos(5.0 * np.pi * x)))


def optimized(dimensions: int, seed: int) -> hx.Run:
    """Return a run of a few proposals, with λ = 1."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j + 1}", -1.0, 1.0) for j in range(dimensions)])
    design = spread_out(space, INITIAL * dimensions, seed)
    return minimize(
        cosine_mixture, space, design, n_proposals=ITERATIONS, lam=1.0, noisy=False, seed=seed
    )


def draw(run: hx.Run, path: hx.methods.DesirabilityPath) -> Figure:
    """Return Figure 1, with the payout of every proposal below it."""
    figure = Figure(figsize=(9.6, 6.6), layout="constrained")
    axes = figure.subplots(3, ITERATIONS, sharex="row", sharey="row", height_ratios=(3.0, 2.2, 1.0))
    x = np.linspace(-1.0, 1.0, 201)
    X = run.space.encode([{"x1": float(value)} for value in x])
    tried = np.array([config["x1"] for config in run.space.decode(run.X)])
    for column, explanation in zip(axes.T, path.explanations, strict=True):
        trial = explanation.trial
        acquisition = run.acquisition(before=trial)
        mean, std = run.surrogate(before=trial).predict(X)
        _draw_model(column[0], x, mean, std, tried, run.objective, trial)
        utility = sum(acquisition.terms(X).values())
        _draw_utility(column[1], x, utility, tried[trial], explanation)
        _draw_payout(column[2], explanation)
        column[0].set_title(f"iteration {trial - INITIAL + 1}", fontsize=11, loc="left")
    for row, label in zip(axes, ("objective f(x)", "utility −LCB", ""), strict=True):
        row[0].set_ylabel(label)
    handles = {}
    for ax in (axes[0, -1], axes[1, 0], axes[2, 0]):
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False
    )
    return figure


def _draw_model(ax, x, mean, std, tried, objective, trial) -> None:
    ax.fill_between(x, mean - std, mean + std, color=UNCERTAINTY, alpha=0.35, lw=0, label="m ± se")
    ax.plot(x, mean, "--", color=MEAN, label="surrogate's mean m")
    ax.plot(x, [cosine_mixture([value]) for value in x], color=INK, lw=1.2, label="f")
    known = slice(None, INITIAL)
    ax.plot(tried[known], objective[known], "o", color=INK, ms=6, label="initial design")
    since = slice(INITIAL, trial)
    ax.plot(tried[since], objective[since], "s", color="#009E73", ms=7, label="earlier proposals")
    ax.plot(
        tried[trial], objective[trial], "^", color="#D55E00", ms=10, label="this proposal", zorder=5
    )
    ax.axvline(tried[trial], color="#D55E00", lw=0.8, ls=":")


def _draw_utility(ax, x, utility, proposed, explanation) -> None:
    average, here = explanation.baseline["total"], explanation.prediction["total"]
    ax.plot(x, utility, color="#555555", lw=1.2, label="utility")
    ax.axhline(average, color="#555555", lw=1.0, ls="-.", label="its average over the space")
    ax.annotate(
        "", (proposed, here), (proposed, average),
        arrowprops={"arrowstyle": "->", "color": INK, "lw": 2.0, "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip
    ax.plot(proposed, here, "^", color="#D55E00", ms=10, zorder=5)
    ax.annotate(
        "payout", (proposed, average), (0, -4),
        textcoords="offset points", ha="center", va="top",
    )  # fmt: skip
    ax.set_xlabel("x")


def _draw_payout(ax, explanation) -> None:
    values = (*explanation.phi[0], explanation.payout["total"])
    labels = ("mean", "uncertainty", "payout")
    fills = ((MEAN, ""), (UNCERTAINTY, "////"), (INK, ""))
    for y, (value, (color, hatch)) in enumerate(zip(values, fills, strict=True)):
        ax.barh(y, value, color=color, hatch=hatch, edgecolor="white", lw=0.0)
        ax.annotate(
            f"{value:+.2f}".replace("-", "−"),
            (max(value, 0.0), y),
            (4, 0),
            textcoords="offset points",
            va="center",
        )
    ax.axvline(0.0, color=INK, lw=0.8)
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set_xlabel("contribution to the utility")
    ax.margins(x=0.3)


def explained(run: hx.Run, background: int) -> hx.methods.DesirabilityPath:
    """Return the contributions to every proposal."""
    return hx.methods.desirability_path(
        run, acquisition="auto", background=background, estimator="exact", progress=False
    )


def table_1(path: hx.methods.DesirabilityPath) -> pd.DataFrame:
    """Return Table 1, a row per proposal, in the thesis's order and sign."""
    predictions = path.predictions()
    m, se = predictions["mean"].to_numpy(), predictions["std"].to_numpy()
    table = pd.DataFrame([dict(e.config) for e in path.explanations])
    return table.assign(y=predictions["objective"].to_numpy(), cb=m - se, se=se, m=m)


def table(path: hx.methods.DesirabilityPath) -> None:
    """Print Table 1, and what it leaves open."""
    found = table_1(path)
    print("\nTable 1: three proposals in three dimensions, here and [in the thesis]")
    print(f"  {'iter':<6}" + "".join(f"{name:<16}" for name in found))
    for i, (ours, theirs) in enumerate(zip(found.to_numpy(), THESIS, strict=True)):
        cells = (f"{f'{a:.2f} [{b:.2f}]':<16}" for a, b in zip(ours, theirs, strict=True))
        print(f"  {i + 1:<6}" + "".join(cells))
    print("\nWhat it leaves open: contributions to the utility (positive: attractive)")
    print(f"  {'iter':<6}{'':<8}{'total':>9}{'mean':>9}{'uncertainty':>13}")
    for i, e in enumerate(path.explanations):
        for name, total, (mean, uncertainty) in zip(e.names, e.total, e.phi, strict=True):
            print(f"  {i + 1:<6}{name:<8}{total:>9.3f}{mean:>9.3f}{uncertainty:>13.3f}")
        by_term = (e.payout[term] for term in ("total", *e.terms))
        print("  {:<6}{:<8}{:>9.3f}{:>9.3f}{:>13.3f}".format(i + 1, "payout", *by_term))
        print(f"    {e.sentence}")


def main() -> None:
    """Print the table and save the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(), help="folder of the figure")
    parser.add_argument("--seed", type=int, default=4, help="seed of designs and optimizers")
    parser.add_argument("--quick", action="store_true", help="little work, to see that it runs")
    options = parser.parse_args()
    background = 200 if options.quick else 1000

    run = optimized(1, options.seed)
    path = explained(run, background)
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "cosine_mixture.svg"
    # text stays text, and the same figure gives the same file
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "cosine mixture"}):
        draw(run, path).savefig(file, metadata={"Date": None})
    print(f"Figure 1: {file}")
    for e in path.explanations:
        print(f"  {e.sentence}")

    run = optimized(3, options.seed)
    table(explained(run, 3 * background))


if __name__ == "__main__":
    main()
