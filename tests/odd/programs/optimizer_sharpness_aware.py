"""SAM: two backwards a step, weights moved and moved back between them."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net


class SAM(torch.optim.Optimizer):
    def __init__(self, params, inner, rho=0.05, **kwargs):
        super().__init__(params, {"rho": rho, **kwargs})
        self.inner = inner(self.param_groups, **kwargs)
        self.param_groups = self.inner.param_groups

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]).norm()
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["old"] = param.clone()
                param.add_(param.grad, alpha=group["rho"] / (norm.item() + 1e-12))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for param in group["params"]:
                param.copy_(self.state[param]["old"])
        self.inner.step()


torch.manual_seed(0)
model = make_net()
optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.1)
for _ in range(30):
    x, y = make_batch()
    optimizer.zero_grad()
    functional.cross_entropy(model(x), y).backward()
    optimizer.climb()
    optimizer.zero_grad()
    functional.cross_entropy(model(x), y).backward()
    optimizer.step()
print(digest(model))
