"""Descriptions of figures: plain data that any renderer draws."""
