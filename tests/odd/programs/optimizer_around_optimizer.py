"""Lookahead around SGD: an optimizer that owns another one."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)


class Lookahead(torch.optim.Optimizer):
    def __init__(self, inner, k=5):
        self.inner, self.k, self.num = inner, k, 0
        super().__init__(inner.param_groups, inner.defaults)
        self.slow = [[p.detach().clone() for p in group["params"]] for group in self.param_groups]

    def zero_grad(self, set_to_none=True):
        self.inner.zero_grad(set_to_none)

    @torch.no_grad()
    def step(self, closure=None):
        loss = self.inner.step(closure)
        self.num += 1
        if self.num % self.k == 0:
            for group, slow in zip(self.param_groups, self.slow):
                for param, kept in zip(group["params"], slow):
                    kept.lerp_(param, 0.5)
                    param.copy_(kept)
        return loss


model = make_net()
optimizer = Lookahead(torch.optim.SGD(model.parameters(), lr=0.1))
train(model, optimizer, 40)
print(optimizer.num, digest(model))
