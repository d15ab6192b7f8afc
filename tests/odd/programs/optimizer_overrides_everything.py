"""An optimizer with its own step, zero_grad and add_param_group, all counted."""

import torch
from torch import nn
from training import digest, make_net, train

torch.manual_seed(0)


class Signs(torch.optim.Optimizer):
    def __init__(self, params, lr):
        self.calls = []
        super().__init__(params, {"lr": lr})

    def add_param_group(self, group):
        self.calls.append("add")
        super().add_param_group(group)

    def zero_grad(self, set_to_none=False):
        self.calls.append("zero")
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    param.grad.zero_()

    def step(self, closure=None):
        self.calls.append("step")
        with torch.no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        param.add_(param.grad.sign(), alpha=-group["lr"])


model, extra = make_net(), nn.Linear(8, 8)
optimizer = Signs(model.parameters(), 1e-3)
train(model, optimizer, 10)
optimizer.add_param_group({"params": list(extra.parameters()), "lr": 1e-4})
train(nn.Sequential(extra, model), optimizer, 10)
print(digest(optimizer.calls), digest(model, extra))
