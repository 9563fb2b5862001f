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

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import hpo_explain as hx
from examples.papers.bo import minimize, r_uniform
from examples.papers.frame import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PHONEME,
    Found,
    Profile,
    Row,
    experiment,
    finding,
    listed,
    number,
    panels,
    read,
    shared,
)
from examples.papers.lcbench import SPACE, Network
from examples.papers.shapleymbo_logged import explained

NAMES = SPACE.names
RATE = NAMES.index("learning_rate")
INITIAL, PROPOSALS = 4 * len(SPACE), 16 * len(SPACE)
# ranks by hyperparameter of R's lhs::maximinLHS(28, 7) after set.seed(1)
RANKS = (
    "i28h3nfdcl1o5k649bqpjg0eram7", "edfb5mc78ql9hro4ig31k6j02pna", "05cda8mhofk3berpl1n4j267iq9g",
    "dba7nrl523g9ek4jq8i1ofc6h0mp", "j9aig7o8qn2d4ekchb6m0pl1r3f5", "ghc8e6kmd9oj2qra5b3li0f4n71p",
    "mo87liedn6f42g51jpkr3b9cah0q",
)  # fmt: skip
# in the order of SPACE, with the sign turned
TABLE_10 = {
    "total": (0.014, 0.001, 0.008, 0.013, 0.007, 0.001, 0.004),
    "mean": (0.016, 0.002, 0.009, 0.015, 0.010, 0.001, 0.005),
    "uncertainty": (-0.002, 0.0, -0.001, -0.002, -0.003, 0.0, -0.001),
}
PAYOUTS = {"total": 0.048, "mean": 0.058, "uncertainty": -0.0095}
TABLE_11 = {
    "Shapley values": (0.278, 0.027, 0.161, 0.257, 0.166, 0.022, 0.089),
    "ablation": (0.348, 0.044, 0.050, 0.307, 0.076, 0.047, 0.128),
}
# error, m, se, percentiles of m and se of iterations 95 and 108
TABLE_12 = ((0.2222, 0.2226, 0.0003, 3.6, 8.0), (0.2225, 0.2229, 0.0011, 12.5, 66.1))
TABLE_13 = {
    "its own model": (0.016, 0.002, 0.009, 0.015, 0.010, 0.001, 0.005),
    "the final model": (0.015, 0.002, 0.012, 0.016, 0.007, 0.001, 0.005),
}


@dataclass(frozen=True, eq=False)
class Study:
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

    @property
    def rate(self) -> np.ndarray:
        """The learning rates proposed, as positions in the range."""
        return self.run.X[-len(self.path) :, RATE]


