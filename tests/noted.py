"""Facts by their kind, or by a piece of their text."""


def noted(facts, what):
    """The facts of one kind, or that say something."""
    return [fact for fact in facts if what == fact.kind or what in str(fact)]


def the_note(facts, what):
    """The only such fact."""
    (found,) = noted(facts, what)
    return found


def kinds(facts):
    """The kinds of facts."""
    return {fact.kind for fact in facts}
