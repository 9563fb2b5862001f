"""Figure 1 and Table 1 of Croppi (2021): why a proposal needs to be explained.

In one dimension the reasons can be seen: the figure shows what the optimizer knew, what the
acquisition function made of it, and how far the proposal stands above the average, by term. In
three dimensions there is nothing to look at, and the thesis asks which hyperparameter had the
biggest influence, and whether for its effect on the mean or on the uncertainty. The design is the
thesis's, 4 trials in three dimensions too, so that the model is hardly determined and the proposals
differ; but the first one's mean and uncertainty do not.

The thesis minimizes the confidence bound cb = m - λ·se; here the utility -cb is divided, so that
what is positive is attractive.

What reproduces the numbers: the design that follows from the seed of the thesis's program
(github.com/croppi-f/ShapleyMBO, dissertation/other_code), mlrMBO's optimizer (:mod:`bo`) with λ = 1
and an objective without noise, each proposal explained by its own model (`acquisition="auto"`) over
all coalitions.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import hpo_explain as hx
from examples.papers.bo import minimize, r_latin
from examples.papers.frame import Found, Profile, experiment, finding, listed, number, shared
from examples.papers.shapleymbo_logged import explained

ITERATIONS = 3
INITIAL = 4  # whatever the number of dimensions
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


def proposals(
    dimensions: int, seed: int, background: int = 1000
) -> tuple[hx.Run, hx.methods.DesirabilityPath]:
    """Return a run of a few proposals with λ = 1, explained."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j + 1}", -1.0, 1.0) for j in range(dimensions)])
    run = minimize(
        lambda row: cosine_mixture(2.0 * row - 1.0), space, r_latin(INITIAL, dimensions, seed=1),
        n_trials=INITIAL + ITERATIONS, lam=1.0, nugget=1e-8, seed=seed,
    )  # fmt: skip
    return run, explained(run, background)


@shared
def paths(profile: Profile, dimensions: int) -> list[tuple[hx.Run, hx.methods.DesirabilityPath]]:
    """Return explained runs of several seeds."""
    return [proposals(dimensions, profile.seed + k) for k in range(profile.size(20, 100))]


def table(path: hx.methods.DesirabilityPath) -> pd.DataFrame:
    """Return Table 1, a row per proposal, in the thesis's order and sign."""
    predictions = path.predictions()
    m, se = predictions["mean"].to_numpy(), predictions["std"].to_numpy()
    table = pd.DataFrame([dict(e.config) for e in path.explanations])
    return table.assign(y=predictions["objective"].to_numpy(), cb=m - se, se=se, m=m)


@experiment("shapleymbo", "table1", "Three proposals in three dimensions")
def table_1(profile: Profile) -> Found:
    """Compare objective values, predictions and the bound: the thesis's run is one of many."""
    rows = [
        number(f"the function at the thesis's proposal {i + 1}", y, cosine_mixture(x), error=0.005)
        for i, (*x, y, _, _, _) in enumerate(THESIS)
    ]
    found = np.array([table(path).to_numpy() for _, path in paths(profile, 3)])
    for i, theirs in enumerate(THESIS):
        rows += [
            number(f"{name}, proposal {i + 1}", theirs[k], found[:, i, k], one_draw=True)
            for k, name in ((3, "y"), (4, "cb"), (5, "se"), (6, "m"))
        ]
    se = found[:, :, 5].mean(axis=0)
    rows.append(
        finding("the uncertainty falls from proposal to proposal", (np.diff(se) < 0).all(),
                listed(se, 2), "0.32, 0.27, 0.23")
    )  # fmt: skip
    return Found(tuple(rows))


@experiment("shapleymbo", "figure1", "Three proposals in one dimension")
def figure_1(profile: Profile) -> Found:
    """Draw a run that ends at the minimum, and place its proposals in what the model predicts."""
    found = paths(profile, 1)
    at_end = [abs(path.explanations[-1].config["x1"]) for _, path in found]
    first, last = (
        np.mean([placed(run, path.explanations[k]) for run, path in found], axis=0) for k in (0, -1)
    )
    payouts = np.mean([path.explanations[-1].phi.sum(axis=0) for _, path in found], axis=0)
    said = "mean at {:.0f} %, uncertainty at {:.0f} % of what is predicted"
    return Found(
        (
            finding("the first proposal's mean is good but not the best, its uncertainty high but "
                    "not the highest", 0 < first[0] < 50 < first[1] < 100, said.format(*first)),
            finding("the third's mean is very low, its uncertainty small",
                    last[0] < 10 and last[1] < 50, said.format(*last)),
            finding("the third is made mostly for its mean", payouts[0] > payouts[1],
                    f"payouts {listed(payouts, 2)}"),
        ),
        draw(*found[int(np.argmin(at_end))]),
    )  # fmt: skip


def placed(run: hx.Run, explanation: hx.methods.ProposalExplanation) -> np.ndarray:
    """Return where mean and uncertainty lie between their lowest and highest, in percent."""
    trial = explanation.trial
    line = np.linspace(0.0, 1.0, 1001)[:, None]
    model = run.surrogate(before=trial, kind="auto")
    pairs = zip(model.predict(run.X[[trial]]), model.predict(line), strict=True)
    return np.array([100.0 * (at[0] - all_.min()) / np.ptp(all_) for at, all_ in pairs])


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
        mean, std = run.surrogate(before=trial, kind="auto").predict(X)
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
