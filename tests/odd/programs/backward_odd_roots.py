"""Backward on tensors that are no scalars, with gradients given, on several roots, with inputs named, twice."""

import torch
from training import digest, make_batch, make_net

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(20):
    x, _ = make_batch()
    optimizer.zero_grad()
    out = model(x)
    if i % 4 == 0:
        out.backward(gradient=torch.full_like(out, 0.1))
    elif i % 4 == 1:
        torch.autograd.backward([out.mean(), out.square().mean()], [torch.tensor(1.0), torch.tensor(0.5)])
    elif i % 4 == 2:
        out.square().mean().backward(inputs=list(model.parameters()))
    else:
        out.mean().backward(torch.tensor(0.5), retain_graph=True)
        out.square().mean().backward()
    optimizer.step()
print(digest(model))
