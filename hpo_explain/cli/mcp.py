"""`hpo-explain mcp`: a server that an assistant asks."""

from __future__ import annotations

import click

from hpo_explain.cli._errors import debuggable, errors


@click.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(), metavar="PLACE...")
@debuggable
def mcp(places: tuple[str, ...], debug: bool) -> None:
    """Serve an assistant by the Model Context Protocol.

    A PLACE is a folder, a file of a study, or an address such as sqlite:///study.db. Nothing else
    is opened, and nothing is written. In the assistant's settings the command is, for example,
    hpo-explain mcp /home/me/studies.
    """
    with errors(debug=debug):
        from hpo_explain.mcp.server import serve

        serve(places)
