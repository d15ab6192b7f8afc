"""What the page shows, as plain data: the server sends it, and a report holds it."""
