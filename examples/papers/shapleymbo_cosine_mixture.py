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

from functools import cache

import numpy as np
import pandas as pd

import hpo_explain as hx
from examples.papers.bo import cube, minimize, r_latin
from examples.papers.drawing import BLACK, BLUE, GREEN, GREY, ORANGE, bars
from examples.papers.frame import Profile, Sheet, experiment, listed
from examples.papers.shapleymbo_logged import explained
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.methods.proposals.desirability_path_result import DesirabilityPath

ITERATIONS = (1, 2, 3)
INITIAL = 4  # whatever the number of dimensions
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
) -> tuple[hx.Run, DesirabilityPath]:
    """Return a run of a few proposals with λ = 1, explained."""
    space, design = (cube(dimensions, -1.0, 1.0), r_latin(INITIAL, dimensions, seed=1))
    settings = {"n_trials": INITIAL + len(ITERATIONS), "lam": 1.0, "nugget": 1e-8, "seed": seed}
    run = minimize(lambda row: cosine_mixture(2.0 * row - 1.0), space, design, **settings)
    return run, explained(run, background)


@cache
def paths(profile: Profile, dimensions: int) -> list[tuple[hx.Run, DesirabilityPath]]:
    """Return explained runs of several seeds."""
    return [proposals(dimensions, profile.seed + k) for k in range(profile.size(20, 100))]


def table(path: DesirabilityPath) -> pd.DataFrame:
    """Return Table 1, a row per proposal, in the thesis's order and sign."""
    predictions = path.predictions()
    m, se = predictions["mean"].to_numpy(), predictions["std"].to_numpy()
    table = pd.DataFrame([dict(e.config) for e in path.explanations])
    return table.assign(y=predictions["objective"].to_numpy(), cb=m - se, se=se, m=m)


def three_dimensions(sheet: Sheet) -> None:
    """Compare the first proposal, which the design decides; the others are one run of many."""
    theirs = np.array(THESIS)
    sheet.numbers(
        "y of the function at the thesis's proposal {}",
        [ITERATIONS],
        theirs[:, 3],
        [[cosine_mixture(row[:3]) for row in theirs]],
        error=0.005,
        note="the function at the printed x1, x2 and x3, which are rounded",
    )
    found = np.array([table(path).to_numpy() for _, path in paths(sheet.profile, 3)])
    sheet.numbers(
        "{} of proposal 1", [("cb", "se", "m")], theirs[0, 4:], found[:, 0, 4:], one_draw=True
    )
    sheet.left_out("cb, se and m of proposals 2 and 3", "one run, of many that are possible", 6)
    sheet.left_out(
        "where the proposals lie", "the first's mean and uncertainty are alike in many places", 9
    )
    se = found[:, :, 5]
    sheet.finding(
        "the uncertainty falls from proposal to proposal",
        -np.diff(se).T,
        listed(se.mean(axis=0), 2),
        "0.32, 0.27, 0.23",
    )


@experiment(
    "shapleymbo", "table1 figure1", "Three proposals, in three and in one dimension", cells=21
)
def table_1(sheet: Sheet) -> None:
    """Compare proposals; draw a run in one dimension that ends at the minimum."""
    three_dimensions(sheet)
    found = paths(sheet.profile, 1)
    at_end = [abs(path.explanations[-1].config["x1"]) for _, path in found]
    ends = [[placed(run, path.explanations[k]) for k in (0, -1)] for run, path in found]
    first, last = np.swapaxes(ends, 0, 1)
    payouts = np.array([path.explanations[-1].phi.sum(axis=0) for _, path in found])
    said = "mean at {:.0f} %, uncertainty at {:.0f} % of what is predicted"
    sheet.in_most(
        "in one dimension: the first proposal's mean is good but not the best, its uncertainty "
        "high but not the highest",
        (0 < first[:, 0]) & (first[:, 0] < 50) & (50 < first[:, 1]) & (first[:, 1] < 100),
        "; " + said.format(*first.mean(axis=0)),
    )
    sheet.in_most(
        "the third's mean is very low, its uncertainty small",
        (last[:, 0] < 10) & (last[:, 1] < 50),
        "; " + said.format(*last.mean(axis=0)),
    )
    sheet.finding(
        "the third is made mostly for its mean",
        payouts[:, 0] - payouts[:, 1],
        f"payouts {listed(payouts.mean(axis=0), 2)}",
    )
    draw(sheet, *found[int(np.argmin(at_end))])


def placed(run: hx.Run, explanation: ProposalExplanation) -> np.ndarray:
    """Return where mean and uncertainty lie between their lowest and highest, in percent."""
    trial = explanation.trial
    line = np.linspace(0.0, 1.0, 1001)[:, None]
    model = run.surrogate(before=trial, kind="auto")
    pairs = zip(model.predict(run.X[[trial]]), model.predict(line), strict=True)
    return np.array([100.0 * (at[0] - all_.min()) / np.ptp(all_) for at, all_ in pairs])


def draw(sheet: Sheet, run: hx.Run, path: DesirabilityPath) -> None:
    """Draw model, utility and contributions of every proposal."""
    titles = [[f"iteration {k}" for k in ITERATIONS], ["utility −LCB"] * 3, ["of m and se"] * 3]
    axes = sheet.panels(titles, width=3.2, height=2.0, sharex="row", sharey="row")
    X = np.linspace(0.0, 1.0, 201)[:, None]
    x, tried, y = 2.0 * X[:, 0] - 1.0, 2.0 * run.X[:, 0] - 1.0, run.objective
    for (model, utility, terms), e in zip(axes.T, path.explanations, strict=True):
        t, here = e.trial, tried[e.trial]
        mean, std = run.surrogate(before=t, kind="auto").predict(X)
        model.fill_between(x, mean - std, mean + std, color=ORANGE, alpha=0.35, label="m ± se")
        model.plot(x, mean, "--", color=BLUE, label="surrogate's mean m")
        model.plot(x, [cosine_mixture([value]) for value in x], color=BLACK, lw=1.2, label="f")
        model.plot(tried[:t], y[:t], "o", color=BLACK, label="earlier trials")
        model.plot(here, y[t], "^", color=GREEN, ms=10, label="this proposal")
        average, reached = e.baseline["total"], e.prediction["total"]
        utility.plot(x, sum(run.acquisition(before=t).terms(X).values()), color=GREY)
        utility.axhline(average, color=GREY, ls="-.", label="average over the space")
        utility.vlines(here, average, reached, color=GREEN, lw=2, label="payout")
        bars(terms, ["x1"], *e.phi.T)
    handles = [h for ax in axes[:2, 0] for h in ax.get_legend_handles_labels()[0]]
    sheet.figures[-1].legend(handles=handles, loc="outside lower center", ncols=4, fontsize=7)
