"""The effects of several hyperparameters and pairs, those that matter most first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hpo_explain.base import (
    Claim,
    InputError,
    Result,
    Table,
    counted,
    join_words,
    percent,
)
from hpo_explain.methods._engines.effect_result import Effect

if TYPE_CHECKING:
    import pandas as pd

SEPARATOR = " × "
_MOST_TOLD = 6


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartialDependences(Result):
    """Effects by one model, of single hyperparameters and of pairs.

    Attributes
    ----------
    effects : tuple of Effect
        The effects, in the order in which they are drawn.
    shares : mapping of tuple of str to float
        Of hyperparameters and pairs, the share of the variance by which they were chosen: that of
        a pair is its interaction. Empty where they were named.
    left_out : tuple of str
        The hyperparameters without an effect of their own.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(30), "y": rng.random(30)})
    >>> table["loss"] = 0.2 * table.x + table.y
    >>> found = hx.partial_dependence(table, objective="loss", sample=20)
    >>> [effect.names for effect in found]
    [('y',), ('x',)]
    """

    table: ClassVar[Table] = Table(
        columns={},
        held={
            "names": "names",
            "shares": lambda result: {
                SEPARATOR.join(n): s for n, s in result.shares.items()
            },
            "left_out": "left_out",
            "effects": lambda result: [
                effect.to_dict() for effect in result.effects
            ],
        },
    )
    effects: tuple[Effect, ...]
    shares: Mapping[tuple[str, ...], float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.effects)

    def __iter__(self) -> Iterator[Effect]:
        return iter(self.effects)

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The one or two hyperparameters of each effect."""
        return tuple(effect.names for effect in self.effects)

    def effect(self, *names: str) -> Effect:
        """Return the effect of one or two hyperparameters.

        Raises
        ------
        InputError
            If there is no such effect.
        """
        for effect in self.effects:
            if {*effect.names} == {*names}:
                return effect
        names_of = ", ".join(SEPARATOR.join(one) for one in self.names)
        problem = f"must be those of an effect, but were {SEPARATOR.join(map(str, names))!r}"
        raise InputError(
            "names", problem, names, f"There are effects of {names_of}."
        )

    @property
    def share_left_out(self) -> float:
        """The share of the variance that the hyperparameters left out explain alone.

        NaN where it is not known.
        """
        if not self.shares:
            return float("nan")
        return float(np.sum([self.shares[name,] for name in self.left_out]))

    @property
    def headline(self) -> str:
        """Which values of the first are best."""
        return self.effects[0].headline

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Those of each effect, in their order."""
        return tuple(
            claim for effect in self.effects for claim in effect.claims
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the tables of all effects below each other.

        The hyperparameter of a row (of a pair both, separated by ×), its value (of a pair also
        ``value_2``), and then the columns of :meth:`Effect.to_frame`.
        """
        import pandas as pd

        frames = []
        for effect in self.effects:
            frame = effect.to_frame()
            k = len(effect.names)
            frame = frame.set_axis(
                [*("value", "value_2")[:k], *frame.columns[k:]], axis=1
            )
            for column in frame.columns[:k]:
                frame[column] = frame[column].astype(object)
            frame.insert(0, "hyperparameter", SEPARATOR.join(effect.names))
            frames.append(frame)
        table = pd.concat(frames, ignore_index=True)
        if "value_2" in table:
            table.insert(2, "value_2", table.pop("value_2"))
        return table

    # ------------------------------------------------------------------ in words

    @property
    def finding(self) -> str:
        """Which values are best on average, by effect; those without a difference at once."""
        first = self.effects[:_MOST_TOLD]
        flat = [effect for effect in first if effect.claims[0].side == "below"]
        texts = [
            effect.claims[0].text for effect in first if effect not in flat
        ]
        if len(flat) < 2:
            texts += [effect.claims[0].text for effect in flat]
        else:
            every = join_words(
                [SEPARATOR.join(effect.names) for effect in flat]
            )
            texts.append(
                f"On average the {self.objective_name} is the same, within the noise of one "
                f"evaluation, for every value of {every}."
            )
        return " ".join(texts)

    @property
    def caution(self) -> str:
        """Why findings are not certain, each reason once, with the effects it is about."""
        first = self.effects[:_MOST_TOLD]
        cautions: dict[str, list[str]] = {}
        for effect in first:
            if effect.caution:
                cautions.setdefault(effect.caution, []).append(
                    SEPARATOR.join(effect.names)
                )
        if len(cautions) == 1 and len(*cautions.values()) == len(first):
            return next(iter(cautions))
        return " ".join(
            f"{join_words(names)}: {caution}"
            for caution, names in cautions.items()
        )

    @property
    def basis(self) -> str:
        """What is not told, or has no effect here."""
        rest, texts = len(self) - _MOST_TOLD, list[str]()
        if rest > 0:
            texts.append(f"The table has {counted(rest, 'more effect')}.")
        if self.left_out and self.shares:
            n, share = len(self.left_out), percent(self.share_left_out)
            alone = "explains alone" if n == 1 else "explain alone, in sum,"
            texts.append(
                f"{counted(n, 'other hyperparameter')} {alone} {share} of the variance."
            )
        return " ".join(texts)
