"""bf16 weights and an optimizer of one's own that rounds stochastically."""

import torch


class RoundingSGD(torch.optim.Optimizer):
    def __init__(self, params, lr: float) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                exact = p.float() - group["lr"] * p.grad.float()
                noise = torch.randint_like(exact, 0, 1 << 16, dtype=torch.int32)
                p.copy_(((exact.view(torch.int32) + noise) & -65536).view(torch.float32))


torch.manual_seed(0)
model = torch.nn.Linear(8, 1).to(torch.bfloat16)
optimizer = RoundingSGD(model.parameters(), lr=1e-3)
for _ in range(16):
    x = torch.randn(32, 8, dtype=torch.bfloat16)
    loss = torch.nn.functional.mse_loss(model(x).float(), x.sum(1, keepdim=True).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
