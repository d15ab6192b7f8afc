"""A causal convolution predicts the next value at every moment of a series."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(6)
t = torch.arange(40) * 0.4
series = (t[None] * (0.5 + torch.rand(900, 1)) + 6 * torch.rand(900, 1)).sin().unsqueeze(2)


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 16, 5)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        padded = nn.functional.pad(x.transpose(1, 2), (4, 0))
        return self.out(self.conv(padded).relu().transpose(1, 2))


model = Causal()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(6):
    for (batch,) in DataLoader(TensorDataset(series), batch_size=30, shuffle=True):
        prediction = model(batch[:, :-1])
        loss = nn.functional.mse_loss(prediction, batch[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
