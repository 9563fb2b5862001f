"""What is answered to a call: one text, in which names and values have fields of their own."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpo_explain.base.claim import Claim
from hpo_explain.base.errors import InputError
from hpo_explain.base.html import plain_json
from hpo_explain.base.phrases import printable, printable_lines
from hpo_explain.base.result import Result
from hpo_explain.catalog.methods import METHODS
from hpo_explain.mcp.limits import LONGEST_NAME, quoted
from hpo_explain.mcp.places import Places
from hpo_explain.mcp.tools import Tool

STUDIES = "studies"
TOOLS = {method.name: Tool(method) for method in METHODS if method.for_assistants}
_LONGEST_TEXT = 10_000  # characters of a sentence, of details or of an error
_OF_CELLS = ("duration", "frame", "objective", "status", "time", "trial")


@dataclass(frozen=True)
class Answer:
    """What is answered to a call.

    Attributes
    ----------
    text : str
        JSON, or why there is none.
    figure : str
        The figure as PNG in base 64, where it was asked for; else empty.
    failed : bool
        Whether `text` says why there is no answer.
    """

    text: str
    figure: str = ""
    failed: bool = False


def answer(places: Places, name: str, given: Mapping[str, Any]) -> Answer:
    """Return the answer to a call, whatever goes wrong.

    Parameters
    ----------
    places : Places
        What may be opened.
    name : str
        The tool.
    given : mapping of str to object
        Its arguments, as they were sent.
    """
    try:
        if name == STUDIES:
            return Answer(_json({STUDIES: places.listed()}))
        if name not in TOOLS:
            there = ", ".join([STUDIES, *TOOLS])
            raise ValueError(f"There is no tool {quoted(name)}. There are: {there}.")
        result, figure = TOOLS[name].answer(places, given)
    except (ValueError, OSError, ImportError) as error:
        return failed(places.named(_without_cell(error, given)))
    except Exception as error:
        problem = places.named(f"{type(error).__name__}: {error}")
        return failed(f"{problem}. This is a defect: please report it.")
    return Answer(_json(said(result)), base64.b64encode(figure).decode("ascii"))


def _without_cell(error: Exception, given: Mapping[str, Any]) -> str:
    """Return an error without what it quotes of a table: nobody has looked at its cells before."""
    if not isinstance(error, InputError):
        return str(error)
    text = error.text(quoting=False)
    if error.argument not in _OF_CELLS:
        return text
    cell = error.value
    if isinstance(cell, str) and cell not in given.values():
        text = text.replace(printable(repr(cell)), "a text")
    return text


def failed(problem: str) -> Answer:
    """Return the answer that there is none, and why."""
    return Answer(_shown(problem, _LONGEST_TEXT), failed=True)


def said(result: Result) -> dict[str, Any]:
    """Return what a result says, and the claims that it rests on."""
    return {
        "sentence": _shown(result.said, _LONGEST_TEXT),
        "claims": [_claim(one) for one in result.claims],
        "notes": [_shown(str(note), _LONGEST_TEXT) for note in result.notes],
        "details": _shown(result.details, _LONGEST_TEXT),
    }


def _claim(claim: Claim) -> dict[str, Any]:
    """Return a claim without its words, which are part of the sentence."""
    fields: dict[str, Any] = _values_shown(plain_json(claim.to_dict()))
    reasons = [_shown(str(reason), _LONGEST_TEXT) for reason in claim.because]
    return {**fields, "because": reasons}


def _values_shown(value: Any) -> Any:
    """Return JSON all of whose texts are shown as they are, and are short."""
    if isinstance(value, str):
        return _shown(value, LONGEST_NAME)
    if isinstance(value, Mapping):
        return {key: _values_shown(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_values_shown(one) for one in value]
    return value


def _shown(text: str, longest: int) -> str:
    """Return a text that is not too long, nothing in which is invisible."""
    if len(text) > longest:
        text = f"{text[: longest // 2]}...{text[-longest // 2 :]}"
    return printable_lines(text)


def _json(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)
