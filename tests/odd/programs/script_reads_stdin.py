"""Lines come from stdin, one for each step."""

# odd: stdin 0.1 0.2 0.05
import sys

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
for rate in sys.stdin.readline().split():
    train(model, torch.optim.SGD(model.parameters(), lr=float(rate)), 5)
print(input is not None, sys.stdin.read() == "", digest(model))
