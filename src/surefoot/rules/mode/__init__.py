"""Train and eval mode."""
