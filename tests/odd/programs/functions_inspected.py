"""Signatures, names, modules, documentation and source of torch's functions."""

import inspect
import pickle

import torch
from torch.nn import functional
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 5)
for what in (
    torch.autograd.backward,
    torch.Tensor.backward,
    torch.optim.Optimizer.zero_grad,
    torch.optim.SGD.step,
    torch.optim.Optimizer.__init__,
    functional.cross_entropy,
    functional.mse_loss,
    torch.nn.utils.clip_grad_norm_,
    torch.optim.lr_scheduler.StepLR.step,
    torch.nn.Module.__call__,
    torch.nn.Module.train,
    torch.save,
    torch.load,
    torch.nn.Module.load_state_dict,
    torch.utils.data.DataLoader.__iter__,
    torch.nn.Module.state_dict,
    torch.autograd.grad,
    torch.manual_seed,
    torch.optim.Optimizer.add_param_group,
    torch.amp.GradScaler.step,
):
    print(what.__module__, what.__qualname__, inspect.signature(what), bool(what.__doc__), inspect.isfunction(what))
print(pickle.loads(pickle.dumps(functional.cross_entropy)) is functional.cross_entropy)
print(inspect.getsource(functional.mse_loss)[:20], digest(model))
