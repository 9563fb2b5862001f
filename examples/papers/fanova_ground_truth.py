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

from functools import cache, partial
from itertools import product
from time import process_time
from typing import Any

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

import hpo_explain as hx
from examples.papers.drawing import BLACK, BLUE, band
from examples.papers.frame import Profile, Sheet, experiment, listed
from hpo_explain.base.subject import Subject

# κ, τ0 and S: their grid, and a space whose measure gives every value of it the same weight
GRID = (
    (np.arange(5, 11) / 10).tolist(),
    4.0 ** np.arange(6),
    2.0 ** np.arange(8),
)
SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("learning_decay", 0.45, 1.05),
        hx.FloatParameter("learning_offset", 0.5, 2048.0, log=True),
        hx.FloatParameter("batch_size", 2.0**-0.5, 2.0**7.5, log=True),
    ]
)
SYMBOLS = ("κ", "τ0", "S")
WORDS, TOPICS = 1000, 10


def measured(documents: int, seed: int, kappa: float) -> np.ndarray:
    """Return perplexity and run time in seconds for one κ, (τ0, S, 2)."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(WORDS, 0.05), TOPICS)
    mixtures = rng.dirichlet(np.full(TOPICS, 0.1), 3 * documents // 2)
    counts = np.array([rng.multinomial(60, p) for p in mixtures @ topics])
    found = []
    for tau0, batch in product(*GRID[1:]):
        model = LatentDirichletAllocation(
            n_components=TOPICS,
            learning_method="online",
            max_iter=1,
            random_state=seed,
            learning_decay=kappa,
            learning_offset=tau0,
            batch_size=int(batch),
        )
        start = process_time()
        model.fit(counts[:documents])
        seconds = process_time() - start
        found.append((model.perplexity(counts[documents:]), seconds))
    return np.reshape(found, (6, 8, 2))


def explained(
    label: str, values: np.ndarray, seen: np.ndarray
) -> hx.methods.FanovaImportance:
    """Return the functional ANOVA of a forest that has seen some points of the grid."""
    points = list(product(*GRID))
    configs = [dict(zip(SPACE.names, points[i], strict=True)) for i in seen]
    y = values.ravel()[seen]
    run = hx.Run(
        SPACE, SPACE.encode(configs), y, "minimize", objective_name=label
    )
    forest = run.surrogate(kind="forest", n_trees=64, seed=0)
    explainer = hx.methods.FanovaExplainer(
        forest, subject=Subject.of(run), seed=0
    )
    return explainer.explain(order=3, cap=None, given=None)


def true_marginal(values: np.ndarray, *kept: int) -> np.ndarray:
    """Return the mean over the grid of all but some hyperparameters."""
    return np.asarray(
        values.mean(axis=tuple(k for k in range(values.ndim) if k not in kept))
    )


def true_shares(
    values: np.ndarray, members: list[tuple[int, ...]]
) -> np.ndarray:
    """Return the share of each component of the functional ANOVA of a function on the grid."""
    found: dict[tuple[int, ...], float] = {}
    for u in sorted(members, key=len):
        smaller = sum(found[v] for v in found if {*v} < {*u})
        found[u] = true_marginal(values, *u).var() / values.var() - smaller
    return np.array([found[u] for u in members])


def predicted_marginal(marginal: Any, *kept: int) -> np.ndarray:
    """Return a marginal prediction at the values of the grid."""
    grids = marginal.grid if len(kept) > 1 else [marginal.grid]
    logs = [
        (np.log(grid)[:, None], np.log(GRID[j]))
        for j, grid in zip(kept, grids, strict=True)
    ]
    nearest = [np.abs(shown - wanted).argmin(axis=0) for shown, wanted in logs]
    return np.asarray(marginal.mean)[np.ix_(*nearest)]


def agreement(
    true: np.ndarray, predicted: np.ndarray, values: np.ndarray
) -> tuple[float, float]:
    """Return a correlation, and the largest difference as a share of the range of all values."""
    error = np.abs(predicted - true).max() / np.ptp(values)
    return float(np.corrcoef(predicted.ravel(), true.ravel())[0, 1]), float(
        error
    )


@cache
def analysed(
    profile: Profile,
) -> dict[str, tuple[hx.methods.FanovaImportance, np.ndarray]]:
    """Return the functional ANOVA of forests, with the grid's values, by what was measured."""
    work = [
        (profile.size(150, 1000), profile.seed, kappa)
        for _ in "12"
        for kappa in GRID[0]
    ]
    # the shorter of two run times: other programs disturb either
    found = np.minimum(
        *np.split(np.array(profile.repeated(measured, work)), 2)
    )
    both = dict(
        zip(("perplexity", "run time"), np.moveaxis(found, -1, 0), strict=True)
    )
    size = both["perplexity"].size
    seen = np.random.default_rng(profile.seed).choice(size, 100, replace=False)
    return {
        label: (explained(label, values, seen), values)
        for label, values in both.items()
    }


