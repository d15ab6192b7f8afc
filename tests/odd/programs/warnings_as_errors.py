"""All warnings are errors: ours would end the program."""

import warnings

import torch
from training import digest, make_net, train

warnings.simplefilter("error")
torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
for _ in range(3):
    train(model, optimizer, 10)
    scheduler.step()
print(digest(model))
