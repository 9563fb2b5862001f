"""Tables 10 to 13 and Figures 9 to 14 of Croppi (2021): a network tuned on phoneme.

As in its Section 6.2: a random forest on LCBench's 2,000 configurations stands for the network, its
seven hyperparameters (Table 5) are tuned once (28 initial and 112 proposed configurations, λ = 1),
and the proposals are explained. The thesis has one forest, which is not published, and one run;
here several from its initial design, each on a forest of its own, say how far these reach. A
finding holds where it does in most of them. What the thesis calls remarkable is what happened in
its run, late exploration of the learning rate: that agrees where it happens in some of them, as a
number agrees where it is one of those drawn.

Contributions have the opposite sign of the thesis's: what is positive is attractive.

What reproduces the numbers: the forest of :mod:`lcbench`, with its mis-coded number of layers; the
design that follows from the seed of the thesis's program (github.com/croppi-f/ShapleyMBO,
dissertation/analysis/mlp); mlrMBO's optimizer (:mod:`bo`) with an estimated nugget; each proposal
is explained by its own model and bound (`acquisition="auto"`), against a background of the whole
space, over all coalitions (the thesis draws 20,000 orders). Ablation follows the mean of the model
of its iteration. With the numbers of layers as they are, or another forest, other hyperparameters
matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import hpo_explain as hx
from examples.papers.bo import minimize, r_uniform
from examples.papers.drawing import BLACK, BLUE, GREEN, GREY, ORANGE, bars
from examples.papers.frame import (
    PHONEME,
    Profile,
    Sheet,
    experiment,
    listed,
    quoted,
)
from examples.papers.lcbench import SPACE, Network
from examples.papers.shapleymbo_logged import explained

NAMES = SPACE.names
RATE, UNITS = NAMES.index("learning_rate"), NAMES.index("max_units")
INITIAL, PROPOSALS = 4 * len(SPACE), 16 * len(SPACE)
# ranks by hyperparameter of R's lhs::maximinLHS(28, 7) after set.seed(1)
RANKS = (
    "i28h3nfdcl1o5k649bqpjg0eram7",
    "edfb5mc78ql9hro4ig31k6j02pna",
    "05cda8mhofk3berpl1n4j267iq9g",
    "dba7nrl523g9ek4jq8i1ofc6h0mp",
    "j9aig7o8qn2d4ekchb6m0pl1r3f5",
    "ghc8e6kmd9oj2qra5b3li0f4n71p",
    "mo87liedn6f42g51jpkr3b9cah0q",
)
# Tables 10, 11 and 13 by hyperparameter, in the order of SPACE and with the sign turned; Table 12:
# error, m, se, percentiles of m and se of iterations 95 and 108
THESIS = quoted("""
    total: 0.014 0.001 0.008 0.013 0.007 0.001 0.004
    mean: 0.016 0.002 0.009 0.015 0.010 0.001 0.005
    uncertainty: -0.002 0.0 -0.001 -0.002 -0.003 0.0 -0.001
    Shapley values: 0.278 0.027 0.161 0.257 0.166 0.022 0.089
    ablation: 0.348 0.044 0.050 0.307 0.076 0.047 0.128
    its own model: 0.016 0.002 0.009 0.015 0.010 0.001 0.005
    the final model: 0.015 0.002 0.012 0.016 0.007 0.001 0.005
    best-predicted: 0.2222 0.2226 0.0003 3.6 8.0
    for another reason: 0.2225 0.2229 0.0011 12.5 66.1
