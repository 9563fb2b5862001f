"""The values that options of type string accept, such as "minimize" or "forest"."""

from __future__ import annotations

from typing import Literal, get_args

Direction = Literal["minimize", "maximize"]
"""Which way an objective is better."""


def sign_of(direction: Direction) -> float:
    """Return what makes a cost of an objective, where smaller is better: 1, or -1 if maximized."""
    return 1.0 if direction == "minimize" else -1.0


BETTER = {"minimize": "lower", "maximize": "higher"}
"""Which values are better, by direction."""

Kind = Literal["auto", "gp", "forest"]
"""A surrogate: the one that fits the run, a Gaussian process, or a random forest."""

Criterion = Literal["auto", "lcb", "ei", "pi", "logei", "mean", "se"]
"""An acquisition function: the optimizer's own where it is known, or one that is assumed."""

WhichTrial = Literal["latest", "best", "best-predicted", "pending"]
"""A proposal by what is special about it."""

State = Literal["running", "waiting", "failed", "pruned"]
"""What has become of a trial that has no result."""

Measured = Literal["duration", "failed", "infeasible"]
"""What can be explained in place of the objective: how long trials took, which failed or broke a
constraint."""

PARETO_RANK, TRADE_OFF = "pareto_rank", "trade-off"
TOGETHER = (PARETO_RANK, TRADE_OFF)
"""What is asked of the beliefs of several objectives: which share of the space dominates a
configuration, and what matters as weight moves from one of two to the other."""

Estimator = Literal["auto", "exact", "kernel", "sampling"]
"""How Shapley values are computed."""

SamplingError = Literal["pairs", "efficiency"]
"""The error of sampled Shapley values: of differences of two, or of their sum (Algorithm 4)."""

Game = Literal["tunability", "mistunability", "sensitivity", "optimizer_bias"]
"""What is asked of sets of hyperparameters around a default."""

Over = Literal["mean", "min", "max"]
"""How the values of several runs become one."""

EffectKind = Literal["partial", "accumulated"]
"""An effect: averaged over all combinations, or accumulated along the configurations tried."""

Variance = Literal["average", "covariance"]
"""The variance of a partial dependence: the average (Eq. 5), or that of the average (Eq. 4)."""

Split = Literal["l2", "std", "area", "variance", "mean", "interaction"]
"""The criterion by which regions are found: of similar uncertainty, mean or shape of the effect."""

Readable = Literal["linear", "tree"]
"""The model of LIME."""

LimeSampling = Literal["uniform", "local"]
"""Where LIME fits it: the whole space, around x, near what was tried, values tried, a grid."""

KINDS: tuple[str, ...] = get_args(Kind)
CRITERIA: tuple[str, ...] = get_args(Criterion)
TRIALS: tuple[str, ...] = get_args(WhichTrial)
STATES: tuple[str, ...] = get_args(State)
MEASURED: tuple[str, ...] = get_args(Measured)
ESTIMATORS: tuple[str, ...] = get_args(Estimator)
SAMPLING_ERRORS: tuple[str, ...] = get_args(SamplingError)
GAMES: tuple[str, ...] = get_args(Game)
OVER: tuple[str, ...] = get_args(Over)
EFFECTS: tuple[str, ...] = get_args(EffectKind)
VARIANCES: tuple[str, ...] = get_args(Variance)
SPLITS: tuple[str, ...] = get_args(Split)
READABLE: tuple[str, ...] = get_args(Readable)
LIME_SAMPLINGS: tuple[str, ...] = get_args(LimeSampling)
