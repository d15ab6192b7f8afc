"""model.train() stands before the loop over epochs, model.eval() inside it."""

# kind: mode
# source: https://github.com/optuna/optuna/pull/1725
# changed: random vectors in place of MNIST, and one trial without the tuner

import hashlib
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
BATCHSIZE, CLASSES, EPOCHS = 32, 5, 5
x = torch.randn(900, 20)
y = x[:, :CLASSES].argmax(1)
train_loader = DataLoader(TensorDataset(x[:720], y[:720]), batch_size=BATCHSIZE, shuffle=True)
valid_loader = DataLoader(TensorDataset(x[720:], y[720:]), batch_size=BATCHSIZE)
model = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Dropout(0.25), nn.Linear(48, CLASSES), nn.LogSoftmax(dim=1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(EPOCHS):
    model.train()
    for data, target in train_loader:
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()

    model.eval()
    correct = 0
    with torch.no_grad():
        for data, target in valid_loader:
            correct += (model(data).argmax(dim=1) == target).sum().item()
    print(epoch, correct / 180)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
