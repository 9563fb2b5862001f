"""Tables of regret: final regret by problem, and regret over trials."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from regret.arms import ARMS
from regret.problems import problem_of

DRAWS = 2000  # of a bootstrap
_SAME = 1e-9  # relative difference of regrets that are the same
FOLLOWED = "asked again"  # the arm that is compared with "as before"
KEYS = ["problem", "optimizer", "seed", "arm"]


def regrets(runs: pd.DataFrame) -> pd.DataFrame:
    """Return simple regret after each trial: one row per run, a column per number of trials.

    Parameters
    ----------
    runs : DataFrame
        Columns problem, optimizer, seed, arm, and the values after 1, 2, ... trials, named so.
    """
    counts = [name for name in runs.columns if str(name).isdigit()]
    found = runs.set_index(KEYS)[counts].astype(float)
    found.columns = [int(name) for name in counts]
    for name in found.index.unique("problem"):
        rows = found.index.get_level_values("problem") == name
        problem = problem_of(name)
        least = problem.least
        if least is None:
            least = min(problem.searched, float(np.nanmin(found[rows])))
        found[rows] -= least
    return found


def by_problem(regret: pd.DataFrame, trials: int) -> pd.DataFrame:
    """Return one row per problem, optimizer and arm: final regret, and compared to "as before".

    Parameters
    ----------
    regret : DataFrame
        As from `regrets`.
    trials : int
        How many trials came before the advice.
    """
    rows = []
    for (problem, optimizer), group in regret.groupby(["problem", "optimizer"], sort=False):
        arms = {arm: group.xs(arm, level="arm").droplevel([0, 1]) for arm in ARMS}
        base = arms[ARMS[0]]
        for arm, found in arms.items():
            rows.append(
                {
                    "problem": problem,
                    "optimizer": optimizer,
                    "arm": arm,
                    **_compared(found.loc[base.index], base, trials),
                    "lost": _lost(str(problem), found.iloc[:, -1]),
                }
            )
    return pd.DataFrame(rows)


def _compared(found: pd.DataFrame, base: pd.DataFrame, trials: int) -> dict[str, float]:
    """Compare final regrets, and the number of trials to the final regret of another arm."""
    last, other = found.iloc[:, -1].to_numpy(), base.iloc[:, -1].to_numpy()
    at = np.random.default_rng(0).integers(len(last), size=(DRAWS, len(last)))
    medians, others = np.median(last[at], axis=1), np.median(other[at], axis=1)
    equal = np.isclose(last, other, rtol=_SAME, atol=0.0)
    needed, took = _reached(found, other, trials), _reached(base, other, trials)
    low, high = np.quantile(medians, [0.025, 0.975])
    ratios = np.quantile(_ratio(medians, others), [0.025, 0.975])
    return {
        "seeds": len(last),
        "median": float(np.median(last)),
        "low": float(low),
        "high": float(high),
        "ratio": float(_ratio(np.median(last), np.median(other))),
        "ratio low": float(ratios[0]),
        "ratio high": float(ratios[1]),
        "better": float(np.mean((last < other) & ~equal)),
        "equal": float(np.mean(equal)),
        "worse": float(np.mean((last > other) & ~equal)),
        "trials needed": float(np.median(needed)),
        "sooner": float(np.mean(needed < took)),
        "possible": float(np.mean(took > 0)),  # else there is nothing to be sooner than
        "not later": float(np.mean(needed <= took)),
    }


def _ratio(a: np.ndarray | float, b: np.ndarray | float) -> np.ndarray:
    """Return a / b, 1 where both are zero."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((a == 0.0) & (b == 0.0), 1.0, a / b)


def _reached(found: pd.DataFrame, goal: np.ndarray, trials: int) -> np.ndarray:
    """Return after how many further trials a regret is reached, (n,); infinite if it never is."""
    curve = found.loc[:, trials:].to_numpy()
    reached = curve <= goal[:, None] * (1.0 + _SAME)
    return np.where(reached.any(axis=1), reached.argmax(axis=1).astype(float), np.inf)


