"""ReduceLROnPlateau is given the accuracy, and waits for it to fall."""

# kind: schedule
# source: https://github.com/md-mohaiminul/ViS4mer/issues/4
# changed: a small classifier with a validation split in place of a video model

import hashlib
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(768, 12)
y = x[:, :4].argmax(1)
trainloader = DataLoader(TensorDataset(x[:512], y[:512]), batch_size=32, shuffle=True)
testloader = DataLoader(TensorDataset(x[512:], y[512:]), batch_size=64)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 4))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", patience=1, factor=0.2)


def evaluate():
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for inputs, targets in testloader:
            correct += (model(inputs).argmax(1) == targets).sum().item()
            total += len(targets)
    return 100.0 * correct / total


for epoch in range(8):
    model.train()
    for inputs, targets in trainloader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
    val_acc = evaluate()
    scheduler.step(val_acc)
    print(epoch, val_acc, optimizer.param_groups[0]["lr"])
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
