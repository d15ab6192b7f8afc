"""The run log: one folder a run, one SQLite file a process, with its facts and findings."""
