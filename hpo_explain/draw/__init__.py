"""Figures as descriptions, and the one renderer that draws them."""
