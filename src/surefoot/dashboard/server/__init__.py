"""The server: a door that lets in who has the token, and an API that reads."""
