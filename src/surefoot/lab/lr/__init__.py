"""`sf.lr_find`: which learning rates a training can take."""
