"""An optimizer of one's own leaves the weights alone when a gradient is not finite."""

import torch


class GuardedSGD(torch.optim.SGD):
    def step(self, closure=None):
        grads = [p.grad for group in self.param_groups for p in group["params"] if p.grad is not None]
        if all(bool(g.isfinite().all()) for g in grads):
            return super().step(closure)
        return None


torch.manual_seed(0)
model = torch.nn.Linear(4, 4)
optimizer = GuardedSGD(model.parameters(), lr=0.01)
for step in range(12):
    x = torch.randn(16, 4)
    target = model(x).detach() if step % 5 == 3 else x
    loss = (model(x) - target).square().sum(dim=1).sqrt().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert all(bool(p.isfinite().all()) for p in model.parameters())
