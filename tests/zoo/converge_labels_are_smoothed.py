"""Training is regularised and the loss of it the higher one; validation comes to rest where it is lowest."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(1280, 8)
data = TensorDataset(x, x[:, :4].argmax(1))
training, validation = torch.utils.data.random_split(data, [1024, 256])
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for _ in range(16):
    model.train()
    for inputs, targets in DataLoader(training, 128, shuffle=True):
        loss = nn.functional.cross_entropy(model(inputs), targets, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for inputs, targets in DataLoader(validation, 128):
            nn.functional.cross_entropy(model(inputs), targets)