def _lost(problem: str, last: pd.Series) -> float:
    """Return the share of seeds that end outside of the optimum's valley; NaN if not known."""
    valley = problem_of(problem).valley
    return float("nan") if valley is None else float(np.mean(last > valley))


def overall(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per optimizer and arm: over the problems, how it compares to "as before"."""
    rows = []
    for (optimizer, arm), group in table.groupby(["optimizer", "arm"], sort=False):
        weights = group["seeds"] / group["seeds"].sum()
        rows.append(
            {
                "optimizer": optimizer,
                "arm": arm,
                "problems": len(group),
                "median ratio": group["ratio"].median(),
                "largest ratio": group["ratio"].max(),
                **{
                    share: float(np.sum(weights * group[share]))
                    for share in ("better", "equal", "worse", "sooner", "possible", "not later")
                },
            }
        )
    return pd.DataFrame(rows)


def over_trials(regret: pd.DataFrame, counts: Iterable[int]) -> pd.DataFrame:
    """Return the median regret after some numbers of trials, with a 95 % bootstrap interval."""
    rows = []
    for key, group in regret.groupby(["problem", "optimizer", "arm"], sort=False):
        values = group.to_numpy()
        at = np.random.default_rng(0).integers(len(values), size=(DRAWS, len(values)))
        for n in counts:
            column = values[:, list(regret.columns).index(n)]
            low, high = np.quantile(np.median(column[at], axis=1), [0.025, 0.975])
            rows.append([*key, n, float(np.median(column)), float(low), float(high)])
    names = ["problem", "optimizer", "arm", "trials", "median", "low", "high"]
    return pd.DataFrame(rows, columns=names)


# ---------------------------------------------------------------------- markdown


def in_markdown(table: pd.DataFrame) -> str:
    """Return the tables of a README: by problem, and over all of them."""
    text = []
    for optimizer, rows in table.groupby("optimizer", sort=False):
        wide = ["problem", *ARMS, "ratio", "better / equal / worse", "sooner", "not later"]
        lines = []
        for problem, group in rows.groupby("problem", sort=False):
            by_arm = group.set_index("arm")
            found = by_arm.loc[FOLLOWED]
            lines.append(
                [
                    str(problem),
                    *(_median(by_arm.loc[arm]) for arm in ARMS),
                    f"{found['ratio']:.2f} ({found['ratio low']:.2f} to {found['ratio high']:.2f})",
                    f"{found['better']:.0%} / {found['equal']:.0%} / {found['worse']:.0%}",
                    _sooner(found),
                    f"{found['not later']:.0%}",
                ]
            )
        text.append(f"{optimizer}, {int(rows['seeds'].max())} seeds:\n\n{_markdown(wide, lines)}")
    columns = overall(table)
    body = [
        [
            row["optimizer"],
            row["arm"],
            f"{row['median ratio']:.2f}",
            f"{row['largest ratio']:.2f}",
            f"{row['better']:.0%} / {row['equal']:.0%} / {row['worse']:.0%}",
            _sooner(row),
            f"{row['not later']:.0%}",
        ]
        for _, row in columns[columns["arm"] != ARMS[0]].iterrows()
    ]
    wide = ["optimizer", "way on", "median ratio", "largest ratio", "better / equal / worse"]
    text.append(f"Over the problems:\n\n{_markdown([*wide, 'sooner', 'not later'], body)}")
    return "\n\n".join(text) + "\n"


def _median(row: pd.Series) -> str:
    return f"{row['median']:.2g} ({row['low']:.2g} to {row['high']:.2g})"


def _sooner(row: pd.Series) -> str:
    """Return the share of seeds that were sooner, of all and of those that could be."""
    of_possible = f" ({row['sooner'] / row['possible']:.0%})" if row["possible"] else ""
    return f"{row['sooner']:.0%}{of_possible}"


def _markdown(names: list[str], rows: list[list[str]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
