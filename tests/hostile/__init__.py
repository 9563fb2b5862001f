"""What may go wrong around the program: each promise of SECURITY.md that it keeps all the same."""
