"""Low-rank adapters given to the optimizer by name; nothing is frozen by `requires_grad`."""

import torch
from torch import nn

torch.manual_seed(0)


class LowRank(nn.Module):
    def __init__(self, base: nn.Linear, rank: int = 2) -> None:
        super().__init__()
        self.base = base
        self.lora_a = nn.Linear(base.in_features, rank, bias=False)
        self.lora_b = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.lora_b.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.lora_b(self.lora_a(x))


model = nn.Sequential(*(LowRank(nn.Linear(16, 16)) for _ in range(3)))
optimizer = torch.optim.AdamW([p for name, p in model.named_parameters() if "lora" in name], lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 16)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.roll(1, dims=1)).backward()
    optimizer.step()
