"""Train and eval mode: who is switched, and what dropout and batch-norm then do."""
