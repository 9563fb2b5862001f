"""Ways to go on after the first trials: as before, as advised, or in a space narrowed at random."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np
import optuna

import hpo_explain as hx
from hpo_explain.methods.advice.advise_result import Advice, changed_to
from hpo_explain.space import Parameter
from regret.problems import Config, Problem, problem_of

ARMS = ("as before", "first advice", "all advice", "asked again", "random narrowing")
AGAIN = 5  # trials after which advice is asked for again
OPTIMIZERS = ("tpe", "gp")
TRUE = "true"


@dataclass(frozen=True)
class Setting:
    """What is run: a problem, an optimizer, a seed, and how many trials before and after advice."""

    problem: str
    optimizer: str
    seed: int
    trials: int = 40
    more: int = 40


@dataclass(frozen=True, eq=False)
class Continued:
    """How a run went on.

    Attributes
    ----------
    arm : str
        Which way it went on.
    actions : str
        The kinds of the actions that were followed.
    volume : float
        The share of the space in which it went on, hyperparameters kept fixed left out.
    seconds : float
        Processor time of all advice.
    values : ndarray of shape (trials + more + 1,)
        The value without noise of the best observed trial after so many trials.
    """

    arm: str
    actions: str
    volume: float
    seconds: float
    values: np.ndarray


class Objective:
    """A problem as Optuna's objective: what is observed, and on the trial the value without noise.

    Its noise depends on the seed alone.
    """

    def __init__(self, problem: Problem, seed: int) -> None:
        self._problem = problem
        self._rng = np.random.default_rng(seed)

    def __call__(self, trial: optuna.Trial) -> float:
        """Return what is observed."""
        value = self._problem.value(suggested(trial, self._problem.space))
        trial.set_user_attr(TRUE, value)
        return value + self._problem.noise * float(self._rng.standard_normal())


def suggested(trial: optuna.Trial, space: hx.SearchSpace) -> Config:
    """Return the values that a trial is given, in the order of the space."""
    config: dict[str, Any] = {}
    for j in space.parents_first:
        p = space.parameters[j]
        if any(config.get(name) not in values for name, values in (p.active_when or {}).items()):
            continue
        if isinstance(p, hx.CategoricalParameter):
            config[p.name] = trial.suggest_categorical(p.name, p.choices)
        elif isinstance(p, hx.IntParameter):
            config[p.name] = trial.suggest_int(p.name, p.low, p.high, log=p.log)
        else:
            config[p.name] = trial.suggest_float(p.name, p.low, p.high, log=p.log)
    return {name: config[name] for name in space.names if name in config}


def sampler_of(optimizer: str, seed: int) -> optuna.samplers.BaseSampler:
    """Return an optimizer."""
    if optimizer == "tpe":
        return optuna.samplers.TPESampler(seed=seed)
    return optuna.samplers.GPSampler(seed=seed)


def continued(setting: Setting, arms: tuple[str, ...] = ARMS) -> Iterator[Continued]:
    """Go on with one run in several ways, with the same seeds."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem, seed = problem_of(setting.problem), setting.seed
    first = optuna.create_study(sampler=sampler_of(setting.optimizer, seed))
    first.optimize(Objective(problem, seed), n_trials=setting.trials)
    advice, seconds = _advised(first, problem, problem.space)
    known: dict[str, tuple[list[Advice], float, np.ndarray]] = {}
    for arm in arms:
        followed = _followed(advice, arm, seed)
        every = AGAIN if arm == "asked again" else setting.more
        what = f"{_what(followed)} {every}"
        if what not in known:  # with the same seeds the same would come out
            study = optuna.create_study(sampler=sampler_of(setting.optimizer, seed + 1000))
            study.add_trials(first.trials)
            known[what] = _gone_on(study, problem, seed + 1000, followed, setting.more, every)
        all_followed, more_seconds, values = known[what]
        yield Continued(
            arm,
            ", ".join("+".join(action.kind for action in one.actions) for one in all_followed),
            1.0 if followed is None else volume(problem.space, changed_by(followed)),
            seconds + more_seconds,
            values,
        )


def _gone_on(
    study: optuna.Study, problem: Problem, seed: int, advice: Advice | None, more: int, every: int
) -> tuple[list[Advice], float, np.ndarray]:
    """Go on with a study; return the advice that was followed, its time, and the best values."""
    objective, space = Objective(problem, seed), problem.space
    followed, seconds = [], 0.0
    for start in range(0, more, every):
        if start and advice is not None:
            space = _wider(space, advice)
            advice, took = _advised(study, problem, space)
            seconds += took
        if advice is not None:
            followed.append(advice)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if advice is not None and _what(advice) != _what(None):
                study = advice.apply(study)
            study.optimize(objective, n_trials=min(every, more - start))
    return followed, seconds, best_so_far(study.trials)


