"""Running losses kept without their graphs, in the ways people write it."""

import torch


class Meter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n


def train_step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
history = {"loss": [], "data": []}
meter = Meter()
total = torch.zeros(())
for _ in range(3):
    losses = []
    for _ in range(8):
        inputs = torch.randn(16, 6)
        targets = inputs[:, :3].argmax(1)
        loss = train_step(net, opt, inputs, targets)
        losses.append(loss)
        history["loss"].append(float(loss))
        history["data"].append(loss.data)
        meter.update(loss.item(), len(targets))
        with torch.no_grad():
            total += loss
    print(torch.stack(losses).mean())
