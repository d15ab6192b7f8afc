"""Train with an exponential moving average of the weights, and score that average after each epoch."""

import copy
import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ModelEMA:
    def __init__(self, model, decay=0.9):
        self.module = copy.deepcopy(model)
        self.module.eval()
        for p in self.module.parameters():
            p.requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for ema_v, model_v in zip(self.module.state_dict().values(), model.state_dict().values()):
            if ema_v.dtype.is_floating_point:
                ema_v.copy_(ema_v * self.decay + (1.0 - self.decay) * model_v)


def train_one_epoch(model, ema, loader, criterion, optimizer):
    model.train()
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(model)


@torch.no_grad()
def evaluate(module, loader):
    hits, seen = 0, 0
    for x, y in loader:
        hits += (module(x).argmax(1) == y).sum().item()
        seen += len(y)
    return hits / seen


torch.manual_seed(9)
x = torch.randn(320, 8)
y = (x[:, 0] * x[:, 1] > 0).long()
train_loader = DataLoader(TensorDataset(x[:256], y[:256]), batch_size=32, shuffle=True)
val_loader = DataLoader(TensorDataset(x[256:], y[256:]), batch_size=16)

net = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))
ema = ModelEMA(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(3):
    train_one_epoch(net, ema, train_loader, nn.CrossEntropyLoss(), optimizer)
    accuracy = evaluate(ema.module, val_loader)
    print(f"epoch {epoch}: ema accuracy {accuracy:.3f}")

final = b"".join(t.detach().float().numpy().tobytes() for m in (net, ema.module) for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
