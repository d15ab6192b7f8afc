"""An optimizer that wraps another and shares its parameters."""

import torch
from torch import nn

torch.manual_seed(0)


class Lookahead(torch.optim.Optimizer):
    def __init__(self, inner: torch.optim.Optimizer) -> None:
        super().__init__([p for group in inner.param_groups for p in group["params"]], {"lr": 1.0})
        self.inner = inner
        self.slow = [p.detach().clone() for group in self.param_groups for p in group["params"]]
        self.count = 0

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        self.inner.step()
        self.count += 1
        if self.count % 5 == 0:
            for slow, p in zip(self.slow, self.param_groups[0]["params"], strict=True):
                slow.lerp_(p, 0.5)
                p.copy_(slow)


model = nn.Linear(8, 3)
optimizer = Lookahead(torch.optim.Adam(model.parameters(), lr=1e-2))
for _ in range(16):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
