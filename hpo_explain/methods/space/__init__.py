"""The search space: a narrower one, and what can stay fixed."""
