"""The dashboard: a page on the run log, served to this machine only. It reads, and changes nothing."""
