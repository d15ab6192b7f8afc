"""Watch what becomes of autograd graphs: who keeps them, what they span, where gradients are cut off."""
