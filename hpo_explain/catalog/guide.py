"""Which explanation answers which question, and its limitations."""

from __future__ import annotations

import textwrap

from hpo_explain.catalog.methods import METHODS


def guide() -> None:
    """Print the questions, the function that answers each, and its limitations.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> hx.guide()  # doctest: +ELLIPSIS
    How good is it, what matters, where to search, what to try, how reliable is that?
        hx.summary
        Limitations: five lines; the functions behind them state the uncertainty of each
    ...
    """
    print(guide_text())  # noqa: T201 - this is what it is for


def guide_text(width: int = 88) -> str:
    """Return the questions as text, on lines of at most `width` characters."""
    indented = {"initial_indent": "    ", "subsequent_indent": "    "}
    return "\n".join(
        f"{method.asks}\n    {method.path}\n"
        + textwrap.fill(f"Limitations: {method.limits}", width, **indented)  # type: ignore[arg-type]
        for method in METHODS
    )
