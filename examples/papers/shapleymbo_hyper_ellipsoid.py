"""Tables 4 and 6 to 9 and Figures 3 to 8 and 15 of Croppi (2021): the Hyper-Ellipsoid.

New runs, which need no data: 16 initial and 64 proposed configurations with λ = 1 and λ = 10, every
proposal explained. The thesis minimizes cb = m - λ·se: in its tables, and beside them, a negative
contribution is attractive. In figures and in findings a positive one is.

What reproduces the numbers: mlrMBO's optimizer (:mod:`bo`), whose product kernel, length-scales of
at most twice the range of each column, estimated nugget and standard deviation with the nugget all
matter; each proposal is explained by its own model and bound (`acquisition="auto"`), against a
background of the whole space. All coalitions are valued (`estimator="exact"`), where the thesis
draws 1,000 with one seed throughout: its Monte Carlo error is part of every error here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

import hpo_explain as hx
from examples.papers.bo import minimize, spread_out
from examples.papers.drawing import BLACK, BLUE, GREEN, GREY, ORANGE, averaged, band, bars
from examples.papers.frame import (
    PATHS,
    SHAPLEY,
    Profile,
    Sheet,
    experiment,
    in_turn,
    listed,
    quoted,
)
from examples.papers.shapleymbo_expectations import Contributions, Verdict, verdicts
from examples.papers.shapleymbo_logged import INITIAL, SPACE, Logged, agreement, explained, found_by

WEIGHTS = np.arange(1, len(SPACE) + 1)
THETAS = [f"θ{j}" for j in WEIGHTS]
PROPOSALS, EXPLAINED = 64, 59
RUNS = 30  # the thesis's
ITERATIONS = np.arange(1, PROPOSALS + 1)
# of the function over its domain
STD = 5.12**2 * np.sqrt(4.0 / 45.0 * np.sum(WEIGHTS**2))
NOISE = 0.05 * STD
TERMS = ("φ(m)", "φ(se)", "φ(cb)")
LAMBDAS = (1, 10)
# Tables 6 and 9 by term, λ and iterations: mean and, in brackets, standard deviation over 30 runs,
# by hyperparameter; then the R tool's standard errors, from the variances that it logged
TABLES = quoted("""
    φ(cb), 1, 59: -5.35 (2.12) -12.14 (3.33) -21.12 (4.11) -32.56 (4.44)
    φ(m), 1, 59: -7.20 (2.40) -14.64 (3.83) -24.63 (4.46) -36.58 (4.83)  0.22 0.44 0.66 0.95
    φ(se), 1, 59: 1.85 (0.42) 2.50 (0.66) 3.51 (0.47) 4.02 (0.67)  0.08 0.11 0.13 0.14
    φ(cb), 10, 59: -3.82 (0.70) -8.14 (0.65) -12.32 (1.26) -18.77 (1.50)
    φ(m), 10, 59: -8.09 (0.71) -16.22 (0.75) -25.31 (0.84) -36.99 (1.09)  0.24 0.50 0.77 1.06
    φ(se), 10, 59: 4.27 (0.81) 8.08 (0.74) 12.99 (1.37) 18.22 (1.64)  0.23 0.32 0.47 0.61
    φ(cb), 1, 1 to 64: -5.29 (2.22) -11.97 (3.57) -21.16 (4.18) -32.59 (4.41)
    φ(m), 1, 1 to 64: -7.10 (2.53) -14.44 (4.09) -24.66 (4.54) -36.57 (4.81)  0.22 0.44 0.66 0.95
    φ(se), 1, 1 to 64: 1.81 (0.48) 2.47 (0.68) 3.50 (0.52) 3.98 (0.70)  0.08 0.11 0.13 0.14
    φ(cb), 10, 1 to 10: -33.04 (16.06) -30.35 (14.83) -37.68 (16.62) -38.88 (14.21)
    φ(m), 10, 1 to 10: 8.43 (9.06) 10.97 (15.62) 9.05 (27.14) 2.42 (34.65)  0.28 0.44 0.71 0.97
    φ(se), 10, 1 to 10: -41.47 (21.48) -41.33 (26.12) -46.73 (37.29) -41.3 (39.38) 1.2 1.24 1.5 1.61
    φ(cb), 10, 55 to 64: -3.81 (0.77) -8.12 (0.80) -12.31 (1.31) -19.01 (1.54)
    φ(m), 10, 55 to 64: -7.79 (1.16) -16.12 (1.01) -25.09 (1.47) -36.94 (1.27)  0.24 0.50 0.77 1.06
    φ(se), 10, 55 to 64: 3.98 (1.06) 8.00 (0.89) 12.78 (1.64) 17.94 (1.76)  0.23 0.32 0.46 0.61
