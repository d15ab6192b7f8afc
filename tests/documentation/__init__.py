"""The documentation and the tools that build its site."""