""")
PAYOUTS = {"total": 0.048, "mean": 0.058, "uncertainty": -0.0095}


class Study(NamedTuple):
    """One run on the network.

    Attributes
    ----------
    run : Run
        The run, without its models.
    path : ndarray
        φ(m) and φ(se) of every proposal, (proposals, 7, 2).
    predictions : DataFrame
        Mean, std and objective of every proposal.
    best : int
        The best-predicted proposal, from 0.
    phi, final : ndarray
        φ(m) and φ(se) of it through its own model and the final one, (7, 2).
    half : ndarray
        Half of a 95 % interval of its contributions, (7,).
    ablation : ndarray
        Shares of the mean's payout by ablation, (7,).
    interactions : ndarray
        H of each pair in the model of the best-predicted proposal, (7, 7).
    """

    run: hx.Run
    path: np.ndarray
    predictions: pd.DataFrame
    best: int
    phi: np.ndarray
    final: np.ndarray
    half: np.ndarray
    ablation: np.ndarray
    interactions: np.ndarray

    @property
    def share(self) -> np.ndarray:
        """Shares of the mean's payout by Shapley values, (7,)."""
        return self.phi[:, 0] / self.phi[:, 0].sum()

    @property
    def other(self) -> int:
        """Another good proposal where the model was unsure, as the thesis's iteration 108 is.

        Of the quarter with the smallest observed error, the one with the largest predicted se.
        """
        table = self.predictions.reset_index(drop=True).drop(self.best)
        good = table[table["objective"] <= table["objective"].quantile(0.25)]
        return int(good["std"].idxmax())


