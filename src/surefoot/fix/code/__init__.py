"""Reading and editing source text, with formatting and comments kept."""
