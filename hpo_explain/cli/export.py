"""`hpo-explain export`: all tables about a run, as files."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.phrases import printable
from hpo_explain.cli._errors import say, told
from hpo_explain.cli._interrupt import interrupt_at_hand
from hpo_explain.cli._model import takes_seed
from hpo_explain.cli._output import as_csv, as_json
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source
from hpo_explain.cli._tables import TABLES

_logger = logging.getLogger("hpo_explain")


@click.command()
@takes_source
@click.option("--out", default="hpo-explain-tables", show_default=True,
              type=click.Path(path_type=Path), help="Folder to write into.")  # fmt: skip
@click.option("--format", "form", default="csv", show_default=True,
              type=click.Choice(["csv", "json"]),
              help="Tables, or with all that the results hold.")  # fmt: skip
@click.option("--table", "chosen", multiple=True, type=click.Choice(list(TABLES)),
              help="Only this one; may be repeated.")  # fmt: skip
@takes_seed("surrogates and samples")
def export(source: Source, out: Path, form: str, chosen: tuple[str, ...], seed: int) -> None:
    """Write all tables as CSV or JSON.

    The trials, those left out, trust, importance, interactions, effects, the latest proposal,
    and the path of all proposals. A table that cannot be made is named, and the others are
    written; the exit code is 1 only if none could be.
    """
    from hpo_explain.reporting._file import write_atomically

    run = read_and_tell(source)
    out.mkdir(parents=True, exist_ok=True)
    written = 0
    for name in chosen or TABLES:
        say(f"{name} ...")
        try:
            table = TABLES[name](run, seed)
        except NothingToExplain as error:
            say(f"{name} left out: {told(error)}")
            continue
        except Exception as error:  # the other tables are worth having
            _logger.exception("The table %r failed.", name)
            say(f"{name} failed: {type(error).__name__}: {told(error)}")
            continue
        path = out / f"{name}.{form}"
        text = as_csv(table.frame) if form == "csv" else f"{as_json(table.plain)}\n"
        interrupt_at_hand().check()
        write_atomically(path, text)
        click.echo(printable(f"{name}: {path} ({len(table.frame)} rows)"))
        written += 1
    if not written:
        raise click.ClickException("None of the tables could be made.")