def design() -> np.ndarray:
    """Return the thesis's initial design, encoded."""
    draw = r_uniform(1)
    draw(len(SPACE) * (1 + INITIAL * (INITIAL - 1) // 2))  # by which it chose among candidates
    ranks = np.array([[int(rank, INITIAL) for rank in column] for column in RANKS])
    return SPACE.from_latent((ranks + draw(ranks.size).reshape(ranks.shape)).T / INITIAL)


def studied(
    table: pd.DataFrame, seed: int, n_trees: int = 200, n_proposals: int = PROPOSALS,
    background: int = 250,
) -> Study:  # fmt: skip
    """Tune the network, explain every proposal, and return what all tables rest on."""
    network = Network.of(table, n_trees, seed)
    run = minimize(
        lambda row: float(network.error(row[None, :])[0]), SPACE, design(),
        n_trials=INITIAL + n_proposals, lam=1.0, seed=seed, name="validation error",
    )  # fmt: skip
    path = explained(run, background)
    settings: dict[str, Any] = {
        "acquisition": "auto", "background": 4 * background, "estimator": "exact"
    }  # fmt: skip
    best = hx.explain_proposal(run, "best-predicted", **settings)
    last = run.surrogate(kind="auto")
    final = hx.explain_proposal(run, best.trial, surrogate=last, **settings)
    own = run.surrogate(before=best.trial, kind="auto")
    half = best.half_width()
    strength = hx.methods.InteractionExplainer(own, sample=100, seed=0).explain()
    return Study(
        replace(run, record=None), np.asarray(path.phi), path.predictions(), best.trial - INITIAL,
        best.phi, final.phi, np.zeros(len(NAMES)) if half is None else half[:, -1],
        by_ablation(run, best), strength.pairs,
    )  # fmt: skip


def by_ablation(run: hx.Run, best: hx.methods.ProposalExplanation) -> np.ndarray:
    """Return the shares of the mean's payout by ablation, from a configuration of average mean."""
    surrogate = run.surrogate(before=best.trial, kind="auto")
    sample = SPACE.sample(7000, seed=1, method="uniform")
    mean, _ = surrogate.predict(sample)
    nearest = np.argmin(np.abs(mean - best.objective_baseline["mean"]))
    source = SPACE.decode(sample[[nearest]])[0]
    ablation = hx.methods.AblationExplainer(surrogate, direction="minimize").explain(
        source, dict(best.config)
    )
    gains = {step[0]: float(g) for step, g in zip(ablation.steps, ablation.gains, strict=True)}
    found = np.array([gains.get(name, 0.0) for name in NAMES])
    return found / found.sum()


@shared
def studies(profile: Profile) -> list[Study]:
    """Return several runs."""
    table = read(profile, PHONEME)
    seeds = [profile.seed + k for k in range(profile.size(8, 30))]
    return profile.repeated(studied, [(table, seed) for seed in seeds])


def most(
    profile: Profile, what: str, holds: Callable[[Study], Any], shown: Callable[[Study], str],
    why: str = "", share: float = 0.5,
) -> Row:  # fmt: skip
    """Return whether a finding of the thesis's one run holds in more than a share of the runs."""
    flags = [bool(holds(study)) for study in studies(profile)]
    said = "; ".join(shown(study) for study in studies(profile))
    return finding(
        what, sum(flags) > share * len(flags), f"in {sum(flags)} of {len(flags)} runs: {said}",
        why=why,
    )  # fmt: skip


def top(values: np.ndarray, n: int) -> list[str]:
    """Return the hyperparameters with the largest values."""
    return [NAMES[j] for j in np.argsort(-values)[:n]]


def phoneme(name: str, title: str) -> Callable:
    """Register an experiment on the network."""
    return experiment("shapleymbo", name, title, needs=[PHONEME])


# ------------------------------------------------------------------ tables


@phoneme("table10", "Contributions to the best-predicted proposal")
def table_10(profile: Profile) -> Found:
    """Compare contributions and payouts."""
    some = studies(profile)
    phi = np.array([np.column_stack([s.phi.sum(axis=1), s.phi]) for s in some])
    rows = [
        number(f"{term}, {name}", TABLE_10[term][j], phi[:, j, t], one_draw=True, digits=3)
        for t, term in enumerate(TABLE_10)
        for j, name in enumerate(NAMES)
    ]
    rows += [
        number(f"payout, {term}", PAYOUTS[term], phi[..., t].sum(axis=1), one_draw=True, digits=3)
        for t, term in enumerate(PAYOUTS)
    ]
    return Found(tuple(rows))


@phoneme("table11", "Shares of the mean's payout, by Shapley values and by ablation")
def table_11(profile: Profile) -> Found:
    """Compare shares, and where the two methods differ."""
    some = studies(profile)
    by = {"Shapley values": [s.share for s in some], "ablation": [s.ablation for s in some]}
    rows = [
        number(f"{way}, {name}", theirs[j], np.array(by[way])[:, j], one_draw=True)
        for way, theirs in TABLE_11.items()
        for j, name in enumerate(NAMES)
    ]
    rows.append(
        most(profile, "there are substantial differences between the methods",
             lambda s: np.abs(s.share - s.ablation).max() > 0.05,
             lambda s: f"at most {np.abs(s.share - s.ablation).max():.2f}")
    )  # fmt: skip
    return Found(tuple(rows))


@phoneme("table12", "Two good proposals that were made for different reasons")
def table_12(profile: Profile) -> Found:
    """Compare predictions of the best-predicted proposal and of a good but uncertain one."""
    found = []
    for s in studies(profile):
        until = s.predictions.iloc[: max(s.best, s.other) + 1]
        for k in (s.best, s.other):
            at = s.predictions.iloc[k]
            percentiles = [100.0 * (until[n] <= at[n]).mean() for n in ("mean", "std")]
            found.append((at["objective"], at["mean"], at["std"], *percentiles))
    values = np.array(found).reshape(-1, 2, 5)
    columns = ("error", "m", "se", "percentile of m", "percentile of se")
    rows = [
        number(f"{column}, {word}", TABLE_12[i][c], values[:, i, c], one_draw=True,
               digits=4 if c < 3 else 1)
        for i, word in enumerate(("best-predicted", "for another reason"))
        for c, column in enumerate(columns)
    ]  # fmt: skip
    rows.append(
        finding("both errors are good, and only the second proposal's uncertainty is high",
                (values[:, 1, 2] > values[:, 0, 2]).all()
                and np.abs(values[:, 1, 0] - values[:, 0, 0]).max() < 0.01,
                f"se {listed(values[:, :, 2].mean(axis=0), 4)}, "
                f"error {listed(values[:, :, 0].mean(axis=0), 4)}")
    )  # fmt: skip
    return Found(tuple(rows))


@phoneme("table13", "Mean contributions through two models")
def table_13(profile: Profile) -> Found:
    """Compare contributions through the proposal's own model and the final one."""
    some = studies(profile)
    by = {
        "its own model": [s.phi[:, 0] for s in some],
        "the final model": [s.final[:, 0] for s in some],
    }
    rows = [
        number(f"{way}, {name}", theirs[j], np.array(by[way])[:, j], one_draw=True, digits=3)
        for way, theirs in TABLE_13.items()
        for j, name in enumerate(NAMES)
    ]

    def same(s: Study) -> float:
        return float(spearmanr(s.final[:, 0], s.phi[:, 0]).statistic)

    rows.append(
        most(profile, "for most hyperparameters the contribution is unchanged",
             lambda s: same(s) > 0.8, lambda s: f"rank correlation {same(s):.2f}")
    )  # fmt: skip
    return Found(tuple(rows))


# ------------------------------------------------------------------ figures


@phoneme("figure9", "Paths of error, mean, uncertainty and bound")
def figure_9(profile: Profile) -> Found:
    """Draw one run with two proposals marked, and rank the best-predicted one's error.

    The thesis says that of all it visited none had a smaller one (footnote 20), in its one run:
    here one draw of several, whose shares of better ones are compared.
    """
    s = studies(profile)[0]
    table = s.predictions.reset_index(drop=True)
    columns = {"error": table["objective"], "m": table["mean"], "se": table["std"]}
    columns["cb"] = table["mean"] - table["std"]
    figure, axes = panels(1, 4)
    for ax, (name, values) in zip(axes[0], columns.items(), strict=True):
        ax.plot(values.to_numpy(), color=GREY, lw=0.8)
        ax.plot(s.best, values[s.best], "o", color=ORANGE)
        ax.plot(s.other, values[s.other], "o", color=GREEN)
        ax.set_title(name, fontsize=8)

    def better(x: Study) -> float:
        return 100.0 * float((x.run.objective < x.predictions["objective"].iloc[x.best]).mean())

    rows = (
        number("visited configurations with a smaller error than the best-predicted one's (%)",
               0.0, [better(x) for x in studies(profile)], one_draw=True, digits=0),
        most(profile, "the best-predicted proposal has one of the best errors, of the best tenth",
             lambda x: better(x) < 10.0, lambda x: f"better are {better(x):.0f} %"),
    )  # fmt: skip
    return Found(rows, figure)


@phoneme("figure10", "What made the best-predicted proposal desirable")
def figure_10(profile: Profile) -> Found:
    """Draw contributions with 95 % intervals."""
    s = studies(profile)[0]
    figure, axes = panels(1, 2, width=3.6, height=2.4, sharey=True)
    y = np.arange(len(NAMES))
    for t, color in ((0, BLUE), (1, ORANGE)):
        axes[0, 0].barh(y + 0.2 * (2 * t - 1), s.phi[:, t], 0.38, color=color)
    axes[0, 1].barh(y, s.phi.sum(axis=1), xerr=s.half, color=GREY)
    axes[0, 0].set_yticks(y, NAMES)
    mean = np.mean([x.phi[RATE, 1] for x in studies(profile)])
    rows = (
        most(profile, "every hyperparameter speaks for it",
             lambda s: (s.phi.sum(axis=1) > -s.half).all(),
             lambda s: f"least {s.phi.sum(axis=1).min():+.4f}"),
        most(profile, "batch size and number of layers are among the three that matter most",
             lambda s: {"batch_size", "num_layers"} <= {*top(s.phi.sum(axis=1), 3)},
             lambda s: ", ".join(top(s.phi.sum(axis=1), 3))),
        most(profile, "momentum and dropout are barely perceptible in the mean",
             lambda s: s.share[[1, 5]].max() < 0.1,
             lambda s: listed(s.share[[1, 5]], 2)),
        most(profile, "it was chosen for its mean, uncertainty is a small sacrifice",
             lambda s: s.phi[:, 0].sum() > 0 > s.phi[:, 1].sum() > -0.5 * s.phi[:, 0].sum(),
             lambda s: f"{s.phi[:, 0].sum():+.3f} and {s.phi[:, 1].sum():+.3f}"),
        most(profile, "the learning rate bears most of the sacrifice",
             lambda s: np.argmin(s.phi[:, 1]) == RATE,
             lambda s: NAMES[int(np.argmin(s.phi[:, 1]))],
             f"there it bears 0.003 of 0.0095, through these models {-mean:.4f} on average"),
    )  # fmt: skip
    return Found(rows, figure)


@phoneme("figure11", "Ablation differs from Shapley values where hyperparameters interact")
def figure_11(profile: Profile) -> Found:
    """Draw both shares, and the interactions of learning rate and max. units."""
    s = studies(profile)[0]
    units = NAMES.index("max_units")
    figure, axes = panels(1, 3, height=2.4, sharey=True)
    y = np.arange(len(NAMES))
    for k, (values, color) in enumerate(((s.share, BLUE), (s.ablation, ORANGE))):
        axes[0, 0].barh(y + 0.2 * (2 * k - 1), values, 0.38, color=color)
    for ax, j in ((axes[0, 1], RATE), (axes[0, 2], units)):
        ax.barh(y, np.nan_to_num(s.interactions[j]), color=GREY)
        ax.set_title(f"H of {NAMES[j]}", fontsize=8)
    axes[0, 0].set_yticks(y, NAMES)
    rows = tuple(
        most(profile, f"{NAMES[j]} interacts moderately with others",
             lambda s, j=j: np.nanmax(s.interactions[j]) > 0.1,
             lambda s, j=j: f"H up to {np.nanmax(s.interactions[j]):.2f} with "
             f"{NAMES[int(np.nanargmax(s.interactions[j]))]}")
        for j in (RATE, units)
    )  # fmt: skip
    return Found(rows, figure)


@phoneme("figure12", "Desirability paths")
def figure_12(profile: Profile) -> Found:
    """Draw contributions of one run over time, with marks at the two proposals."""
    s = studies(profile)[0]
    figure, axes = panels(2, 4, sharex=True, sharey=True)
    for j, ax in enumerate(axes.ravel()[: len(NAMES)]):
        ax.plot(s.path[:, j, 0], color=BLUE, lw=0.8)
        ax.plot(s.path[:, j, 1], color=ORANGE, lw=0.8)
        ax.plot(s.path[:, j].sum(axis=1), color=BLACK, lw=0.8)
        for k in (s.best, s.other):
            ax.axvline(k, color=GREY, ls=":", lw=0.8)
        ax.set_title(NAMES[j], fontsize=8)
    axes[1, 3].plot(s.path.sum(axis=1))
    axes[1, 3].set_title("payouts", fontsize=8)

    def sizes(s: Study) -> np.ndarray:
        return s.path.sum(axis=2).mean(axis=0)

    def payouts(s: Study) -> np.ndarray:
        return s.path.sum(axis=1)

    def late(s: Study) -> float:
        return float(s.path[-len(s.path) // 4 :, RATE, 0].min())

    rush = "the learning rate is explored in a rush at the end, its contribution falls"

    rows = (
        most(profile, "the mean dominates throughout, uncertainty is little and negative",
             lambda s: (payouts(s)[:, 0] > np.abs(payouts(s)[:, 1])).mean() > 0.8
             and payouts(s)[:, 1].mean() < 0,
             lambda s: "payouts {:+.3f} and {:+.3f}".format(*payouts(s).mean(axis=0))),
        most(profile, "batch size and number of layers are among the three most desirable",
             lambda s: {"batch_size", "num_layers"} <= {*top(sizes(s), 3)},
             lambda s: ", ".join(top(sizes(s), 3))),
        most(profile, "momentum and dropout are barely appealing",
             lambda s: {"momentum", "max_dropout"} <= {*top(-sizes(s), 3)},
             lambda s: "least " + ", ".join(top(-sizes(s), 3))),
        most(profile, rush + " (in some runs)",
             lambda s: late(s) < 0.25 * s.path[:, RATE, 0].mean(),
             lambda s: f"least {late(s):+.4f} of {s.path[:, RATE, 0].mean():+.4f}", share=0.0),
    )  # fmt: skip
    return Found(rows, figure)


@phoneme("figure13", "Parallel coordinates of all configurations")
def figure_13(profile: Profile) -> Found:
    """Draw all configurations, and look for exploration of the learning rate after convergence."""
    s = studies(profile)[0]
    figure, axes = panels(1, 1, width=5.0, height=2.4)
    Z = (s.run.X - s.run.X.mean(axis=0)) / s.run.X.std(axis=0)
    axes[0, 0].plot(range(len(NAMES)), Z.T, color=GREY, lw=0.3)
    axes[0, 0].set_xticks(range(len(NAMES)), NAMES, fontsize=6)

    def spread(s: Study) -> tuple[float, float]:
        quarter = len(s.rate) // 4
        return float(s.rate[-quarter:].std()), float(s.rate[quarter:-quarter].std())

    return Found(
        (
            most(profile, "learning rates far from those before are proposed at the end (in some "
                 "runs)", lambda s: spread(s)[0] > spread(s)[1],
                 lambda s: "std {:.2f} in the last quarter, {:.2f} before".format(*spread(s)),
                 share=0.0),
        ),
        figure,
    )  # fmt: skip


@phoneme("figure14", "A proposal that was made for another reason")
def figure_14(profile: Profile) -> Found:
    """Draw the contributions to a good but uncertain proposal, beside the best-predicted one."""
    s = studies(profile)[0]
    figure, axes = panels(1, 2, width=3.6, height=2.4)
    y = np.arange(len(NAMES))
    for t, color in ((0, BLUE), (1, ORANGE)):
        axes[0, 0].barh(y + 0.2 * (2 * t - 1), s.path[s.other, :, t], 0.38, color=color)
    axes[0, 0].set_yticks(y, NAMES, fontsize=6)
    for k, color in ((s.best, ORANGE), (s.other, GREEN)):
        axes[0, 1].plot(range(len(NAMES)), s.run.X[INITIAL + k], color=color)
    axes[0, 1].set_xticks(range(len(NAMES)), [name[:5] for name in NAMES], fontsize=6)

    def sacrifice(s: Study, k: int) -> float:
        return float(s.path[k, :, 1].sum())

    return Found(
        (
            most(profile, "it sacrifices less exploration than the best-predicted proposal",
                 lambda s: sacrifice(s, s.other) > sacrifice(s, s.best),
                 lambda s: f"{sacrifice(s, s.other):+.4f} against {sacrifice(s, s.best):+.4f}"),
            most(profile, "the mean still leads",
                 lambda s: s.path[s.other, :, 0].sum() > abs(sacrifice(s, s.other)),
                 lambda s: f"{s.path[s.other, :, 0].sum():+.3f}"),
        ),
        figure,
    )  # fmt: skip
