"""What the noise depends on: explanations of the logarithm of its variance.

The logarithm, because sample variances of few evaluations differ by factors, whatever the noise is.
Shares are those of the functional ANOVA, effects the partial dependence of a model of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base import (
    ROUNDED_95,
    Claim,
    InputError,
    Result,
    Subject,
    Table,
    attributes,
    check_name,
    fact,
    format_value,
    join_names,
    number,
    percent_range,
)
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer
from hpo_explain.methods.importance.fanova import FanovaExplainer
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.question import Question, explains
from hpo_explain.run import NoiseModel
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd

    from hpo_explain.methods._engines.effect_result import Effect

_RATIO = "ratio"  # the term of claims of how many times one noise is another


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Noise(Result):
    """The standard deviation of the noise over the search space, and what it depends on.

    It is that of one evaluation: of one repeat, or of one instance without what the instance adds
    for all configurations. The mean of k evaluations has 1/√k of it.

    Attributes
    ----------
    configurations : tuple of dict
        The configurations that were evaluated several times, in the user's units.
    observed : ndarray of shape (n,)
        Their sample standard deviations, in the objective's units.
    df : ndarray of shape (n,)
        The degrees of freedom of these.
    evaluations : ndarray of int, shape (n,)
        How often each was evaluated.
    instances : int
        Number of instances; 1 where the same evaluation was repeated.
    pooled : tuple of float
        The standard deviation of the noise if it is the same everywhere, with the ends of its 95 %
        interval (χ², with fewer degrees of freedom where the noise is not normal).
    at_incumbent : tuple of float or None
        Standard deviation at the incumbent, and its 95 % interval; None without an incumbent.
    spread : tuple of float
        The 5 % and the 95 % quantile of the standard deviation over the space.
    importance : FanovaImportance or None
        Shares of the variance of the noise's log variance; None where it does not vary.
    effects : mapping of str to Effect
        Effects on the log variance, of each hyperparameter; empty where it does not vary.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F. et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. https://arxiv.org/abs/2403.04629

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(2)
    >>> space = hx.SearchSpace([hx.FloatParameter("lr", 0.0, 1.0)])
    >>> X = np.repeat(np.linspace(0.0, 1.0, 20), 4)[:, None]  # each configuration four times
    >>> run = hx.Run(space, X, 0.1 * rng.standard_normal(80), "minimize")
    >>> found = hx.methods.noise(run)
    >>> found.varies, bool(found.pooled[1] < 0.1 < found.pooled[2])
    (False, True)
    """

    table: ClassVar[Table] = Table(
        keys="settings",
        columns={"evaluations": "evaluations", "df": "df", "std": "observed"},
        held=attributes(
            "pooled",
            "varies",
            "at_incumbent",
            "spread",
            "instances",
            "configurations",
            "observed",
            "df",
            "evaluations",
            importance=lambda result: (
                None
                if result.importance is None
                else dict(zip(result.names, result.importance.estimate.tolist(), strict=True))
            ),
            effects=lambda result: {
                name: result.effect(name).to_dict(orient="list") for name in result.effects
            },
        ),
    )
    configurations: tuple[Mapping[str, Any], ...]
    observed: Array
    df: Array
    evaluations: Ints
    instances: int
    pooled: tuple[float, float, float]
    at_incumbent: tuple[float, float, float] | None
    spread: tuple[float, float]
    importance: FanovaImportance | None = None
    effects: Mapping[str, Effect] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def varies(self) -> bool:
        """Whether the trials say that it is not the same everywhere."""
        return self.importance is not None

    @property
    def main(self) -> str | None:
        """The hyperparameter on which the noise depends most, if it varies."""
        if self.importance is None:
            return None
        return self.names[int(np.argmax(self.importance.estimate))]

    def effect(self, name: str) -> pd.DataFrame:
        """Return the noise along a hyperparameter: its values, std, and the 95 % band.

        The root of the variance whose logarithm is averaged over all others.

        Raises
        ------
        ValueError
            If the name is unknown, or the noise does not vary as far as can be told.
        """
        import pandas as pd

        check_name("name", name, self.names, "hyperparameter")
        if name not in self.effects:
            problem = f"was {name!r}, but the noise is the same everywhere, as far as can be told"
            raise InputError("name", problem, name, "`pooled` is its standard deviation.")
        effect = self.effects[name]
        lower, upper = effect.band()
        columns = {"std": effect.mean, "lower": lower, "upper": upper}
        return pd.DataFrame(
            {name: list(effect.grid), **{key: np.exp(log / 2.0) for key, log in columns.items()}}
        )

    @property
    def answer(self) -> str:
        """How large the noise is."""
        first = self.claims[0]
        if first.kind != "spread":
            return super().answer
        at = "At the incumbent results" if self.varies else "Results"
        return f"{at} scatter by {_short(first.estimate)} (standard deviation)."

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How large the noise is, and what it depends on."""
        if self.importance is None:
            std, *ends = self.pooled
            same = fact(
                f"{len(self.observed)} configurations evaluated several times do not show whether "
                "it depends on a hyperparameter"
            )
            none = Claim("share", self.names, 0.0, certain=False, because=(same,), side="below")
            text = (
                "Results of the same configuration scatter with a standard deviation of "
                f"{_ranging(*self.pooled)}, the same everywhere as far as is known."
            )
            return Claim("spread", (), std, (ends[0], ends[1]), text=text), none
        claims = []
        if self.at_incumbent is not None:
            std, *ends = self.at_incumbent
            here = self.subject.incumbent
            text = f"At the incumbent the standard deviation is {_ranging(*self.at_incumbent)}."
            values = tuple(here.values())
            claims.append(
                Claim("spread", tuple(here), std, (ends[0], ends[1]), text=text, values=values)
            )
        shares = self._shares(self.importance)
        return (*claims, *shares, *self._ratios(shares))

    def _shares(self, importance: FanovaImportance) -> list[Claim]:
        """Return what is said of shares: in words what is certain, else the largest."""
        claims = [claim for claim in importance.shares_of_sets if claim.side == "above"]
        worded = [claim for claim in claims if claim.certain] or claims[:1]
        shares = []
        for claim in claims:
            ends = claim.interval or (claim.estimate, claim.estimate)
            frame = "Largest shares of the variance of its logarithm: {each}."
            text = f"{join_names(claim.hyperparameters)} ({percent_range(*ends)} alone)"
            text *= claim in worded
            shares.append(replace(claim, text=text, frame=frame))
        return shares

    def _ratios(self, shares: Sequence[Claim]) -> list[Claim]:
        """Return how many times noisier the noisiest value is than the quietest one."""
        return [
            self._ratio(name, contrast)
            for share in shares
            if share.certain
            for name in share.hyperparameters
            for contrast in self.effects[name].claims
            if contrast.values and contrast.kind == "difference" and contrast.interval is not None
        ]

    def _ratio(self, name: str, contrast: Any) -> Claim:
        # of log variances, the quieter value first
        times, high, low = np.exp(np.array([contrast.estimate, *contrast.interval]) / -2.0).tolist()
        noisy, quiet = contrast.values[0][::-1]
        so, than = _ranging(times, low, high), format_value(quiet, width=200)
        text = (
            f"At {name} = {format_value(noisy, width=200)} it is {so} times as large as at {than}."
        )
        return Claim(
            "spread",
            (name,),
            times,
            (low, high),
            term=_RATIO,
            certain=contrast.certain,
            text=text * contrast.certain,
            values=((noisy, quiet),),
            because=contrast.because,
        )

    @property
    def finding(self) -> str:
        """How large the noise is, whether it is the same everywhere, what it depends on."""
        if not self.varies:
            return super().finding
        low, high = map(_short, self.spread)
        return (
            "How much results scatter depends on the configuration: the standard deviation of the "
            f"{self.objective_name} is {low} to {high} in nine tenths of the space. "
            f"{super().finding}"
        )

    @property
    def settings(self) -> list[tuple[str, Any]]:
        """The values of each hyperparameter in the repeated configurations, as columns."""
        import pandas as pd

        frame = pd.DataFrame([dict(config) for config in self.configurations])
        frame = frame.reindex(columns=list(self.names))
        return [(name, frame.iloc[:, j]) for j, name in enumerate(self.names)]


