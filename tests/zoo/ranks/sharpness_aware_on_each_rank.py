"""SAM whose ascent is each rank's own, under no_sync, and taken back before the synchronised step."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Ascent(torch.optim.Optimizer):
    def __init__(self, params, rho=0.05):
        super().__init__(params, {"rho": rho})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            norm = torch.stack([p.grad.norm() for p in group["params"]]).norm()
            for p in group["params"]:
                self.state[p]["up"] = p.grad * (group["rho"] / (norm + 1e-12))
                p.add_(self.state[p]["up"])

    @torch.no_grad()
    def take_back(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["up"])


dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
ascent = Ascent(model.parameters())
for _ in range(10):
    x = torch.randn(16, 6)
    y = x.sum(1, keepdim=True)
    with model.no_sync():
        nn.functional.mse_loss(model(x), y).backward()
    ascent.step()
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    ascent.take_back()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