""")
# what Table 9 prints where its rows do not add up: φ(cb) = φ(m) + φ(se)
PRINTED = {
    ("φ(cb), 1, 1 to 64", 2): "-21.6",
    ("φ(se), 10, 1 to 10", 2): "46.73",
    ("φ(se), 10, 1 to 10", 3): "41.3",
    ("φ(m), 10, 55 to 64", 3): "-39.96",
}
MISPRINT = "a misprint: judged is what the other two rows of the table leave, {}"
# by λ: y, cb, its average and payout, m, its average and payout, se, its average and payout
TABLE_7 = quoted("""
    1: 0.34 -1.41 71.13 -72.54 0.73 85.38 -84.64 2.14 14.25 12.11
    10: 0.66 -19.83 24.57 -44.40 0.72 89.47 -88.75 2.06 6.49 44.30
""")
# exploration with the initial design, and without
TABLE_8 = {
    (1, True): (0.95, 0.99, 1.01, 0.98),
    (1, False): (0.24, 0.15, 0.08, 0.07),
    (10, True): (1.29, 1.26, 1.15, 1.07),
    (10, False): (1.40, 1.31, 1.11, 0.97),
}
EARLY = 10  # proposals of λ = 10 that the thesis looks at as its beginning
EDGE = 5.12 * 0.9  # the outermost of 20 bins begin here


class Runs(NamedTuple):
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

    def of(self, runs: np.ndarray) -> Runs:
        """Return some of the runs."""
        return Runs(*(values[runs] for values in self))


def optimized(lam: int, seed: int, proposals: int = PROPOSALS) -> hx.Run:
    """Return a new run."""
    rng = np.random.default_rng([seed, lam])

    def noisy(row: np.ndarray) -> float:
        return float(WEIGHTS @ np.square(10.24 * row - 5.12) + rng.normal(0.0, NOISE))

    # both λ start from the same design, as in the thesis
    design = spread_out(SPACE, INITIAL, seed)
    n_trials = INITIAL + proposals
    return minimize(noisy, SPACE, design, n_trials=n_trials, lam=lam, seed=seed)


def fresh(lam: int, seed: int, proposals: int = PROPOSALS, background: int = 400) -> tuple:
    """Return values, objective, contributions and predictions of one new run."""
    run = optimized(lam, seed, proposals)
    path = explained(run, background)
    phi, predictions = found_by([path])
    return 10.24 * run.X - 5.12, run.objective, phi[0], predictions[0]


@cache
def runs(profile: Profile) -> dict[int, Runs]:
    """Return new runs by λ, always as many as the thesis has: what it sees is in their average."""
    found = profile.over_seeds(fresh, [(lam,) for lam in LAMBDAS], RUNS, RUNS)
    columns = [map(np.array, zip(*some, strict=True)) for some in found]
    return {lam: Runs(*some) for lam, some in zip(LAMBDAS, columns, strict=True)}


ellipsoid = partial(experiment, "shapleymbo", data=runs)


def resampled(
    sheet: Sheet, found: dict[int, Runs], holds: Callable[[dict[int, Runs]], Sequence[Any]]
) -> np.ndarray:
    """Return whether findings hold in resamples of the runs, (findings, resamples)."""
    again = sheet.resamples(len(found[1].y))
    flags = [holds({lam: r.of(rows) for lam, r in found.items()}) for rows in again]
    return np.array(flags, dtype=bool).T


def theirs(key: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a term's mean, standard deviation and the R tool's error in the thesis, each (4,)."""
    mean, spread = TABLES[key][:8].reshape(4, 2).T
    drawn = [key.replace("φ(cb)", term) for term in ("φ(m)", "φ(se)")] if "cb" in key else [key]
    return (mean, spread, np.linalg.norm([TABLES[one][8:] for one in drawn], axis=0))


