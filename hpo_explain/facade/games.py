"""What tuning can gain over a default, and what else hyperparameters can do to it (HyperSHAP)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base.checks import check_fraction, check_option, check_sequence
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import OVER, InteractionIndex, Kind, Over
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers._shared_games import shared_game, shared_players
from hpo_explain.explainers.games import GameExplainer
from hpo_explain.explanations.games import Game, GameExplanation
from hpo_explain.facade._asked import (
    config_of,
    default_source,
    read,
    read_one,
    surrogate_of,
    trial_of,
)
from hpo_explain.facade.comparison import compare, several_runs
from hpo_explain.run import Run
from hpo_explain.space import Config, Shared


@shows_progress
def tunability(
    run: Any,
    default: Config | int | None = None,
    *,
    over: Over | float = "mean",
    index: InteractionIndex = "k-SII",
    order: int = 2,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> GameExplanation:
    """Say what tuning each set of hyperparameters gains over a default, by the surrogate.

    The best values of every set are searched for on the surrogate while the others stay at the
    default; the model's uncertainty of what they gain comes with them.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run; or several of the same space, such as those of several data sets, as
        a dict by name. Then the value of each set is that over the runs.
    default : dict or int, optional
        The default: a configuration, or the number of a trial. By default the first trial; where
        that is the incumbent, the trial in the middle of the ranking. Of several runs a
        configuration, by default that which :func:`compare` finds to be good in all.
    over : {"mean", "min", "max"} or float, default "mean"
        How the values of several runs become one: what a set gains on average, at least (in every
        run) or at most (in some run); a number between 0 and 1 is their quantile. Of losses, which
        are gains below 0, "min" is the largest. They are in the units of the objective, so that a
        run in which it varies more counts more.
    index : {"k-SII", "STII", "FSII"}, default "k-SII"
        How what hyperparameters do together is shared out, as in :func:`shapley_interactions`.
    order : int, default 2
        The size of the largest sets.
    before, kind, surrogate, seed
        As in :func:`ablation`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    GameExplanation
        ``gain("lr", "depth")`` is what tuning these two gains, ``configuration("lr", "depth")``
        with which values; ``total`` shares the gain of all among single ones and sets.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, or
        an option is not allowed.

    References
    ----------
    .. [1] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.tunability(table, {"x": 0.9}, objective="loss").configuration("x")
    {'x': 0.1}
    """
    asked = _Asked(
        tunability, default, over, index, order, before, kind, surrogate, draws, seed, reading
    )
    return asked.play("tunability", run)


@shows_progress
def mistunability(
    run: Any,
    default: Config | int | None = None,
    *,
    over: Over | float = "mean",
    index: InteractionIndex = "k-SII",
    order: int = 2,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> GameExplanation:
    """Say what the worst values of each set of hyperparameters lose against a default.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run, or several by name, as in :func:`tunability`.
    default, over, index, order, before, kind, surrogate, seed
        As in :func:`tunability`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    GameExplanation
        Gains below 0: ``gain("lr")`` is that of the worst value of lr.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, or
        an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.mistunability(table, {"x": 0.1}, objective="loss").configuration("x")
    {'x': 0.9}
    """
    asked = _Asked(
        mistunability, default, over, index, order, before, kind, surrogate, draws, seed, reading
    )
    return asked.play("mistunability", run)


@shows_progress
def sensitivity(
    run: Any,
    default: Config | int | None = None,
    *,
    over: Over | float = "mean",
    index: InteractionIndex = "k-SII",
    order: int = 2,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> GameExplanation:
    """Say how much the prediction varies with each set of hyperparameters around a default.

    The variance is that over the space's measure, the other hyperparameters are at the default:
    other than in :func:`importance`, which averages over them.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run, or several by name, as in :func:`tunability`.
    default, over, index, order, before, kind, surrogate, seed
        As in :func:`tunability`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    GameExplanation
        Variances, in squared units of the objective.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, or
        an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.sensitivity(table, objective="loss")
    >>> bool(found.gain("x") == found.whole > 0.0)
    True
    """
    asked = _Asked(
        sensitivity, default, over, index, order, before, kind, surrogate, draws, seed, reading
    )
    return asked.play("sensitivity", run)


@shows_progress
def optimizer_bias(
    run: Any,
    default: Config | int | None = None,
    *,
    over: Over | float = "mean",
    ensemble: Sequence[Any] = (),
    index: InteractionIndex = "k-SII",
    order: int = 2,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> GameExplanation:
    """Say in which hyperparameters the tried values miss what could have been gained.

    The values of a set of hyperparameters that the run tried, put into a default, are compared with
    the best values that the surrogate predicts, or with those that an ensemble of other runs tried.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run, of whose optimizer this is about, or several by name.
    default, over
        As in :func:`tunability`.
    ensemble : sequence of runs, default ()
        Other optimizers' runs in the same space: Runs, or whatever is read as `run` is. By default
        the reference is the best that the surrogate predicts.
    index, order, before, kind, surrogate, seed
        As in :func:`tunability`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    GameExplanation
        Gains below 0: ``gain("lr")`` is what the tried values of lr miss, by themselves.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, a
        run of the ensemble has another space, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.optimizer_bias(table, 1, objective="loss").whole <= 0.0
    True
    """
    given = check_sequence("ensemble", ensemble, "runs")
    asked = _Asked(
        optimizer_bias, default, over, index, order, before, kind, surrogate, draws, seed, reading
    )
    if isinstance(run, Mapping) and given:
        problem = "was given with several runs, of which each would need its own"
        raise InputError("ensemble", problem, ensemble, "Ask for one run at a time.")
    if isinstance(run, Mapping):
        return asked.play("optimizer_bias", run, fact("games_of_model"))
    run = read(optimizer_bias, run, reading, surrogate, kind)
    others = [
        read_one(optimizer_bias, "ensemble", "has a run that cannot be read: ", other, reading)
        for other in given
    ]
    for other in others:
        if other.space.names != run.space.names:
            problem = f"has a run of {list(other.space.names)}, not of {list(run.space.names)}"
            raise InputError("ensemble", problem, ensemble, "Give runs in the same space.")
    note = fact("games_of_others", runs=len(others)) if others else fact("games_of_model")
    explainer, config, trial = asked.of(run, note)
    tried = [run.space.encode(other.space.decode(np.asarray(other.X))) for other in others]
    return explainer.optimizer_bias(config, tried, trial=trial)


@dataclass(frozen=True)
class _Asked:
    """What a game was asked for with, and by which function."""

    by: Callable[..., Any]
    default: Config | int | None
    over: Over | float
    index: InteractionIndex
    order: int
    before: int | None
    kind: Kind
    surrogate: Any
    draws: int | None
    seed: int
    reading: Mapping[str, Any]

    def __post_init__(self) -> None:
        if isinstance(self.over, str):
            check_option("over", self.over, OVER)
        else:
            check_fraction("over", self.over)

    def play(self, game: Game, run: Any, *notes: Fact) -> GameExplanation:
        """Return a game of a run, or of several."""
        if isinstance(run, Mapping):
            return self._of_several(game, run, notes)
        single = read(self.by, run, self.reading, self.surrogate, self.kind)
        explainer, config, trial = self.of(single, *notes)
        found: GameExplanation = getattr(explainer, game)(config, trial=trial)
        return found

    def of(self, run: Run, *notes: Fact) -> tuple[GameExplainer, Config, int | None]:
        """Return the explainer of a run, the default, and the trial that it is."""
        if self.over != "mean":
            problem = f"was {self.over!r}, but there is a single run"
            raise InputError("over", problem, self.over, "Leave it out, or give a dict of runs.")
        default = self.default
        if default is None:
            default = default_source(run, run.incumbent)
            notes = (fact("default_chosen", trials=[default]), *notes)
        explainer = self._explainer(run, notes)
        return explainer, config_of(run, "default", default), trial_of(run, default)

    def _explainer(
        self,
        run: Run,
        notes: tuple[Fact, ...],
        players: list[list[int]] | None = None,
        own: int = 0,
    ) -> GameExplainer:
        model, about = surrogate_of(run, self.before, self.kind, self.seed)
        return GameExplainer(
            model,
            index=self.index,
            order=self.order,
            subject=Subject.of(run, draws=self.draws, notes=(*notes, *about)),
            players=players,
            seed=self.seed + own,
        )

    def _of_several(
        self, game: Game, runs: Mapping[str, Any], notes: tuple[Fact, ...]
    ) -> GameExplanation:
        for name, value in (("before", self.before), ("surrogate", self.surrogate)):
            if value is not None:
                problem = "was given with several runs, of which each has its own"
                raise InputError(name, problem, value, "Ask for one run at a time.")
        read = several_runs(self.by, "run", runs, self.reading, self.seed)
        first = next(iter(read.values()))
        if not Shared.of([run.space for run in read.values()]).same:
            names = {name: list(run.space.names) for name, run in read.items()}
            problem = "are not of the same search space"
            raise InputError("run", problem, names, "Compare them with hx.compare.")
        if len({run.direction for run in read.values()}) > 1:
            directions = {name: run.direction for name, run in read.items()}
            raise InputError("run", "are not of the same direction", directions)
        default = self.default
        if default is None:
            default = compare(read, kind=self.kind, seed=self.seed).default.configuration
            notes = (fact("default_of_all"), *notes)
        config = config_of(first, "default", default)
        players = shared_players(
            {name: self._explainer(run, notes) for name, run in read.items()}, config
        )
        games: dict[str, GameExplanation] = {}
        for i, (name, run) in enumerate(read.items()):
            # another seed for each, so that functions drawn are independent
            games[name] = getattr(self._explainer(run, notes, players, i), game)(config)
        return shared_game(games, self.over)
