"""Anomaly mode around everything, and the traceback that it prints of a forward."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.autograd.set_detect_anomaly(True):
    train(model, optimizer, 10)
    x = torch.tensor([-1.0], requires_grad=True)
    try:
        x.sqrt().sum().backward()
    except RuntimeError as error:
        print(error)
print(torch.is_anomaly_enabled(), digest(model))
