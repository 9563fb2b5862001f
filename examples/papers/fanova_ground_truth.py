"""Figures 1 to 3 of Hutter et al. (2014): predicted against true marginals and interactions.

The paper's experiment on measurements made here: online variational Bayes for Latent Dirichlet
Allocation, on documents drawn from ten topics over 1,000 words, for every point of a grid of
learning_decay κ, learning_offset τ0 and batch_size S. A forest sees 100 of the 288 points; its
functional ANOVA is compared with that of the complete grid, for the perplexity on held-out
documents and for the run time. The paper's own shares (65 % for S) are of other documents.

A batch costs what updating all words does, whatever its size: with few words, very small batches
are not slow.

Set as in the paper: a forest whatever predicts better (`kind="forest"`), with leaves of one trial,
not capped.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import LatentDirichletAllocation

import hpo_explain as hx
from examples.papers.frame import (
    BLACK,
    BLUE,
    Found,
    Profile,
    band,
    experiment,
    finding,
    listed,
    needs,
    panels,
    shared,
)
from hpo_explain.base.subject import Subject

NAMES = ("learning_decay", "learning_offset", "batch_size")
SYMBOLS = ("κ", "τ0", "S")
WORDS, TOPICS = 1000, 10


@dataclass(frozen=True)
class Size:
    """How much is measured: the grid's values, documents, points the forest sees, and trees."""

    kappa: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    tau0: tuple[float, ...] = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
    batch: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128)
    documents: int = 1000
    seen: int = 100
    trees: int = 64

    @property
    def grid(self) -> tuple[tuple[float, ...], ...]:
        """The values of κ, τ0 and S."""
        return self.kappa, self.tau0, tuple(map(float, self.batch))


QUICK = Size((0.5, 0.75, 1.0), (1.0, 16.0, 256.0), (4, 16, 64), documents=80, seen=20, trees=16)


def measured(size: Size, seed: int, kappa: float) -> np.ndarray:
    """Return perplexity and run time in seconds for one κ, (τ0, S, 2)."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(WORDS, 0.05), TOPICS)
    mixtures = rng.dirichlet(np.full(TOPICS, 0.1), 3 * size.documents // 2)
    counts = np.array([rng.multinomial(60, p) for p in mixtures @ topics])
    train, test = counts[: size.documents], counts[size.documents :]
    found = np.empty((len(size.tau0), len(size.batch), 2))
    for i, tau0 in enumerate(size.tau0):
        for j, batch in enumerate(size.batch):
            model = LatentDirichletAllocation(
                n_components=TOPICS, learning_method="online", max_iter=1, random_state=seed,
                learning_decay=kappa, learning_offset=tau0, batch_size=batch,
            )  # fmt: skip
            start = process_time()
            model.fit(train)
            found[i, j] = model.perplexity(test), process_time() - start
    return found


def measure(size: Size, seed: int, profile: Profile | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return perplexity and run time in seconds at every point of the grid."""
    work = [(size, seed, kappa) for kappa in size.kappa]
    perplexity, seconds = np.moveaxis((profile or Profile()).repeated(measured, work), -1, 0)
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


def true_marginal(values: np.ndarray, j: int) -> np.ndarray:
    """Return the mean over the grid of all but one hyperparameter."""
    return np.asarray(values.mean(axis=tuple(k for k in range(values.ndim) if k != j)))


def at_grid(marginal: Any, wanted: tuple[float, ...]) -> np.ndarray:
    """Return a marginal prediction at the values of the grid."""
    scale = np.log if marginal.log[0] else np.asarray
    shown = scale(np.array(marginal.grid))
    nearest = [int(np.abs(shown - scale(value)).argmin()) for value in wanted]
    return np.asarray(marginal.mean[nearest])


@shared
def analysed(profile: Profile) -> tuple[Size, dict[str, Any]]:
    """Return the functional ANOVA of forests, with the grid's values, by what was measured."""
    size = Size(documents=profile.size(200, 1000))
    values = dict(
        zip(("perplexity", "run time"), measure(size, profile.seed, profile), strict=True)
    )
    rng = np.random.default_rng(profile.seed)
    seen = rng.choice(values["perplexity"].size, size.seen, replace=False)
    return size, {label: (explained(label, v, size, seen), v) for label, v in values.items()}


LDA = "online LDA on drawn documents"
DATA_OF_LDA = "the grid of Snoek et al. (2012) for online LDA on Wikipedia, which is not published"


