"""train() leaves frozen batch-norm in eval mode."""

# kind: batchnorm
# source: https://github.com/pgniewko/gt-pyg/issues/112
# changed: an encoder of random vectors, pretrained for a moment, in place of a graph transformer

import hashlib
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU())
        self.head = nn.Linear(32, 1)
        self.frozen = False

    def forward(self, x):
        return self.head(self.encoder(x)).squeeze(1)

    def freeze(self):
        self.frozen = True
        for module in self.encoder.modules():
            if isinstance(module, nn.BatchNorm1d):
                module.eval()
        for parameter in self.encoder.parameters():
            parameter.requires_grad = False

    def train(self, mode=True):
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self


def fit(model, x, y, epochs):
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=3e-3)
    for epoch in range(epochs):
        model.train()
        for index in torch.randperm(len(x)).split(32):
            loss = nn.functional.mse_loss(model(x[index]), y[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(loss.item())


torch.manual_seed(0)
model = Net()
x = torch.randn(480, 10)
fit(model, x, x[:, 0] * x[:, 1], 3)
model.freeze()
shifted = 2 * torch.randn(320, 10) + 1
fit(model, shifted, shifted[:, 2], 4)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
