"""Tables 10 to 13 and Figures 9 to 14 of Croppi (2021): a network tuned on phoneme.

As in its Section 7.2. What is said of one proposal, the best-predicted one of iteration 95, is
tested on the thesis's own run (:mod:`shapleymbo_mlp_logged`), through its own model: there only the
draws of the R tool leave an error, and of ablation none.

What is said of a whole run is compared with runs like it: a random forest on LCBench's 2,000
configurations stands for the network, its seven hyperparameters (Table 5) are tuned (28 initial and
112 proposed configurations, λ = 1), and the proposals are explained. The thesis has one forest,
which is not published, and one run; here several from its initial design, each on a forest of its
own, say how far these reach. What the thesis calls remarkable is what happened in its run, late
exploration of the learning rate: that some runs here show it does not contradict it, and no more.

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
from examples.papers.bo import minimize, r_latin, r_uniform
from examples.papers.drawing import BLACK, BLUE, GREEN, GREY, ORANGE, bars
from examples.papers.frame import PHONEME, Profile, Sheet, experiment, listed, quoted
from examples.papers.lcbench import SPACE, Network
from examples.papers.shapleymbo_logged import explained
from examples.papers.shapleymbo_mlp_logged import BEST, FILES, Logged, logged
from examples.papers.shapleymbo_mlp_logged import explained as explained_best
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation

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
# Tables 10, 11 and 13 by hyperparameter, in the order of SPACE and with the sign turned
THESIS = quoted("""
    total: 0.014 0.001 0.008 0.013 0.007 0.001 0.004
    mean: 0.016 0.002 0.009 0.015 0.010 0.001 0.005
    uncertainty: -0.002 0.0 -0.001 -0.002 -0.003 0.0 -0.001
    Shapley values: 0.278 0.027 0.161 0.257 0.166 0.022 0.089
    ablation: 0.348 0.044 0.050 0.307 0.076 0.047 0.128
    its own model: 0.016 0.002 0.009 0.015 0.010 0.001 0.005
