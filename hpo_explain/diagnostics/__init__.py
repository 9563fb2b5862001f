"""How well the trials of a branch are known."""
