"""The three models that costs are measured on."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

LEARNING_RATE, MAX_NORM = 1e-4, 1.0


@dataclass(frozen=True, slots=True)
class Problem:
    """What is trained, and the batch it is trained on over and over."""

    model: nn.Module
    loss_fn: Callable[[Tensor, Tensor], Tensor]
    x: Tensor
    y: Tensor

    def optimizer(self, **settings: bool) -> torch.optim.AdamW:
        return torch.optim.AdamW(self.model.parameters(), lr=LEARNING_RATE, **settings)  # type: ignore[arg-type]


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_in, self.norm_out = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.mix = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts = self.qkv(self.norm_in(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width)
        x = x + self.mix(seen)
        return x + self.narrow(F.gelu(self.wide(self.norm_out(x))))


class Transformer(nn.Module):
    def __init__(self, width: int = 128, depth: int = 4, heads: int = 4, vocabulary: int = 256) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.norm(self.blocks(self.embed(tokens)))).flatten(0, 1)


def squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    return F.mse_loss(outputs, targets)  # looked up at each call, as programs do: it may be watched by then


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(outputs, targets)


def m1() -> Problem:
    """MLP 10-32-1, batch 32."""
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    return Problem(model, squared_error, torch.randn(32, 10), torch.randn(32, 1))


def m2() -> Problem:
    """MLP of 1 M parameters, batch 64."""
    sizes = [(256, 768), (768, 768), (768, 320), (320, 10)]
    layers = [layer for i, o in sizes for layer in (nn.Linear(i, o), nn.ReLU())][:-1]
    return Problem(nn.Sequential(*layers), cross_entropy, torch.randn(64, 256), torch.randint(10, (64,)))


def m3() -> Problem:
    """4-layer transformer, width 128, 8 x 64 tokens."""
    tokens = torch.randint(256, (8, 65))
    return Problem(Transformer(), cross_entropy, tokens[:, :-1], tokens[:, 1:].flatten())


MODELS: dict[str, Callable[[], Problem]] = {"m1": m1, "m2": m2, "m3": m3}
