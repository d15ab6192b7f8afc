"""Keras on torch."""

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

from surefoot.integrations.keras import SurefootCallback

keras.utils.set_random_seed(0)
x = np.random.randn(320, 10).astype("float32")
y = (x.sum(1) > 0).astype("int64")


class Classifier(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(32, activation="relu")
        self.out = keras.layers.Dense(2)

    def call(self, x):  # FUNCTION
        return self.out(self.hidden(x))

    def zero_grad(self, set_to_none=True):
        pass


model = Classifier()
model.compile(keras.optimizers.Adam(1e-2), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
callback = SurefootCallback(stop_on=sys.argv[1] if len(sys.argv) > 1 else None)
model.fit(x, y, batch_size=32, epochs=3, verbose=0, callbacks=[callback])