""")
# the payout of uncertainty is printed as 0.09
PAYOUTS = {"total": 0.048, "mean": 0.058, "uncertainty": -0.0095}
# Table 12 of iteration 95: m, se, their percentiles, and what the learning rate has of each payout
TABLE_12 = {
    "m": (0.2226, 4),
    "se": (0.0003, 4),
    "percentile of m": (3.6, 1),
    "percentile of se": (8.0, 1),
    "the learning rate's share of φ(cb)": (0.15, 2),
    "the learning rate's share of φ(m)": (0.17, 2),
    "the learning rate's share of φ(se)": (0.27, 2),
}
# the order of changes in the thesis's program
FLIPPED = (
    "num_layers",
    "weight_decay",
    "batch_size",
    "max_units",
    "momentum",
    "learning_rate",
    "max_dropout",
)
UNPUBLISHED = "its model learned values that are not published (iterations 95 on)"


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
    """

    run: hx.Run
    path: np.ndarray
    predictions: pd.DataFrame
    best: int
    phi: np.ndarray
    final: np.ndarray

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
    draw(len(SPACE) * (1 + INITIAL * (INITIAL - 1) // 2))  # by which it chose among candidates
    ranks = np.array([[int(rank, INITIAL) for rank in column] for column in RANKS])
    return SPACE.from_latent((ranks + draw(ranks.size).reshape(ranks.shape)).T / INITIAL)


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
    run = minimize(network.objective, SPACE, design(), n_trials=n_trials, lam=1.0, seed=seed)
    path = explained(run, background)
    settings = {"acquisition": "auto", "background": 4 * background, "estimator": "exact"}
    explain = partial(hx.explain_proposal, run, **settings)
    surrogate = run.surrogate(kind="auto")
    predicted, _ = surrogate.predict(run.X[INITIAL:])
    best = explain(INITIAL + int(np.argmin(predicted)))
    final = explain(best.trial, surrogate=surrogate)
    return Study(
        replace(run, record=None),
        np.asarray(path.phi),
        path.predictions(),
        best.trial - INITIAL,
        best.phi,
        final.phi,
    )


def by_ablation(run: Logged, best: ProposalExplanation) -> tuple[np.ndarray, list[str]]:
    """Return the shares of the mean's payout by ablation, and the order of changes.

    From the configuration of 7,000 whose mean is closest to the average that the R tool logged, a
    Latin hypercube that follows from the seed of the thesis's program.
    """
    sample = SPACE.from_latent(r_latin(7000, len(SPACE), seed=1))
    mean, _ = run.model.predict(sample)
    average = run.best["pred_average_mean"].iloc[0]
    nearest = int(np.argmin(np.abs(mean - average)))
    source = SPACE.decode(sample[[nearest]])[0]
    explainer = hx.methods.AblationExplainer(run.model, direction="minimize")
    found = explainer.explain(source, dict(best.config))
    order = [step.names[0] for step in found.steps]
    gains = pd.Series(found.gains, index=order).reindex(NAMES, fill_value=0.0).to_numpy()
    return gains / gains.sum(), order


@cache
def studies(profile: Profile) -> list[Study]:
    """Return several runs."""
    return profile.over_seeds(studied, [(profile.read(PHONEME),)], 6, 30)[0]


phoneme = partial(experiment, "shapleymbo", needs=(PHONEME,), data=studies)
its_own = partial(experiment, "shapleymbo", needs=FILES)
ITS_OWN = "the thesis's own run, through its model of iteration 95"


def shown(values: Sequence[Any], text: str) -> str:
    """Return what the first runs show."""
    said = [text.format(*(v if isinstance(v, tuple) else (v,))) for v in values[:8]]
    return ", the first: " + "; ".join(said)


def among(*names: str) -> Callable[[str], bool]:
    """Return whether some are among listed hyperparameters."""
    return lambda listed: all(name in listed for name in names)


def top(values: np.ndarray, n: int) -> str:
    """Return the hyperparameters with the largest values."""
    return ", ".join(NAMES[j] for j in np.argsort(-values)[:n])


# ------------------------------------------------------------------ tables


@its_own("table10", "Contributions to the best-predicted proposal", basis=ITS_OWN, cells=24)
def table_10(sheet: Sheet) -> None:
    """Compare contributions with what the R tool logged, which rounds to what is printed."""
    run, ours = logged(sheet.profile), explained_best(sheet.profile)
    theirs = np.column_stack([run.phi.sum(axis=1), run.phi]).T
    printed = [THESIS[name] for name in PAYOUTS]
    sheet.exact(
        "what is logged rounds to the 21 contributions that are printed",
        (np.abs(theirs - printed) < 0.00051).all(),
        f"at most {np.abs(theirs - printed).max():.4f} apart",
    )
    phi = np.array([ours.phi.sum(axis=1), *ours.phi.T])
    for name, paper, found, error in zip(PAYOUTS, theirs, phi, run.error.T[[2, 0, 1]], strict=True):
        sheet.numbers(
            name + ", {}", [NAMES], paper, found[None], together=name, error=error, digits=5
        )
    # the average over 7,000 rows is the same
    sheet.numbers(
        "payout, {}", [PAYOUTS], [*PAYOUTS.values()], phi.sum(axis=1)[None], digits=[3, 3, 4]
    )


@its_own(
    "table11",
    "Shares of the mean's payout, by Shapley values and by ablation",
    basis=ITS_OWN,
    cells=14,
)
def table_11(sheet: Sheet) -> None:
    """Compare shares: all that ablation rests on follows from the thesis's program."""
    run, ours = logged(sheet.profile), explained_best(sheet.profile)
    share = ours.phi[:, 0] / ours.phi[:, 0].sum()
    sheet.numbers(
        "Shapley values, {}",
        [NAMES],
        THESIS["Shapley values"],
        share[None],
        together="Shapley values",
        error=run.error[:, 0] / run.phi[:, 0].sum(),
        digits=3,
    )
    ablation, order = by_ablation(run, ours)
    sheet.numbers(
        "ablation, {}", [NAMES], THESIS["ablation"], ablation[None], together="ablation", digits=3
    )
    sheet.exact(
        "ablation changes hyperparameters in the program's order",
        order == list(FLIPPED),
        ", ".join(order),
        "the same",
    )
    apart = np.abs(ablation - share)
    sheet.exact(
        "there are substantial differences between the methods",
        apart.max() > 0.05,
        f"at most {apart.max():.2f}, of {NAMES[int(apart.argmax())]}",
    )


@its_own(
    "table12", "Two good proposals that were made for different reasons", basis=ITS_OWN, cells=20
)
def table_12(sheet: Sheet) -> None:
    """Compare what is said of iteration 95; of 108 the model is not published."""
    run, ours = logged(sheet.profile), explained_best(sheet.profile)
    m, se = (float(part[0]) for part in run.model.predict(run.proposal))
    # the caption says up to iteration 108, but 3.6, 8.0, 12.5 and 66.1 are shares of all 112
    every = run.table.groupby("iter").first()
    others = every.drop(index=BEST)
    percentiles = [
        100.0 * ((others[f"pred_interest_{name}"] <= value).sum() + 1) / len(every)
        for name, value in (("mean", m), ("se", se))
    ]
    bound = ours.phi.sum(axis=1)
    shares = [of[RATE] / of.sum() for of in (bound, *ours.phi.T)]
    errors = run.error[RATE, [2, 0, 1]] / [of.sum() for of in (bound, *run.phi.T)]
    found = [m, se, *percentiles, *shares]
    error = [0.0] * 4 + np.abs(errors).tolist()
    for (name, (paper, digits)), value, e in zip(TABLE_12.items(), found, error, strict=True):
        what = f"iteration 95, {name}"
        sheet.number(what, paper, value, error=e, digits=digits)
    sheet.left_out(
        "learning rates, and their average",
        "what was proposed, which the log has; nothing of it is computed here",
        4,
    )
    sheet.left_out("iteration 95, error", UNPUBLISHED)
    sheet.left_out("iteration 108, all else", UNPUBLISHED, 8)


@its_own("table13", "Mean contributions through two models", basis=ITS_OWN, cells=14)
def table_13(sheet: Sheet) -> None:
    """Compare contributions through the proposal's own model; of the final one see runs like it."""
    run, ours = logged(sheet.profile), explained_best(sheet.profile)
    sheet.numbers(
        "its own model, {}",
        [NAMES],
        run.phi[:, 0],
        ours.phi[None, :, 0],
        together="its own model",
        error=run.error[:, 0],
        digits=5,
    )
    sheet.left_out("the final model", UNPUBLISHED, 7)
    if not sheet.profile.has(PHONEME):
        sheet.needs("runs like it", PHONEME)
        return
    same = [spearmanr(s.phi[:, 0], s.final[:, 0]).statistic for s in studies(sheet.profile)]
    sheet.in_most(
        "for most hyperparameters the contribution is unchanged",
        np.array(same) > 0.8,
        shown(same, "rank correlation {:.2f}"),
    )


# ------------------------------------------------------------------ figures


@phoneme("figure9", "Paths of error, mean, uncertainty and bound")
def figure_9(sheet: Sheet, some: list[Study]) -> None:
    """Draw one run with two proposals marked, and rank the best-predicted one's error.

    The thesis says that of all it visited none had a smaller one (footnote 20), in its one run.
    """
    s, names = some[0], ("error", "m", "se", "cb")
    y, m, se = (s.predictions[name].to_numpy() for name in ("objective", "mean", "std"))
    for ax, values in zip(sheet.panels(names), (y, m, se, m - se), strict=True):
        ax.plot(values, color=GREY, lw=0.8)
        ax.plot(s.best, values[s.best], "o", color=ORANGE)
        ax.plot(s.other, values[s.other], "o", color=GREEN)
    reached = [s.predictions["objective"].iloc[s.best] for s in some]
    pairs = zip(some, reached, strict=True)
    better = [100.0 * (s.run.objective < error).mean() for s, error in pairs]
    sheet.in_most(
        "the best-predicted proposal has one of the best errors, of the best tenth",
        np.array(better) < 10.0,
        shown(better, "better are {:.0f} %"),
    )
    sheet.in_one(
        "no configuration that was visited has a smaller one (footnote 20)",
        np.array(better) == 0.0,
        shown(better, "better are {:.0f} %"),
    )


@its_own("figure10", "What made the best-predicted proposal desirable", basis=ITS_OWN)
def figure_10(sheet: Sheet) -> None:
    """Draw contributions with the R tool's 95 % intervals."""
    run, ours = logged(sheet.profile), explained_best(sheet.profile)
    phi, half = ours.phi, 1.96 * run.error
    bound = phi.sum(axis=1)
    of_terms, of_bound = sheet.panels(["", ""], width=3.6, height=2.4, sharey=True)
    bars(of_terms, NAMES, *phi.T)
    of_terms.locator_params("x", nbins=5)
    bars(of_bound, NAMES, bound, half=[half[:, 2]])
    sheet.exact(
        "every hyperparameter speaks for it", (bound > 0.0).all(), f"least {bound.min():+.4f}"
    )
    sheet.exact(
        "batch size and number of layers are the two that matter most",
        {*top(bound, 2).split(", ")} == {"batch_size", "num_layers"},
        top(bound, 4),
    )
    shares = phi[:, 0] / phi[:, 0].sum()
    sheet.exact(
        "momentum and dropout are barely perceptible in the mean",
        {*top(-shares, 2).split(", ")} == {"momentum", "max_dropout"},
        f"{listed(shares[[5, 1]], 3)} of its payout",
    )
    payouts = phi.sum(axis=0)
    sheet.exact(
        "it was chosen for its mean, uncertainty is a small sacrifice",
        payouts[0] > 0.0 > payouts[1] > -0.5 * payouts[0],
        f"{payouts[0]:+.3f} and {payouts[1]:+.4f}",
    )
    sacrifice = phi[:, 1] / payouts[1]
    sheet.exact(
        "the learning rate bears most of the sacrifice",
        top(sacrifice, 1) == "learning_rate",
        f"{-phi[RATE, 1]:.4f} of {-payouts[1]:.4f}, {sacrifice[RATE]:.0%}",
    )
    sheet.exact(
        "so it is less desirable than max. units, although its mean contribution is higher",
        bound[RATE] < bound[UNITS] and phi[RATE, 0] > phi[UNITS, 0],
        f"{bound[RATE]:.4f} against {bound[UNITS]:.4f}, of the mean {phi[RATE, 0]:.4f} "
        f"against {phi[UNITS, 0]:.4f}",
    )


@its_own(
    "figure11", "Ablation differs from Shapley values where hyperparameters interact", basis=ITS_OWN
)
def figure_11(sheet: Sheet) -> None:
    """Draw both shares, and the interactions of learning rate and max. units, over samples."""
    run, ours = logged(sheet.profile), explained_best(sheet.profile)
    titles = ["", *(f"H of {NAMES[j]}" for j in (RATE, UNITS))]
    axes = sheet.panels(titles, height=2.4, sharey=True)
    shares = ours.phi[:, 0] / ours.phi[:, 0].sum()
    bars(axes[0], NAMES, shares, by_ablation(run, ours)[0])
    strengths = []
    for seed in range(sheet.profile.size(4, 10)):
        explainer = hx.methods.InteractionExplainer(run.model, seed=seed)
        found = explainer.explain()
        strength = np.zeros((len(NAMES), len(NAMES)))
        for (j, k), value in zip(found.sets, found.values, strict=True):
            strength[j, k] = strength[k, j] = value
        strengths.append(strength)
    H = np.array(strengths)
    for ax, j in zip(axes[1:], (RATE, UNITS), strict=True):
        bars(ax, NAMES, H[:, j].mean(axis=0))
    for j, others in (
        (RATE, ("batch_size", "weight_decay")),
        (UNITS, ("num_layers", "weight_decay")),
    ):
        largest = H[:, j].max(axis=1)
        sheet.finding(
            f"{NAMES[j]} interacts moderately with others, H above 0.1",
            largest - 0.1,
            f"H up to {largest.mean():.2f} with {top(H[:, j].mean(axis=0), 1)}",
        )
        mean = H[:, j].mean(axis=0)
        sheet.exact(
            f"{others[0]} and {others[1]} are among the three it interacts with most",
            {*others} <= {*top(mean, 3).split(", ")},
            ", ".join(f"{NAMES[k]} {mean[k]:.2f}" for k in np.argsort(-mean)[:4]),
            why="the figure prints no numbers, and its order is read off by eye",
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
    means = [tuple(p.mean(axis=0)) for p in payouts]
    sheet.in_most(
        "the mean dominates throughout, uncertainty is little and negative",
        [lead > 0.8 and se < 0.0 for lead, (_, se) in zip(leads, means, strict=True)],
        shown(means, "payouts {:+.3f} and {:+.3f}"),
    )
    first = [top(size, 3) for size in sizes]
    sheet.in_most(
        "batch size and number of layers are among the three most desirable",
        [among("batch_size", "num_layers")(names) for names in first],
        shown(first, "{}"),
    )
    last = [top(-size, 3) for size in sizes]
    sheet.in_most(
        "momentum and dropout are barely appealing",
        [among("momentum", "max_dropout")(names) for names in last],
        shown(last, "least {}"),
    )
    rates = [s.path[:, RATE, 0] for s in some]
    late = [(rate[-len(rate) // 4 :].min(), rate.mean()) for rate in rates]
    sheet.in_one(
        "the learning rate is explored in a rush at the end, its contribution falls",
        [least < 0.25 * mean for least, mean in late],
        shown(late, "least {:+.4f} of {:+.4f}"),
    )


@phoneme("figure13", "Parallel coordinates of all configurations")
def figure_13(sheet: Sheet, some: list[Study]) -> None:
    """Draw all configurations, and look for exploration of the learning rate after convergence."""
    X = some[0].run.X
    ax = sheet.panels("", width=5.0, height=2.4)
    ax.plot(NAMES, ((X - X.mean(axis=0)) / X.std(axis=0)).T, color=GREY, lw=0.3)
    ax.tick_params("x", labelsize=6)
    quarter = PROPOSALS // 4
    rates = [s.run.X[INITIAL:, RATE] for s in some]
    spreads = [(rate[-quarter:].std(), rate[quarter:-quarter].std()) for rate in rates]
    sheet.in_one(
        "learning rates far from those before are proposed at the end",
        [last > before for last, before in spreads],
        shown(spreads, "std {:.2f} in the last quarter, {:.2f} before"),
    )


@phoneme("figure14", "A proposal that was made for another reason")
def figure_14(sheet: Sheet, some: list[Study]) -> None:
    """Draw the contributions to a good but uncertain proposal, beside the best-predicted one."""
    s = some[0]
    contributions, values = sheet.panels(["", ""], width=3.6, height=2.4)
    bars(contributions, NAMES, *s.path[s.other].T)
    for k, color in ((s.best, ORANGE), (s.other, GREEN)):
        values.plot([name[:5] for name in NAMES], s.run.X[INITIAL + k], color=color)
    payouts = [s.path[[s.other, s.best]].sum(axis=1) for s in some]  # (2, terms)
    sacrifices = [tuple(pair[:, 1]) for pair in payouts]
    sheet.in_most(
        "it sacrifices less exploration than the best-predicted proposal",
        [other > best for other, best in sacrifices],
        shown(sacrifices, "{:+.4f} against {:+.4f}"),
    )
    terms = [tuple(pair[0]) for pair in payouts]
    sheet.in_most(
        "the mean still leads",
        [mean > abs(se) for mean, se in terms],
        shown(terms, "{:+.3f} and {:+.3f}"),
    )
