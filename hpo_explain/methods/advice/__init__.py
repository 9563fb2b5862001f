"""What to do next, and the experiments that tell most."""
