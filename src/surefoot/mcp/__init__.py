"""A server of the Model Context Protocol, by which coding assistants ask surefoot."""
