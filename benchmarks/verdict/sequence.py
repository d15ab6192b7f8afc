"""Tasks on text and symbols."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from benchmarks.verdict.task import Task, batches

LENGTH, WIDTH = 24, 32


def text_windows() -> tuple[Tensor, int]:
    """Windows of real English, of which every Python has some: its own manual."""
    from pydoc_data.topics import topics

    text = "\n".join(topics[name] for name in sorted(topics))[:60_000]
    letters = sorted(set(text))
    codes = torch.tensor([letters.index(letter) for letter in text])
    return codes.unfold(0, LENGTH + 1, LENGTH).contiguous(), len(letters)


class Recurrent(nn.Module):
    def __init__(self, num_letters: int, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.embed, self.rnn = nn.Embedding(num_letters, WIDTH), kind(WIDTH, 2 * WIDTH, batch_first=True)
        self.head = nn.Linear(2 * WIDTH, num_letters)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rnn(self.embed(x))[0])


class Transformer(nn.Module):
    def __init__(self, num_letters: int, length: int = LENGTH) -> None:
        super().__init__()
        self.embed, self.place = nn.Embedding(num_letters, WIDTH), nn.Parameter(0.02 * torch.randn(length, WIDTH))
        self.block = nn.TransformerEncoderLayer(WIDTH, 2, 2 * WIDTH, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, num_letters)
        self.mask = nn.Transformer.generate_square_subsequent_mask(length)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.block(self.embed(x) + self.place, src_mask=self.mask, is_causal=True))


def text(batch: int, model: str = "gru") -> Task:
    windows, num = text_windows()
    made: nn.Module
    match model:
        case "bigram":
            made = nn.Embedding(num, num)
        case "transformer":
            made = Transformer(num)
        case _:
            made = Recurrent(num, {"gru": nn.GRU, "lstm": nn.LSTM}[model])
    return Task(
        made, batches(lambda w: F.cross_entropy(made(w[:, :-1]).flatten(0, 1), w[:, 1:].flatten()), batch, windows)
    )


def modular_addition(batch: int, *, base: int = 23) -> Task:
    """Learned by heart or understood, after a long rest."""
    pairs = torch.cartesian_prod(torch.arange(base), torch.arange(base))
    y = pairs.sum(1) % base
    model = nn.Sequential(
        nn.Embedding(base, WIDTH), nn.Flatten(), nn.Linear(2 * WIDTH, 64), nn.ReLU(), nn.Linear(64, base)
    )
    return Task(model, batches(lambda a, b: F.cross_entropy(model(a), b), batch, pairs, y))


def parity(batch: int, *, bits: int = 4) -> Task:
    """Of some bits of ten: at rest at log 2 until it is found."""
    x = torch.randint(2, (2000, 10)).float() * 2 - 1
    y = (x[:, :bits].prod(1) > 0).long()
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 2))
    return Task(model, batches(lambda a, b: F.cross_entropy(model(a), b), batch, x, y))


def copying(batch: int) -> Task:
    """Say after a pause what was heard before it."""
    heard = torch.randint(1, 9, (2000, 4))
    x = torch.cat([heard, torch.zeros(2000, 6, dtype=torch.long)], 1)
    model = Recurrent(9, nn.GRU)
    return Task(
        model, batches(lambda a, b: F.cross_entropy(model(a)[:, -4:].flatten(0, 1), b.flatten()), batch, x, heard)
    )


def neighbours(batch: int) -> Task:
    """Embeddings that tell letters that follow each other from such that do not."""
    windows, num = text_windows()
    pairs = windows[:, :2]
    left, right = nn.Embedding(num, 16), nn.Embedding(num, 16)

    def loss(w: Tensor) -> Tensor:
        return F.cross_entropy(left(w[:, 0]) @ right(w[:, 1]).T, torch.arange(len(w)))

    return Task(nn.ModuleList([left, right]), batches(loss, batch, pairs))


def forecast(batch: int) -> Task:
    """The next value of a noisy oscillation."""
    start, speed = 6.3 * torch.rand(1000, 1), 0.2 + 0.5 * torch.rand(1000, 1)
    series = torch.sin(start + speed * torch.arange(LENGTH + 1)) + 0.2 * torch.randn(1000, LENGTH + 1)
    rnn, head = nn.GRU(1, WIDTH, batch_first=True), nn.Linear(WIDTH, 1)

    def loss(w: Tensor) -> Tensor:
        return F.mse_loss(head(rnn(w[:, :-1, None])[0])[..., 0], w[:, 1:])

    return Task(nn.ModuleList([rnn, head]), batches(loss, batch, series))