on_lda = partial(
    experiment, "fanova", data=analysed, basis="online LDA on drawn documents"
)
DATA_OF_LDA = "the grid of Snoek et al. (2012) for online LDA on Wikipedia, which is not published"


def close(
    sheet: Sheet, label: str, result: Any, values: np.ndarray, why: str = ""
) -> None:
    """Say how close shares and marginals are, and draw the marginals."""
    axes = sheet.panels(
        [f"{label} by {symbol}" for symbol in SYMBOLS], height=2.2, sharey=True
    )
    found = []
    for j, (ax, name) in enumerate(zip(axes, SPACE.names, strict=True)):
        marginal, true = result.marginal(name), true_marginal(values, j)
        band(
            ax,
            marginal.grid,
            marginal.mean,
            marginal.std,
            BLACK,
            ls="--",
            lw=1,
        )
        ax.plot(GRID[j], true, "o", color=BLUE, ms=3)
        ax.set_xscale("log" if marginal.log[0] else "linear")
        found.append(agreement(true, predicted_marginal(marginal, j), values))
    correlations, errors = np.transpose(found)
    sheet.finding(
        "predicted marginals are closely aligned with the true ones",
        errors.max() < 0.15,
        f"differences of at most {listed(100 * errors, 0)} % of the range, "
        f"correlations {listed(correlations, 2)} for {', '.join(SYMBOLS)}",
    )
    predicted = result.importance["importance"].to_numpy()
    farthest = np.abs(predicted - true_shares(values, result.members)).max()
    sheet.finding(
        "predicted shares are close to the true ones",
        farthest < 0.1,
        f"by at most {farthest:.0%}",
        why=why,
    )


@on_lda("figure1", "Main effects for the perplexity of online LDA")
def figure_1(sheet: Sheet, found: dict) -> None:
    """Compare predicted and true marginals."""
    close(sheet, "perplexity", *found["perplexity"])
    sheet.needs("S explains 65 %, S and κ another 18 %", DATA_OF_LDA)


@on_lda("figure2", "The interaction of κ and S")
def figure_2(sheet: Sheet, found: dict) -> None:
    """Compare the joint marginal of κ and S with the true one."""
    result, values = found["perplexity"]
    marginal, true = (
        result.marginal(SPACE.names[0], SPACE.names[2]),
        true_marginal(values, 0, 2),
    )
    titles = [f"κ against S, {which}" for which in ("true", "predicted")]
    axes = sheet.panels(titles, width=3.2, height=2.4, sharey=True)
    drawn = ((GRID[::2], true), (marginal.grid, marginal.mean))
    for ax, ((kappa, batch), z) in zip(axes, drawn, strict=True):
        ax.pcolormesh(
            batch,
            kappa,
            z,
            vmin=true.min(),
            vmax=true.max(),
            shading="nearest",
        )
        ax.set_xscale("log")
    correlation, error = agreement(
        true, predicted_marginal(marginal, 0, 2), values
    )
    said = f"correlation {correlation:.2f}, largest difference {error:.0%} of the range"
    sheet.finding(
        "the predicted joint marginal is that of the grid",
        correlation > 0.9,
        said,
    )
    small, large = np.ptp(true[:, [0, -1]], axis=0)
    sheet.finding(
        "κ matters more for small batches than for large ones",
        small > large,
        f"range over κ {small:.1f}, {large:.1f} for S = 1, 128",
        why="so few documents give large batches few updates, whose weight κ decides",
    )


@on_lda("figure3", "Main effects for the run time of online LDA")
def figure_3(sheet: Sheet, found: dict) -> None:
    """Compare predicted and true marginals."""
    close(
        sheet,
        "run time",
        *found["run time"],
        why="such short times vary; see --thorough",
    )
    by_batch = true_marginal(found["run time"][1], 2)
    best = int(np.argmin(by_batch))
    sheet.finding(
        "very low and very high batch sizes take longer than those between",
        0 < best < len(by_batch) - 1
        and min(by_batch[[0, -1]]) > 1.1 * by_batch[best],
        f"{listed(by_batch, 3)} s by S",
    )
    sheet.needs("κ explains 54 %, S 21 %", DATA_OF_LDA)
