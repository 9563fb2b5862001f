"""A server of the Model Context Protocol: the catalog as tools of an assistant.

`places` is what it may open, `tools` what it answers, `server` how it is asked.
"""
