"""What is explained around a configuration: the predicted objective, or an acquisition function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hpo_explain.base import (
    Direction,
    Fact,
    InputError,
    Subject,
    as_facts,
    check_array,
    check_direction,
    check_option,
    sign_of,
)
from hpo_explain.base.options import CRITERIA
from hpo_explain.belief import Draws, OneFunction, Trust, as_draws
from hpo_explain.belief.trust import LEVELS
from hpo_explain.models import (
    Acquisition,
    SupportsAnotherModel,
    SupportsBoxes,
    Surrogate,
    SurrogateBased,
    mean_of,
)
from hpo_explain.models.own_model import as_surrogate, conforming
from hpo_explain.space import Array, SearchSpace


@dataclass(frozen=True, eq=False)
class PredictedObjective:
    """The surrogate's mean in the user's units as the one term of a Shapley game.

    It is not a utility: smaller is more desirable where the objective is minimized.
    """

    surrogate: Surrogate
    direction: Direction = "minimize"

    label = "predicted objective"
    term_names = ("mean",)

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the term receives."""
        return self.surrogate.space

    def terms(self, X: Array) -> dict[str, Array]:
        """Return ``mean``, (n,), at encoded rows (n, d)."""
        return {"mean": mean_of(self.surrogate, X)}

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the term at given predictions of the objective."""
        return {"mean": mean}


@dataclass(frozen=True, eq=False)
class Explained:
    """A function of configurations, in the units in which it is shown.

    Attributes
    ----------
    game : Acquisition
        Its terms: of an acquisition function, or the one of `PredictedObjective`.
    of_objective : bool
        Whether it is the predicted objective.
    direction : {"minimize", "maximize"}
        Which way its values are better.
    """

    game: Acquisition
    of_objective: bool
    direction: Direction

    @classmethod
    def of(cls, model: Surrogate | Acquisition, direction: Direction = "minimize") -> Explained:
        """Return what a surrogate or an acquisition predicts, with the direction that is better.

        Raises
        ------
        InputError
            If it is neither, or the direction is unknown.
        """
        check_direction(direction)
        if isinstance(model, PredictedObjective):
            return cls(model, True, model.direction)
        if isinstance(model, Acquisition):
            return cls(accepted_acquisition(model, "surrogate"), False, "maximize")
        if not isinstance(model, Surrogate):
            raise InputError(
                "surrogate",
                "must be a surrogate (.space and .predict) or an acquisition (.space, .label, "
                f".term_names and .terms), but was {model!r}",
                model,
                "Pass run.surrogate().",
            )
        return cls(PredictedObjective(accepted_surrogate(model), direction), True, direction)

    @property
    def space(self) -> SearchSpace:
        """The search space."""
        return self.game.space

    @property
    def surrogate(self) -> Surrogate | None:
        """The surrogate, where there is one."""
        return self.game.surrogate if isinstance(self.game, SurrogateBased) else None

    @property
    def acquisition(self) -> str:
        """The acquisition's name, empty for the objective."""
        return "" if self.of_objective else self.game.label

    @property
    def model(self) -> str:
        """The surrogate's label, empty where there is none."""
        surrogate = self.surrogate
        return "" if surrogate is None else getattr(surrogate, "label", "a model of yours")

    @property
    def trust(self) -> Trust | None:
        """How well the objective is known, where the belief is explained; else None."""
        return self.draws(seed=0).trust

    @property
    def objective_direction(self) -> Direction:
        """Which way the objective is better, whatever is explained."""
        return self.direction if self.of_objective else getattr(self.game, "direction", "minimize")

    def completed(self, subject: Subject | None) -> Subject:
        """Return what is explained, with what is known of the model; made where none is given.

        Raises
        ------
        InputError
            If the subject is of another space.
        """
        about = Subject(self.space, self.objective_direction) if subject is None else subject
        if about.space.names != self.space.names:
            raise InputError(
                "subject",
                f"is about {list(about.space.names)}, but the model has {list(self.space.names)}",
                about,
                "Give the subject of the model's own run.",
            )
        return replace(
            about,
            model=self.model,
            acquisition=self.acquisition,
            trust=self.trust,
            notes=as_facts([*getattr(self.surrogate, "notes", ()), *about.notes]),
        )

    @property
    def sign(self) -> float:
        """What makes a cost of a value: smaller is better."""
        return sign_of(self.direction)

    def __call__(self, X: Array) -> Array:
        """Return the values, (n,), at encoded rows (n, d)."""
        terms = self.game.terms(X)
        return np.asarray(sum(terms[name] for name in self.game.term_names))

    def draws(self, seed: int) -> Draws:
        """Return the functions that the surrogate of the objective allows, or the acquisition."""
        if not self.of_objective or self.surrogate is None:
            return OneFunction(self.space, self, self.direction, seed=seed)
        return as_draws(self.surrogate, self.direction, seed=seed)

    def by_tree(self, X: Array) -> Array | None:
        """Return the values of each tree, (n, trees); None without trees, or of an acquisition."""
        surrogate = self.surrogate
        if not self.of_objective or not isinstance(surrogate, SupportsBoxes):
            return None
        return surrogate.predict_trees(X)


