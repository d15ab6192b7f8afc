"""Exceptions in hooks on tensors, modules and optimizers reach the program."""

import traceback

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def fail(*_):
    raise ValueError("in a hook")


for register in (
    model[0].weight.register_hook,
    model[0].weight.register_post_accumulate_grad_hook,
    model[0].register_full_backward_hook,
    optimizer.register_step_pre_hook,
    optimizer.register_step_post_hook,
):
    train(model, optimizer, 4)
    hook = register(fail)
    try:
        train(model, optimizer, 1)
    except ValueError as error:
        print(error, traceback.extract_tb(error.__traceback__)[-1].name)
    hook.remove()
    optimizer.zero_grad()
train(model, optimizer, 4)
print(digest(model))
