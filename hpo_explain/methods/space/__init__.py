"""The search space: a narrower one."""
