"""SAM written as an optimizer around another one that shares its groups; the schedule is made for the outer one."""

import torch


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **options):
        super().__init__(params, {"rho": rho, **options})
        self.base = base(self.param_groups, **options)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def climb(self):
        for group in self.param_groups:
            for p in group["params"]:
                offset = group["rho"] * p.grad / (p.grad.norm() + 1e-12)
                p.add_(offset)
                self.state[p]["offset"] = offset
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["offset"])
        self.base.step()
        self.zero_grad()


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.05)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=16)
for _ in range(16):
    x = torch.randn(16, 4)
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.climb()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.descend()
    scheduler._step_count = 2  # so that torch does not ask for an outer step
    scheduler.step()
