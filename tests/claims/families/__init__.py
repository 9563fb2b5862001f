"""Families of problems whose truth is known, one kind a file."""
