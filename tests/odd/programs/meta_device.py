"""A step on the meta device, then the model is made real and trained."""

import torch
from torch import nn
from training import digest, make_net, train

with torch.device("meta"):
    model = make_net()
trial = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(4, 8, device="meta")).sum().backward()
trial.step()
print(model[0].weight.grad.device)
model.to_empty(device="cpu")
torch.manual_seed(0)
for param in model.parameters():
    nn.init.normal_(param, std=0.1)
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 40)
print(digest(model))
