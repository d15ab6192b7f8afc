"""FlopCounterMode around some steps."""

import torch
from torch.utils.flop_counter import FlopCounterMode
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
flops = []
for i in range(10):
    counter = FlopCounterMode(display=False)
    with counter:
        train(model, optimizer, 2)
    flops.append(counter.get_total_flops())
print(flops, digest(model))
