"""How many bugs `surefoot fix` mends, and whether the patched programs train like their clean twins."""
