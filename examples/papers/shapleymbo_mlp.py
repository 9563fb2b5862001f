"""Tables 10 to 13 and Figures 10 and 11 of Croppi (2021): a network tuned on phoneme.

As in its Section 7.2. What is said of one proposal, the best-predicted one of iteration 95, is
tested on the thesis's own run (:mod:`shapleymbo_mlp_logged`), through its own model: there only the
draws of the R tool leave an error, and of ablation none. What Tables 12 and 13 contrast it with
rests on models that learned values that are not published, and is not tested.

Tables have the thesis's signs: a negative contribution is attractive. In figures and in findings a
positive one is.

What reproduces the numbers: all coalitions (the thesis draws 20,000 orders), and an ablation that
follows the mean of the model of iteration 95.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

import hpo_explain as hx
from examples.papers.bo import r_latin
from examples.papers.drawing import bars
from examples.papers.frame import Sheet, experiment, in_turn, listed, quoted
from examples.papers.lcbench import SPACE
from examples.papers.shapleymbo_mlp_logged import BEST, FILES, Logged, logged
from examples.papers.shapleymbo_mlp_logged import explained as explained_best
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation

NAMES = SPACE.names
RATE, UNITS = NAMES.index("learning_rate"), NAMES.index("max_units")
# Tables 10, 11 and 13 by hyperparameter, in the order of SPACE
THESIS = quoted("""
    cb: -0.014 -0.001 -0.008 -0.013 -0.007 -0.001 -0.004
    m: -0.016 -0.002 -0.009 -0.015 -0.010 -0.001 -0.005
    se: 0.002 0.000 0.001 0.002 0.003 0.000 0.001
    Shapley values: 0.278 0.027 0.161 0.257 0.166 0.022 0.089
    ablation: 0.348 0.044 0.050 0.307 0.076 0.047 0.128
    model of iteration 95: -0.016 -0.002 -0.009 -0.015 -0.010 -0.001 -0.005
""")
# the payout of se is printed as 0.09
PAYOUTS = {"cb": -0.048, "m": -0.058, "se": 0.0095}
PAYOUT_PRINTED = ("-0.048", "-0.058", "0.09")
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
LOGGED = "judged is what the R tool logged, which has more digits, and rounds to this"


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


its_own = partial(
    experiment,
    "shapleymbo",
    needs=FILES,
    basis="the thesis's own run, through its model of iteration 95",
)


def top(values: np.ndarray, n: int) -> str:
    """Return the hyperparameters with the largest values."""
    return ", ".join(NAMES[j] for j in np.argsort(-values)[:n])


# ------------------------------------------------------------------ tables


def table_10(sheet: Sheet) -> None:
    """Compare contributions with what the R tool logged, which rounds to what is printed."""
    run, ours = logged(sheet.profile), explained_best(sheet.profile)
    theirs = -np.column_stack([run.phi.sum(axis=1), run.phi]).T
    printed = [THESIS[name] for name in PAYOUTS]
    sheet.exact(
        "what is logged rounds to the 21 contributions that are printed",
        (np.abs(theirs - printed) < 0.00051).all(),
        f"at most {np.abs(theirs - printed).max():.4f} apart",
    )
    phi = -np.array([ours.phi.sum(axis=1), *ours.phi.T])
    for name, paper, found, error in zip(PAYOUTS, theirs, phi, run.error.T[[2, 0, 1]], strict=True):
        as_logged(sheet, f"φ({name})", THESIS[name], paper, found, error)
    # the average over 7,000 rows is the same
    sheet.numbers(
        "payout of {}",
        [PAYOUTS],
        [*PAYOUTS.values()],
        phi.sum(axis=1)[None],
        digits=[3, 3, 4],
        printed=PAYOUT_PRINTED,
        note=["", "", "a misprint: judged is what the other two leave, 0.0095"],
    )


def as_logged(
    sheet: Sheet,
    label: str,
    printed: np.ndarray,
    paper: np.ndarray,
    found: np.ndarray,
    error: np.ndarray,
) -> None:
    """Compare contributions by hyperparameter with what was logged of what is printed."""
    sheet.numbers(
        label + ", {}",
        [NAMES],
        paper,
        found[None],
        together=label,
        error=error,
        digits=5,
        printed=[f"{value:.3f}" for value in printed],
        note=LOGGED,
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


@its_own("table12 table13", "The best-predicted proposal; not what it is contrasted with", cells=34)
def tables_12_and_13(sheet: Sheet) -> None:
    """Compare what is said of iteration 95, and say what is not tested.

    Table 12 contrasts it with iteration 108, Table 13 its model with the final one. The models of
    both are not published.
    """
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
    sheet.left_out("Table 12's contrast: iteration 108, all else", UNPUBLISHED, 8)
    label = "model of iteration 95"
    theirs, ours_of_mean = -run.phi[:, 0], -ours.phi[:, 0]
    as_logged(sheet, label, THESIS[label], theirs, ours_of_mean, run.error[:, 0])
    sheet.left_out("Table 13's contrast: the final model", UNPUBLISHED, 7)


# ------------------------------------------------------------------ figures


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


its_own("table10 figure10", "What made the best-predicted proposal desirable", cells=24)(
    in_turn(table_10, figure_10)
)
its_own("table11 figure11", "Ablation, where hyperparameters interact", cells=14)(
    in_turn(table_11, figure_11)
)
