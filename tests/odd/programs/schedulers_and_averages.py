"""Schedulers of several kinds, averaged weights, and learning rates that are tensors."""

import torch
from torch.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR, LambdaLR, SequentialLR
from torch.optim.swa_utils import AveragedModel
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=torch.tensor(0.1))
average = AveragedModel(model)
schedule = SequentialLR(optimizer, [ConstantLR(optimizer, 0.5, 5), ExponentialLR(optimizer, 0.95)], milestones=[5])
rates = []
for _ in range(20):
    train(model, optimizer, 1)
    schedule.step()
    average.update_parameters(model)
    rates.append(float(optimizer.param_groups[0]["lr"]))
other = make_net()
second = torch.optim.Adam(other.parameters(), lr=1e-2)
chained = ChainedScheduler([LambdaLR(second, lambda step: 1 / (1 + step)), ExponentialLR(second, 0.99)])
for _ in range(10):
    train(other, second, 1)
    chained.step()
print(digest(rates), digest(model, average.module, other))
