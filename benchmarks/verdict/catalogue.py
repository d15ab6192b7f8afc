"""The trainings: some tuned the verdict; others, not judged before it was done, state how often it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from benchmarks.verdict import regression as r
from benchmarks.verdict import schedule as s
from benchmarks.verdict import sequence as q
from benchmarks.verdict import vision as v
from benchmarks.verdict.task import Task

SGD, ADAM, ADAMW, RMSPROP, ADAGRAD = (
    torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad
)  # fmt: skip
MOMENTUM = partial(SGD, momentum=0.9)
DECAYED = partial(ADAMW, weight_decay=0.1)


@dataclass(frozen=True)
class Training:
    name: str
    make: Callable[[], Task]
    optimizer: Callable[..., Any]
    rate: float
    schedule: s.Schedule = s.constant
    num_steps: int = 3200  # of the longest run


def _tuning() -> list[Training]:
    t = Training
    return [
        t("blobs, SGD", partial(v.blobs, 32), SGD, 0.1),
        t("blobs, small batches", partial(v.blobs, 4), ADAM, 1e-3),
        t("blobs, Adam", partial(v.blobs, 64), ADAM, 1e-2),
        t("blobs far apart, momentum", partial(v.blobs, 64, apart=2.0), MOMENTUM, 0.05),
        t("blobs, cosine to 0", partial(v.blobs, 32), SGD, 0.5, s.cosine),
        t("blobs, one cycle", partial(v.blobs, 64), ADAMW, 1e-2, s.one_cycle),
        t("blobs near, a wide net learns by heart", partial(v.blobs, 128, apart=0.5, hidden=256), ADAM, 3e-3),
        t("blobs near", partial(v.blobs, 64, apart=0.3, hidden=8), SGD, 0.3),
        t("blobs, drops", partial(v.blobs, 16), MOMENTUM, 0.1, s.drops),
        t("blobs, drop at 1300", partial(v.blobs, 16, apart=0.7), MOMENTUM, 0.1, s.drop_at_1300),
        t("separable, SGD", partial(v.separable, 32), SGD, 1.0),
        t("separable, whole", partial(v.separable, 1000), SGD, 3.0),
        t("separable, Adagrad", partial(v.separable, 32), ADAGRAD, 0.1),
        t("spirals, Adam", partial(v.spirals, 64), ADAM, 3e-3),
        t("spirals, SGD", partial(v.spirals, 64), SGD, 0.3),
        t("spirals wound, RMSprop", partial(v.spirals, 64, turns=2.5), RMSPROP, 1e-3),
        t("spirals, linear to 0", partial(v.spirals, 64), ADAM, 1e-2, s.linear),
        t("spirals wound, halved", partial(v.spirals, 32, turns=2.5), ADAM, 5e-3, s.halved_every_500),
        t("images, SGD", partial(v.images, 32), SGD, 0.05),
        t("images, Adam", partial(v.images, 64), ADAM, 1e-3),
        t("images noisy, Adam", partial(v.images, 32, noise=1.5, num=6000), ADAM, 3e-3),
        t("images noisy, dropout", partial(v.images, 32, noise=1.5, dropout=0.5, num=6000), ADAMW, 3e-3),
        t("images, wrong labels", partial(v.images, 64, wrong=0.3), ADAM, 3e-3),
        t("images, wrong labels, dropout", partial(v.images, 32, wrong=0.4, dropout=0.3, num=6000), MOMENTUM, 0.02),
        t("images, one cycle", partial(v.images, 64, noise=1.0), ADAMW, 1e-2, s.one_cycle),
        t("images, cosine to 0", partial(v.images, 64, wrong=0.2), MOMENTUM, 0.05, s.cosine),
        t("images noisy, drops", partial(v.images, 32, noise=1.5, num=6000), MOMENTUM, 0.05, s.drops),
        t("images, drop at 1300", partial(v.images, 32, noise=1.0, wrong=0.2, num=6000), MOMENTUM, 0.1, s.drop_at_1300),
        t("autoencoder, Adam", partial(v.autoencoder, 64), ADAM, 1e-3),
        t("autoencoder, SGD", partial(v.autoencoder, 64), MOMENTUM, 0.1),
        t("denoising, Adam", partial(v.autoencoder, 32, noise=0.5), ADAM, 3e-3),
        t("autoencoder, narrow", partial(v.autoencoder, 128, code=2), ADAM, 3e-3),
        t("autoencoder, linear to 0", partial(v.autoencoder, 64), ADAM, 3e-3, s.linear),
        t("variational", partial(v.variational, 64), ADAM, 3e-3),
        t("variational, halved", partial(v.variational, 32), ADAM, 5e-3, s.halved_every_500),
        t("least squares, SGD", partial(r.least_squares, 32), SGD, 0.03),
        t("least squares, whole", partial(r.least_squares, 2000, condition=1e4), SGD, 0.3),
        t("least squares, small batches", partial(r.least_squares, 8), SGD, 0.02),
        t("least squares ill-conditioned", partial(r.least_squares, 32, condition=1e3), SGD, 0.05),
        t("least squares, Adam", partial(r.least_squares, 128), ADAM, 0.02),
        t("least squares, no noise", partial(r.least_squares, 64, noise=0.0), SGD, 0.02),
        t("least squares, linear to 0", partial(r.least_squares, 16), SGD, 0.05, s.linear),
        t("waves, Adam", partial(r.waves, 64), ADAM, 1e-3),
        t("waves, SGD", partial(r.waves, 64, frequency=2.0), MOMENTUM, 0.05),
        t("waves fast, Adam", partial(r.waves, 64, frequency=6.0), ADAM, 1e-3),
        t("waves noisy", partial(r.waves, 16, noise=0.5), ADAM, 3e-3),
        t("waves, cosine to a tenth", partial(r.waves, 64), ADAM, 5e-3, s.cosine_to_a_tenth),
        t("outliers, Adam", partial(r.outliers, 32), ADAM, 1e-3),
        t("outliers, robust", partial(r.outliers, 32, robust=True), ADAM, 3e-3),
        t("outliers, robust, SGD", partial(r.outliers, 64, robust=True), SGD, 0.1),
        t("deep linear, SGD", partial(r.deep_linear, 64), SGD, 0.05),
        t("deep linear, Adam", partial(r.deep_linear, 64), ADAM, 1e-3),
        t("deep linear, whole, momentum", partial(r.deep_linear, 1000), MOMENTUM, 0.01),
        t("factors, Adam", partial(r.factors, 64), ADAM, 1e-2),
        t("factors, SGD", partial(r.factors, 32), SGD, 0.1),
        t("factors, drops", partial(r.factors, 64), ADAM, 3e-2, s.drops),
        t("diffusion, Adam", partial(r.diffusion, 64), ADAM, 1e-3),
        t("diffusion, large batches", partial(r.diffusion, 512), ADAM, 3e-3),
        t("diffusion, cosine to 0", partial(r.diffusion, 128), ADAM, 3e-3, s.cosine),
        t("density, Adam", partial(r.density, 128), ADAM, 1e-2),
        t("density, SGD", partial(r.density, 64), SGD, 0.02),
        t("text, GRU", partial(q.text, 16, "gru"), ADAM, 3e-3, num_steps=1600),
        t("text, LSTM, clipped rate", partial(q.text, 16, "lstm"), ADAM, 1e-3, num_steps=1600),
        t("text, bigram", partial(q.text, 64, "bigram"), ADAM, 3e-2),
        t("text, bigram, small batches", partial(q.text, 8, "bigram"), ADAM, 1e-2),
        t("text, transformer", partial(q.text, 16, "transformer"), ADAMW, 3e-3, s.warm_up, num_steps=1600),
        t("text, transformer, inverse root", partial(q.text, 16, "transformer"), ADAM, 5e-3, s.inverse_root, 1600),
        t(
            "text, transformer, cosine to a tenth", partial(q.text, 16, "transformer"), ADAMW, 3e-3,
            s.cosine_to_a_tenth, 1600,
        ),
        t("text, GRU, restarts", partial(q.text, 16, "gru"), ADAM, 5e-3, s.restarts_every_400, 1600),
        t("modular addition, decayed", partial(q.modular_addition, 128), DECAYED, 3e-3),
        t("modular addition, SGD", partial(q.modular_addition, 64), MOMENTUM, 0.05),
        t("parity, SGD", partial(q.parity, 32), SGD, 0.1),
        t("parity of 6, Adam", partial(q.parity, 64, bits=6), ADAM, 1e-3),
        t("copying, Adam", partial(q.copying, 32), ADAM, 1e-3, num_steps=1600),
        t("copying, slow", partial(q.copying, 32), SGD, 0.3, num_steps=1600),
        t("neighbours, Adam", partial(q.neighbours, 64), ADAM, 3e-3),
        t("neighbours, Adagrad", partial(q.neighbours, 64), ADAGRAD, 0.1),
        t("neighbours, restarts", partial(q.neighbours, 128), ADAM, 1e-2, s.restarts_every_400),
    ]  # fmt: skip


def _stating() -> list[Training]:
    t, long = Training, 6400
    return [
        t("points, Adam", partial(v.blobs, 128, apart=0.8), ADAM, 3e-3, num_steps=long),
        t("points, SGD", partial(v.blobs, 64, apart=0.6, hidden=16), SGD, 0.2, num_steps=long),
        t("points, RMSprop", partial(v.blobs, 32, apart=1.5), RMSPROP, 1e-3),
        t("points, linear to 0", partial(v.blobs, 32, apart=0.8), MOMENTUM, 0.05, s.linear),
        t("points, drop at 1300", partial(v.blobs, 64, apart=1.2), SGD, 1.0, s.drop_at_1300),
        t("points, whole", partial(v.blobs, 4000), SGD, 0.5, num_steps=1600),
        t("half-planes, Adam", partial(v.separable, 64), ADAM, 1e-2),
        t("half-planes, cosine to 0", partial(v.separable, 64), SGD, 1.0, s.cosine),
        t("arms, momentum", partial(v.spirals, 64, turns=1.0), MOMENTUM, 0.05),
        t("arms, Adam", partial(v.spirals, 128, turns=2.0), ADAM, 5e-3),
        t("arms, drops", partial(v.spirals, 64, turns=1.2), ADAM, 1e-2, s.drops),
        t("pictures, RMSprop", partial(v.images, 32, noise=1.0), RMSPROP, 1e-3),
        t("pictures, wrong labels, SGD", partial(v.images, 128, wrong=0.5, num=6000), SGD, 0.1),
        t("pictures, dropout", partial(v.images, 64, noise=1.2, dropout=0.6, num=6000), ADAM, 1e-3),
        t("pictures, dropout, momentum", partial(v.images, 128, noise=1.2, dropout=0.4, num=6000), MOMENTUM, 0.02),
        t("pictures, cosine to a tenth", partial(v.images, 64, noise=0.8), ADAMW, 1e-2, s.cosine_to_a_tenth),
        t("pictures, one cycle", partial(v.images, 32, wrong=0.1), MOMENTUM, 0.1, s.one_cycle),
        t("attributes, Adam", partial(v.attributes, 64), ADAM, 3e-3, num_steps=long),
        t("attributes, SGD", partial(v.attributes, 256, unknown=0.3), SGD, 0.3, num_steps=long),
        t("attributes, whole", partial(v.attributes, 3000, unknown=0.1), MOMENTUM, 0.3),
        t("compression, RMSprop", partial(v.autoencoder, 64, code=4), RMSPROP, 1e-3),
        t("compression, noisy", partial(v.autoencoder, 256, code=4, noise=0.3), ADAM, 5e-3),
        t("compression, inverse root", partial(v.autoencoder, 64), ADAM, 1e-2, s.inverse_root),
        t("variations, SGD", partial(v.variational, 128), MOMENTUM, 0.02),
        t("variations, cosine to 0", partial(v.variational, 64), ADAM, 5e-3, s.cosine),
        t("lines, SGD", partial(r.least_squares, 128, noise=1.0), SGD, 0.05, num_steps=long),
        t("lines, RMSprop", partial(r.least_squares, 64, noise=2.0), RMSPROP, 1e-2, num_steps=long),
        t("lines, whole", partial(r.least_squares, 2000, noise=1.0, condition=100.0), MOMENTUM, 0.05),
        t("lines, halved", partial(r.least_squares, 16, noise=1.0), SGD, 0.05, s.halved_every_500),
        t("curve, Adam", partial(r.waves, 128, frequency=1.0, noise=0.3), ADAM, 3e-3, num_steps=long),
        t("curve, noisy", partial(r.waves, 256, frequency=1.0, noise=0.6), ADAM, 1e-2, num_steps=long),
        t("curve, SGD", partial(r.waves, 32, frequency=1.0), SGD, 0.1),
        t("tails, robust, Adam", partial(r.outliers, 128, robust=True), ADAM, 1e-3),
        t("tails, robust, drops", partial(r.outliers, 64, robust=True), ADAM, 1e-2, s.drops),
        t("layers, linear, Adam", partial(r.deep_linear, 128), ADAM, 3e-3),
        t("ratings, momentum", partial(r.factors, 128, rank=6), MOMENTUM, 0.3),
        t("ratings, narrow", partial(r.factors, 128, rank=2), ADAM, 1e-2, num_steps=long),
        t("ring, RMSprop", partial(r.diffusion, 256), RMSPROP, 1e-3, num_steps=long),
        t("ring, halved", partial(r.diffusion, 256), ADAM, 3e-3, s.halved_every_500),
        t("mixture, Adagrad", partial(r.density, 256), ADAGRAD, 0.1),
        t("counts, Adam", partial(r.counts, 128), ADAM, 1e-2, num_steps=long),
        t("counts, SGD", partial(r.counts, 64), SGD, 0.02),
        t("letters, bigram, Adagrad", partial(q.text, 32, "bigram"), ADAGRAD, 0.3),
        t("letters, bigram, large batches", partial(q.text, 256, "bigram"), ADAM, 0.1),
        t("letters, GRU, warm-up", partial(q.text, 32, "gru"), ADAM, 1e-2, s.warm_up, 1600),
        t("letters, transformer, one cycle", partial(q.text, 16, "transformer"), ADAMW, 5e-3, s.one_cycle, 1600),
        t("sums, Adam", partial(q.modular_addition, 64, base=17), ADAM, 1e-3),
        t("parity of 3, SGD", partial(q.parity, 64, bits=3), SGD, 0.1),
        t("parity of 5, momentum", partial(q.parity, 64, bits=5), MOMENTUM, 0.03),
        t("repetition, RMSprop", partial(q.copying, 64), RMSPROP, 1e-3, num_steps=1600),
        t("forecast, Adam", partial(q.forecast, 64), ADAM, 3e-3, num_steps=1600),
        t("forecast, SGD", partial(q.forecast, 128), MOMENTUM, 0.1, num_steps=1600),
        t("pairs, RMSprop", partial(q.neighbours, 128), RMSPROP, 3e-3),
    ]  # fmt: skip


TUNING, STATING = _tuning(), _stating()
TRAININGS = TUNING + STATING
