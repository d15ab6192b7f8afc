"""Watch what loaders give: in which order, to whom, and with which random numbers."""
