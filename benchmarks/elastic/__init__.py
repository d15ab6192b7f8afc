"""A rank is killed under `torchrun --max-restarts`: does the run end with the weights of an undisturbed one?"""
