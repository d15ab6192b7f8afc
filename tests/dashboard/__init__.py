"""The dashboard's server, with real run logs."""
