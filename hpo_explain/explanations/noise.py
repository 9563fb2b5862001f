"""Where results scatter, and what that depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_name
from hpo_explain.base.claim import Claim
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.fanova import FanovaImportance
from hpo_explain.explanations.result import Result
from hpo_explain.run.noise import LEVEL
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

    from hpo_explain.methods.effects.effect_result import PartialDependence

_SHARES = ("importance", "interaction")


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
    varies : bool
        Whether the trials say that it is not the same everywhere.
    p_value : float
        How probable it is by chance that it seems to depend so much on the configuration.
    p_values : ndarray of shape (d,)
        The same of each hyperparameter, adjusted for testing all.
    at_incumbent : tuple of float or None
        Standard deviation at the incumbent, and its 95 % interval; None without an incumbent.
    spread : tuple of float
        The 5 % and the 95 % quantile of the standard deviation over the space.
    importance : FanovaImportance or None
        Shares of the variance of the noise's log variance; None where it does not vary.
    effects : mapping of str to PartialDependence
        Effects on the log variance, of each hyperparameter; empty where it does not vary.
    subject, notes
        As of every result.

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
    >>> found = hx.noise(run)
    >>> found.varies, bool(found.pooled[1] < 0.1 < found.pooled[2])
    (False, True)
    """

    scope: ClassVar[Scope] = "everywhere"
    configurations: tuple[Mapping[str, Any], ...]
    observed: Array
    df: Array
    evaluations: npt.NDArray[np.int64]
    instances: int
    pooled: tuple[float, float, float]
    varies: bool
    p_value: float
    p_values: Array
    at_incumbent: tuple[float, float, float] | None
    spread: tuple[float, float]
    importance: FanovaImportance | None = None
    effects: Mapping[str, PartialDependence] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def main(self) -> str | None:
        """The hyperparameter on which the noise depends most; None where it does not vary."""
        if self.importance is None:
            return None
        d = len(self.names)
        return self.names[int(np.argmax(self.importance.estimate[:d]))]

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
    def claims(self) -> tuple[Claim, ...]:
        """How large the noise is, and what it depends on."""
        std, *ends = self.pooled
        if self.importance is None:
            same = fact("noise_not_told_apart", p=self.p_value, n=len(self.observed))
            return (
                Claim("noise", estimate=std, interval=(ends[0], ends[1])),
                Claim("no_effect", self.names, estimate=0.0, certain=False, because=(same,)),
            )
        found = []
        if self.at_incumbent is not None:
            here = self.subject.incumbent
            doubts = self.subject.doubts(self.scope)
            found.append(
                Claim(
                    "noise",
                    tuple(here),
                    tuple(here.values()),
                    estimate=self.at_incumbent[0],
                    interval=self.at_incumbent[1:],
                    certain=not doubts,
                    because=doubts,
                )
            )
        shares = [self._share(c) for c in self.importance.claims if c.kind in _SHARES]
        return (*found, *shares, *self._ratios(shares))

    def _share(self, claim: Claim) -> Claim:
        """Return the claim of a share; not certain where the test does not name all members."""
        places = [self.names.index(name) for name in claim.hyperparameters]
        p = float(self.p_values[places].max())
        if claim.kind == "importance" and p < LEVEL:
            return claim
        names = claim.hyperparameters
        if claim.kind == "importance":
            chance = fact("noise_may_be_chance", names=names, p=p)
        else:
            chance = fact("noise_of_several", names=names)
        return replace(claim, certain=False, because=(*claim.because, chance))

    def _ratios(self, shares: Sequence[Claim]) -> tuple[Claim, ...]:
        """Return how many times noisier the noisiest value is than the quietest one."""
        found = []
        for share in shares:
            if share.kind != "importance" or not share.certain:
                continue
            (name,) = share.hyperparameters
            for contrast in self.effects[name].claims:
                if contrast.kind == "contrast" and contrast.interval is not None:
                    # of log variances, the quieter value first
                    low, high = contrast.interval
                    found.append(
                        Claim(
                            "noise_ratio",
                            (name,),
                            (contrast.values[0][::-1],),
                            estimate=float(np.exp(-contrast.estimate / 2.0)),
                            interval=(float(np.exp(-high / 2.0)), float(np.exp(-low / 2.0))),
                            certain=contrast.certain,
                            because=contrast.because,
                        )
                    )
        return tuple(found)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per repeated configuration: values, evaluations, df and observed std."""
        import pandas as pd

        frame = pd.DataFrame([dict(config) for config in self.configurations])
        frame = frame.reindex(columns=list(self.names))
        columns = {"evaluations": self.evaluations, "df": self.df, "std": self.observed}
        for i, (name, values) in enumerate(columns.items()):
            frame.insert(len(self.names) + i, name, values, allow_duplicates=True)
        return frame

    def _numbers(self) -> dict[str, Any]:
        return {
            "pooled": self.pooled,
            "varies": self.varies,
            "p_value": self.p_value,
            "p_values": self.p_values,
            "at_incumbent": self.at_incumbent,
            "spread": self.spread,
            "instances": self.instances,
            "configurations": [dict(config) for config in self.configurations],
            "observed": self.observed,
            "df": self.df,
            "evaluations": self.evaluations,
            "importance": None
            if self.importance is None
            else dict(zip(self.names, self.importance.estimate.tolist(), strict=False)),
            "effects": {name: self.effect(name).to_dict(orient="list") for name in self.effects},
        }
