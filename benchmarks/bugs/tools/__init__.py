"""The tools that are compared: each turns one program into remarks."""
