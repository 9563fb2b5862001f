"""The names of one or two hyperparameters."""

from __future__ import annotations

import click


def check_names(names: tuple[str, ...]) -> None:
    """Raise a usage error unless there are one or two different names."""
    if len(names) > 2:
        raise click.UsageError(
            f"NAME may be given once or twice, but was {', '.join(map(repr, names))}."
        )
    if len(set(names)) < len(names):
        raise click.UsageError(f"NAME and NAME2 must differ, but both were {names[0]!r}.")
