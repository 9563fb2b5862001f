"""The search space: a narrower one, what can stay fixed, and a map of what was tried."""
