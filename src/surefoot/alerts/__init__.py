"""Tell people and programs outside what happens in a run: alerts by chat, mail, webhook or command, and metrics."""
