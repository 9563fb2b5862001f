"""Tables 4 and 6 to 9 and Figures 2 to 8 and 15 of Croppi (2021): the Hyper-Ellipsoid.

New runs, which need no data: 16 initial and 64 proposed configurations with λ = 1 and λ = 10, every
proposal explained. The thesis minimizes cb = m - λ·se and calls negative contributions attractive;
here every sign is turned: what is positive is attractive. Its Table 9 is quoted with its misprints
corrected.

What reproduces the numbers: mlrMBO's optimizer (:mod:`bo`), whose product kernel, length-scales of
at most twice the range of each column, estimated nugget and standard deviation with the nugget all
matter; each proposal is explained by its own model and bound (`acquisition="auto"`), against a
background of the whole space. All coalitions are valued (`estimator="exact"`), where the thesis
draws 1,000 with one seed throughout: its Monte Carlo error is part of every error here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import hpo_explain as hx
from examples.papers.bo import minimize, spread_out
from examples.papers.frame import (
    BLACK,
    BLUE,
    FETCH,
    GREEN,
    GREY,
    ORANGE,
    PATHS,
    SHAPLEY,
    Found,
    Profile,
    Row,
    band,
    experiment,
    finding,
    listed,
    needs,
    number,
    panels,
    shared,
)
from examples.papers.shapleymbo_expectations import Contributions, verdicts
from examples.papers.shapleymbo_logged import (
    INITIAL,
    SPACE,
    Logged,
    agreement,
    contributions_of,
    explained,
    predicted,
)

WEIGHTS = np.arange(1, len(SPACE) + 1)
PROPOSALS, EXPLAINED, RUNS = 64, 59, 30
STD = 5.12**2 * np.sqrt(4.0 / 45.0 * np.sum(WEIGHTS**2))  # of the function over its domain
NOISE = 0.05 * STD
TERMS = ("φ(m)", "φ(se)", "φ(cb)")
LAMBDAS = (1, 10)
COLORS = (BLUE, GREEN, ORANGE, BLACK)
# mean and, in brackets, standard deviation over 30 runs, by λ and iterations
TABLES = {
    (1, (EXPLAINED, EXPLAINED)): {
        "φ(cb)": "5.35 (2.12) 12.14 (3.33) 21.12 (4.11) 32.56 (4.44)",
        "φ(m)": "7.20 (2.40) 14.64 (3.83) 24.63 (4.46) 36.58 (4.83)",
        "φ(se)": "-1.85 (0.42) -2.50 (0.66) -3.51 (0.47) -4.02 (0.67)",
    },
    (10, (EXPLAINED, EXPLAINED)): {
        "φ(cb)": "3.82 (0.70) 8.14 (0.65) 12.32 (1.26) 18.77 (1.50)",
        "φ(m)": "8.09 (0.71) 16.22 (0.75) 25.31 (0.84) 36.99 (1.09)",
        "φ(se)": "-4.27 (0.81) -8.08 (0.74) -12.99 (1.37) -18.22 (1.64)",
    },
    (1, (1, 64)): {
        "φ(cb)": "5.29 (2.22) 11.97 (3.57) 21.16 (4.18) 32.59 (4.41)",
        "φ(m)": "7.10 (2.53) 14.44 (4.09) 24.66 (4.54) 36.57 (4.81)",
        "φ(se)": "-1.81 (0.48) -2.47 (0.68) -3.50 (0.52) -3.98 (0.70)",
    },
    (10, (1, 10)): {
        "φ(cb)": "33.04 (16.06) 30.35 (14.83) 37.68 (16.62) 38.88 (14.21)",
        "φ(m)": "-8.43 (9.06) -10.97 (15.62) -9.05 (27.14) -2.42 (34.65)",
        "φ(se)": "41.47 (21.48) 41.33 (26.12) 46.73 (37.29) 41.30 (39.38)",
    },
    (10, (55, 64)): {
        "φ(cb)": "3.81 (0.77) 8.12 (0.80) 12.31 (1.31) 19.01 (1.54)",
        "φ(m)": "7.79 (1.16) 16.12 (1.01) 25.09 (1.47) 36.94 (1.27)",
        "φ(se)": "-3.98 (1.06) -8.00 (0.89) -12.78 (1.64) -17.94 (1.76)",
    },
}
# the R tool's standard errors of φ(m) and φ(se), from the variances that it logged
MONTE_CARLO = {
    (1, 59): ((0.22, 0.44, 0.66, 0.95), (0.08, 0.11, 0.13, 0.14)),
    (1, 64): ((0.22, 0.44, 0.66, 0.95), (0.08, 0.11, 0.13, 0.14)),
    (10, 10): ((0.28, 0.44, 0.71, 0.97), (1.19, 1.24, 1.50, 1.61)),
    (10, 59): ((0.24, 0.50, 0.77, 1.06), (0.23, 0.32, 0.47, 0.61)),
    (10, 64): ((0.24, 0.50, 0.77, 1.06), (0.23, 0.32, 0.46, 0.61)),
}
# m, its average, se, its average, by λ
TABLE_7 = {1: (0.73, 85.38, 2.14, 14.25), 10: (0.72, 89.47, 2.06, 6.49)}
# exploration with the initial design, and without
TABLE_8 = {
    (1, True): (0.95, 0.99, 1.01, 0.98),
    (1, False): (0.24, 0.15, 0.08, 0.07),
    (10, True): (1.29, 1.26, 1.15, 1.07),
    (10, False): (1.40, 1.31, 1.11, 0.97),
}
EDGE = 5.12 * 0.9  # the outermost of 20 bins begin here


@dataclass(frozen=True, eq=False)
class Runs:
    """New runs under one λ.

    Attributes
    ----------
    theta : ndarray
        Values tried, (runs, 80, 4).
    y : ndarray
        Noisy objective values, (runs, 80).
    phi : ndarray
        φ(m), φ(se) and φ(cb), (runs, 64, 4, 3).
    predictions : ndarray
        m, its average, se and its average, (runs, 64, 4).
    """

    theta: np.ndarray
    y: np.ndarray
    phi: np.ndarray
    predictions: np.ndarray

    @property
    def proposed(self) -> np.ndarray:
        """Values proposed, (runs, 64, 4)."""
        return self.theta[:, INITIAL:]

    @property
    def payout(self) -> np.ndarray:
        """Payouts of m and se, (runs, 64, 2)."""
        return self.phi[..., :2].sum(axis=2)


def fresh(lam: int, seed: int, proposals: int = PROPOSALS, background: int = 1000) -> tuple:
    """Return values, objective, contributions and predictions of one new run."""
    rng = np.random.default_rng([seed, lam])

    def noisy(row: np.ndarray) -> float:
        return float(WEIGHTS @ np.square(10.24 * row - 5.12) + rng.normal(0.0, NOISE))

    # both λ start from the same design, as in the thesis
    design = spread_out(SPACE, INITIAL, seed)
    run = minimize(noisy, SPACE, design, n_trials=INITIAL + proposals, lam=lam, seed=seed)
    path = explained(run, background)
    return (
        10.24 * run.X - 5.12, run.objective, contributions_of([path])[0], predicted([path])[0]
    )  # fmt: skip


@shared
def runs(profile: Profile) -> dict[int, Runs]:
    """Return new runs by λ, always as many as the thesis has: what it sees is in their average."""
    work = [(lam, profile.seed + k) for lam in LAMBDAS for k in range(RUNS)]
    found = list(zip(work, profile.repeated(fresh, work), strict=True))
    return {
        lam: Runs(
            *map(np.array, zip(*(one for (other, _), one in found if other == lam), strict=True))
        )
        for lam in LAMBDAS
    }


def numbers(row: str) -> np.ndarray:
    """Return mean and standard deviation of a row of the thesis, (2, 4)."""
    return np.array(row.replace("(", "").replace(")", "").split(), dtype=float).reshape(4, 2).T


def compared(profile: Profile, chosen: list[tuple[int, tuple[int, int]]], why: str) -> list[Row]:
    """Return rows of contributions, averaged over iterations."""
    rows = []
    for lam, (first, last) in chosen:
        phi = runs(profile)[lam].phi[:, first - 1 : last].mean(axis=1)  # (runs, 4, 3)
        drawn = np.array(MONTE_CARLO[lam, last])
        errors = (*drawn, np.hypot(*drawn))
        for k in (2, 0, 1):
            mean, spread = numbers(TABLES[lam, (first, last)][TERMS[k]])
            # the spread in brackets is that of single iterations where several are averaged
            several = 0.0 if first < last else 1.0
            for j in range(len(SPACE)):
                where = f"{first} to {last}" if first < last else f"{first}"
                own = phi[:, j, k].std(ddof=1)
                rows.append(
                    number(
                        f"{TERMS[k]} of θ{j + 1}, λ = {lam}, iteration {where}", mean[j],
                        phi[:, j, k], spread=several * spread[j] or own, of=RUNS,
                        error=errors[k][j], why=why,
                    )
                )  # fmt: skip
    return rows


# ------------------------------------------------------------------ tables


@experiment("shapleymbo", "table4", "Expectations of contributions")
def table_4(profile: Profile) -> Found:
    """Judge the thesis's expectations by rules, and compare with its own judgement."""
    found = verdicts(
        {lam: Contributions(r.theta, r.phi[..., :2]) for lam, r in runs(profile).items()}
    )
    theirs = [""] * len(found)
    if all((profile.data / file).exists() for file in (PATHS, SHAPLEY)):
        logged, every = Logged.read(profile), range(1, PROPOSALS + 1)
        tool = {
            lam: Contributions(logged.theta(lam), logged.contributions(lam, every)[..., :2])
            for lam in LAMBDAS
        }
        theirs = [f"; its runs: {v.evidence}" for v in verdicts(tool)]
    return Found(
        tuple(
            finding(v.expectation, v.met == v.thesis.startswith("met"),
                    f"{'met' if v.met else 'not met'}: {v.evidence}", v.thesis + said)
            for v, said in zip(found, theirs, strict=True)
        )
    )  # fmt: skip