def design() -> np.ndarray:
    """Return the thesis's initial design, encoded."""
    draw = r_uniform(1)
    draw(
        len(SPACE) * (1 + INITIAL * (INITIAL - 1) // 2)
    )  # by which it chose among candidates
    ranks = np.array(
        [[int(rank, INITIAL) for rank in column] for column in RANKS]
    )
    return SPACE.from_latent(
        (ranks + draw(ranks.size).reshape(ranks.shape)).T / INITIAL
    )


def studied(
    table: pd.DataFrame,
    seed: int,
    n_trees: int = 200,
    n_proposals: int = PROPOSALS,
    background: int = 250,
) -> Study:
    """Tune the network, explain every proposal, and return what all tables rest on."""
    network = Network.of(table, n_trees, seed)
    n_trials = INITIAL + n_proposals
    run = minimize(
        network.objective,
        SPACE,
        design(),
        n_trials=n_trials,
        lam=1.0,
        seed=seed,
    )
    path = explained(run, background)
    settings = {
        "acquisition": "auto",
        "background": 4 * background,
        "estimator": "exact",
    }
    explain = partial(hx.explain_proposal, run, **settings)
    surrogate = run.surrogate(kind="auto")
    predicted, _ = surrogate.predict(run.X[INITIAL:])
    best = explain(INITIAL + int(np.argmin(predicted)))
    final = explain(best.trial, surrogate=surrogate)
    own = run.surrogate(before=best.trial, kind="auto")
    half = best.half_width()
    strength = hx.methods.InteractionExplainer(
        own, sample=100, seed=0
    ).explain()
    return Study(
        replace(run, record=None),
        np.asarray(path.phi),
        path.predictions(),
        best.trial - INITIAL,
        best.phi,
        final.phi,
        np.zeros(len(NAMES)) if half is None else half[:, -1],
        by_ablation(own, best),
        strength.matrix(strength.values),
    )


def by_ablation(
    surrogate: hx.models.Surrogate, best: hx.methods.ProposalExplanation
) -> np.ndarray:
    """Return the shares of the mean's payout by ablation, from a configuration of average mean."""
    sample = SPACE.sample(7000, seed=1, method="uniform")
    mean, _ = surrogate.predict(sample)
    nearest = np.argmin(np.abs(mean - best.objective_baseline["mean"]))
    source = SPACE.decode(sample[[nearest]])[0]
    explainer = hx.methods.AblationExplainer(surrogate, direction="minimize")
    ablation = explainer.explain(source, dict(best.config))
    gains = (
        ablation.to_frame()["gain"].reindex(NAMES, fill_value=0.0).to_numpy()
    )
    return gains / gains.sum()


@cache
def studies(profile: Profile) -> list[Study]:
    """Return several runs."""
    return profile.over_seeds(studied, [(profile.read(PHONEME),)], 8, 30)[0]


phoneme = partial(experiment, "shapleymbo", needs=(PHONEME,), data=studies)


def compared(
    sheet: Sheet, names: Sequence[str], ours: Any, digits: int
) -> None:
    """Compare rows of the thesis by hyperparameter with (runs, rows, 7)."""
    theirs = [THESIS[name] for name in names]
    sheet.numbers(
        "{}, {}", [names, NAMES], theirs, ours, one_draw=True, digits=digits
    )


def most(
    sheet: Sheet,
    what: str,
    values: Sequence[Any],
    holds: Callable[[Any], Any],
    shown: str,
    why: str = "",
    share: float = 0.5,
) -> None:
    """Add whether a finding of the thesis's one run holds in more than a share of the runs."""
    flags = [bool(holds(value)) for value in values]
    said = "; ".join(
        shown.format(*(v if isinstance(v, tuple) else (v,)))
        for v in values[:8]
    )
    sheet.finding(
        what,
        sum(flags) > share * len(flags),
        f"in {sum(flags)} of {len(flags)} runs, the first: {said}",
        why=why,
    )


def among(*names: str) -> Callable[[str], bool]:
    """Return whether some are among listed hyperparameters."""
    return lambda listed: all(name in listed for name in names)


def top(values: np.ndarray, n: int) -> str:
    """Return the hyperparameters with the largest values."""
    return ", ".join(NAMES[j] for j in np.argsort(-values)[:n])


# ------------------------------------------------------------------ tables


@phoneme("table10", "Contributions to the best-predicted proposal")
def table_10(sheet: Sheet, some: list[Study]) -> None:
    """Compare contributions and payouts."""
    phi = np.array(
        [[s.phi.sum(axis=1), *s.phi.T] for s in some]
    )  # (runs, terms, 7)
    compared(sheet, [*PAYOUTS], phi, digits=3)
    sheet.numbers(
        "payout, {}",
        [PAYOUTS],
        [*PAYOUTS.values()],
        phi.sum(axis=2),
        one_draw=True,
        digits=3,
    )


@phoneme(
    "table11", "Shares of the mean's payout, by Shapley values and by ablation"
)
def table_11(sheet: Sheet, some: list[Study]) -> None:
    """Compare shares, and where the two methods differ."""
    ours = [[s.share, s.ablation] for s in some]
    compared(sheet, ["Shapley values", "ablation"], ours, digits=2)
    most(
        sheet,
        "there are substantial differences between the methods",
        [np.abs(s.share - s.ablation).max() for s in some],
        lambda gap: gap > 0.05,
        "at most {:.2f}",
    )


@phoneme("table12", "Two good proposals that were made for different reasons")
def table_12(sheet: Sheet, some: list[Study]) -> None:
    """Compare predictions of the best-predicted proposal and of a good but uncertain one."""
    values = np.empty((len(some), 2, 5))
    for row, s in zip(values, some, strict=True):
        until = s.predictions.iloc[: max(s.best, s.other) + 1]
        for i, k in enumerate((s.best, s.other)):
            at = s.predictions.iloc[k]
            percentiles = [
                100.0 * (until[n] <= at[n]).mean() for n in ("mean", "std")
            ]
            row[i] = at["objective"], at["mean"], at["std"], *percentiles
    columns = ("error", "m", "se", "percentile of m", "percentile of se")
    words = ("best-predicted", "for another reason")
    for word, ours in zip(words, np.swapaxes(values, 0, 1), strict=True):
        sheet.numbers(
            "{}, " + word,
            [columns],
            THESIS[word],
            ours,
            one_draw=True,
            digits=[4, 4, 4, 1, 1],
        )
    error, _, se = np.moveaxis(values, 2, 0)[:3]
    sheet.finding(
        "both errors are good, and only the second proposal's uncertainty is high",
        (se[:, 1] > se[:, 0]).all() and np.abs(np.diff(error)).max() < 0.01,
        "se {}, error {}".format(
            *(listed(x.mean(axis=0), 4) for x in (se, error))
        ),
    )


@phoneme("table13", "Mean contributions through two models")
def table_13(sheet: Sheet, some: list[Study]) -> None:
    """Compare contributions through the proposal's own model and the final one."""
    ours = [[s.phi[:, 0], s.final[:, 0]] for s in some]
    compared(sheet, ["its own model", "the final model"], ours, digits=3)
    most(
        sheet,
        "for most hyperparameters the contribution is unchanged",
        [spearmanr(*pair).statistic for pair in ours],
        lambda same: same > 0.8,
        "rank correlation {:.2f}",
    )


# ------------------------------------------------------------------ figures


@phoneme("figure9", "Paths of error, mean, uncertainty and bound")
def figure_9(sheet: Sheet, some: list[Study]) -> None:
    """Draw one run with two proposals marked, and rank the best-predicted one's error.

    The thesis says that of all it visited none had a smaller one (footnote 20), in its one run:
    here one draw of several, whose shares of better ones are compared.
    """
    s, names = some[0], ("error", "m", "se", "cb")
    y, m, se = (
        s.predictions[name].to_numpy() for name in ("objective", "mean", "std")
    )
    for ax, values in zip(
        sheet.panels(names), (y, m, se, m - se), strict=True
    ):
        ax.plot(values, color=GREY, lw=0.8)
        ax.plot(s.best, values[s.best], "o", color=ORANGE)
        ax.plot(s.other, values[s.other], "o", color=GREEN)
    reached = [s.predictions["objective"].iloc[s.best] for s in some]
    pairs = zip(some, reached, strict=True)
    better = [100.0 * (s.run.objective < error).mean() for s, error in pairs]
    sheet.number(
        "visited configurations with a smaller error than the best-predicted one's (%)",
        0.0,
        better,
        one_draw=True,
        digits=0,
    )
    most(
        sheet,
        "the best-predicted proposal has one of the best errors, of the best tenth",
        better,
        lambda share: share < 10.0,
        "better are {:.0f} %",
    )


@phoneme("figure10", "What made the best-predicted proposal desirable")
def figure_10(sheet: Sheet, some: list[Study]) -> None:
    """Draw contributions with 95 % intervals."""
    s = some[0]
    of_terms, of_bound = sheet.panels(
        ["", ""], width=3.6, height=2.4, sharey=True
    )
    bars(of_terms, NAMES, *s.phi.T)
    bars(of_bound, NAMES, s.phi.sum(axis=1), half=[s.half])
    bound, payouts = (
        [s.phi.sum(axis=1) for s in some],
        [tuple(s.phi.sum(axis=0)) for s in some],
    )
    most(
        sheet,
        "every hyperparameter speaks for it",
        [
            (phi.min(), (phi + s.half).min())
            for phi, s in zip(bound, some, strict=True)
        ],
        lambda ends: ends[1] > 0,
        "least {:+.4f}",
    )
    most(
        sheet,
        "batch size and number of layers are among the three that matter most",
        [top(phi, 3) for phi in bound],
        among("batch_size", "num_layers"),
        "{}",
    )
    most(
        sheet,
        "momentum and dropout are barely perceptible in the mean",
        [tuple(s.share[[1, 5]]) for s in some],
        lambda shares: max(shares) < 0.1,
        "{:.2f}, {:.2f}",
    )
    most(
        sheet,
        "it was chosen for its mean, uncertainty is a small sacrifice",
        payouts,
        lambda both: both[0] > 0 > both[1] > -0.5 * both[0],
        "{:+.3f} and {:+.3f}",
    )
    mean = np.mean([s.phi[RATE, 1] for s in some])
    why = f"there it bears 0.003 of 0.0095, through these models {-mean:.4f} on average"
    most(
        sheet,
        "the learning rate bears most of the sacrifice",
        [top(-s.phi[:, 1], 1) for s in some],
        among("learning_rate"),
        "{}",
        why,
    )


@phoneme(
    "figure11",
    "Ablation differs from Shapley values where hyperparameters interact",
)
def figure_11(sheet: Sheet, some: list[Study]) -> None:
    """Draw both shares, and the interactions of learning rate and max. units."""
    titles = ["", *(f"H of {NAMES[j]}" for j in (RATE, UNITS))]
    shares, *others = sheet.panels(titles, height=2.4, sharey=True)
    bars(shares, NAMES, some[0].share, some[0].ablation)
    for ax, j in zip(others, (RATE, UNITS), strict=True):
        bars(ax, NAMES, np.nan_to_num(some[0].interactions[j]))
        H = np.nan_to_num([s.interactions[j] for s in some])
        most(
            sheet,
            f"{NAMES[j]} interacts moderately with others",
            [(h.max(), top(h, 1)) for h in H],
            lambda most: most[0] > 0.1,
            "H up to {:.2f} with {}",
        )


@phoneme("figure12", "Desirability paths")
def figure_12(sheet: Sheet, some: list[Study]) -> None:
    """Draw contributions of one run over time, with marks at the two proposals."""
    s = some[0]
    titles = np.reshape([*NAMES, "payouts"], (2, 4))
    *axes, of_payouts = sheet.panels(titles, sharex=True, sharey=True).ravel()
    for j, ax in enumerate(axes):
        for t, color in enumerate((BLUE, ORANGE)):
            ax.plot(s.path[:, j, t], color=color, lw=0.8)
        ax.plot(s.path[:, j].sum(axis=1), color=BLACK, lw=0.8)
        for k in (s.best, s.other):
            ax.axvline(k, color=GREY, ls=":", lw=0.8)
    of_payouts.plot(s.path.sum(axis=1))
    sizes = [s.path.sum(axis=2).mean(axis=0) for s in some]
    payouts = [s.path.sum(axis=1) for s in some]
    leads = [(p[:, 0] > np.abs(p[:, 1])).mean() for p in payouts]
    most(
        sheet,
        "the mean dominates throughout, uncertainty is little and negative",
        [
            (*p.mean(axis=0), lead)
            for p, lead in zip(payouts, leads, strict=True)
        ],
        lambda one: one[2] > 0.8 and one[1] < 0,
        "payouts {:+.3f} and {:+.3f}",
    )
    most(
        sheet,
        "batch size and number of layers are among the three most desirable",
        [top(size, 3) for size in sizes],
        among("batch_size", "num_layers"),
        "{}",
    )
    most(
        sheet,
        "momentum and dropout are barely appealing",
        [top(-size, 3) for size in sizes],
        among("momentum", "max_dropout"),
        "least {}",
    )
    rates = [s.path[:, RATE, 0] for s in some]
    most(
        sheet,
        "the learning rate is explored in a rush at the end, its contribution falls (in some runs)",
        [(rate[-len(rate) // 4 :].min(), rate.mean()) for rate in rates],
        lambda one: one[0] < 0.25 * one[1],
        "least {:+.4f} of {:+.4f}",
        share=0.0,
    )


@phoneme("figure13", "Parallel coordinates of all configurations")
def figure_13(sheet: Sheet, some: list[Study]) -> None:
    """Draw all configurations, and look for exploration of the learning rate after convergence."""
    X = some[0].run.X
    ax = sheet.panels("", width=5.0, height=2.4)
    ax.plot(
        NAMES, ((X - X.mean(axis=0)) / X.std(axis=0)).T, color=GREY, lw=0.3
    )
    ax.tick_params("x", labelsize=6)
    quarter = PROPOSALS // 4
    rates = [s.run.X[INITIAL:, RATE] for s in some]
    spreads = [
        (rate[-quarter:].std(), rate[quarter:-quarter].std()) for rate in rates
    ]
    most(
        sheet,
        "learning rates far from those before are proposed at the end (in some runs)",
        spreads,
        lambda std: std[0] > std[1],
        "std {:.2f} in the last quarter, {:.2f} before",
        share=0.0,
    )


@phoneme("figure14", "A proposal that was made for another reason")
def figure_14(sheet: Sheet, some: list[Study]) -> None:
    """Draw the contributions to a good but uncertain proposal, beside the best-predicted one."""
    s = some[0]
    contributions, values = sheet.panels(["", ""], width=3.6, height=2.4)
    bars(contributions, NAMES, *s.path[s.other].T)
    for k, color in ((s.best, ORANGE), (s.other, GREEN)):
        values.plot(
            [name[:5] for name in NAMES], s.run.X[INITIAL + k], color=color
        )
    payouts = [
        s.path[[s.other, s.best]].sum(axis=1) for s in some
    ]  # (2, terms)
    most(
        sheet,
        "it sacrifices less exploration than the best-predicted proposal",
        [tuple(pair[:, 1]) for pair in payouts],
        lambda pair: pair[0] > pair[1],
        "{:+.4f} against {:+.4f}",
    )
    most(
        sheet,
        "the mean still leads",
        [tuple(pair[0]) for pair in payouts],
        lambda one: one[0] > abs(one[1]),
        "{:+.3f}",
    )
