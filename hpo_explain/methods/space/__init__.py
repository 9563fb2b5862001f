"""The search space: a narrower one, and a map of what was tried."""
