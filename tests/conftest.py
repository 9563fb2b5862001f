"""What holds for all tests."""

from hypothesis import settings

# The examples are the same on every machine, and a busy machine fails none of them.
settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile("reproducible")
