"""Facts by their kind."""


def noted(facts, kind):
    """The facts of one kind."""
    return [fact for fact in facts if fact.kind == kind]


def the_note(facts, kind):
    """The only fact of a kind."""
    (found,) = noted(facts, kind)
    return found


def kinds(facts):
    """The kinds of facts."""
    return {fact.kind for fact in facts}
