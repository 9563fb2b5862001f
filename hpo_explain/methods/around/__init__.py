"""Methods about what is around one configuration."""
