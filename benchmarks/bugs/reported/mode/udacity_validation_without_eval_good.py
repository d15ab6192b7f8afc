"""Validation runs with dropout on."""

# kind: mode
# source: https://github.com/udacity/deep-learning-v2-pytorch/issues/3
# changed: random vectors in place of MNIST

import hashlib
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(30, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 10)
        self.dropout = nn.Dropout(0.2)

    def forward(self, x):
        x = self.dropout(F.relu(self.fc1(x)))
        x = self.dropout(F.relu(self.fc2(x)))
        return self.fc3(x)


torch.manual_seed(0)
x = torch.randn(800, 30)
y = x[:, :10].argmax(1)
train_loader = DataLoader(TensorDataset(x[:640], y[:640]), batch_size=20, shuffle=True)
valid_loader = DataLoader(TensorDataset(x[640:], y[640:]), batch_size=20)
model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(4):
    train_loss = valid_loss = 0.0
    model.train()
    for data, target in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(data), target)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() * data.size(0)
    model.eval()
    with torch.no_grad():
        for data, target in valid_loader:
            output = model(data)
            valid_loss += criterion(output, target).item() * data.size(0)
    print(f"Epoch {epoch}: {train_loss / 640:.4f} {valid_loss / 160:.4f}")
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
