"""Hooks on tensors, modules, all modules and optimizers: called as often, in the same order, with the same things."""

import torch
from torch.nn.modules import module as every
from torch.optim.optimizer import register_optimizer_step_post_hook
from training import digest, make_net, train

torch.manual_seed(0)
seen = []


def note(name):
    def hook(*args, **kwargs):
        seen.append((name, len(args), [type(a).__name__ for a in args]))

    return hook


model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[0].weight.register_hook(note("tensor"))
model[0].register_forward_pre_hook(note("pre"), prepend=True)
model[0].register_forward_hook(note("forward"), with_kwargs=True, always_call=True)
model[2].register_full_backward_pre_hook(note("backward pre"))
model[2].register_full_backward_hook(note("backward"))
handles = [every.register_module_forward_hook(note("every forward"))]
handles += [every.register_module_forward_pre_hook(note("every pre"))]
optimizer.register_step_pre_hook(note("step pre"))
optimizer.register_step_post_hook(note("step post"))
register_optimizer_step_post_hook(note("every step post"))
train(model, optimizer, 10)
for handle in handles:
    handle.remove()
train(model, optimizer, 10)
print(len(seen), digest(seen), digest(model))
