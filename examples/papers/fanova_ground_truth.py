"""Figures 1 to 3 of Hutter et al. (2014): predicted against true marginals and interactions.

The data are the paper's: perplexity and run time of online Latent Dirichlet Allocation at the 288
points of the grid of Snoek et al. (2012), learning decay κ, learning offset τ0 and batch size S. A
forest learns 100 points; its functional ANOVA is compared with that of the complete grid, and its
shares with the paper's. The paper draws 100 points once, here they are drawn 20 times: the paper's
share counts as one of the draws.

Set as in the paper: a forest whatever predicts better (`kind="forest"`), with leaves of one trial,
not capped.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import hpo_explain as hx
from examples.papers.drawing import BLACK, BLUE, band
from examples.papers.frame import LDA, Profile, Sheet, experiment, listed
from hpo_explain.base.subject import Subject
from hpo_explain.methods.importance.fanova_result import FanovaImportance

# κ, τ0 and S: their grid, and a space whose measure gives every value of it the same weight
GRID = (np.arange(5, 11) / 10, 4.0 ** np.arange(6), 4.0 ** np.arange(8))
SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("kappa", 0.45, 1.05),
        hx.FloatParameter("tau0", 0.5, 2048.0, log=True),
        hx.FloatParameter("S", 0.5, 2.0**15, log=True),
    ]
)
SYMBOLS = ("κ", "τ0", "S")
SEEN, DRAWS = 100, 20
KAPPA, BATCH = 0, 2


def read(profile: Profile, column: str) -> np.ndarray:
    """Return a column of the table on the grid, (κ, τ0, S)."""
    table = profile.read(LDA).sort_values([*SPACE.names])
    return table[column].to_numpy().reshape([len(levels) for levels in GRID])


def explained(values: np.ndarray, seed: int) -> FanovaImportance:
    """Return the functional ANOVA of a forest that has seen some points of the grid."""
    seen = np.random.default_rng(seed).choice(values.size, SEEN, replace=False)
    points = np.array([*product(*GRID)])[seen]
    configs = [dict(zip(SPACE.names, point, strict=True)) for point in points]
    run = hx.Run(SPACE, SPACE.encode(configs), values.ravel()[seen], "minimize")
    forest = run.surrogate(kind="forest", n_trees=64, seed=0)
    explainer = hx.methods.FanovaExplainer(forest, subject=Subject.of(run), seed=0)
    return explainer.explain(order=3, cap=None, given=None)


def true_marginal(values: np.ndarray, *kept: int) -> np.ndarray:
    """Return the mean over the grid of all but some hyperparameters."""
    return np.asarray(values.mean(axis=tuple(k for k in range(values.ndim) if k not in kept)))


def true_shares(values: np.ndarray, members: list[tuple[int, ...]]) -> np.ndarray:
    """Return the share of each component of the functional ANOVA of a function on the grid."""
    found: dict[tuple[int, ...], float] = {}
    for u in sorted(members, key=len):
        smaller = sum(found[v] for v in found if {*v} < {*u})
        found[u] = true_marginal(values, *u).var() / values.var() - smaller
    return np.array([found[u] for u in members])


def predicted_marginal(marginal: Any, *kept: int) -> np.ndarray:
    """Return a marginal prediction at the values of the grid."""
    grids = marginal.grid if len(kept) > 1 else [marginal.grid]
    logs = [(np.log(grid)[:, None], np.log(GRID[j])) for j, grid in zip(kept, grids, strict=True)]
    nearest = [np.abs(shown - wanted).argmin(axis=0) for shown, wanted in logs]
    return np.asarray(marginal.mean)[np.ix_(*nearest)]


class Analysis(NamedTuple):
    """Functional ANOVAs of forests that saw different points of a grid, with its values."""

    results: list[FanovaImportance]
    values: np.ndarray

    def shares(self, *members: int) -> np.ndarray:
        """Return the shares of some hyperparameters together by forest, in percent."""
        place = self.results[0].members.index(members)
        return np.array([100.0 * one.importance["importance"].iloc[place] for one in self.results])

    def marginals(self, *kept: int) -> np.ndarray:
        """Return the marginal predictions by forest at the values of the grid."""
        names = [SPACE.names[j] for j in kept]
        return np.array([predicted_marginal(one.marginal(*names), *kept) for one in self.results])


@cache
def analysed(profile: Profile, column: str) -> Analysis:
    """Return the functional ANOVA of several forests."""
    values = read(profile, column)
    results = [explained(values, profile.seed + k) for k in range(DRAWS)]
    return Analysis(results, values)


def close(sheet: Sheet, label: str, found: Analysis) -> None:
    """Say how close marginals and shares are, by forest, and draw the marginals of one."""
    results, values = found
    axes = sheet.panels([f"{label} by {symbol}" for symbol in SYMBOLS], height=2.2, sharey=True)
    errors = []
    for j, (ax, name) in enumerate(zip(axes, SPACE.names, strict=True)):
        marginal, true = results[0].marginal(name), true_marginal(values, j)
        band(ax, marginal.grid, marginal.mean, marginal.std, BLACK, ls="--", lw=1)
        ax.plot(GRID[j], true, "o", color=BLUE, ms=3)
        ax.set_xscale("log" if marginal.log[0] else "linear")
        errors.append(np.abs(found.marginals(j) - true).max(axis=1) / np.ptp(values))
    sheet.finding(
        "predicted marginals are closely aligned with the true ones, within 15 % of the range",
        0.15 - np.max(errors, axis=0),
        f"differences of at most {listed(100 * np.mean(errors, axis=1), 0)} % of the range for "
        f"{', '.join(SYMBOLS)}",
    )


share = partial(Sheet.number, one_draw=True, digits=0, cell=False)
of_lda = partial(experiment, "fanova", needs=(LDA,))


@of_lda("figure1 figure2", "What the perplexity of online LDA depends on")
def figures_1_and_2(sheet: Sheet) -> None:
    """Compare shares, marginals, and the joint marginal of κ and S."""
    found = analysed(sheet.profile, "perplexity")
    close(sheet, "perplexity", found)
    share(sheet, "S explains (%)", 65, found.shares(BATCH))
    share(sheet, "the interaction of κ and S explains (%)", 18, found.shares(KAPPA, BATCH))
    true, joint = true_marginal(found.values, KAPPA, BATCH), found.marginals(KAPPA, BATCH)
    marginal = found.results[0].marginal("kappa", "S")
    titles = [f"κ against log2 S, {which}" for which in ("true", "predicted")]
    axes = sheet.panels(titles, width=3.2, height=2.4, sharex=True, sharey=True)
    drawn = ((GRID[::2], true), (marginal.grid, marginal.mean))
    for ax, ((kappa, batch), z) in zip(axes, drawn, strict=True):
        colors = {"vmin": true.min(), "vmax": true.max(), "shading": "nearest"}
        ax.pcolormesh(np.log2(batch), kappa, z, **colors)
    ranges = np.ptp(joint, axis=1)  # over κ, by forest and S
    sheet.finding(
        "κ matters more for small batches than for large ones",
        ranges[:, 0] - ranges[:, -1],
        f"range over κ {listed(ranges[:, [0, -1]].mean(axis=0), 0)} for S = 1, 16384; of the grid "
        f"{listed(np.ptp(true, axis=0)[[0, -1]], 0)}",
    )


@of_lda("figure3", "What the run time of online LDA depends on")
def figure_3(sheet: Sheet) -> None:
    """Compare shares and marginals."""
    found = analysed(sheet.profile, "runtime_s")
    close(sheet, "run time", found)
    share(sheet, "κ explains (%)", 54, found.shares(KAPPA))
    share(sheet, "S explains (%)", 21, found.shares(BATCH))
    times = found.marginals(BATCH)
    between = times[:, 1:-1].min(axis=1)
    sheet.finding(
        "the smallest and the largest batches take longest, those between are a sweet spot",
        [times[:, end] - between for end in (0, -1)],
        f"{listed(times.mean(axis=0) / 3600.0)} hours by S",
    )
