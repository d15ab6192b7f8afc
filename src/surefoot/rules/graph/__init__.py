"""The autograd graph: cut, kept alive, growing."""
