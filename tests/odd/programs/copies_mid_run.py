"""Model, optimizer and scheduler are pickled and deep-copied in the middle of a run, together and apart."""

import copy
import io
import pickle

import torch
from torch.optim.lr_scheduler import ExponentialLR
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = ExponentialLR(optimizer, 0.99)
sizes = []
for _ in range(6):
    for _ in range(5):
        train(model, optimizer, 1)
        scheduler.step()
    data = pickle.dumps((model, optimizer))
    sizes.append(len(data))
    model, optimizer = pickle.loads(data)
    model, optimizer, scheduler = copy.deepcopy((model, optimizer, scheduler))
    scheduler.optimizer = optimizer
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    sizes.append(len(file.getvalue()))
print(sizes, optimizer.param_groups[0]["lr"], digest(model))
