"""The lab: tools to look at a training before, beside and after it."""
