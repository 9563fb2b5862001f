"""What is known of a metric by its name: which way it is better, and its natural range."""

from __future__ import annotations

import math
import re

import numpy as np

from hpo_explain.base import Direction, InputError, check_array
from hpo_explain.space import Array


def _names(text: str) -> frozenset[str]:
    """Return names that are separated by blanks."""
    return frozenset(text.split())


_OF_WHAT = _names("""
    train training val valid validation test eval dev holdout cv oob mean
    avg average best final last min max total epoch fold top1 top5 weighted
    macro micro balanced score in s ms sec secs seconds
    """)
_SHARES = _names("""
    acc accuracy auc auroc auprc roc_auc pr_auc precision recall f1 jaccard
    iou dice sensitivity specificity error_rate probability_of_failure
    probability_of_infeasibility
    """)
_AT_LEAST_0 = _names("""
    rmse mse mae mape rmsle msle squared_error absolute_error
    root_squared_error absolute_percentage_error log_loss logloss
    cross_entropy duration runtime latency walltime
    """)
_CORRELATIONS = _names("mcc matthews_corrcoef cohen_kappa kappa")
_EXPLAINED = _names("r2 explained_variance")
_RANGES = {
    **dict.fromkeys(_EXPLAINED, (-math.inf, 1.0)),
    **dict.fromkeys(_CORRELATIONS, (-1.0, 1.0)),
    **dict.fromkeys(_names("perplexity ppl"), (1.0, math.inf)),
    **dict.fromkeys(_AT_LEAST_0, (0.0, math.inf)),
}
_SMALLER_SHARES = _names("error_rate probability_of_failure probability_of_infeasibility")
_LARGER = {
    *(_SHARES - _SMALLER_SHARES),
    *_EXPLAINED,
    *_CORRELATIONS,
    *_names("""
    reward bleu rouge throughput auc_roc likelihood psnr ssim ndcg mrr sharpe
    sharpe_ratio sortino sortino_ratio profit pnl fps ap map rewards
    accuracies
    """),
}
_SMALLER = _names("""
    loss error err error_rate cost regret nll rmse mse mae mape rmsle msle
    logloss cross_entropy perplexity ppl duration runtime latency walltime
    elapsed wer cer fid brier deviance flops macs losses errors costs
    """)
_RATHER_LARGER = _names("""
    score scores fitness target return returns gain utility performance
    success
    """)
_OF_SKLEARN = re.compile(r"(mean|split\d+)_(test|train)_score")
_TURNED = re.compile(r"\b1\s*-|one_minus|inv", re.IGNORECASE)
_SAID_LARGER = re.compile(
    r"(?<![a-z])(maximi[sz]e|maximi[sz]ed|maximi[sz]ing)(?![a-z])"
    r"|[↑⬆]|(higher|larger|greater|bigger)[ _-](is|=)?[ _-]?better|\(max\)",
    re.IGNORECASE,
)
_SAID_SMALLER = re.compile(
    r"(?<![a-z])(minimi[sz]e|minimi[sz]ed|minimi[sz]ing)(?![a-z])"
    r"|[↓⬇]|(lower|smaller|less)[ _-](is|=)?[ _-]?better|\(min\)",
    re.IGNORECASE,
)


def range_in_words(low: float, high: float) -> str:
    """Return what is said of a metric with a range: "is at least 0", "lies between 0 and 1"."""
    if math.isinf(high):
        return f"is at least {low:g}"
    if math.isinf(low):
        return f"is at most {high:g}"
    return f"lies between {low:g} and {high:g}"


def check_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    """Return an objective's natural range as two ascending numbers.

    Raises
    ------
    InputError
        If it is none.
    """
    ends = check_array("bounds", bounds)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        problem = f"must be two ascending numbers, but was {bounds!r}"
        remedy = "Give (low, high), such as (0, 1)."
        raise InputError("bounds", problem, bounds, remedy)
    return float(ends[0]), float(ends[1])


def bounds_of(name: str, objective: Array) -> tuple[float, float] | None:
    """Return a metric's natural range by its name; None where that does not say, or is wrong.

    Examples
    --------
    >>> bounds_of("val_accuracy", np.array([0.9])), bounds_of("accuracy", np.array([87.5]))
    ((0.0, 1.0), (0.0, 100.0))
    >>> bounds_of("neg_mean_squared_error", np.array([-2.0])), bounds_of("loss", np.array([1.0]))
    ((-inf, 0.0), None)
    """
    words, own = _words(name)
    key = "_".join(own)
    if key in _SHARES:
        in_percent = np.max(objective, initial=0.0) > 1.0
        low = 0.0
        high = 100.0 if in_percent else 1.0
    elif key in _RANGES:
        low, high = _RANGES[key]
    else:
        return None
    if "neg" in words:
        low, high = -high, 0.0 - low
    inside = bool(((objective >= low) & (objective <= high)).all())
    return (low, high) if inside else None


def direction_of(name: str) -> Direction | None:
    """Return which way a metric is better by its name, or by the last word of it; None if unknown.

    A name that says it in words or by an arrow is believed.

    Examples
    --------
    >>> [direction_of(name) for name in ("speed (maximize)", "params ↓", "lower_is_better")]
    ['maximize', 'minimize', 'minimize']
    >>> [direction_of(name) for name in ("val_accuracy", "trainLoss", "neg_log_loss", "y")]
    ['maximize', 'minimize', 'maximize', None]
    """
    said = said_direction(name)
    if said is not None:
        return said
    if _OF_SKLEARN.fullmatch(name):
        return "maximize"
    words, own = _words(name)
    metric = {"_".join(own), *own[-1:]}
    larger = bool(metric & _LARGER)
    smaller = bool(metric & _SMALLER)
    if larger == smaller or _TURNED.search(name):
        return None
    return "maximize" if larger != ("neg" in words) else "minimize"


def said_direction(name: str) -> Direction | None:
    """Return which way is better where a name says so in words or by an arrow.

    Examples
    --------
    >>> said_direction("speed (maximize)"), said_direction("FLOPs ↓"), said_direction("loss")
    ('maximize', 'minimize', None)
    """
    larger = _SAID_LARGER.search(name) is not None
    smaller = _SAID_SMALLER.search(name) is not None
    if larger == smaller:
        return None
    return "maximize" if larger else "minimize"


def likelier_direction(name: str) -> Direction:
    """Return which way is more often better for such a name: proposed to users, never assumed.

    Examples
    --------
    >>> likelier_direction("score"), likelier_direction("y"), likelier_direction("val_acc")
    ('maximize', 'minimize', 'maximize')
    """
    direction = direction_of(name)
    if direction is not None:
        return direction
    words, _ = _words(name)
    if _TURNED.search(name) or not _RATHER_LARGER.intersection(words):
        return "minimize"
    return "maximize"


def _words(name: str) -> tuple[list[str], list[str]]:
    """Return the words of a name, and those that say what it is a metric of."""
    words = [
        word.lower()
        for word in re.findall(r"[A-Z]{2,}s(?![a-z])|[A-Z]?[a-z]+\d?|[A-Z]+(?![a-z])\d?", name)
    ]
    negated = name.lstrip().startswith("-") or "negative" in words
    words = ["neg"] * negated + [word for word in words if word != "negative"]
    return words, [word for word in words if word not in {*_OF_WHAT, "neg"}]
