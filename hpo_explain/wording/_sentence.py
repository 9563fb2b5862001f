"""The sentence of any result."""

from __future__ import annotations

from hpo_explain.base.phrases import printable
from hpo_explain.explanations.result import Result
from hpo_explain.wording._registry import sentence_words


def sentence(result: Result) -> str:
    """Return what a result says, in a sentence or two."""
    return printable(sentence_words(type(result))(result))
