"""Views that seem to swap dimensions, and put rows together, shift them, or arrange what has no order yet."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Pyramid(nn.Module):
    """Two moments that follow each other become one: (batch, 32, 16) becomes (batch, 16, 32)."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.GRU(6, 16, batch_first=True), nn.GRU(32, 8, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.first(x)[0]
        return self.second(h.reshape(len(x), 16, 32))[0].mean((1, 2))


class Relative(nn.Module):
    """Transformer-XL shifts relative positions: one column more, viewed the other way, the first row left out."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.position = (nn.Linear(6, 8) for _ in range(3))
        self.positions = torch.randn(32, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, p = self.query(x), self.key(x), self.position(self.positions)
        score = F.pad(q @ p.t(), (1, 0))
        shifted = score.view(len(x), 33, 32)[:, 1:].view(len(x), 32, 32)
        return ((q @ k.transpose(1, 2) + shifted).softmax(-1) @ k).mean((1, 2))


class Decoder(nn.Module):
    """What a layer puts out flat has no order yet, whatever it is viewed as first and then."""

    def __init__(self) -> None:
        super().__init__()
        self.flat, self.conv = nn.Linear(6, 60), nn.Conv1d(12, 1, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.flat(x[:, 0]).view(len(x), 5, 12).relu()
        return self.conv(h.view(len(x), 12, 5)).mean((1, 2))


class Windows(nn.Module):
    """Windows of an image, channels shuffled in groups, and heads split and put together as they should be."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.qkv, self.out = nn.Conv2d(1, 12, 3, padding=1), nn.Linear(12, 36), nn.Linear(12, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b = len(x)
        h = self.conv(x.view(b, 1, 12, 16))
        h = h.view(b, 3, 4, 12, 16).transpose(1, 2).reshape(b, 12, 12, 16)
        h = h.permute(0, 2, 3, 1).reshape(b, 3, 4, 4, 4, 12).transpose(2, 3).reshape(b * 12, 16, 12)
        q, k, v = self.qkv(h).view(b * 12, 16, 3, 2, 6).permute(2, 0, 3, 1, 4)
        h = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b * 12, 16, 12)
        return self.out(h.mean(1)).view(b, 12).mean(1)


class Folded(nn.Module):
    """A view that a later one undoes."""

    def __init__(self) -> None:
        super().__init__()
        self.encode, self.scale = nn.Linear(6, 10), nn.Parameter(torch.ones(32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.encode(x)
        return (h.view(len(x), 10, 32) * self.scale).view(len(x), 32, 10).mean((1, 2))


models = [Pyramid(), Relative(), Decoder(), Windows(), Folded()]
optimizer = torch.optim.Adam([p for model in models for p in model.parameters()], lr=1e-3)
for _ in range(20):
    x = torch.randn(9, 32, 6)
    loss = sum((F.mse_loss(model(x), x[:, 0, 0]) for model in models), torch.zeros(()))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
