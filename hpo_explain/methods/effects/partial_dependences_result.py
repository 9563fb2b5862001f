"""The effects of several hyperparameters and pairs, those that matter most first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    MOST_NAMED,
    Claim,
    Estimate,
    InputError,
    Result,
    Table,
    as_objects,
    below_each_other,
    counted,
    join_names,
    listed,
    percent,
    printable,
    reservation,
)
from hpo_explain.methods._engines.effect_ranges import where_best
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods.importance.estimates import SEPARATOR

_MOST_TOLD = 6  # effects


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartialDependences(Result):
    """Effects by one model, of single hyperparameters and of pairs.

    Attributes
    ----------
    effects : tuple of Effect
        The effects, in the order in which they are drawn.
    shares : mapping of tuple of str to float
        Of hyperparameters and pairs, the share of the variance by which they were chosen: of a
        hyperparameter with its interactions, of a pair its interaction. Empty where they were
        named, and where it would take too long.
    left_out : tuple of str
        The hyperparameters without an effect of their own.
    subject, notes
        As in every result.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(30), "y": rng.random(30)})
    >>> table["loss"] = 0.7 * table.x + table.y
    >>> found = hx.partial_dependence(table, objective="loss", sample=20)
    >>> [effect.names for effect in found]
    [('y',), ('x',)]
    """

    table: ClassVar[Table] = Table(
        columns={},
        held={
            "names": "names",
            "shares": lambda result: {SEPARATOR.join(n): s for n, s in result.shares.items()},
            "left_out": "left_out",
            "effects": lambda result: [effect.to_dict() for effect in result.effects],
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
        raise InputError("names", problem, names, f"There are effects of {names_of}.")

    @property
    def answer(self) -> str:
        """Which values of the first are best."""
        return self.effects[0].headline

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Those of each effect, in their order."""
        return tuple(claim for effect in self.effects for claim in effect.claims)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the tables of all effects, which stand below each other.

        The hyperparameter of a row (of a pair both, separated by ×), its value (of a pair also
        ``value_2``), and then the columns of `Effect.to_frame`.
        """
        tables = []
        for effect in self.effects:
            columns = effect.named_columns
            k = len(effect.names)
            values = [column.tolist() for _, column in columns[:k]]
            names = [SEPARATOR.join(effect.names)] * len(values[0])
            keys = zip(("value", "value_2")[:k], values, strict=True)
            tables.append([("hyperparameter", names), *keys, *columns[k:]])
        stacked = below_each_other(tables)
        named = {"hyperparameter": stacked["hyperparameter"]}
        for name in ("value", "value_2"):  # "value_2" next to "value"
            if name in stacked:
                named[name] = as_objects(stacked.pop(name))
        return named | stacked

    # ------------------------------------------------------------------ in words

    @property
    def _told(self) -> list[tuple[Effect, Claim]]:
        """The first effects with what is said of each: what is reachable, where that is known."""
        first_claims = []
        for effect in self.effects[:_MOST_TOLD]:
            first = effect.claims[0]
            if first.side != "below":
                first = effect.first.claims[0]
            first_claims.append((effect, first))
        return first_claims

    @property
    def finding(self) -> str:
        """Where the objective is best, which values are not ruled out, and what does not matter."""
        groups: dict[str, list[str]] = {}
        for effect, claim in self._told:
            name = SEPARATOR.join(effect.names)
            if claim.side == "below":
                groups.setdefault("flat", []).append(name)
            elif claim.kind != "best":
                groups.setdefault("text", []).append(claim.text)
            elif any(r.kind == "no_value_ruled_out" for r in claim.because):
                groups.setdefault("open", []).append(name)
            else:
                lead = claim.term or effect.kind
                groups.setdefault(lead, []).append(self._where(effect, claim))
        texts = groups.pop("text", [])
        for group, words in {
            "attainable": "With all others at their best the {} is best at {}.",
            "average": "On average the {} is best at {}.",
            "accumulated": "Along the trials the {} is best at {}.",
            "open": "{1}: no value can be ruled out.",
            "flat": "{1}: no difference beyond the noise of one evaluation.",
        }.items():
            if group in groups:
                named = listed(groups[group], MOST_NAMED)
                texts.append(printable(words.format(self.objective_name, named)))
        return " ".join(texts)

    def _where(self, effect: Effect, claim: Claim) -> str:
        """Return at which values the objective is best, and what it is there."""
        parameters = [self.subject.space[name] for name in effect.names]
        where = join_names(where_best(parameters, claim.values))
        return printable(f"{where} ({Estimate(claim.estimate, claim.half)})")

    @property
    def caution(self) -> str:
        """Why what is said is not certain, each reason once."""
        return reservation(
            reason for _, claim in self._told if not claim.certain for reason in claim.because
        )

    @property
    def basis(self) -> str:
        """What is not told, or has no effect here."""
        rest, texts = len(self) - _MOST_TOLD, list[str]()
        if rest > 0:
            texts.append(f"The table has {counted(rest, 'more effect')}.")
        if self.left_out and self.shares:
            others = counted(len(self.left_out), "other hyperparameter")
            lost = np.sum([self.shares[name,] for name in self.left_out])
            share = f"at most {percent(min(float(lost), 1.0))} of the variance"
            texts.append(f"{others}: {share}, with all interactions.")
        return " ".join(texts)
