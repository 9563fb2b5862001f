"""A model of the user's as a surrogate: any object or function that predicts."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from hpo_explain.base import InputError, check_array
from hpo_explain.models.columns import ValueColumns
from hpo_explain.models.forest import VARIANCE_CRITERIA, ForestSurrogate
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import Surrogate, std_from_variance
from hpo_explain.space import Array, Ints, SearchSpace

_PROBES = 3  # configurations at which it is asked
_FIT = (
    "Fit it on run.X and run.objective, or give hpo_explain.models.ModelSurrogate(run.space, "
    "model, columns=...), with the function from encoded rows to what it was fitted on."
)


class ModelSurrogate:
    """Any fitted object with a method ``predict``, or any function, as a surrogate.

    Parameters
    ----------
    space : SearchSpace
        The space of the encoded rows.
    model : object
        What predicts, in the objective's units, by its method ``predict`` or when it is called:
        ``predict(X)`` returns the mean and the standard
        deviation, each (n,); or, where it has a parameter ``return_std``, does so with
        ``return_std=True``; or it returns the mean alone, and the standard deviation is NaN: it has
        none.
    columns : callable, optional
        Function from encoded rows (n, d) to what the model was fitted on; by default the encoded
        rows themselves, where inactive hyperparameters are NaN.
    negated : bool, default False
        Whether the model was fitted on the negated objective, as by an optimizer that only
        maximizes.
    label : str, default ""
        What it is called; by default after its class, as in "your SVR".

    Raises
    ------
    ValueError
        If `model` neither has a method ``predict`` nor is a function.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import BayesianRidge
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import ModelSurrogate
    >>> space = SearchSpace([FloatParameter("x", 0.0, 10.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = ModelSurrogate(space, BayesianRidge().fit(X, 3.0 + X[:, 0]))
    >>> mean, std = surrogate.predict(space.encode([{"x": 5.0}]))
    >>> mean.round(2).tolist(), surrogate.has_std
    ([3.5], True)
    """

    def __init__(
        self,
        space: SearchSpace,
        model: Any,
        *,
        columns: Callable[[Array], Any] | None = None,
        negated: bool = False,
        label: str = "",
    ) -> None:
        if not can_predict(model):
            problem = f"must have a method predict or be a function, but was {model!r}"
            raise InputError("model", problem, model, "Give a fitted model.")
        self._space = space
        self._model = model
        self._columns = columns
        self._sign = -1.0 if negated else 1.0
        self.label = label or f"your {type(model).__name__}"

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the model receives."""
        return self._space

    @property
    def model(self) -> Any:
        """The model."""
        return self._model

    @property
    def has_std(self) -> bool:
        """Whether the model says how uncertain it is."""
        return isinstance(self._predicted(self._space.sample(_PROBES, seed=0)), tuple)

    @property
    def std_with_noise(self) -> bool:
        """Whether the model says that its standard deviation includes observation noise."""
        return bool(getattr(self._model, "std_with_noise", False))

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Return mean and standard deviation, each (n,), at encoded rows (n, d).

        The standard deviation is NaN where the model has none.
        """
        mean, std = _as_arrays(self._predicted(X))
        return self._sign * mean, std

    def _predicted(self, X: Array) -> Any:
        """Return what the model predicts: a tuple of two, or the mean."""
        return _predicted_by(self._model, self._columns_of(X))

    def _columns_of(self, X: Array) -> Any:
        """Return what the model was fitted on, of encoded rows."""
        rows = self._space.check_rows("X", X)
        return rows if self._columns is None else self._columns(rows)


class _OfPosterior(ModelSurrogate):
    """A model with a method ``posterior``, which takes a tensor of rows, as a surrogate.

    Its posterior has a mean, a variance, and the covariance of a normal distribution, all without
    observation noise. The parameters are those of :class:`ModelSurrogate`. A model of BoTorch is
    usually fitted on the negated objective where less is better: `negated` says so.
    """

    def _predicted(self, X: Array) -> Any:
        posterior = self._posterior(X)
        return _flat(posterior.mean), std_from_variance(_flat(posterior.variance))

    def posterior_covariance(self, X: Array) -> Array:
        """Return the (n, n) posterior covariance at encoded rows (n, d), noise excluded."""
        posterior = self._posterior(X)
        normal = getattr(posterior, "distribution", posterior)
        return np.asarray(normal.covariance_matrix.detach().cpu().numpy(), dtype=float)

    def covariance_with(self, X: Array, others: Array) -> Array:
        """Return the (n, m) posterior covariance of encoded rows with others, noise excluded."""
        n = len(X)
        return self.posterior_covariance(np.concatenate([X, others]))[:n, n:]

    def std_of_mean(self, X: Array, members: Ints, values: Array) -> Array:
        """Return the posterior standard deviation of the mean over rows, (G,)."""
        variances = []
        for value in values:
            rows = np.array(X)
            rows[:, members] = value
            variances.append(self.posterior_covariance(rows).mean())
        return std_from_variance(np.array(variances))

    def _posterior(self, X: Array) -> Any:
        of_model = next(iter(self._model.parameters()))
        return self._model.posterior(of_model.new_tensor(self._columns_of(X)))


def _flat(tensor: Any) -> Array:
    return np.asarray(tensor.detach().cpu().numpy(), dtype=float).reshape(-1)


def can_predict(model: Any) -> bool:
    """Say whether an object predicts in one of the ways that are understood; a class does not."""
    ways = (getattr(model, "predict", None), getattr(model, "posterior", None), model)
    return not isinstance(model, type) and any(map(callable, ways))


def mean_and_std(surrogate: Surrogate, X: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation, each (n,), whatever form they are predicted in.

    As :class:`ModelSurrogate` reads them: lists count as arrays, ``return_std`` is passed where
    there is one, and the standard deviation is NaN where the model has none.

    Parameters
    ----------
    surrogate : Surrogate
        The model.
    X : ndarray of shape (n, d)
        Encoded rows.

    Examples
    --------
    >>> import numpy as np
    >>> class Mean:
    ...     def predict(self, X):
    ...         return [row[0] for row in X]
    >>> mean, std = mean_and_std(Mean(), np.array([[0.25], [0.75]]))
    >>> mean.tolist(), std.tolist()
    ([0.25, 0.75], [nan, nan])
    """
    return _as_arrays(_predicted_by(surrogate, check_array("X", X)))


def conforming(surrogate: Surrogate) -> Surrogate:
    """Return a surrogate that predicts two arrays: itself, or read as a `ModelSurrogate`.

    One whose predictions are neither stays as it is.

    Parameters
    ----------
    surrogate : Surrogate
        A model with a space.
    """
    rows = surrogate.space.sample(_PROBES, seed=0)
    if not _takes_std(surrogate.predict):
        predicted = surrogate.predict(rows)
        pair = isinstance(predicted, (tuple, list, np.ndarray))
        if pair and len(predicted) == 2 and all(map(_is_row, predicted)):
            return surrogate
    read = ModelSurrogate(surrogate.space, surrogate)
    try:
        predicted = read.predict(rows)
    except (TypeError, ValueError):  # whoever checks it says what is wrong
        return surrogate
    is_read = all(one.shape == (_PROBES,) for one in predicted)
    return read if is_read else surrogate


def _is_row(values: Any) -> bool:
    """Say whether values are an array of one axis."""
    return isinstance(values, np.ndarray) and values.ndim == 1


def _predicted_by(model: Any, columns: Any) -> Any:
    """Return what a model predicts: a tuple of mean and standard deviation, or the mean."""
    predict = getattr(model, "predict", model)
    options = {"return_std": True} if _takes_std(predict) else {}
    predicted = predict(columns, **options)
    is_pair = isinstance(predicted, (tuple, list)) and len(predicted) == 2
    # two numbers are the means of two rows
    if is_pair and np.ndim(predicted[0]) > 0:
        return tuple(predicted)
    return predicted


def _as_arrays(predicted: Any) -> tuple[Array, Array]:
    """Return mean and standard deviation, each (n,), of what a model predicted."""
    if isinstance(predicted, tuple):
        mean, std = predicted
        return _column(mean), _column(std)
    mean = _column(predicted)
    return mean, np.full_like(mean, np.nan)


def _column(values: Any) -> Array:
    """Return values as (n,) numbers; models of several outputs have (n, 1)."""
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        return numbers[:, 0]
    return numbers


def _takes_std(predict: Callable[..., Any]) -> bool:
    try:
        return "return_std" in inspect.signature(predict).parameters
    except (TypeError, ValueError):  # it is not written in Python
        return False


def as_surrogate(model: Any, space: SearchSpace, argument: str = "surrogate") -> Surrogate:
    """Return a model as a surrogate of a space.

    A surrogate is taken as it is. A fitted Gaussian process or forest of scikit-learn becomes a
    `GaussianProcessSurrogate` or a `ForestSurrogate`, anything else that predicts a
    `ModelSurrogate`, with covariances where it has a method ``posterior`` as BoTorch's have. A
    model of scikit-learn that was fitted on a table whose columns are hyperparameters receives
    such a table, in the user's units; any other the encoded rows.

    Parameters
    ----------
    model : object
        The model.
    space : SearchSpace
        The space of the run that it is about.
    argument : str, default "surrogate"
        What errors call it.

    Raises
    ------
    InputError
        If it is no model, was not fitted, is of another space, or cannot predict its rows.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> forest = RandomForestRegressor(4).fit([[0.1], [0.9]], [1.0, 2.0])
    >>> as_surrogate(forest, space).label
    'a forest'
    """
    has_space = isinstance(getattr(model, "space", None), SearchSpace)
    if has_space and isinstance(model, Surrogate):
        _check_space(model, space, argument)
        return conforming(model)
    if not can_predict(model):
        problem = f"must be a fitted model with a method predict, but was {model!r}"
        remedy = (
            "Give a surrogate such as run.surrogate(), a fitted regressor of scikit-learn, a model "
            "of BoTorch, or any function that returns mean and standard deviation at encoded rows."
        )
        raise InputError(argument, problem, model, remedy)
    try:
        surrogate = _wrapped(model, space)
    except InputError as error:
        raise InputError(argument, error.problem, model, error.remedy) from error
    try:
        surrogate.predict(space.sample(_PROBES, seed=0))
    except Exception as error:  # any may be raised by a model of the user's
        shape = f"(n, {len(space)})"
        problem = f"cannot predict encoded rows {shape}: {type(error).__name__}: {error}"
        raise InputError(argument, problem.rstrip(". "), model, _FIT) from error
    return surrogate


def _wrapped(model: Any, space: SearchSpace) -> Surrogate:
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    values = ValueColumns(space, names) if names and {*names} <= {*space.names} else None
    numbers = None if values is None else values.numbers
    if _is_a(model, "GaussianProcessRegressor"):
        return GaussianProcessSurrogate(space, model, columns=numbers)
    if _is_a(model, "ForestRegressor") and model.criterion in VARIANCE_CRITERIA:
        return ForestSurrogate(space, model, columns=numbers)
    if callable(getattr(model, "posterior", None)):
        return _OfPosterior(space, model)
    return ModelSurrogate(space, model, columns=values)


def _is_a(model: Any, name: str) -> bool:
    """Say whether a model is of a class of scikit-learn, which is not imported to find out."""
    return any(
        base.__name__ == name and base.__module__.split(".")[0] == "sklearn"
        for base in type(model).__mro__
    )


def _check_space(model: Surrogate, space: SearchSpace, argument: str) -> None:
    if model.space == space:
        return
    names = model.space.names
    if names != space.names:
        problem = f"is a model of {list(names)}, but the run has {list(space.names)}"
    else:
        others = [mine.name for mine, its in zip(space, model.space, strict=True) if mine != its]
        problem = f"is a model of other ranges or choices of {', '.join(others)} than the run's"
    raise InputError(argument, problem, model, "Fit it on the run's space.")