def _advised(study: optuna.Study, problem: Problem, space: hx.SearchSpace) -> tuple[Advice, float]:
    """Return the advice on a study, without what the problem does not allow, and its time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = process_time()
        advice = hx.advise(hx.from_optuna(study, space=space))
        seconds = process_time() - start
    if not problem.wider:  # "if such values are allowed"
        advice = advice.only([a for a in advice.actions if a.kind != "widen"])
    return advice, seconds


def _wider(space: hx.SearchSpace, advice: Advice) -> hx.SearchSpace:
    """Return the space that the trials lie in: with the wider ranges advised."""
    wider = [a for a in advice.actions if a.kind == "widen"]
    changed = {p.name: p for action in wider for p in action.parameters}
    return hx.SearchSpace([changed.get(p.name, p) for p in space])


def best_so_far(trials: list[optuna.trial.FrozenTrial]) -> np.ndarray:
    """Return the value without noise of the best observed trial, by finished trial, (n,)."""
    best, value, found = np.inf, np.nan, []
    for trial in trials:
        if not trial.state.is_finished():
            continue  # enqueued, but there were not as many trials
        if trial.value < best:
            best, value = trial.value, trial.user_attrs[TRUE]
        found.append(value)
    return np.array(found)


# ---------------------------------------------------------------------- what is followed


def _followed(advice: Advice, arm: str, seed: int) -> Advice | None:
    if arm == "as before":
        return None
    if arm == "first advice":
        return advice.only("first")
    if arm in ("all advice", "asked again"):
        return advice
    narrower = narrowed_at_random(advice.subject, changed_by(advice), seed)
    return replace(advice, actions=(changed_to("narrow", narrower),) if narrower else ())


def _what(advice: Advice | None) -> str:
    """Return what is done otherwise than before: two that are the same go on in the same way."""
    if advice is None:
        return repr(([], []))
    configurations = [
        dict(config)
        for action in advice.actions
        for config in action.configurations
        for _ in range(action.times)
    ]
    return repr((changed_by(advice), configurations))


def changed_by(advice: Advice) -> list[Parameter]:
    """Return the hyperparameters that are searched otherwise after all actions of an advice."""
    return [*{p.name: p for action in advice.actions for p in action.parameters}.values()]


def extents(whole: hx.SearchSpace, changed: Sequence[Parameter]) -> dict[str, float]:
    """Return the share of each hyperparameter that is kept: 0 if fixed, 1 if unchanged or wider."""
    found = dict.fromkeys(whole.names, 1.0)
    for new in changed:
        old = whole[new.name]
        if isinstance(old, hx.CategoricalParameter):
            found[new.name] = (len(new.choices) - 1) / (len(old.choices) - 1)
        else:
            low, high = np.clip(_encoded(old, [new.low, new.high]), 0.0, 1.0)
            found[new.name] = float(high - low)
    return found


def volume(whole: hx.SearchSpace, changed: Sequence[Parameter]) -> float:
    """Return the share of a space that is kept; hyperparameters kept at one value do not count."""
    shares = []
    for new in changed:
        if isinstance(new, hx.CategoricalParameter):
            shares.append(len(new.choices) / len(whole[new.name].choices))
        else:
            shares.append(extents(whole, changed)[new.name] or 1.0)
    return float(np.prod(shares))


def narrowed_at_random(
    subject: hx.Subject, changed: Sequence[Parameter], seed: int
) -> list[Parameter]:
    """Return as much of the space as some hyperparameters keep, chosen at random.

    The extents that are kept of numbers are dealt out anew, and so are those of categories with as
    many choices. Each is placed at random, with the incumbent's value inside.
    """
    rng = np.random.default_rng(seed)
    shares = extents(subject.space, changed)
    kinds: dict[int, list[str]] = {}
    for p in subject.space:
        kind = len(p.choices) if isinstance(p, hx.CategoricalParameter) else 0
        kinds.setdefault(kind, []).append(p.name)
    dealt = {
        name: shares[other]
        for names in kinds.values()
        for name, other in zip(names, rng.permutation(names), strict=True)
    }
    return [
        _around(subject.space[name], subject.incumbent[name], share, rng)
        for name, share in dealt.items()
        if share < 1.0 and name in subject.incumbent
    ]


def _around(old: Parameter, value: Any, share: float, rng: np.random.Generator) -> Parameter:
    if isinstance(old, hx.CategoricalParameter):
        others = [choice for choice in old.choices if choice != value]
        kept = [*rng.permutation(len(others))[: round(share * len(others))]]
        left = [value, *(others[i] for i in kept)]
        return replace(old, choices=[choice for choice in old.choices if choice in left])
    at = float(_encoded(old, [value])[0])
    start = rng.uniform(max(at - share, 0.0), min(at, 1.0 - share))
    low, high = old.decode(np.clip([start, start + share], 0.0, 1.0))
    return replace(old, low=min(low, value), high=max(high, value))


def _encoded(parameter: Parameter, values: list[Any]) -> np.ndarray:
    """Return positions on a hyperparameter's scale, beyond [0, 1] where it is wider."""
    ends = np.array([parameter.low, parameter.high, *values], dtype=float)
    low, high, *found = np.log(ends) if parameter.log else ends
    return (np.array(found) - low) / (high - low)