@experiment("shapleymbo", "table6", "Contributions in iteration 59")
def table_6(profile: Profile) -> Found:
    """Compare new runs, and refits of the logged runs with the R tool."""
    rows = compared(profile, [(lam, (EXPLAINED, EXPLAINED)) for lam in LAMBDAS], "")
    if all((profile.data / file).exists() for file in (PATHS, SHAPLEY)):
        logged = Logged.read(profile, profile.size(3, 15))
        for lam in LAMBDAS:
            found = agreement(
                logged, lam, [EXPLAINED], logged.explained(lam, [EXPLAINED], background=500)
            )
            rows.append(
                finding(
                    f"λ = {lam}: refits of the thesis's runs give what the R tool gave",
                    found.within >= 0.9,
                    f"{found.within:.0%} of contributions within 3 of its errors, where the model "
                    f"is the same ({found.same} of {found.proposals})",
                )
            )
    else:
        rows.append(needs("refits of the thesis's runs beside the R tool", FETCH[PATHS]))
    return Found(tuple(rows))


@experiment("shapleymbo", "table7", "Predictions and payouts in iteration 59")
def table_7(profile: Profile) -> Found:
    """Compare predictions, their averages, and payouts."""
    rows = []
    for lam, (m, m_average, se, se_average) in TABLE_7.items():
        own = runs(profile)[lam].predictions[:, EXPLAINED - 1].T
        pairs = {
            "m": (m, own[0]), "average m": (m_average, own[1]), "se": (se, own[2]),
            "average se": (se_average, own[3]), "payout of m": (m_average - m, own[1] - own[0]),
            "payout of se": (lam * (se - se_average), lam * (own[2] - own[3])),
        }  # fmt: skip
        pairs["payout of cb"] = tuple(
            a + b for a, b in zip(pairs["payout of m"], pairs["payout of se"], strict=True)
        )
        for name, (theirs, ours) in pairs.items():
            # the average over 4,000 random rows, one draw for all runs
            error = (
                STD / np.sqrt(4000.0)
                if name in ("average m", "payout of m", "payout of cb")
                else 0.0
            )
            rows.append(
                number(f"{name}, λ = {lam}", theirs, ours, spread=ours.std(ddof=1), of=RUNS,
                       error=error)
            )  # fmt: skip
    return Found(tuple(rows))


