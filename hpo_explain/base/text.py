"""Words as templates: sentences beside claims, and facts that carry their own words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any

from hpo_explain.base.facts import Fact, Option, Role, Text, fact
from hpo_explain.base.numbers import format_value, percent, plus_minus
from hpo_explain.base.phrases import counted, join_words, spans
from hpo_explain.base.width import shorten
from hpo_explain.base.wording import Wording, capitalized, chained, joined


@dataclass(frozen=True)
class Words:
    """How a kind of fact is told: a template (or several), how its values are shown, its role."""

    template: str | Mapping[Any, str]
    shown: Mapping[str, Callable[[Fact], Text]]
    role: Role


@dataclass(frozen=True)
class Estimate:
    """A number and how far it may be off: half its 95 % interval, if that is known.

    Where `least` is given, it is told in place of both: what the number's size surely exceeds.

    Examples
    --------
    >>> f"a gain of {Estimate(0.1369, 0.06457)}, {Estimate(0.7, 0.1):%} of it"
    'a gain of 0.14 ± 0.06, 70% ± 10% of it'
    >>> text = Estimate(0.7, interval=(0.61, 0.78)).hinted("%")
    >>> text, text.places[0].hint
    ('70%', '61% to 78% (95% interval)')
    """

    value: float
    half: float | None = None
    least: float | None = None
    interval: tuple[float, float] | None = None

    def __abs__(self) -> Estimate:
        return Estimate(abs(self.value), self.half, self.least)

    def __format__(self, spec: str) -> str:
        if self.least is not None:
            least = percent(self.least) if spec == "%" else format_value(self.least)
            return f"at most -{least}" if self.value < 0.0 else f"at least {least}"
        return (percent if spec == "%" else plus_minus)(self.value, self.half)

    def hinted(self, spec: str = "") -> str:
        """Return the number alone, with its interval where it is pointed at."""
        text = _number(self.value, spec)
        if self.interval is None:
            return text
        low, high = (_number(end, spec) for end in self.interval)
        return Wording.of(text, hint=f"{low} to {high} (95% interval)")


def _number(value: float, spec: str) -> str:
    if spec == "%":
        return percent(value)
    return format(value, spec) if spec else format_value(value)


class _People(Formatter):
    """Writes numbers with as many digits as they deserve, and several words as a list."""

    def vformat(self, template: str, args: Sequence[Any], values: Mapping[str, Any]) -> str:
        """Return a template filled, with the places that its fields have."""
        texts: list[str] = []
        for text, name, spec, conversion in self.parse(template):
            texts.append(text)
            if name is None:
                continue
            value, _ = self.get_field(name, args, values)
            value = self.convert_field(value, conversion)
            texts.append(self.format_field(value, spec or ""))
        return chained(texts)

    def format_field(self, value: Any, spec: str) -> Any:
        if spec.startswith("~"):
            return value.hinted(spec[1:])
        if isinstance(value, Estimate):
            return format(value, spec)
        if spec == "±":  # of a number and its error
            return plus_minus(*value)
        if spec == "spans":
            return spans(value)
        if spec.startswith("#"):  # "{n:#trial}" is "1 trial" or "2 trials"
            return counted(len(value) if isinstance(value, tuple) else value, spec[1:])
        if spec == "part":  # of something: not nothing of it
            return percent(value) if value >= 0.005 else "Less than 1%"
        if isinstance(value, (list, tuple)):
            return join_words([self.format_field(one, spec) for one in value])
        if spec == "id":  # of a trial
            return Wording.of(str(value), trial=int(value))
        if isinstance(value, str):  # words, not a value
            return shorten(value, int(spec or 200))
        if spec.startswith((".", ",")):  # digits as asked for
            return format(value, spec)
        return percent(value) if spec == "%" else format_value(value, width=int(spec or 200))


def filled(template: str, /, **values: Any) -> str:
    """Return a template filled: estimates with ±, numbers short, lists as "a, b and c".

    Examples
    --------
    >>> filled("{names} explain {share:%}", names=("lr", "depth"), share=0.571)
    'lr and depth explain 57%'
    >>> filled("{kept:part} of it", kept=0.002), filled("{kept:part} of it", kept=0.25)
    ('Less than 1% of it', '25% of it')
    """
    return _People().vformat(template, (), values)


def declared_fact(
    kind: str, words: str | Mapping[Any, str], *, role: Role = "", **shown: Callable[[Fact], Text]
) -> Callable[..., Fact]:
    """Return a function that makes facts of a kind, whose words are this template.

    Several templates are chosen from by the fact's first value; `shown` writes values that are no
    numbers, words or lists of them; ``{n:#trial}`` counts, ``{trials:spans}`` shortens numbers of
    trials, and ``{pair:±}`` is a number with its error. ``{space=}`` and ``{pruned='last'}`` name
    arguments, as the caller writes these. Beside a claim a fact is a doubt, unless its role is
    "basis" (what the claim rests on) or "said" (by the claim's own words).

    Examples
    --------
    >>> example = declared_fact("an_example", "{names} are examples")
    >>> str(example(names=["a", "b"]))
    'a and b are examples'
    >>> str(declared_fact("another_example", "{why}; {space=} changes it")(why=example(names="x")))
    'x are examples; space= changes it'
    """
    declared = Words(words, shown, role)

    def made(*, trials: Any = (), names: Any = (), **values: Any) -> Fact:
        about = fact(kind=kind, trials=trials, names=names, role=role, **values)
        return replace(about, words=text_of(about, declared))

    return made


def text_of(about: Fact, words: Words) -> tuple[str | Option | Fact, ...]:
    """Return the words of a declared fact, in parts where they mention arguments or other facts."""
    template = words.template
    if not isinstance(template, str):
        template = template[about.values[0][1]]
    values = dict(about.values) | {"names": about.names, "trials": about.trials}
    words_of: list[str | Option | Fact] = []
    for text, name, spec, conversion in Formatter().parse(template):
        words_of.append(text)
        if name is None:
            continue
        argument, is_option, value = name.partition("=")
        if is_option:
            words_of.append(Option(argument, value.strip("'") or None))
        elif name in words.shown:
            shown = words.shown[name](about)
            words_of += [shown] if isinstance(shown, str) else shown
        elif isinstance(values.get(name), Fact):
            words_of.append(values[name])
        else:
            field = f"{{{name}{f'!{conversion}' if conversion else ''}:{spec}}}"
            words_of.append(filled(field, **values))
    return tuple(words_of)


def separated(texts: Iterable[tuple[str | Option | Fact, ...]], by: str) -> Text:
    """Return texts with words between them."""
    pieces = [part for text in texts for part in (by, *text)]
    return tuple(pieces[1:])


UNKNOWN = fact("the model does not say how uncertain it is of a difference")
MAY_BE_NOTHING = fact("they may not interact at all", role="said")
UNCLEAR = fact("the difference is within its uncertainty", role="said")


def not_settled(probability: float) -> Fact:
    """Return that a claim does not hold in all that the trials allow."""
    held = f"it holds in {percent(probability)} of what the trials allow"
    return fact(held, kind="not_settled", probability=probability)


def share_not_settled(label: str, threshold: float, probability: float) -> Fact:
    """Return how probable it is that something explains more than a threshold."""
    over = f"{label} explains over {percent(threshold)} of the variance"
    return fact(
        f"whether {over} (probability {percent(probability)})",
        kind="share_not_settled",
        label=label,
        threshold=threshold,
        probability=probability,
    )


def reservation(reasons: Iterable[Fact]) -> str:
    """Return a sentence that gives the reasons why something is not certain; empty without any.

    In how much of what the trials allow claims hold is said once, from the least to the most.

    Examples
    --------
    >>> reservation([not_settled(0.42), not_settled(0.7)])
    'Not certain: claims hold in 42% to 70% of what the trials allow.'
    """
    doubts = [reason for reason in reasons if not reason.role]
    held = [reason["probability"] for reason in doubts if reason.kind == "not_settled"]
    if len(set(map(percent, held))) > 1:
        least, most = percent(min(held)), percent(max(held))
        at_once = fact(f"claims hold in {least} to {most} of what the trials allow")
        doubts = [at_once if reason.kind == "not_settled" else reason for reason in doubts]
    said = dict.fromkeys(map(str, doubts))
    if not said:
        return ""
    return chained(["Not certain: ", join_words([*said]), "."])


def told_apart(facts: Iterable[Fact]) -> str:
    """Return facts as sentences of their own, each once."""
    texts = dict.fromkeys(map(str, facts))
    return joined(map(_sentence, texts), " ")


def _sentence(text: str) -> str:
    """Return words as a sentence."""
    return chained([capitalized(text), "."])
