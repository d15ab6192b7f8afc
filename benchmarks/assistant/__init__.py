"""What a coding assistant can do with the answers of `surefoot mcp` alone."""
