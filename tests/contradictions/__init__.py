"""Whether two answers about one run contradict each other, by their data."""
