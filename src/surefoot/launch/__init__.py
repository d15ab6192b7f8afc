"""Run a training program as Python itself would run it, watched."""