def exploration(theta: np.ndarray, *, initial: bool) -> np.ndarray:
    """Return how far each dimension was explored until iteration 58 (footnote 15), (4,).

    The standard deviation over time of the distance averaged over runs; few runs scatter more, and
    the result is that of as many runs as the thesis has.
    """
    distance = np.abs(theta[:, 0 if initial else INITIAL : INITIAL + EXPLAINED - 1])
    within = distance.var(axis=0, ddof=1).mean(axis=0)
    variance = distance.mean(axis=0).var(axis=0, ddof=1) - within / len(theta) + within / RUNS
    return np.sqrt(np.maximum(variance, 0.0))


@experiment("shapleymbo", "table8", "How far each dimension was explored")
def table_8(profile: Profile) -> Found:
    """Compare the exploration until iteration 58, with a jackknife's error."""
    rows = []
    ours = {}
    for (lam, initial), theirs in TABLE_8.items():
        theta = runs(profile)[lam].theta
        n = len(theta)
        here = exploration(theta, initial=initial)
        left_out = np.array(
            [exploration(np.delete(theta, i, 0), initial=initial) for i in range(n)]
        )
        error = np.sqrt((n - 1) / n * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
        ours[lam, initial] = here
        for j in range(len(SPACE)):
            what = f"θ{j + 1}, λ = {lam}, {'with' if initial else 'without'} initial design"
            rows.append(
                number(what, theirs[j], here[j], error=error[j] * np.sqrt(1.0 + n / RUNS),
                       why="the initial design is another one" if initial else "")
            )  # fmt: skip
    rows.append(
        finding("λ = 10 explores every dimension more than λ = 1",
                (ours[10, False] > ours[1, False]).all(),
                f"{listed(ours[10, False], 2)} against {listed(ours[1, False], 2)}")
    )  # fmt: skip
    return Found(tuple(rows))


@experiment("shapleymbo", "table9", "Contributions averaged over iterations")
def table_9(profile: Profile) -> Found:
    """Compare averages over the run, its beginning and its end."""
    why = "in ten iterations a few proposals decide"
    return Found(tuple(compared(profile, [key for key in TABLES if key[1][0] != EXPLAINED], why)))


# ------------------------------------------------------------------ figures


@experiment("shapleymbo", "figure2", "The function and its noise")
def figure_2(profile: Profile) -> Found:
    """Draw a noisy sample in two dimensions, and compare the noise's size with a formula."""
    plane = hx.SearchSpace(SPACE.parameters[:2])
    values = (10.24 * plane.sample(10_000, seed=profile.seed) - 5.12) ** 2 @ WEIGHTS[:2]
    exact = 5.12**2 * np.sqrt(4.0 / 45.0 * np.sum(WEIGHTS[:2] ** 2))
    figure, axes = panels(1, 1, width=3.0, height=2.6)
    grid = np.linspace(-5.12, 5.12, 60)
    x, y = np.meshgrid(grid, grid)
    noise = np.random.default_rng(profile.seed).normal(0.0, 0.05 * values.std(), x.shape)
    axes[0, 0].contourf(x, y, x**2 + 2.0 * y**2 + noise, 12)
    row = number("standard deviation by 10,000 rows of a Latin hypercube, and by its formula",
                 exact, values.std(), error=exact / np.sqrt(20_000))  # fmt: skip
    return Found((row,), figure)


def averaged(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation over runs."""
    return values.mean(axis=0), values.std(axis=0, ddof=1)


ITERATIONS = np.arange(1, PROPOSALS + 1)


@experiment("shapleymbo", "figure3", "Paths of target, mean, uncertainty and bound")
def figure_3(profile: Profile) -> Found:
    """Draw averages over runs, and see when predictions have shrunk."""
    figure, axes = panels(2, 4, sharex=True)
    rows, settled = [], {}
    for line, lam in zip(axes, LAMBDAS, strict=True):
        r = runs(profile)[lam]
        m, se = r.predictions[..., 0], r.predictions[..., 2]
        for ax, name, values in zip(
            line, ("y", "m", "se", "cb"), (r.y[:, INITIAL:], m, se, m - lam * se), strict=True
        ):
            band(ax, ITERATIONS, *averaged(values))
            ax.set_title(f"{name}, λ = {lam}", fontsize=8)
        end = m[:, -10:].mean()
        settled[lam] = int(np.argmax(m.mean(axis=0) < end + 0.1 * (STD - end)) + 1)
    rows.append(
        finding(
            "λ = 1: the predicted mean has shrunk in less than ten iterations",
            settled[1] < 10,
            f"in iteration {settled[1]}",
        )
    )
    rows.append(finding("λ = 10: later", settled[10] > settled[1], f"in iteration {settled[10]}"))
    return Found(tuple(rows), figure)  # fmt: skip


@experiment("shapleymbo", "figure4", "Paths of the configurations")
def figure_4(profile: Profile) -> Found:
    """Draw average distances to the optimum, and compare where they start."""
    figure, axes = panels(1, 2, width=3.4, sharex=True, sharey=True)
    rows, start = [], {}
    for ax, lam in zip(axes[0], LAMBDAS, strict=True):
        distance = np.abs(runs(profile)[lam].proposed).mean(axis=0)
        for j, color in enumerate(COLORS):
            ax.plot(ITERATIONS, distance[:, j], color=color, lw=1, label=f"θ{j + 1}")
        ax.set_title(f"distance to the optimum, λ = {lam}", fontsize=8)
        ax.legend(fontsize=5)
        start[lam] = distance[0]
        if lam == 1:
            late = distance[9:].mean()
            rows.append(
                finding(
                    "λ = 1: the optimal region is found at once and not left",
                    late < 0.8,
                    f"mean distance {late:.2f} from iteration 10 on",
                )
            )
    rows.append(
        finding(
            "λ = 10: θ1 starts almost 5 from the optimum, θ4 below 4",
            start[10][0] > 4.3 and start[10][3] < 4.2 and start[10][0] > start[10][3],
            f"{start[10][0]:.1f} and {start[10][3]:.1f}",
            "5 and below 4",
        )
    )
    return Found(tuple(rows), figure)  # fmt: skip


@experiment("shapleymbo", "figure5", "What made the proposals of iteration 59 desirable")
def figure_5(profile: Profile) -> Found:
    """Draw contributions with one standard deviation, and compare λ = 1 and λ = 10."""
    figure, axes = panels(1, 4, height=2.2, sharey=True)
    means, rows = {}, []
    for k, lam in enumerate(LAMBDAS):
        mean, std = averaged(runs(profile)[lam].phi[:, EXPLAINED - 1])
        means[lam] = mean
        for t, color in ((0, BLUE), (1, ORANGE)):
            axes[0, 2 * k].barh(
                WEIGHTS + 0.2 * (2 * t - 1), mean[:, t], 0.38, xerr=std[:, t], color=color
            )
        axes[0, 2 * k + 1].barh(WEIGHTS, mean[:, 2], xerr=std[:, 2], color=GREY)
        axes[0, 2 * k].set_title(f"m, se; λ = {lam}", fontsize=8)
        axes[0, 2 * k + 1].set_title(f"cb; λ = {lam}", fontsize=8)
        axes[0, 2 * k].set_yticks(WEIGHTS, [f"θ{j}" for j in WEIGHTS])
        rows.append(
            finding(
                f"λ = {lam}: higher hyperparameters are more desirable",
                (np.diff(mean[:, 2]) > 0).all(),
                listed(mean[:, 2]),
            )
        )
    rows += [
        finding(
            "uncertainty speaks against every hyperparameter, under both λ",
            max(means[lam][:, 1].max() for lam in LAMBDAS) < 0,
            "; ".join(listed(means[lam][:, 1]) for lam in LAMBDAS),
        ),
        finding(
            "the sacrifice is bigger under λ = 10, for higher hyperparameters most",
            (np.diff(means[1][:, 1] - means[10][:, 1]) > 0).all()
            and (means[1][:, 1] > means[10][:, 1]).all(),
            listed(means[10][:, 1] - means[1][:, 1]),
        ),
        finding(
            "mean contributions are almost the same under both",
            np.abs(means[10][:, 0] / means[1][:, 0] - 1).max() < 0.25,
            f"ratios {listed(means[10][:, 0] / means[1][:, 0], 2)}",
        ),
    ]
    return Found(tuple(rows), figure)  # fmt: skip


@experiment("shapleymbo", "figure6", "Desirability paths")
def figure_6(profile: Profile) -> Found:
    """Draw contributions over time, averaged over runs with error bars, and find the crossings."""
    figure, axes = panels(2, 4, sharex=True, sharey="row")
    for row, lam in zip(axes, LAMBDAS, strict=True):
        mean, std = averaged(runs(profile)[lam].phi)
        for j, ax in enumerate(row):
            for t, color in ((0, BLUE), (1, ORANGE)):
                ax.errorbar(
                    ITERATIONS, mean[:, j, t], std[:, j, t], color=color, lw=1, elinewidth=0.3
                )
            ax.plot(ITERATIONS, mean[:, j, 2], color=BLACK, lw=0.8)
            ax.axhline(runs(profile)[1].phi[..., j, 2].mean(), color=GREY, ls="-.", lw=0.8)
            ax.set_title(f"θ{j + 1}, λ = {lam}", fontsize=8)
    ten = runs(profile)[10]
    crossings = Contributions(ten.theta, ten.phi[..., :2]).crossings()
    one = runs(profile)[1].phi[..., 2].mean(axis=0)
    first = ten.phi[:, :10].mean(axis=(0, 1))
    return Found(
        (
            finding("λ = 1: contributions hardly change, higher ones are larger throughout",
                    (np.diff(one[5:].mean(axis=0)) > 0).all()
                    and (one[5:].std(axis=0) < 0.25 * one[5:].mean(axis=0)).all(),
                    f"std over time {listed(one[5:].std(axis=0))} of "
                    f"{listed(one[5:].mean(axis=0))}"),
            finding("λ = 10: uncertainty leads at first, for every hyperparameter",
                    (first[:, 1] > first[:, 0]).all(), f"φ(se) {listed(first[:, 1])}, φ(m) "
                    f"{listed(first[:, 0])} over ten iterations"),
            finding("λ = 10: the curves cross, for θ4 after about 10, for θ1 after about 25",
                    crossings[3] < crossings[0] <= PROPOSALS and crossings[3] <= 20,
                    f"iterations {listed(crossings, 0)}", "θ4: 10, θ1: 25"),
        ),
        figure,
    )  # fmt: skip


@experiment("shapleymbo", "figure7", "The first ten iterations of λ = 10")
def figure_7(profile: Profile) -> Found:
    """Count how many average proposals lie at the edge of the domain."""
    distance = np.abs(runs(profile)[10].theta).mean(axis=0)
    early = distance[INITIAL : INITIAL + 10]
    figure, axes = panels(1, 1, width=3.4)
    axes[0, 0].plot(WEIGHTS, distance.T, color=GREY, lw=0.4)
    axes[0, 0].plot(WEIGHTS, early.T, color=ORANGE, lw=1)
    axes[0, 0].set_xticks(WEIGHTS, [f"θ{j}" for j in WEIGHTS])
    beyond = (early[:, 0] > distance[:INITIAL, 0].max()).sum()
    means = early.mean(axis=0)
    return Found(
        (
            finding("9 of 10 proposals of θ1 are farther out than the initial design", beyond >= 7,
                    f"{beyond} of 10", "9 of 10"),
            finding("exploration falls from θ1 to θ4", (np.diff(means) < 0.1).all()
                    and means[0] > means[3], f"mean distance {listed(means)}"),
        ),
        figure,
    )  # fmt: skip


@experiment("shapleymbo", "figure8", "Histograms of what λ = 10 proposes first")
def figure_8(profile: Profile) -> Found:
    """Count values on the boundary, and ask whether they explain the scatter of contributions."""
    r = runs(profile)[10]
    theta, phi = r.proposed[:, :10], r.phi[:, :10]
    figure, axes = panels(1, 4, sharey=True)
    for j, ax in enumerate(axes[0]):
        ax.hist(theta[..., j].ravel(), bins=np.linspace(-5.12, 5.12, 21), color=GREY)
        ax.set_title(f"θ{j + 1}", fontsize=8)
    edge = np.abs(theta) >= EDGE
    by_run = edge.mean(axis=1)
    shares = [explained_by_edge(edge[..., j].ravel(), phi[..., j, 1].ravel()) for j in range(4)]
    error = by_run[:, 0].std(ddof=1) * np.sqrt(1 / len(by_run) + 1 / RUNS)
    return Found(
        (
            finding("more than 80 % of the values of θ1 lie on the boundary, within 3 errors",
                    by_run[:, 0].mean() + 3.0 * error > 0.8,
                    f"{by_run[:, 0].mean():.0%} ± {error:.0%}", "> 80 %"),
            number("share of θ4 (%)", 40, 100 * by_run[:, 3], spread=100 * by_run[:, 3].std(ddof=1),
                   of=RUNS, digits=0),
            finding("the mixture of values is why contributions of θ3 and θ4 scatter",
                    min(shares[2:]) > 0.5, "whether a value lies on the boundary explains "
                    f"{listed(100 * np.array(shares), 0)} % of the variance of φ(se)"),
        ),
        figure,
    )  # fmt: skip


def explained_by_edge(edge: np.ndarray, phi: np.ndarray) -> float:
    """Return the share of the variance of contributions between values on the edge and others."""
    if edge.all() or not edge.any():
        return 0.0
    fitted = np.where(edge, phi[edge].mean(), phi[~edge].mean())
    return float(fitted.var() / phi.var())


@experiment("shapleymbo", "figure15", "Payout paths")
def figure_15(profile: Profile) -> Found:
    """Draw predictions against their averages over the space, and the payouts."""
    figure, axes = panels(2, 3, sharex=True)
    average, payout, rows = {}, {}, []
    for row, lam in zip(axes, LAMBDAS, strict=True):
        r = runs(profile)[lam]
        mean = r.predictions.mean(axis=0)
        payout[lam], average[lam] = r.payout.mean(axis=0), mean
        for ax, k, name in ((row[0], 0, "m"), (row[1], 2, "se")):
            ax.plot(ITERATIONS, mean[:, k], color=BLUE)
            ax.plot(ITERATIONS, mean[:, k + 1], "k--", lw=1)
            ax.set_title(f"{name} and its average, λ = {lam}", fontsize=8)
        for t, color in ((0, BLUE), (1, ORANGE)):
            band(row[2], ITERATIONS, *averaged(r.payout[..., t]), color=color)
        row[2].axhline(0, color=BLACK, lw=0.5)
        row[2].set_title("payouts of m and se", fontsize=8)
        drift = mean[10:, 1].std() / mean[10:, 1].mean()
        rows.append(
            finding(
                f"λ = {lam}: the average mean remains constant",
                drift < 0.05,
                f"it varies by {drift:.1%} after ten iterations",
            )
        )
    fall = {lam: average[lam][-1, 3] / average[lam][0, 3] for lam in LAMBDAS}
    since = int(np.argmax(payout[10][:, 1] < 0) + 1)
    rows += [
        finding(
            "the average uncertainty decreases more under λ = 10",
            fall[10] < fall[1],
            f"to {fall[10]:.0%} against {fall[1]:.0%} of the first",
        ),
        finding(
            "even λ = 10 soon sacrifices exploration",
            1 < since < 50,
            f"from iteration {since} on, on average",
        ),
    ]
    return Found(tuple(rows), figure)  # fmt: skip
