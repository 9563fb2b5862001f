"""The options of commands that fit a model: which one, and its seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hpo_explain.base.options import KINDS, Kind


def chooses_surrogate(
    told: str = "The model.", *, default: Kind = "auto"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the option `--surrogate`, with these words in its help."""
    return click.option(
        "--surrogate", "kind", default=default, show_default=True,
        type=click.Choice(KINDS), help=told,
    )  # fmt: skip


def takes_seed(of: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the option `--seed`; its help says of what it is the seed."""
    return click.option(
        "--seed", default=0, show_default=True, type=click.IntRange(min=0), help=f"Seed of {of}."
    )
