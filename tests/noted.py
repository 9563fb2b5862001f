"""Facts by their kind, or by a piece of their text."""

import re


def noted(facts, what):
    """The facts of one kind, or that say this."""
    return [fact for fact in facts if what == fact.kind or what in str(fact)]


def the_note(facts, what):
    """The only fact of a kind, or that says this."""
    (found,) = noted(facts, what)
    return found


def kinds(facts):
    """The kinds of facts."""
    return {fact.kind for fact in facts}


def columns_left_out(run):
    """The first columns that are no hyperparameters, as a run of a table tells them."""
    listed = re.search("; left out: (.*); hyperparameters=", str(the_note(run.notes, "columns: ")))
    return re.split(", | and ", listed[1]) if listed else []


def why_left_out(run):
    """Why trials of a run do not count, by their numbers."""
    return {trial: str(why) for trial, why in run.excluded.items()}
