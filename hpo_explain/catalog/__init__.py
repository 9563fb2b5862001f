"""What there is: one entry per method, from which its function, command and section follow."""