def explained_of(
    model: Any, subject: Subject | None, direction: Direction
) -> tuple[Explained, Subject]:
    """Return what a model predicts, and the subject with all that is known of it."""
    explained = Explained.of(model, subject.direction if subject else direction)
    return explained, explained.completed(subject)


def subject_of_surrogate(
    model: Surrogate, direction: Direction, subject: Subject | None, argument: str = "forest"
) -> Subject:
    """Return what a surrogate of the objective explains, with what is known of the model.

    Raises
    ------
    InputError
        If the model is not a surrogate, the direction is unknown, or the subject is of another
        space.
    """
    if not isinstance(model, Surrogate):
        raise InputError(
            argument,
            f"must be a surrogate, but was {type(model).__name__}",
            model,
            "Wrap a forest of scikit-learn with hpo_explain.models.ForestSurrogate(space, forest).",
        )
    direction = check_direction(subject.direction if subject else direction)
    game = PredictedObjective(accepted_surrogate(model, argument), direction)
    return Explained(game, True, direction).completed(subject)


_PROBES = 3  # configurations at which it is asked
_HOW = "return finite mean and standard deviation, arrays of shape (n,), from predict(X)"
_PARTS = ("mean", "standard deviation")


def accepted_surrogate(
    surrogate: Any, argument: str = "surrogate", space: SearchSpace | None = None
) -> Surrogate:
    """Return a surrogate that has a space, and predicts as one; any model beside a space.

    Raises
    ------
    ValueError
        If it does not; the text says what is wrong.
    """
    if space is not None:
        surrogate = as_surrogate(surrogate, space, argument)
    space = _space(surrogate, argument, "a surrogate", "predict")
    accepted = conforming(surrogate)
    wrong = _wrong(accepted.predict(space.sample(_PROBES, seed=0)))
    if wrong:
        raise InputError(argument, f"must {_HOW}, but {wrong}", surrogate)
    return accepted


def accepted_criterion(acquisition: Any) -> None:
    """Raise InputError unless an acquisition function is given, or the name of one."""
    if isinstance(acquisition, str):
        check_option("acquisition", acquisition, CRITERIA)
    else:
        accepted_acquisition(acquisition)


def accepted_acquisition(acquisition: Any, argument: str = "acquisition") -> Acquisition:
    """Return an acquisition function that has a space and terms, on a surrogate that predicts.

    Raises
    ------
    ValueError
        If it does not; the text says what is wrong.
    """
    _space(acquisition, argument, "an acquisition function", "terms", "term_names")
    accepted: Acquisition = acquisition
    if isinstance(acquisition, SurrogateBased):
        own = acquisition.surrogate
        model = accepted_surrogate(own, f"surrogate of {argument}")
        if model is not own and isinstance(acquisition, SupportsAnotherModel):
            accepted = acquisition.through(model)
    return accepted


def _wrong(result: Any) -> str:
    """Say what is wrong with predictions; empty if nothing is."""
    if not isinstance(result, (tuple, list, np.ndarray)) or len(result) != len(_PARTS):
        return f"it returned {result!r} instead of the two"
    for name, part in zip(_PARTS, result, strict=True):
        values = check_array(f"the {name} that a surrogate predicts", part)
        if values.shape != (_PROBES,):
            return f"the {name} has shape {values.shape} for n = {_PROBES}"
        has_none = name == _PARTS[1] and np.isnan(values).all()
        if not has_none and not np.isfinite(values).all():
            return f"the {name} is {values[~np.isfinite(values)][0]} somewhere"
        if name == _PARTS[1] and (values < 0.0).any():
            return f"the {name} is negative somewhere"
    return ""


def _space(model: Any, argument: str, what: str, *members: str) -> SearchSpace:
    """Return the space of what was given, which must have other members too."""
    missing = [name for name in ("space", *members) if not hasattr(model, name)]
    space = getattr(model, "space", None)
    if missing or not isinstance(space, SearchSpace):
        lacks = f"has no {' and no '.join(missing)}" if missing else f"has {space!r} as its space"
        raise InputError(
            argument,
            f"must be {what}, with a SearchSpace as its `space`, but was {model!r}, which {lacks}",
            model,
            "Give space=run.space beside a model of your own; run.surrogate() gives a surrogate, "
            "and hpo_explain.models.LowerConfidenceBound(surrogate) an acquisition function.",
        )
    return space


def shared_subject(
    space: SearchSpace, subjects: Sequence[Subject], notes: tuple[Fact, ...] = ()
) -> Subject:
    """Return what several runs are about: trusted as far as the least trusted of them."""
    trusts = [subject.trust for subject in subjects if subject.trust is not None]
    worst = max(trusts, key=lambda trust: LEVELS.index(trust.level)) if trusts else None
    return replace(
        subjects[0],
        space=space,
        trial=None,
        model="",
        trust=worst,
        tried=np.empty((0, 0)),
        costs=np.empty(0),
        incumbent={},
        notes=notes,
    )