def _short(value: float) -> str:
    """Return a number to two digits, all of those before the point included."""
    return f"{value:.0f}" if 99.5 <= value < 1e6 else number(value, 2)


def _ranging(value: float, low: float, high: float) -> str:
    return f"{_short(value)} ({_short(low)} to {_short(high)})"


_ROWS = 1000  # over which the noise is described
_EFFECT_ROWS = 200
_ENDS = 0.05, 0.95


@explains(of="surrogate", without=("surrogate",))
def noise(question: Question) -> Noise:
    """Measure how much results of the same configuration scatter, and what that depends on.

    It needs configurations that were evaluated several times, as repeated trials or on several
    instances (folds, data sets). The difficulty of an instance does not count as noise. `kind` is
    the model of the logarithm of the noise's variance.

    Returns
    -------
    Noise
        The standard deviation of one evaluation at the incumbent and over the space, and each
        hyperparameter's share of the variance of its logarithm.

    Raises
    ------
    NothingToExplain
        If fewer than two configurations were evaluated several times, or their results never
        differ.
    ValueError
        If an option is not allowed.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F. et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. https://arxiv.org/abs/2403.04629
    .. [2] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame(np.repeat(rng.random((30, 2)), 5, axis=0), columns=["lr", "width"])
    >>> table["fold"] = np.tile(np.arange(5), 30)
    >>> table["loss"] = table.fold + 10.0**table.lr * rng.standard_normal(150)
    >>> found = hx.methods.noise(table, objective="loss", instance="fold")
    >>> found.main, found.importance.share("lr") > 0.8
    ('lr', True)
    """
    model = question.run.noise(kind=question.kind, seed=question.seed)
    log, subject, seed = model.log_variance, Subject.of(question.run), question.seed
    subject = replace(subject, model=model.label, bounds=(-np.inf, np.inf))
    std, _ = model.predict(subject.space.sample(_ROWS, seed=seed))
    low, high = np.quantile(std, _ENDS)
    repeats = model.repeats
    of_one = "the noise is that of one evaluation: the mean of k repeats has 1/√k of it"
    if repeats.instances > 1:
        of_one = (
            f"the noise is that of one of {repeats.instances} instances, without the difficulty of "
            "the instance; interactions of instances and configurations count as noise"
        )
    importance, effects = None, dict[str, Effect]()
    if log is not None:
        about = replace(
            subject,
            objective_name=f"log variance of {subject.objective_name}",
            direction="minimize",
            tried=repeats.X,
            costs=np.empty(0),
        )
        importance = FanovaExplainer(log, subject=about, seed=seed).explain()
        explainer = PartialDependenceExplainer(
            log, sample=_EFFECT_ROWS, variance="covariance", subject=about, seed=seed
        )
        effects = {name: explainer.explain(name) for name in about.names}
    return Noise(
        subject=subject,
        configurations=tuple(subject.space.decode(repeats.X)),
        observed=repeats.std,
        df=repeats.df,
        evaluations=repeats.evaluations,
        instances=repeats.instances,
        pooled=repeats.pooled(),
        at_incumbent=_at(subject.incumbent, model),
        spread=(float(low), float(high)),
        importance=importance,
        effects=effects,
        notes=(fact(of_one), *subject.notes),
    )


def _at(config: Mapping[str, Any], model: NoiseModel) -> tuple[float, float, float] | None:
    """Return the standard deviation at a configuration, and its interval; None without one."""
    if not config:
        return None
    if model.log_variance is None:
        return model.repeats.pooled()
    (mean,), (std,) = model.log_variance.predict(model.space.encode(config))
    ends = mean + ROUNDED_95 * std * np.array([0.0, -1.0, 1.0])
    here, lower, upper = np.exp(ends / 2.0).tolist()
    return here, lower, upper
