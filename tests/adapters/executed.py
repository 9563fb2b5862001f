"""Stands in for drawing in another process: it imports nothing that takes its time."""

import os


def executed(page, nice):
    """Run the line of Python that is in the place of runs."""
    os.nice(nice)
    exec(page.runs)
