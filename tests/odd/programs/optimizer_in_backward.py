"""The optimizer steps inside backward, by post-accumulate-grad hooks, one optimizer for each parameter."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net

torch.manual_seed(0)
model = make_net()
owners = {param: torch.optim.SGD([param], lr=0.1) for param in model.parameters()}


def update(param):
    owners[param].step()
    owners[param].zero_grad()


for param in model.parameters():
    param.register_post_accumulate_grad_hook(update)
for _ in range(30):
    x, y = make_batch()
    functional.cross_entropy(model(x), y).backward()
print([p.grad for p in model.parameters()], digest(model))
