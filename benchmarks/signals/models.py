"""Two bigger models beside those of all benchmarks."""

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from benchmarks.models import MODELS as SMALL
from benchmarks.models import Problem, Transformer, cross_entropy


class Residual(nn.Module):
    """Two convolutions with batch-norm and a way around them."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(outside), nn.BatchNorm2d(outside)
        self.around = nn.Identity() if stride == 1 and inside == outside else nn.Conv2d(inside, outside, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.norm2(self.second(F.relu(self.norm1(self.first(x)))))
        return F.relu(inner + self.around(x))


def cnn() -> Problem:
    """Like ResNet-18: 11 M parameters, 8 images of 32 x 32."""
    widths = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2)]
    blocks = [Residual(*width) for width in (*widths, (512, 512, 1))]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10)]
    model = nn.Sequential(nn.Conv2d(3, 64, 3, 1, 1), nn.BatchNorm2d(64), nn.ReLU(), *blocks, *head)
    return Problem(model, cross_entropy, torch.randn(8, 3, 32, 32), torch.randint(10, (8,)))


def big() -> Problem:
    """A transformer of 25 M parameters, 4 x 64 tokens."""
    tokens = torch.randint(256, (4, 65))
    model = Transformer(width=512, depth=8, heads=8)
    return Problem(model, cross_entropy, tokens[:, :-1], tokens[:, 1:].flatten())


MODELS: dict[str, Callable[[], Problem]] = {name: SMALL[name] for name in ("m1", "m2", "m3")}
MODELS |= {"cnn": cnn, "big": big}
