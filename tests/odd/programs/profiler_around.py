"""The profiler around some steps sees the program's operations, not ours."""

import warnings

import torch
from torch.profiler import ProfilerActivity, profile
from training import digest, make_net, train

warnings.simplefilter("ignore")
torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 3)
with profile(activities=[ProfilerActivity.CPU]) as seen:
    train(model, optimizer, 5)
counts = {event.key: event.count for event in seen.key_averages() if event.key.startswith("aten::")}
print(sorted(counts.items()), digest(model))