def compared(sheet: Sheet, found: dict[int, Runs], several: bool, why: str = "") -> None:
    """Compare contributions in iteration 59, or averaged over several."""
    for key in TABLES:
        term, lam, where = key.split(", ")
        first, *last = map(int, where.split(" to "))
        if bool(last) == several:
            iterations = slice(first - 1, max([first, *last]))
            phi = -found[int(lam)].phi[:, iterations, :, TERMS.index(term)].mean(axis=1)
            mean, spread, error = theirs(key)
            printed = [PRINTED.get((key, j), "") for j in range(len(THETAS))]
            sheet.numbers(
                f"{term} of {{}}, λ = {lam}, iteration {where}",
                [THETAS],
                mean,
                phi,
                # that of single iterations where several are averaged
                spread=0.0 if several else spread,
                of=RUNS,
                error=error,
                together=f"{term}, λ = {lam}, iteration {where}",
                printed=printed,
                note=[MISPRINT.format(v) if p else "" for p, v in zip(printed, mean, strict=True)],
                why=why,
            )
    sheet.left_out(
        "standard deviations over runs",
        "they enter the errors of the means that they stand beside",
        36 if several else 24,
    )


# ------------------------------------------------------------------ tables


@ellipsoid("table4", "Expectations of contributions")
def table_4(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Judge the thesis's expectations by rules, and compare with its own judgement."""
    ours = expected(found)
    again = resampled(sheet, found, lambda some: [v.met for v in expected(some)])
    beside = [""] * len(ours)
    if sheet.profile.has(PATHS, SHAPLEY):
        logged = Logged.read(sheet.profile)
        phi = {lam: logged.contributions(lam, ITERATIONS)[..., :2] for lam in LAMBDAS}
        tool = verdicts({lam: Contributions(logged.theta(lam), phi[lam]) for lam in LAMBDAS})
        beside = [f"the thesis's logged runs: {v.evidence}" for v in tool]
    for v, met, said in zip(ours, again, beside, strict=True):
        evidence = f"{'met' if v.met else 'not met'}: {v.evidence}"
        sheet.in_resamples(
            v.expectation, met == v.thesis.startswith("met"), evidence, v.thesis, said
        )


def expected(found: dict[int, Runs]) -> list[Verdict]:
    """Return the verdicts on the thesis's expectations."""
    by_lambda = {lam: Contributions(r.theta, r.phi[..., :2]) for lam, r in found.items()}
    return [*verdicts(by_lambda)]


def table_6(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Compare new runs, and refits of the logged runs with the R tool."""
    compared(sheet, found, several=False)
    if not sheet.profile.has(PATHS, SHAPLEY):
        sheet.needs("refits of the thesis's runs beside the R tool", PATHS)
        return
    logged = Logged.read(sheet.profile, sheet.profile.size(3, 15))
    for lam in LAMBDAS:
        refits = logged.explained(lam, [EXPLAINED], background=500)
        tool = agreement(logged, lam, [EXPLAINED], refits)
        sheet.exact(
            f"λ = {lam}: refits of the thesis's runs give what the R tool gave",
            tool.within >= 0.9,
            f"{tool.within:.0%} of contributions within 3 of its errors, where the model "
            f"is the same ({tool.same} of {tool.proposals})",
        )


def table_7(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Compare what was observed and predicted, averages, and payouts."""
    of_average = ("average cb", "payout of cb", "average m", "payout of m")
    names = ("y", "cb", *of_average[:2], "m", *of_average[2:])
    names += ("se", "average se", "payout of se")
    # averages of m are over 4,000 random rows, one draw for all runs
    error = np.isin(names, of_average) * STD / np.sqrt(4000.0)
    for key, thesis in TABLE_7.items():
        lam = int(key)
        r = found[lam]
        m, m_average, se, se_average = r.predictions[:, EXPLAINED - 1].T
        cb, cb_average = m - lam * se, m_average - lam * se_average
        ours = np.column_stack(
            [
                r.y[:, INITIAL + EXPLAINED - 1],
                *(cb, cb_average, cb - cb_average),
                *(m, m_average, m - m_average),
                *(se, se_average, lam * (se_average - se)),
            ]
        )
        sheet.numbers(
            "{}, λ = {}",
            [names, [lam]],
            thesis,
            ours,
            together=f"λ = {lam}",
            of=RUNS,
            error=error,
        )


def exploration(theta: np.ndarray, *, initial: bool) -> np.ndarray:
    """Return how far each dimension was explored until iteration 58 (footnote 15), (4,).

    The standard deviation over time of the distance averaged over runs; few runs scatter more, and
    the result is that of as many runs as the thesis has.
    """
    distance = np.abs(theta[:, 0 if initial else INITIAL : INITIAL + EXPLAINED - 1])
    within = distance.var(axis=0, ddof=1).mean(axis=0)
    variance = distance.mean(axis=0).var(axis=0, ddof=1) - within / len(theta) + within / RUNS
    return np.sqrt(np.maximum(variance, 0.0))


def table_8(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Compare the exploration until iteration 58, with a jackknife's error."""
    ours = {}
    for (lam, initial), thesis in TABLE_8.items():
        theta = found[lam].theta
        explored = partial(exploration, initial=initial)
        ours[lam, initial] = explored(theta)
        n = len(theta)
        left_out = [explored(np.delete(theta, i, 0)) for i in range(n)]
        # a run's own share of the number
        by_run = n * ours[lam, initial] - (n - 1) * np.array(left_out)
        what = f"{{}}, λ = {lam}, {'with' if initial else 'without'} initial design"
        why = "the initial design is another one" if initial else ""
        sheet.numbers(
            what,
            [THETAS],
            thesis,
            by_run,
            of=RUNS,
            together=what.replace("{}, ", ""),
            why=why,
        )
    ten, one = ours[10, False], ours[1, False]
    explored = partial(exploration, initial=False)
    [more] = resampled(
        sheet, found, lambda some: [(explored(some[10].theta) > explored(some[1].theta)).all()]
    )
    sheet.in_resamples(
        "λ = 10 explores every dimension more than λ = 1",
        more,
        f"{listed(ten, 2)} against {listed(one, 2)}",
    )


def table_9(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Compare averages over the run, its beginning and its end."""
    compared(sheet, found, several=True, why="in ten iterations a few proposals decide")


# ------------------------------------------------------------------ figures


@ellipsoid("figure3", "Paths of target, mean, uncertainty and bound")
def figure_3(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Draw averages over runs, and see when predictions have shrunk."""
    names = ("y", "m", "se", "cb")
    axes = sheet.panels([[f"{n}, λ = {lam}" for n in names] for lam in LAMBDAS], sharex=True)
    for line, (lam, r) in zip(axes, found.items(), strict=True):
        m, se = r.predictions[..., 0], r.predictions[..., 2]
        for ax, values in zip(line, (r.y[:, INITIAL:], m, se, m - lam * se), strict=True):
            band(ax, ITERATIONS, *averaged(values))
    one, ten = map(settled, found.values())
    early, later = resampled(
        sheet, found, lambda some: [settled(some[1]) < 10, settled(some[10]) > settled(some[1])]
    )
    sheet.in_resamples(
        "λ = 1: the predicted mean has shrunk in less than ten iterations",
        early,
        f"in iteration {one}",
    )
    sheet.in_resamples("λ = 10: later", later, f"in iteration {ten}")


def settled(some: Runs) -> int:
    """Return the iteration in which the predicted mean, averaged over runs, has shrunk."""
    m = some.predictions[..., 0]
    end = m[:, -10:].mean()
    return int(np.argmax(m.mean(axis=0) < end + 0.1 * (STD - end)) + 1)


def figure_4(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Draw average distances to the optimum, and compare where they start."""
    titles = [f"distance to the optimum, λ = {lam}" for lam in LAMBDAS]
    axes = sheet.panels(titles, width=3.4, sharex=True, sharey=True)
    one, ten = (np.abs(r.theta[:, INITIAL:]).mean(axis=0) for r in found.values())
    for ax, distance in zip(axes, (one, ten), strict=True):
        ax.set_prop_cycle(color=(BLUE, GREEN, ORANGE, BLACK))
        ax.plot(ITERATIONS, distance, lw=1, label=THETAS)
        ax.legend(fontsize=5)
    late = np.abs(found[1].theta[:, INITIAL + 9 :]).mean(axis=(1, 2))
    sheet.finding(
        "λ = 1: the optimal region is found at once and not left, 0.8 or closer",
        0.8 - late,
        f"mean distance {late.mean():.2f} from iteration 10 on",
    )
    first, last = np.abs(found[10].theta[:, INITIAL, [0, 3]]).T
    sheet.number(
        "λ = 10: distance of θ1 from the optimum in the first iteration, without effect 2.56",
        5.0,
        first,
        of=RUNS,
        null=2.56,
        digits=0,
        cell=False,
    )
    sheet.finding("λ = 10: θ4 starts closer than θ1", first - last, f"{last.mean():.1f}", "below 4")


def figure_5(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Draw contributions with one standard deviation, and compare λ = 1 and λ = 10."""
    titles = [f"{terms}; λ = {lam}" for lam in LAMBDAS for terms in ("m, se", "cb")]
    axes = sheet.panels(titles, height=2.2, sharey=True)
    means = []
    for (of_terms, of_bound), (lam, r) in zip(axes.reshape(2, 2), found.items(), strict=True):
        mean, std = (some.T for some in averaged(r.phi[:, EXPLAINED - 1]))
        bars(of_terms, THETAS, *mean[:2], half=std[:2])
        bars(of_bound, THETAS, mean[2], half=std[2:])
        means.append(mean)
        sheet.finding(
            f"λ = {lam}: higher hyperparameters are more desirable",
            np.diff(r.phi[:, EXPLAINED - 1, :, 2]).T,
            listed(mean[2]),
        )
    (m_one, one, _), (m_ten, ten, _) = means
    by_run = [r.phi[:, EXPLAINED - 1] for r in found.values()]
    uncertainty = np.array([phi[..., 1] for phi in by_run])
    sheet.finding(
        "uncertainty speaks against every hyperparameter, under both λ",
        np.swapaxes(-uncertainty, 1, 2),
        f"{listed(one)}; {listed(ten)}",
    )
    bigger = uncertainty[0] - uncertainty[1]
    sheet.finding(
        "the sacrifice is bigger under λ = 10, for higher hyperparameters most",
        np.column_stack([bigger, np.diff(bigger)]).T,
        listed(ten - one),
    )
    of_mean = np.array([phi[..., 0] for phi in by_run])
    alike = 0.25 * np.abs(of_mean).mean(axis=0) - (of_mean[1] - of_mean[0])
    opposite = 0.25 * np.abs(of_mean).mean(axis=0) + of_mean[1] - of_mean[0]
    sheet.finding(
        "mean contributions are almost the same under both, within a quarter",
        np.column_stack([alike, opposite]).T,
        f"ratios {listed(m_ten / m_one, 2)}",
    )


def figure_6(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Draw contributions over time, averaged over runs with error bars, and find the crossings."""
    titles = [[f"{name}, λ = {lam}" for name in THETAS] for lam in LAMBDAS]
    axes = sheet.panels(titles, sharex=True, sharey="row")
    level = found[1].phi[..., 2].mean(axis=(0, 1))
    for row, r in zip(axes, found.values(), strict=True):
        mean, std = averaged(r.phi)
        for j, ax in enumerate(row):
            for t, color in enumerate((BLUE, ORANGE)):
                ax.errorbar(ITERATIONS, mean[:, j, t], std[:, j, t], color=color, elinewidth=0.3)
            ax.plot(ITERATIONS, mean[:, j, 2], color=BLACK, lw=0.8)
            ax.axhline(level[j], color=GREY, ls="-.", lw=0.8)
    steady, leads, cross = resampled(sheet, found, figure_6_holds)
    one = found[1].phi[:, 5:, :, 2].mean(axis=0)
    sheet.in_resamples(
        "λ = 1: contributions hardly change, higher ones are larger throughout",
        steady,
        f"std over time {listed(one.std(axis=0))} of {listed(one.mean(axis=0))}",
    )
    ten = found[10]
    m, se, _ = ten.phi[:, :10].mean(axis=(0, 1)).T
    sheet.in_resamples(
        "λ = 10: uncertainty leads at first, for every hyperparameter",
        leads,
        f"φ(se) {listed(se)}, φ(m) {listed(m)} over ten iterations",
    )
    crossings = Contributions(ten.theta, ten.phi[..., :2]).crossings()
    sheet.in_resamples(
        "λ = 10: the curves cross, for θ4 earlier than for θ1",
        cross,
        f"iterations {listed(crossings, 0)}",
        "θ4: 10, θ1: 25",
    )


def figure_6_holds(found: dict[int, Runs]) -> list[Any]:
    """Return whether the findings of Figure 6 hold."""
    one, ten = found[1].phi[:, 5:, :, 2].mean(axis=0), found[10]
    mean, std = one.mean(axis=0), one.std(axis=0)
    m, se, _ = ten.phi[:, :10].mean(axis=(0, 1)).T
    crossings = Contributions(ten.theta, ten.phi[..., :2]).crossings()
    return [
        (np.diff(mean) > 0).all() and (std < 0.25 * mean).all(),
        (se > m).all(),
        crossings[3] < crossings[0] <= PROPOSALS,
    ]


def figure_7(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Count how many average proposals lie at the edge of the domain."""
    distance = np.abs(found[10].theta).mean(axis=0)
    early = distance[INITIAL : INITIAL + 10]
    ax = sheet.panels("", width=3.4)
    ax.plot(THETAS, distance.T, color=GREY, lw=0.4)
    ax.plot(THETAS, early.T, color=ORANGE, lw=1)
    far, falls = resampled(sheet, found, figure_7_holds)
    beyond = (early[:, 0] > distance[:INITIAL, 0].max()).sum()
    sheet.in_resamples(
        "most proposals of θ1 are farther out than the initial design, 7 of 10 or more",
        far,
        f"{beyond} of 10",
        "9 of 10",
    )
    sheet.in_resamples(
        "exploration falls from θ1 to θ4", falls, f"mean distance {listed(early.mean(axis=0))}"
    )


def figure_7_holds(found: dict[int, Runs]) -> list[Any]:
    """Return whether the findings of Figure 7 hold."""
    distance = np.abs(found[10].theta).mean(axis=0)
    early = distance[INITIAL : INITIAL + 10]
    means = early.mean(axis=0)
    return [
        (early[:, 0] > distance[:INITIAL, 0].max()).sum() >= 7,
        (np.diff(means) < 0.1).all() and means[0] > means[3],
    ]


@ellipsoid("figure8", "Histograms of what λ = 10 proposes first")
def figure_8(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Count values on the boundary, and ask whether they explain the scatter of contributions."""
    theta, phi = found[10].theta[:, INITIAL : INITIAL + EARLY], found[10].phi[:, :EARLY]
    edge = np.abs(theta) >= EDGE
    shares = []
    for j, ax in enumerate(sheet.panels(THETAS, sharey=True)):
        ax.hist(theta[..., j].ravel(), bins=np.linspace(-5.12, 5.12, 21), color=GREY)
        shares.append(100 * explained_by_edge(edge[..., j].ravel(), phi[..., j, 1].ravel()))
    of_run = 100 * edge.mean(axis=1)
    sheet.finding(
        "more than 80 % of the values of θ1 lie on the boundary",
        of_run[:, 0] - 80.0,
        f"{of_run[:, 0].mean():.0f} % of {len(of_run)} runs",
        "> 80 %",
    )
    sheet.number("share of θ4 (%)", 40, of_run[:, 3], of=RUNS, digits=0, cell=False)
    [mixture] = resampled(
        sheet,
        found,
        lambda some: [
            min(
                explained_by_edge(
                    (np.abs(some[10].theta[:, INITIAL : INITIAL + 10, j]) >= EDGE).ravel(),
                    some[10].phi[:, :10, j, 1].ravel(),
                )
                for j in (2, 3)
            )
            > 0.5
        ],
    )
    sheet.in_resamples(
        "the mixture of values is why contributions of θ3 and θ4 scatter",
        mixture,
        "whether a value lies on the boundary explains "
        f"{listed(shares, 0)} % of the variance of φ(se)",
    )


def explained_by_edge(edge: np.ndarray, phi: np.ndarray) -> float:
    """Return the share of the variance of contributions between values on the edge and others."""
    if edge.all() or not edge.any():
        return 0.0
    fitted = np.where(edge, phi[edge].mean(), phi[~edge].mean())
    return float(fitted.var() / phi.var())


def figure_15(sheet: Sheet, found: dict[int, Runs]) -> None:
    """Draw predictions against their averages over the space, and the payouts."""
    names = ("m and its average", "se and its average", "payouts of m and se")
    axes = sheet.panels([[f"{n}, λ = {lam}" for n in names] for lam in LAMBDAS], sharex=True)
    fall = []
    for row, (lam, r) in zip(axes, found.items(), strict=True):
        m, m_average, se, se_average = r.predictions.mean(axis=0).T
        for ax, here, average in ((row[0], m, m_average), (row[1], se, se_average)):
            ax.plot(ITERATIONS, here, color=BLUE)
            ax.plot(ITERATIONS, average, "k--", lw=1)
        payouts = r.phi.sum(axis=2)
        for t, color in enumerate((BLUE, ORANGE)):
            band(row[2], ITERATIONS, *averaged(payouts[..., t]), color=color)
        row[2].axhline(0, color=BLACK, lw=0.5)
        drift = m_average[10:].std() / m_average[10:].mean()
        each = r.predictions[:, 10:, 1]
        sheet.finding(
            f"λ = {lam}: the average mean remains constant, within 5 %",
            0.05 - each.std(axis=1) / each.mean(axis=1),
            f"it varies by {drift:.1%} after ten iterations",
        )
        fall.append(se_average[-1] / se_average[0])
    by_run = [r.predictions[:, -1, 3] / r.predictions[:, 0, 3] for r in found.values()]
    sheet.finding(
        "the average uncertainty decreases more under λ = 10",
        by_run[0] - by_run[1],
        f"to {fall[1]:.0%} against {fall[0]:.0%} of the first",
    )
    [soon] = resampled(sheet, found, lambda some: [1 < sacrificed(some[10]) < 50])
    sheet.in_resamples(
        "even λ = 10 soon sacrifices exploration, in less than 50 iterations",
        soon,
        f"from iteration {sacrificed(found[10])} on, on average",
    )


def sacrificed(some: Runs) -> int:
    """Return the iteration from which uncertainty speaks against proposals, averaged over runs."""
    payout = some.phi[..., 1].sum(axis=2).mean(axis=0)
    return int(np.argmax(payout < 0) + 1)


# ------------------------------------------------------------------ sections of several

ellipsoid("table6 figure5", "Contributions in iteration 59", cells=48)(in_turn(table_6, figure_5))
ellipsoid("table7 figure15", "Predictions and payouts", cells=20)(in_turn(table_7, figure_15))
ellipsoid("table8 figure4 figure7", "How far each dimension was explored", cells=16)(
    in_turn(table_8, figure_4, figure_7)
)
ellipsoid("table9 figure6", "Contributions over the iterations", cells=72)(
    in_turn(table_9, figure_6)
)
