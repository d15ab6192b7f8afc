"""autocast around forward and loss, in bfloat16, with its cache cleared by hand."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(30):
    x, y = make_batch()
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = functional.cross_entropy(model(x), y)
        torch.clear_autocast_cache()
    loss.backward()
    optimizer.step()
print(torch.is_autocast_enabled("cpu"), digest(model))
