"""torch.func: grad, vmap, functional_call, jvp, and updates by hand between ordinary steps."""

import torch
from torch.func import functional_call, grad, grad_and_value, jvp, vmap
from torch.nn import functional
from training import digest, make_batch, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 10)
x, y = make_batch()
params = {name: p.detach() for name, p in model.named_parameters()}


def loss(params, x, y):
    return functional.cross_entropy(functional_call(model, params, (x[None],)), y[None])


per_sample = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
_, value = grad_and_value(loss)(params, x[0], y[0])
_, tangent = jvp(lambda x: model(x).sum(), (x,), (torch.ones_like(x),))
train(model, optimizer, 10)
print(digest(*per_sample.values()), value.item(), tangent.item(), digest(model))