def close(profile: Profile, label: str) -> tuple:
    """Return rows of how close shares and marginals are, and draw the marginals."""
    size, found = analysed(profile)
    result, values = found[label]
    table, agreement = shares(result, values), marginals(result, values, size)
    rows = (
        finding("predicted marginals are closely aligned with the true ones",
                agreement["error"].max() < 0.15,
                f"differences of at most {listed(100 * agreement['error'], 0)} % of the range, "
                f"correlations {listed(agreement['correlation'], 2)} for {', '.join(SYMBOLS)}"),
        finding("predicted shares are close to the true ones",
                (table["predicted"] - table["true"]).abs().max() < 0.1,
                f"by at most {(table['predicted'] - table['true']).abs().max():.0%}"),
    )  # fmt: skip
    figure, axes = panels(1, 3, height=2.2, sharey=True)
    for j, (ax, name) in enumerate(zip(axes[0], NAMES, strict=True)):
        marginal = result.marginal(name)
        band(ax, marginal.grid, marginal.mean, marginal.std, BLACK, ls="--", lw=1)
        ax.plot(size.grid[j], true_marginal(values, j), "o", color=BLUE, ms=3)
        if marginal.log[0]:
            ax.set_xscale("log")
        ax.set_title(f"{label} by {SYMBOLS[j]}", fontsize=8)
    return rows, figure


@experiment("fanova", "figure1", "Main effects for the perplexity of online LDA", basis=LDA)
def figure_1(profile: Profile) -> Found:
    """Compare predicted and true marginals."""
    rows, figure = close(profile, "perplexity")
    return Found((*rows, needs("S explains 65 %, S and κ another 18 %", DATA_OF_LDA)), figure)


@experiment("fanova", "figure2", "The interaction of κ and S", basis=LDA)
def figure_2(profile: Profile) -> Found:
    """Compare the joint marginal of κ and S with the true one."""
    size, found = analysed(profile)
    result, values = found["perplexity"]
    marginal, true = result.marginal(NAMES[0], NAMES[2]), values.mean(axis=1)
    figure, axes = panels(1, 2, width=3.2, height=2.4, sharey=True)
    limits = {"vmin": true.min(), "vmax": true.max(), "shading": "nearest"}
    axes[0, 0].pcolormesh(size.grid[2], size.grid[0], true, **limits)
    axes[0, 1].pcolormesh(marginal.grid[1], marginal.grid[0], marginal.mean, **limits)
    for ax, title in zip(axes[0], ("true", "predicted"), strict=True):
        ax.set_xscale("log")
        ax.set_title(f"κ against S, {title}", fontsize=8)
    rows_at = [int(np.abs(np.array(marginal.grid[0]) - k).argmin()) for k in size.kappa]
    at = [int(np.abs(np.log(np.array(marginal.grid[1])) - np.log(s)).argmin()) for s in size.batch]
    predicted = marginal.mean[np.ix_(rows_at, at)]
    ranges = [np.ptp(true[:, 0]), np.ptp(true[:, -1])]
    error = np.abs(predicted - true).max() / np.ptp(values)
    correlation = np.corrcoef(predicted.ravel(), true.ravel())[0, 1]
    return Found(
        (
            finding("the predicted joint marginal is that of the grid", correlation > 0.9,
                    f"correlation {correlation:.2f}, largest difference {error:.0%} of the range"),
            finding("κ matters more for small batches than for large ones", ranges[0] > ranges[1],
                    f"range over κ {listed(ranges)} for S = {size.batch[0]}, {size.batch[-1]}",
                    why="so few documents give large batches few updates, whose weight κ decides"),
        ),
        figure,
    )  # fmt: skip


@experiment("fanova", "figure3", "Main effects for the run time of online LDA", basis=LDA)
def figure_3(profile: Profile) -> Found:
    """Compare predicted and true marginals."""
    rows, figure = close(profile, "run time")
    _, found = analysed(profile)
    by_batch = true_marginal(found["run time"][1], 2)
    best = int(np.argmin(by_batch))
    low = finding("very low and very high batch sizes take longer than those between",
                  0 < best < len(by_batch) - 1 and min(by_batch[[0, -1]]) > 1.1 * by_batch[best],
                  f"{listed(by_batch, 3)} s by S")  # fmt: skip
    return Found((*rows, low, needs("κ explains 54 %, S 21 %", DATA_OF_LDA)), figure)
