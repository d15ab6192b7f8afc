"""torch's own errors: their texts and tracebacks."""

import traceback

import torch
from torch.nn import functional
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
for call in (
    lambda: torch.ones(2).backward(),
    lambda: torch.ones(2, requires_grad=True).backward(),
    lambda: functional.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 9])),
    lambda: torch.optim.SGD([], lr=0.1),
    lambda: torch.optim.SGD([torch.ones(1)], lr=-1),
    lambda: optimizer.zero_grad("nothing", 2),
    lambda: torch.nn.utils.clip_grad_norm_(model.parameters()),
    lambda: torch.autograd.grad(torch.ones(1), torch.ones(1)),
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
        traceback.print_exc()
print(digest(model))
torch.ones(2).backward()
