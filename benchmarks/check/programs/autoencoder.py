"""An autoencoder: the loader gives one tensor, which is input and target."""

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
data = (torch.randn(2000, 3) @ torch.randn(3, 16)).tanh()


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))
        self.decoder = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, x):
        code = self.encoder(x)
        return self.decoder(code)


model = AutoEncoder()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(5):
    for x in DataLoader(data, batch_size=40, shuffle=True):
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
