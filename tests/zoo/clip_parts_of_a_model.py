"""Clips sub-modules and parameter groups apart; a frozen backbone and an idle expert are clipped too."""

import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = torch.nn.Linear(4, 8)
        self.experts = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(3))
        self.head = torch.nn.Linear(8, 1)

    def forward(self, x: torch.Tensor, expert: int) -> torch.Tensor:
        return self.head(self.experts[expert](self.backbone(x).relu()))


torch.manual_seed(0)
model = Model()
model.backbone.requires_grad_(False)
optimizer = torch.optim.AdamW(
    [
        {"params": model.experts.parameters(), "lr": 1e-2},
        {"params": model.head.parameters(), "lr": 1e-3},
    ]
)
for step in range(12):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x, step % 3), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    clip_grad_norm_(model.backbone.parameters(), 1.0)
    for expert in model.experts:
        clip_grad_norm_(expert.parameters(), 1.0)
    for group in optimizer.param_groups:
        clip_grad_value_(group["params"], 0.5)
    optimizer.step()
